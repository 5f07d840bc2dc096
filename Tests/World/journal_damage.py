"""Journals that are damaged, or that the disk refuses: a prefix or a sentence, never a wrong value. CUTS=10000 makes the cuts more; a
failure says its SEED."""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess

import harness
from harness import Failure, case, equal
from journal import SEED, content, run

CUTS = int(os.environ.get("CUTS") or 60)


@case
def damaged_journals_are_refused_or_cut(place):
    chance = random.Random(SEED)
    place.write("sums.frp", "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n")
    place.write("x.jsonl", "".join(f"{n}\n" for n in range(1, 3001)))
    sums = [0]
    for number in range(1, 3001):
        sums.append(sums[-1] + number)
    run(place, "sums.frp", "--in", "x=jsonl:x.jsonl", "--journal", "killed", "--for", "60s", limit=1.5)
    program = place.program("sums.frp", content(place, "sums.frp"), "--in", "x=jsonl:x.jsonl", "--journal", "paused", "--for", "60s")
    program.until_shown("sum", sums[-1])
    program.stop(signal.SIGTERM)
    refused = prefixes = 0
    for number in range(CUTS):
        shutil.rmtree(place.file("cut"), ignore_errors=True)
        # Of the one everything is in SQLite's log, of the other in its pages.
        shutil.copytree(place.file(chance.choice(["killed", "paused"])), place.file("cut"))
        names = [place.file(f"cut/{name}") for name in ("journal.sqlite", "journal.sqlite-wal")]
        name = max((name for name in names if os.path.exists(name)), key=os.path.getsize)
        size = os.path.getsize(name)
        with open(name, "r+b") as file:
            if number % 2:
                file.truncate(chance.randrange(max(0, size - 65536), size))
            else:
                place_of = chance.randrange(size)
                file.seek(place_of)
                byte = file.read(1)[0]
                file.seek(place_of)
                file.write(bytes([byte ^ 1 << chance.randrange(8)]))
        code, out, err = run(
            place, "sums.frp", "--in", "x=jsonl:-", "--journal", "cut", limit=20, said="0\n")
        told = err.strip().splitlines()
        if code == 0 or out.strip():
            # Whatever it goes on from is the sum of the first lines.
            if not out.strip() or int(out.split()[-1]) not in sums:
                raise Failure(f"SEED={SEED}, cut {number}: {out[-200:]}")
            prefixes += 1
        elif code in (1, 3) and told and "usage" not in err:
            refused += 1
        else:
            raise Failure(f"SEED={SEED}, cut {number}: it ended with {code}: {err}")
    print(f"{CUTS} damaged journals: {prefixes} went on from a prefix, {refused} were refused", flush=True)


