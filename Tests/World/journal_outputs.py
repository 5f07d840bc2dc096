"""Where the outputs of a run with a journal go, when it is killed before it wrote anything, when flags or the text lead them elsewhere, and
what is told of flags that count no more."""

import os
import shutil
import signal

import harness
from harness import Failure, case, equal
from journal import content, run
from journal_damage import wants

TWO = "input n: Event<Int>\noutput o = n |> map(x => x)\noutput p = n |> map(x => x * 10)\n"
ENDINGS = (signal.SIGKILL, signal.SIGINT)


def taking(place, name, text, lines, *flags, ending, shows="seen"):
    """A process that takes these lines and shows that it has, and is ended then."""
    program = place.program(name, text + f"output {shows} = n\n", "--in", "n=jsonl:-", "--journal", "kept", *flags)
    for line in lines:
        program.say(str(line))
    program.until(lambda: program.shown(shows)[-1:] == [lines[-1]], f"{shows} = {lines[-1]}")
    program.stop(ending)
    return "\n".join(program.err)


def anew(place, *names):
    shutil.rmtree(place.file("kept"), ignore_errors=True)
    for name in names:
        if os.path.exists(place.file(name)):
            os.remove(place.file(name))


@case
def a_header_that_was_not_written_yet_is_not_missed(place):
    """Killed in its first instant, before anything is handed over."""
    place.write("slow.frp", "input n: Event<Int>\noutput o = n |> map(x => {s: sum((1..x) |> map(i => i % 7))})\n")
    for way, content_wanted in [("csv:s.csv", "at,s\n"), ("csv:s.csv?header=no", ""), ("lines:s.csv", ""), ("jsonl:s.csv", "")]:
        anew(place, "s.csv")
        flags = ("slow.frp", "--in", "n=jsonl:-", "--journal", "kept", "--out", f"o={way}")
        killed = place.program("slow.frp", content(place, "slow.frp"), *flags[1:])
        killed.say("200000000")
        harness.until(lambda: os.path.exists(place.file("s.csv")), "s.csv is there")
        # The journal has a run once its log has its beginning.
        log = place.file("kept/journal.sqlite-wal")
        harness.until(lambda: os.path.exists(log) and os.path.getsize(log) > 8192, "the run has begun")
        killed.stop(signal.SIGKILL)
        code, _, err = run(place, *flags, said="3\n")
        equal(code, 0, f"{way}: {err}")
        with open(place.file("s.csv")) as file:
            text = file.read()
        equal((text[:len(content_wanted)], text.count("\n"), text.count("at,s")), (content_wanted, 1 + bool(content_wanted), bool(content_wanted)), way)


@case
def a_header_on_standard_output_is_shown_once(place):
    text = "input n: Event<Int>\noutput o = n\n"
    place.write("a.frp", text)
    flags = ("a.frp", "--in", "n=jsonl:-", "--journal", "kept", "--out", "o=csv:-?columns=o")
    for ending in ENDINGS:
        anew(place)
        program = place.program("a.frp", text, *flags[1:])
        program.say("1")
        program.until(lambda: program.out == ["o", "1"], "o, 1")
        program.stop(ending)
        code, out, err = run(place, *flags, said="2\n")
        equal(code, 0, err)
        # What was under way when it was killed may come again.
        if out not in (["2\n"] if ending == signal.SIGINT else ["2\n", "1\n2\n", "o\n1\n2\n"]):
            raise Failure(f"{ending}: {out!r}")


