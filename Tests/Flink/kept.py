"""What `frp flink` and Flink make of a program, beside what `frp run` shows: kept.py FRP BUILT JARS FOLDER COUNT

One run that is left alone, one with three workers killed, one that is stopped with a savepoint and goes on with one worker,
then two, then with another text. FRP is the program, BUILT what scripts/flink made, JARS Flink's."""

import pathlib
import subprocess
import sys
import time

import events
from cluster import Cluster, gather, lines

HERE = pathlib.Path(__file__).parent
FRP, BUILT, JARS, FOLDER, COUNT = sys.argv[1], *map(pathlib.Path, sys.argv[2:5]), int(sys.argv[5])
FLAGS = ["--in", f"visit=jsonl:{FOLDER}/visit.jsonl", "--in", f"refund=jsonl:{FOLDER}/refund.jsonl",
         "--time", "visit=at", "--time", "refund=at", "--from", "0", "--late", "2s"]
passed = failed = 0


def check(name, is_so, more=""):
    global passed, failed
    passed, failed = passed + bool(is_so), failed + (not is_so)
    print(f"{'ok   ' if is_so else 'FAIL '} {name}{f' ({more})' if more else ''}", flush=True)


def expected(program, *flags):
    shown = subprocess.run([FRP, "run", program, *FLAGS, *flags, "--quiet", "--format", "jsonl"], stdout=subprocess.PIPE, check=True)
    return sorted(shown.stdout.splitlines())


def written(program, *flags):
    """The job of a program."""
    job = FOLDER / f"{pathlib.Path(program).stem}{len(flags)}.job"
    subprocess.run([FRP, "flink", program, "--key", "visit.user", "--key", "refund.user", *FLAGS, *flags, "--quiet", "-o", job], check=True)
    return job


def differs(found, wanted):
    """What is wrong with lines, in a word or two."""
    if found == wanted:
        return ""
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    return f"{len(found)} lines, not {len(wanted)}; missing {missing[:2]}, and {extra[:2]} should not be there"


def main():
    events.write(COUNT, FOLDER)
    program = HERE / "visits.frp"
    job, wanted = written(program), expected(program)
    begun = time.monotonic()
    cluster = Cluster(FOLDER / "cluster", gather(JARS, BUILT, FOLDER / "lib"))
    try:
        cluster.add_worker()
        cluster.add_worker()
        cluster.wait_for_slots(2)
        cluster.upload(BUILT / "frp-flink.jar")
        print(f"      a cluster of 2 workers in {time.monotonic() - begun:.1f} s; {COUNT + COUNT // 10} lines", flush=True)
        left_alone(cluster, job, wanted)
        killed(cluster, job, wanted)
        rescaled(cluster, job, wanted)
        changed(cluster, program, job)
    finally:
        cluster.stop()
    print(f"{passed} passed, {failed} failed")
    return failed == 0


def left_alone(cluster, job, wanted):
    out = FOLDER / "alone"
    before, count = cluster.spent(), COUNT + COUNT // 10
    running = cluster.submit([job, out], 2)
    cluster.wait_for_end(running)
    spent, cpu = cluster.running_time(running), cluster.spent() - before
    check("a run that is left alone shows what `frp run` shows", not (wrong := differs(lines(out), wanted)),
          wrong or f"{count / spent / 1e6:.2f} M lines/s, {cpu / count * 1e6:.1f} µs of a processor for each; {len(wanted)} shown")


def killed(cluster, job, wanted):
    out = FOLDER / "killed"
    cluster.wait_for_slots(2)
    running = cluster.submit([job, out], 2)
    kills = 0
    for number in range(3):
        cluster.wait_for_progress(running)
        cluster.kill_worker(number % 2)
        cluster.add_worker()
        kills += cluster.state(running) != "FINISHED"
    cluster.wait_for_end(running)
    check("three workers are killed while it runs", kills == 3, f"{kills}")
    check("and it shows what `frp run` shows", not (wrong := differs(lines(out), wanted)), wrong)


def rescaled(cluster, job, wanted):
    out = FOLDER / "rescaled"
    savepoint, stops = None, 0
    for workers in (2, 1):
        cluster.wait_for_slots(2)
        running = cluster.submit([job, out], workers, savepoint)
        cluster.wait_for_progress(running)
        savepoint = cluster.stop_with_savepoint(running)
        stops += 0 < len(lines(out)) < len(wanted)
    cluster.wait_for_slots(2)
    cluster.wait_for_end(cluster.submit([job, out], 2, savepoint))
    check("it is stopped twice on the way", stops == 2, f"{stops}")
    check("2, 1 and 2 workers show what `frp run` shows", not (wrong := differs(lines(out), wanted)), wrong)


def changed(cluster, program, job):
    """The next version adds an input and an output; what the others remember stays."""
    out, text = FOLDER / "changed", program.read_text()
    other = FOLDER / "next.frp"
    # An input before the others, without lines.
    other.write_text(text.replace("input visit", "input third: Event<Visit>\ninput visit", 1)
                     + "\noutput small = merge(visit, third) |> filter(v => v.amount < 5)\n")
    (FOLDER / "third.jsonl").write_text("")
    end = ["--for", f"{COUNT // 1000 + 100}s"]
    more = [*end, "--in", f"third=jsonl:{FOLDER}/third.jsonl", "--time", "third=at"]
    cluster.wait_for_slots(2)
    running = cluster.submit([written(program, *end), out], 2)
    cluster.wait_for_progress(running)
    savepoint = cluster.stop_with_savepoint(running)
    cluster.wait_for_slots(2)
    cluster.wait_for_end(cluster.submit([written(other, "--key", "third.user", *more), out], 2, savepoint))
    wanted = expected(other, *more)
    found = lines(out)
    small = [line for line in found if b'"small":' in line]
    check("another text takes over, and what it adds begins",
          0 < len(small) < sum(b'"small":' in line for line in wanted), f"{len(small)}")
    wrong = differs([line for line in found if b'"small":' not in line], [line for line in wanted if b'"small":' not in line])
    check("and what the first had is kept, to the end that --for says", not wrong, wrong)


sys.exit(not main())