@case
def a_log_that_was_changed_is_refused(place):
    """What SQLite passes over in its log without a word: a byte in the middle, after the process was killed. What is missing at its end is
    a loss of power."""
    place.write("sums.frp", "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n")
    program = place.program("sums.frp", content(place, "sums.frp"), "--in", "x=jsonl:-", "--journal", "kept")
    for number in range(1, 41):
        program.say(str(number))
        program.until_shown("sum", number * (number + 1) // 2)
    program.stop(signal.SIGKILL)
    log = "kept/journal.sqlite-wal"
    with open(place.file(log), "rb") as file:
        whole = file.read()
    # Who reads it has what stands in the log brought into the database.
    shutil.copytree(place.file("kept"), place.file("killed"))

    def again():
        shutil.rmtree(place.file("kept"))
        shutil.copytree(place.file("killed"), place.file("kept"))

    check = lambda: subprocess.run([harness.FRP, "journal", "kept", "--check"], cwd=place.path, capture_output=True, text=True)
    equal(check().returncode, 0)
    for at in [8, len(whole) // 3, len(whole) // 2]:
        again()
        with open(place.file(log), "wb") as file:
            file.write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        for code, err in [
            (lambda done: (done.returncode, done.stderr))(check()),
            (lambda done: (done[0], done[2]))(run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", "kept", limit=20, said="0\n"))]:
            if code == 0 or "the journal is damaged: journal.sqlite-wal is not what was written" not in err:
                raise Failure(f"byte {at} of {len(whole)}: {code}: {err}")
    again()
    with open(place.file(log), "wb") as file:
        file.write(whole[:len(whole) // 2] + bytes(len(whole) - len(whole) // 2))
    code, out, err = run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", "kept", "--format", "jsonl", limit=20, said="0\n")
    if code != 0 or json.loads(out.splitlines()[-1])["sum"] not in [n * (n + 1) // 2 for n in range(41)]:
        raise Failure(f"a tail of zeros: {code}: {out} {err}")


def contents(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


@case
def looking_at_what_was_cut_off_changes_nothing(place):
    """A run goes on from what is whole, whoever has looked before; it is said that something is missing, and how much."""
    text = "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    program = place.program("sums.frp", text, "--in", "x=jsonl:-", "--journal", "killed")
    for number in range(1, 7):
        program.say(str(number))
        program.until_shown("sum", number * (number + 1) // 2)
    program.stop(signal.SIGKILL)
    size = os.path.getsize(place.file("killed/journal.sqlite-wal"))
    for left in [size, 20000, 0]:
        shutil.rmtree(place.file("cut"), ignore_errors=True)
        shutil.copytree(place.file("killed"), place.file("cut"))
        os.truncate(place.file("cut/journal.sqlite-wal"), left)
        before = contents(place.file("cut"))
        for flags in [(), ("--check",), ("--lines",)]:
            done = subprocess.run([harness.FRP, "journal", "cut", *flags], cwd=place.path, capture_output=True, text=True)
            equal(done.returncode, 1 if left < size and flags == ("--check",) else 0, done.stderr)
            equal("are missing: the journal was cut off" in done.stderr, left < size, done.stderr)
            if left < size and "all of it is what was written" in done.stdout:
                raise Failure(done.stdout)
            equal(contents(place.file("cut")) == before, True, f"{left} bytes, {flags}")
        for is_first in (True, False):
            code, out, err = run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", "cut", "--format", "jsonl", limit=20, said="0\n")
            equal(code, 0, err)
            equal("was cut off" in err, is_first and left < size, err)
            # Its input has ended, and so has the run.
            if is_first and json.loads(out.splitlines()[-1])["sum"] not in [n * (n + 1) // 2 for n in range(7)]:
                raise Failure(out)


@case
def a_journal_can_be_read_where_nothing_can_be_written(place):
    """On a file system that is read-only, whether it was stopped or killed; a run says what is the matter."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
        raise harness.Skipped("no namespaces of one's own")
    text = "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    for ending in (signal.SIGTERM, signal.SIGKILL):
        name = f"kept{int(ending)}"
        program = place.program("sums.frp", text, "--in", "x=jsonl:-", "--journal", name)
        program.say("7")
        program.until_shown("sum", 7)
        program.stop(ending)
        os.mkdir(place.file("fixed" + name))

        def within(*words):
            line = f'mount --bind {name} fixed{name} && mount -o remount,ro,bind fixed{name} && exec "$@"'
            return subprocess.run(
                ["unshare", "-rm", "sh", "-c", line, "sh", harness.FRP, *words], cwd=place.path, capture_output=True, text=True,
                stdin=subprocess.DEVNULL)

        done = within("journal", f"fixed{name}", "--check")
        equal((done.returncode, done.stderr), (0, ""))
        if "all of it is what was written" not in done.stdout:
            raise Failure(done.stdout)
        if ending == signal.SIGKILL:
            equal('"x":7' in within("journal", f"fixed{name}", "--lines").stdout, True)
        done = within("run", "sums.frp", "--in", "x=jsonl:-", "--journal", f"fixed{name}")
        equal(done.returncode, 1, done.stderr)
        if "read-only" not in done.stderr.lower() or "disk I/O" in done.stderr:
            raise Failure(done.stderr)


@case
def a_damaged_page_is_told_before_it_is_met(place):
    """One that no row is read from is met when it is written to, in the middle of a run: the check finds it, and no run begins."""
    text = "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    place.write("x.jsonl", "".join(f"{n}\n" for n in range(100000)))
    program = place.program("sums.frp", text, "--in", "x=jsonl:x.jsonl", "--journal", "kept", "--for", "60s")
    program.until_shown("sum", sum(range(100000)))
    equal(program.stop(signal.SIGTERM), 143)
    file = place.file("kept/journal.sqlite")
    with open(file, "r+b") as database:
        database.seek(32)
        trunk = int.from_bytes(database.read(4), "big")
        if trunk == 0:
            raise Failure("no page is free")
        database.seek((trunk - 1) * 4096 + 9)
        byte = database.read(1)[0]
        database.seek((trunk - 1) * 4096 + 9)
        database.write(bytes([byte ^ 0x7F]))
    done = subprocess.run([harness.FRP, "journal", "kept", "--check"], cwd=place.path, capture_output=True, text=True)
    equal((done.returncode, done.stdout), (1, ""), done.stderr)
    wants(done.stderr, "the journal is damaged: journal.sqlite")
    code, out, err = run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", "kept", limit=20, said="0\n")
    equal((code, out), (1, ""), err)
    wants(err, "the journal is damaged: journal.sqlite")


@case
def a_log_that_was_removed_is_missed(place):
    """By a file that says how many batches there were. What SQLite itself has brought into the database is not missed."""
    text = "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    program = place.program("sums.frp", text, "--in", "x=jsonl:-", "--journal", "kept")
    for number in (1, 2, 3):
        program.say(str(number))
        program.until_shown("sum", number * (number + 1) // 2)
    program.stop(signal.SIGKILL)
    shutil.copytree(place.file("kept"), place.file("whole"))
    os.remove(place.file("kept/journal.sqlite-wal"))
    again = lambda journal: run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", journal, "--format", "jsonl", limit=20, said="0\n")
    for _ in range(2):
        code, out, err = again("kept")
        equal((code, out), (1, ""), err)
        if "journal.sqlite-wal was removed from the directory" not in err or "usage" in err:
            raise Failure(err)
    done = subprocess.run([harness.FRP, "journal", "kept"], cwd=place.path, capture_output=True, text=True)
    equal((done.returncode, done.stdout), (1, ""), done.stderr)
    # Somebody wants to go on without it.
    os.remove(place.file("kept/journal.last"))
    code, out, err = again("kept")
    equal((code, json.loads(out.splitlines()[-1])["sum"]), (0, 0), err)
    # SQLite's own program brings the log into the database, and takes it away.
    database = sqlite3.connect(place.file("whole/journal.sqlite"))
    equal(database.execute("SELECT count(*) FROM batch").fetchone()[0] >= 3, True)
    database.close()
    equal(os.path.exists(place.file("whole/journal.sqlite-wal")), False)
    code, out, err = again("whole")
    equal((code, json.loads(out.splitlines()[-1])["sum"]), (0, 6), err)


@case
def what_is_left_of_a_journal_is_not_taken_for_nothing(place):
    """A file that was removed by hand is missed, with a sentence and without the usage."""
    text = "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    program = place.program("sums.frp", text, "--in", "x=jsonl:-", "--journal", "kept")
    program.say("1")
    program.until_shown("sum", 1)
    program.stop(signal.SIGKILL)
    log = place.file("kept/journal.sqlite-wal")
    if not os.path.getsize(log):
        raise Failure("nothing stands in the log")
    os.remove(place.file("kept/journal.sqlite"))
    code, out, err = run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", "kept", said="2\n")
    equal((code, out), (1, ""), err)
    if "there is journal.sqlite-wal, and what belongs to it was removed" not in err or "usage" in err:
        raise Failure(err)
    done = subprocess.run([harness.FRP, "journal", "kept"], cwd=place.path, capture_output=True, text=True)
    equal((done.returncode, done.stdout), (1, ""), done.stderr)
    # Of a database without what its log had there is nothing to miss; that it begins anew is said.
    shutil.rmtree(place.file("kept"))
    os.mkdir(place.file("kept"))
    with open(place.file("kept/journal.sqlite"), "wb") as file:
        database = sqlite3.connect(place.file("other"))
        database.execute("PRAGMA journal_mode = WAL")
        database.close()
        with open(place.file("other"), "rb") as other:
            file.write(other.read())
    code, out, err = run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", "kept", said="2\n")
    equal((code, out), (0, "2\n"), err)
    if "the journal in kept has nothing in it: the run begins anew" not in err:
        raise Failure(err)


@case
def who_looks_at_a_journal_does_not_keep_it(place):
    """`frp journal DIR --lines | less`: the service starts meanwhile."""
    text = "input x: Event<String>\noutput last = x |> hold(\"\")\n"
    place.write("last.frp", text)
    place.write("x.jsonl", "".join(f'"{number}{"x" * 200}"\n' for number in range(2000)))
    code, _, err = run(place, "last.frp", "--in", "x=jsonl:x.jsonl", "--journal", "kept", limit=60)
    equal(code, 0, err)
    looking = subprocess.Popen([harness.FRP, "journal", "kept", "--lines"], cwd=place.path, stdout=subprocess.PIPE)
    looking.stdout.read(1)
    code, _, err = run(place, "last.frp", "--in", "x=jsonl:x.jsonl", "--journal", "kept", limit=60)
    rest = looking.stdout.read()
    looking.wait()
    equal(code, 0, err)
    if rest.count(b"\n") < 2000:
        raise Failure(f"{rest.count(10)} lines")


@case
def what_cannot_be_kept_at_the_end_is_told(place):
    text = "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    program = place.program("sums.frp", text, "--in", "x=jsonl:-", "--journal", "kept")
    program.say("1")
    program.until_shown("sum", 1)
    program.stop(signal.SIGTERM)
    database = sqlite3.connect(place.file("kept/journal.sqlite"))
    database.execute("CREATE TRIGGER refuse BEFORE INSERT ON batch BEGIN SELECT RAISE(FAIL, 'refused'); END")
    database.close()
    # The only commit is the one at the end of the inputs.
    code, out, err = run(place, "sums.frp", "--in", "x=jsonl:-", "--journal", "kept", said="2\n")
    equal((code, out), (3, ""))
    if "the journal cannot be written" not in err:
        raise Failure(err)


@case
def why_a_changed_state_is_not_kept_is_said(place):
    """What the system says, and of which file: nothing is wrong with the state itself."""
    text = 'input x: Event<Int>\ntexts = x |> map(n => List.range(1, n) |> map(k => "{k}")) |> hold([])\noutput many = size(texts)\n'
    program = place.program("many.frp", text, "--in", "x=jsonl:-", "--journal", "kept")
    program.say("100000")
    program.until_shown("many", 100_000)
    equal(program.stop(signal.SIGTERM), 143)
    place.write("many.frp", text.replace("size(texts)", "size(texts) + 1"))
    flags = ("--in", "x=jsonl:-", "--journal", "kept", "--upgrade")

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    code, out, err = run(place, "many.frp", *flags, preexec_fn=limited, stdin=subprocess.DEVNULL)
    equal((code, out), (2, ""), err)
    if "the state of the changed program cannot be kept: file too large: kept/state-" not in err:
        raise Failure(err)
    # The journal is as it was; what is shown now is other than it was.
    code, out, err = run(place, "many.frp", *flags, said="50\n")
    equal((code, out), (0, "100001\n51\n"), err)


@case
def a_full_disk_ends_the_run(place):
    place.write("sums.frp", "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n")
    place.write("x.jsonl", "".join(f"{n}\n" for n in range(1, 100_001)))

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    code, out, err = run(
        place, "sums.frp", "--in", "x=jsonl:x.jsonl", "--journal", "kept", preexec_fn=limited)
    if code != 3 or "the journal cannot be written, so the run ends" not in err:
        raise Failure(f"{code}: {err}")
    # There is room again: the run goes on as if nothing had been.
    code, rest, err = run(place, "sums.frp", "--in", "x=jsonl:x.jsonl", "--journal", "kept")
    equal(code, 0, err)
    sums, total = [], 0
    for number in range(1, 100_001):
        total += number
        sums.append(total)
    lines = [int(line) for line in (out + rest).split()]
    if sorted(set(lines)) != sums:
        raise Failure(f"{len(set(lines))} of {len(sums)} sums were shown")


def wants(err, *words):
    for word in words:
        if word not in err:
            raise Failure(f"there is no {word!r} in {err!r}")


@case
def an_export_destroys_nothing(place):
    text = "input n: Event<Int>\noutput o = n\n"
    place.write("c.frp", text)
    equal(run(place, "c.frp", "--in", "n=jsonl:-", "--journal", "kept", said="1\n")[0], 0)
    os.symlink("kept/journal.sqlite", place.file("link"))
    os.mkdir(place.file("sub"))
    journal = lambda *words, where="": subprocess.run(
        [harness.FRP, "journal", *words], cwd=place.file(where), capture_output=True, text=True)
    for where, kept, file in [
        ("", "kept", "kept/journal.sqlite"), ("", "kept", "link"), ("", "kept", "kept/../kept/journal.sqlite-wal"),
        ("", "kept", "kept/state-b"), ("", "kept", "c.frp"), ("sub", "../kept", "../c.frp")]:
        done = journal(kept, "--export", file, where=where)
        equal((done.returncode, done.stdout), (2, ""), f"{file}: {done.stderr}")
        wants(done.stderr, f"`{file}` cannot be written: it is ")
    equal(content(place, "c.frp"), text)
    equal(journal("kept", "--check").returncode, 0)
    equal(journal("kept", "--export", "day.jsonl").returncode, 0)
    # Outputs are led there no more than an export.
    code, _, err = run(place, "c.frp", "--journal", "kept", "--out", "o=lines:kept/journal.sqlite", said="")
    equal(code, 2, err)
    wants(err, "a file of the journal itself")
    equal(journal("kept", "--check").returncode, 0)


@case
def what_is_asked_of_a_journal_at_once_fits_together(place):
    place.write("c.frp", "input n: Event<Int>\noutput o = n\n")
    equal(run(place, "c.frp", "--in", "n=jsonl:-", "--journal", "kept", said="1\n")[0], 0)
    for words in (["--check", "--lines"], ["--check", "--export", "-"], ["--compact", "--lines"], ["--lines", "--export", "-"], ["--compact", "--export", "-"]):
        done = subprocess.run([harness.FRP, "journal", "kept", *words], cwd=place.path, capture_output=True, text=True)
        equal((done.returncode, done.stdout), (2, ""), f"{words}: {done.stderr}")
        wants(done.stderr, "cannot go together")
    done = subprocess.run([harness.FRP, "journal", "kept", "--compact", "--check"], cwd=place.path, capture_output=True, text=True)
    equal(done.returncode, 0, done.stderr)
    wants(done.stdout, "checked: all of it")


@case
def a_journal_that_is_removed_under_its_run_ends_it(place):
    text = "input n: Event<Int>\noutput o = n\n"
    program = place.program("c.frp", text, "--in", "n=jsonl:-", "--journal", "kept")
    program.say("1")
    program.until_shown("o", 1)
    shutil.rmtree(place.file("kept"))
    program.say("2")
    equal(program.wait(), 3, program.told())
    equal(program.shown("o"), [1])
    wants("\n".join(program.err), "the journal cannot be written, so the run ends: kept/journal.sqlite was removed or replaced")
    # An emptied database beside a whole state is no beginning.
    program = place.program("c.frp", text, "--in", "n=jsonl:-", "--journal", "kept")
    program.say("1")
    program.until_shown("o", 1)
    program.stop(signal.SIGINT)
    open(place.file("kept/journal.sqlite"), "w").close()
    code, out, err = run(place, "c.frp", "--in", "n=jsonl:-", "--journal", "kept", said="2\n")
    equal((code, out), (1, ""), err)
    wants(err, "the journal is damaged")