@case
def a_file_goes_on_whichever_output_writes_it(place):
    """The output is renamed, or another flag leads to the file, or it is named otherwise."""
    renamed = TWO.replace("output o", "output q")
    for ending in ENDINGS:
        for way, wanted in [("lines:f.txt", "1\n2\n3\n"), ("csv:f.txt?columns=%", "%\n1\n2\n3\n")]:
            anew(place, "f.txt")
            taking(place, "a.frp", TWO, [1, 2], "--out", f"o={way.replace('%', 'o')}", ending=ending)
            if "csv" in way:
                # Its columns are called otherwise now: it is refused, and the journal stays as it was.
                place.write("a.frp", renamed + "output seen = n\n")
                before = content(place, "f.txt")
                code, _, err = run(
                    place, "a.frp", "--in", "n=jsonl:-", "--journal", "kept", "--upgrade", "--out", "q=csv:f.txt?columns=q", said="3\n")
                equal(code, 2, err)
                wants(err, "`f.txt` has the columns o, and `q` has the columns q", "--out q=csv:FILE")
                if "usage" in err.lower() or not content(place, "f.txt").startswith(before):
                    raise Failure(err + content(place, "f.txt"))
                continue
            taking(place, "a.frp", renamed, [3], "--upgrade", "--out", f"q={way}", ending=ending)
            code, _, err = run(place, "a.frp", "--in", "n=jsonl:-", "--journal", "kept", "--out", f"q={way}", said="")
            equal((code, content(place, "f.txt")), (0, wanted), f"{ending}: {err}")
        # With the same text: each value where the flags of its moment led.
        anew(place, "f.txt", "g.txt")
        taking(place, "a.frp", TWO, [1, 2], "--out", "o=lines:f.txt", ending=ending)
        taking(place, "a.frp", TWO, [3], "--out", "p=lines:./f.txt", ending=ending)
        taking(place, "a.frp", TWO, [4], "--out", "p=lines:g.txt", ending=ending)
        taking(place, "a.frp", TWO, [5], ending=ending)
        taking(place, "a.frp", TWO, [6], "--out", "o=lines:f.txt", "--out", "p=lines:g.txt", ending=ending)
        code, _, err = run(
            place, "a.frp", "--in", "n=jsonl:-", "--journal", "kept", "--out", "o=lines:f.txt", "--out", "p=lines:g.txt", said="")
        equal((code, content(place, "f.txt"), content(place, "g.txt")), (0, "1\n2\n30\n6\n", "40\n60\n"), f"{ending}: {err}")
        # A file to which nothing led, and that was removed meanwhile, begins anew; of one that something led to nothing may be missing.
        anew(place, "f.txt", "g.txt")
        taking(place, "a.frp", TWO, [1], "--out", "o=lines:f.txt", ending=ending)
        taking(place, "a.frp", TWO, [2], "--out", "o=lines:g.txt", ending=ending)
        os.remove(place.file("f.txt"))
        taking(place, "a.frp", TWO, [3], "--out", "o=lines:f.txt", ending=ending)
        taking(place, "a.frp", TWO, [4], "--out", "o=lines:f.txt", ending=signal.SIGINT)
        equal((content(place, "f.txt"), content(place, "g.txt")), ("3\n4\n", "2\n"), str(ending))
        os.remove(place.file("f.txt"))
        code, _, err = run(place, "a.frp", "--in", "n=jsonl:-", "--journal", "kept", "--out", "o=lines:f.txt", said="")
        equal(code, 2, err)
        wants(err, "put it back, or remove the journal")


@case
def a_flag_that_cannot_be_followed_can_be_mended(place):
    """A directory that is not there, in the flags of one start, is in the way of none after it."""
    anew(place, "f.txt")
    taking(place, "a.frp", TWO, [1], "--out", "o=lines:f.txt", ending=signal.SIGKILL)
    flags = ("a.frp", "--in", "n=jsonl:-", "--journal", "kept", "--out")
    for lost in ("o=lines:none/f.txt", "p=lines:none/f.txt"):
        code, _, err = run(place, *flags, lost, said="2\n")
        equal(code, 2, err)
        wants(err, "none/f.txt")
    code, _, err = run(place, *flags, "o=lines:f.txt", said="2\n")
    equal((code, content(place, "f.txt")), (0, "1\n2\n"), err)


@case
def a_file_of_csv_keeps_its_columns(place):
    """Another text gives the record another field."""
    one, two = "output o = n |> map(x => {v: x})\n", "output o = n |> map(x => {a: x, v: x * 2})\n"
    head = "input n: Event<Int>\n"
    for way in ("o=csv:c.csv", "o=csv:c.csv?header=no"):
        for ending in ENDINGS:
            anew(place, "c.csv")
            taking(place, "a.frp", head + one, [3], "--out", way, ending=ending)
            place.write("a.frp", head + two + "output seen = n\n")
            flags = ("a.frp", "--in", "n=jsonl:-", "--journal", "kept", "--upgrade")
            code, _, err = run(place, *flags, "--out", way, said="4\n")
            equal(code, 2, err)
            wants(err, "`c.csv` has the columns at,v, and `o` has the columns at,a,v", "--out o=csv:FILE")
            # The way out that is told.
            code, _, err = run(place, *flags, "--out", "o=csv:d.csv?columns=a,v", said="4\n")
            equal((code, content(place, "d.csv")), (0, "a,v\n4,8\n"), err)
            equal(content(place, "c.csv").count("\n"), 1 + ("header=no" not in way), "the rows of the old text")
            os.remove(place.file("d.csv"))


