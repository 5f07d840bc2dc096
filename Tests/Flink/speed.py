"""Lines a second that a cluster of two workers takes: speed.py FRP BUILT JARS FOLDER COUNT

Each program twice: the first run warms the JVMs up. What a run shows must be what `frp run` shows, in number."""

import pathlib
import subprocess
import sys
import time

import events
from cluster import Cluster, gather, lines

FRP, BUILT, JARS, FOLDER, COUNT = sys.argv[1], *map(pathlib.Path, sys.argv[2:5]), int(sys.argv[5])
FLAGS = ["--in", f"visit=jsonl:{FOLDER}/visit.jsonl", "--time", "visit=at", "--from", "0", "--late", "2s"]
VISIT = "input visit: Event<{user: String, amount: Int}>\n"
PROGRAMS = {
    "a sum a key, shown where it passes a thousand":
        VISIT + "output full = visit |> keyed(v => v.user, (_, own) => changes(div(own |> fold(0, (s, v) => s + v.amount), 1000)))\n",
    "a sum a key, each shown":
        VISIT + "output sum = visit |> keyed(v => v.user, (_, own) => own |> scan(0, (s, v) => s + v.amount))\n",
}


def main():
    events.write(COUNT, FOLDER)
    cluster = Cluster(FOLDER / "cluster", gather(JARS, BUILT, FOLDER / "lib"), interval="5s")
    try:
        cluster.add_worker()
        cluster.add_worker()
        cluster.wait_for_slots(2)
        cluster.upload(BUILT / "frp-flink.jar")
        for number, (name, text) in enumerate(PROGRAMS.items()):
            measure(cluster, name, text, FOLDER / f"p{number}")
    finally:
        cluster.stop()


def measure(cluster, name, text, path):
    program, job = path.with_suffix(".frp"), path.with_suffix(".job")
    program.write_text(text)
    begun = time.monotonic()
    shown = subprocess.run([FRP, "run", program, *FLAGS, "--quiet", "--format", "jsonl"], stdout=subprocess.PIPE, check=True).stdout.count(b"\n")
    alone = time.monotonic() - begun
    subprocess.run([FRP, "flink", program, "--key", "visit.user", *FLAGS, "--quiet", "-o", job], check=True)
    for number in range(2):
        out = FOLDER / f"{path.name}.{number}"
        cluster.wait_for_slots(2)
        before = cluster.spent()
        running = cluster.submit([job, out], 2)
        cluster.wait_for_end(running, 300)
        spent, cpu = cluster.running_time(running), cluster.spent() - before
        found = len(lines(out))
        print(f"{name}{', once more' if number else ''}: {COUNT / spent / 1e6:.2f} M lines/s, {cpu / COUNT * 1e6:.1f} µs of a processor for each "
              f"({found} shown); `frp run` {COUNT / alone / 1e6:.2f} M lines/s", flush=True)
        if found != shown:
            sys.exit(f"{found} lines are shown, not {shown}")


main()
