"""A program that `frp flink` takes shows the same in parts: parted.py FRP

Each program is run by `frp run` over all lines, and over those of each third of the keys; both show the same lines. What needs
more than one key's lines is refused, with the definition that does. No Flink is needed for this."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

FRP = sys.argv[1]
INPUT = "input line: Event<{user: String, n: Int}>\ninput other: Event<{n: Int, user: String}>\n"

# What keyed(line, l => l.user, (u, ls) => …) may hold.
INSIDE = [
    "ls |> scan(0, (s, l) => s + l.n) |> map(s => (u, s))",
    "ls |> debounce(3s) |> map(l => (u, l.n, time))",
    "ls |> delay(2500ms) |> map(l => (u, l.n, time))",
    "ls |> throttle(4s) |> map(l => (u, l.n))",
    "ls |> audit(4s) |> map(l => (u, l.n, time))",
    "every(5s) |> map(_ => (u, ls |> count, time))",
    "ls |> batch(tick) |> map(b => (u, size(b), time))",
    "ls |> window(10s) |> changes |> map(w => (u, size(w), time))",
    "ls |> buffer(3) |> map(b => (u, b |> map(l => l.n)))",
    "ls |> pairwise |> map(p => (u, Tuple.second(p).n - Tuple.first(p).n))",
    "ls |> map(l => l.n % 3) |> distinct |> map(n => (u, n))",
    "ls |> take(2) |> map(l => (u, l.n))",
    "ls |> drop(2) |> map(l => (u, l.n + size(u)))",
    "after(7s) |> map(_ => (u, ls |> map(l => l.n) |> hold(-1), time))",
    "when((ls |> fold(0, (s, l) => s + l.n)) > 40) |> map(_ => (u, time))",
    "ls |> flatMapLatest(l => after(2s) |> map(_ => (u, l.n, time)))",
    "ls |> flatMap(l => every(3s) |> take(2) |> map(_ => (u, l.n, time)))",
    "ls |> keyed(l => l.n % 2, (odd, es) => es |> count |> changes |> map(c => (u, odd, c)))",
    "(ls |> groupBy(l => l.n % 3, (k, es) => es |> count)) |> changes |> map(m => (u, m))",
    "end |> map(_ => (u, ls |> count, time))",
    "ls |> map(l => (u, l.n, ticks))",
    "merge(ls |> map(l => l.n), every(4s) |> map(_ => 0)) |> scan(0, (s, n) => s + n) |> map(s => (u, s))",
]

# Whole programs.
TAKEN = [
    "output a = line |> filter(l => l.n > 4) |> map(l => (l.user, l.n, time))",
    "output a = merge(line, other) |> keyed(l => (l.user, l.n % 2), (k, ls) => ls |> count |> changes |> map(c => (k, c)))",
    "named = line |> map(l => {who: (l.user, 1), n: l.n})\n"
    "output a = named |> keyed(l => l.who, (w, ls) => ls |> scan(0, (s, l) => s + l.n) |> map(s => (w, s)))",
    "output a = line |> flatMap(l => after(5s) |> map(_ => (l.user, time)))",
    "output a = merge(line, other) |> keyedUntil(l => l.user, (u, ls) => {\n  quiet = ls |> debounce(3s)\n"
    "  (quiet |> map(_ => (u, ls |> count, time)), quiet)\n})",
    "output a = line |> map(l => {...l, n: l.n + 1}) |> keyed(l => l.user, (u, ls) => ls |> pairwise |> map(p => (u, p)))",
]

# What is refused, and what is said of it.
REFUSED = [
    ("output a = line |> fold(0, (s, l) => s + l.n)", "`a` shows all keys in one value"),
    ("output a = line |> groupBy(l => l.user, (u, ls) => ls |> count)", "`a` shows all keys in one value"),
    ("few = line |> map(l => l.n) |> distinct\noutput a = few |> map(n => n + 1)", "`few`: `distinct` goes over"),
    ("output a = line |> flatMapLatest(l => after(5s) |> map(_ => l.user))", "`a`: `flatMapLatest` goes over"),
    ("output a = line |> delay(1s)", "`a`: `delay` goes over"),
    ("total = line |> fold(0, (s, l) => s + l.n)\noutput a = line |> map(l => l.n - total)", "`a` reads `total`"),
    ("total = line |> fold(0, (s, l) => s + l.n)\n"
     "output a = line |> keyed(l => l.user, (u, ls) => ls |> map(l => (u, total)))", "`a` reads `total`"),
    ("output a = line |> keyed(l => l.user, (u, ls) => line |> map(l => l.n))", "`a` reads `line`"),
    ("output a = line |> keyed(l => l.n, (u, ls) => ls)", "`a` has groups by something else"),
    ("output a = line |> map(l => {...l, user: \"x\"}) |> keyed(l => l.user, (u, ls) => ls)", "`a` has groups by something else"),
    ("output a = every(1s)", "`a` depends on no line"),
    ("output a = merge(line |> map(l => l.n), every(1s) |> map(_ => 0))", "`a`: `merge` goes over"),
    ("output a = line |> keyed(l => l.user, (u, ls) => "
     "when((ls |> map(l => toFloat(l.n)) |> hold(0.0) |> integral) > 5.0))", "is followed step by step"),
]


def command(word, program, folder, *more):
    flags = [f"--{flag}={name}{rest}" for name in ("line", "other")
             for flag, rest in (("in", f"=jsonl:{folder}/{name}.jsonl"), ("time", "=at"))]
    return subprocess.run(
        [FRP, word, program, *flags, "--from", "0", "--late", "1s", "--for", "70s", "--quiet", *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def write(folder, lines):
    folder.mkdir()
    for name, all_of in lines.items():
        (folder / f"{name}.jsonl").write_text("".join(line + "\n" for line in all_of))


def main():
    draw = random.Random(3)
    users = ["a", "b", "c", "d", "é"]
    lines = {"line": [], "other": []}
    for name, size in (("line", 60), ("other", 20)):
        for number in range(size):
            # Many at one time, some at moments at which timers are due.
            at = number * 60 // size + draw.choice([0, 0, 0.5])
            lines[name].append(json.dumps({"at": at, "user": draw.choice(users), "n": draw.randrange(10)}))
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        write(place / "all", lines)
        for part in range(3):
            write(place / f"part{part}", {name: [line for line in all_of if users.index(json.loads(line)["user"]) % 3 == part]
                                          for name, all_of in lines.items()})
        program = place / "p.frp"

        def shown(folder):
            done = command("run", program, place / folder, "--format", "jsonl")
            return done.stdout.splitlines() if done.returncode == 0 else [done.stderr]

        keyed = "tick = every(5s)\nticks = tick |> count\noutput a = line |> keyed(l => l.user, (u, ls) => {})"
        for text in [keyed.format(body) for body in INSIDE] + TAKEN:
            program.write_text(INPUT + text + "\n")
            job = command("flink", program, place / "all", "--key=line.user", "--key=other.user")
            whole, parts = sorted(shown("all")), sorted(line for part in range(3) for line in shown(f"part{part}"))
            if job.returncode == 0 and whole == parts and len(whole) > 3:
                passed += 1
                continue
            failed += 1
            print(f"FAIL  {text}\n{job.stderr}\n  {len(whole)} lines: {whole[:3]}\n  {len(parts)} in parts: {parts[:3]}")
        for text, reason in REFUSED:
            program.write_text(INPUT + text + "\n")
            job = command("flink", program, place / "all", "--key=line.user", "--key=other.user")
            if job.returncode == 2 and reason in job.stderr and not job.stdout:
                passed += 1
            else:
                failed += 1
                print(f"FAIL  {text}\n  wants {reason}\n  {job.returncode}: {job.stderr}")
    print(f"{passed} passed, {failed} failed")
    return failed == 0


sys.exit(not main())