@case
def a_run_has_one_seed(place):
    text = "input n: Event<Int>\noutput t = n |> map(x => (Random.seed, x))\n"
    for ending in ENDINGS:
        anew(place)
        for line, flags, told in [(1, ["--seed", "3"], ""), (2, ["--seed", "5"], "--seed 5"), (3, [], ""), (4, ["--seed", "8"], "--seed 8"), (5, [], ""), (6, ["--seed", "3"], "")]:
            program = place.program("r.frp", text, "--in", "n=jsonl:-", "--journal", "kept", *flags)
            program.say(str(line))
            program.until_shown("t", [3, line])
            program.stop(ending)
            err = "\n".join(program.err)
            equal("would count at the beginning only" in err, bool(told), err)
            if told:
                wants(err, told, "with the seed 3")


@case
def another_start_value_is_told(place):
    text = "input k: Behavior<Int> = 1\ninput n: Event<Int>\noutput o = n |> map(x => x * k)\n"
    place.write("k.frp", text)
    for ending in ENDINGS:
        anew(place)
        flags = ("--in", "n=jsonl:-", "--journal", "kept")
        for line, more, told in [(1, ["--set", "k=2"], False), (2, ["--set", "k=7"], True), (3, ["--set", "k=2"], False), (4, [], False)]:
            program = place.program("k.frp", text, *flags, *more)
            program.say(str(line))
            program.until_shown("o", 2 * line)
            program.stop(ending)
            err = "\n".join(program.err)
            equal("--set k=… would count at the beginning only" in err, told, f"{more}: {err}")
        # A text that takes over: it began with the same.
        program = place.program("k.frp", text + "output all = n |> scan(0, (s, x) => s + x)\n", *flags, "--set", "k=2", "--upgrade")
        program.say("5")
        program.until_shown("o", 10)
        program.stop(ending)
        if "would count" in "\n".join(program.err):
            raise Failure(program.err)


@case
def samples_go_on_where_they_are_otherwise(place):
    """Another `--sample` counts from where the run is: nothing of the past is shown again, and nothing waits until so many samples are over."""
    text = "input n: Event<Int>\noutput w = time * 1.0\noutput seen = n\n"
    last = 0.0
    for number, (period, ending) in enumerate(
            [(0.5, signal.SIGTERM), (0.05, signal.SIGKILL), (0.4, signal.SIGTERM), (0.05, signal.SIGTERM), (0.2, signal.SIGTERM)]):
        program = place.program(
            "w.frp", text, "--in", "n=jsonl:-", "--journal", "kept", "--sample", f"{round(period * 1000)}ms")
        program.say(str(number))
        program.until_shown("seen", number)
        count = len(program.shown("w"))
        program.until(lambda: len(program.shown("w")) > count + 1, "two samples")
        program.stop(ending)
        shown = program.shown("w")
        if shown[0] < last - 0.5 or any(b <= a for a, b in zip(shown, shown[1:])):
            raise Failure(f"{shown} after {last}")
        for value in shown[1:]:
            if abs(value / period - round(value / period)) > 1e-6:
                raise Failure(f"{value} is no multiple of {period}: {shown}")
        last = shown[-1]


@case
def the_first_sample_of_a_changed_program_is_now(place):
    """A program that had nothing to sample, and has after an upgrade."""
    text = "input n: Event<Int>\noutput seen = n\n"
    program = place.program("w.frp", text, "--in", "n=jsonl:-", "--journal", "kept", "--sample", "10ms")
    program.say("1")
    program.until_shown("seen", 1)
    harness.time.sleep(1)
    program.say("2")
    program.until_shown("seen", 2)
    program.stop(signal.SIGTERM)
    program = place.program(
        "w.frp", text + "output w = time * 1.0\n", "--in", "n=jsonl:-", "--journal", "kept", "--sample", "10ms", "--upgrade")
    program.until(lambda: len(program.shown("w")) > 3, "samples")
    program.stop(signal.SIGTERM)
    shown = program.shown("w")
    if shown[0] < 1 or any(b <= a for a, b in zip(shown, shown[1:])):
        raise Failure(f"{shown[:20]}")
