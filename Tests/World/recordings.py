"""Live runs, recorded, run again to the same bytes: random programs with tasks in flight, cancels, retries and reconnects, against
servers that answer late, wrongly or not at all. RUNS=1000 makes them more, SEED=7 begins elsewhere."""

import concurrent.futures
import os
import random
import re
import signal
import subprocess
import threading
import time

import harness
from harness import Failure, Raw, case
from hostile import handshake, say

RUNS = int(os.environ.get("RUNS") or 24)
SEED = int(os.environ.get("SEED") or 0)

PROGRAM = """
input line: Event<String>
input other: Event<Int> from (SOURCE) |> filterMap(toInt) |> reconnect(n => if n < 3 then Some(WAIT1) else None)
shown(r: Result<Int, Error>) = match r { Ok(n) => "{n}"; Err(e) => e.message }
ask(x): Task<Int> = Http.get("http://HERE/{x}") TASK
a = line |> perform(POLICY1, x => ask(x))
b = line |> perform(POLICY2, x => Http.post("http://HERE/p{x}", {x: x, n: 1}) |> andThen(y => ask("{x}{plain(y)}")))
plain(n: Int) = n
output first = a.results |> map(shown)
output second = b.results |> map(shown)
output busy = a.busy || b.busy
ws = listen(line, POLICY3, x => Ws.messages("ws://HERE/ws{x}") |> map(String.size) |> reconnect(n => if n < COUNT then Some(WAIT2) else None))
output heard = ws.items
output state = ws.state
output ended = ws.ends |> map(r => match r { Ok(_) => "ok"; Err(e) => e.message })
lines = line |> switch(never, x => listen(after(0s), All, _ => Http.lines("http://HERE/lines{x}") |> map(toInt)).items)
output latest = merge(a.results |> filterMap(ok), heard) |> scan(0, (m, n) => m * 7 % 1009 + n)
output others = other |> scan(0, (m, n) => m + n)
output numbers = lines |> filterMap(n => n)
output ticks = every(TICK) |> count
output files = (line |> perform(Queue, x => Files.read("{x}.json"))).results |> map(shown)
output moment = line |> perform(Queue, _ => Clock.now) |> .results |> filterMap(ok)
"""


def program(random, here):
    policies = ["All", "Latest", "Queue", "Ignore", "Limit(2)"]
    duration = lambda: f"{random.choice([1, 5, 20, 45])}ms"
    tasks = ["", "|> retry(2)", f"|> timeout({duration()})", f"|> retryWith(n => if n < 3 then Some({duration()}) else None)",
             f"|> timeout({duration()}) |> retry(1)", "|> recover(e => Task.succeed(String.size(e.message)))"]
    sources = [f'Http.lines("http://{here}/lines9")', f'Ws.messages("ws://{here}/ws9")', 'Files.lines("9.txt")',
               'Source.fromList([(10ms, "1"), (0s, "2"), (30ms, "x"), (1ms, "4")])']
    text = PROGRAM
    for word, choose in [
        ("POLICY1", lambda: random.choice(policies)), ("POLICY2", lambda: random.choice(policies)),
        ("POLICY3", lambda: random.choice(policies)), ("TASK", lambda: random.choice(tasks)), ("WAIT1", duration),
        ("WAIT2", duration), ("COUNT", lambda: str(random.randint(1, 4))), ("TICK", lambda: f"{random.choice([7, 20])}ms"),
        ("SOURCE", lambda: random.choice(sources)), ("HERE", lambda: here)]:
        text = text.replace(word, choose())
    return text


# How often a path was asked for, so that one answers otherwise the second time.
TIMES = {}
LOCK = threading.Lock()


def answer(connection, asked):
    path = asked.split(" ")[1] if " " in asked else "/"
    with LOCK:
        TIMES[path] = TIMES.get(path, 0) + 1
        chance = random.Random(f"{path}{TIMES[path]}")
    time.sleep(chance.choice([0, 0, 0.002, 0.01, 0.03]))
    if path.startswith("/ws"):
        say(connection, handshake(asked))
        for number in range(chance.randint(0, 4)):
            text = str(number) * chance.randint(1, 9)
            say(connection, bytes([0x81, len(text)]) + text.encode())
            time.sleep(chance.choice([0, 0, 0.005]))
        if chance.random() < 0.5:
            say(connection, b"\x88\x02" + chance.choice([b"\x03\xe8", b"\x03\xf3"]))
    elif path.startswith("/lines"):
        say(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
        for number in range(chance.randint(0, 5)):
            say(connection, f"{number}\n")
            time.sleep(chance.choice([0, 0, 0.005]))
    else:
        body = chance.choice(["1", "23", "456", "no number", '{"a": 1}', ""])
        status = chance.choice(["200 OK"] * 4 + ["500 Sorry", "404 Not Found"])
        length = len(body) + (1 if chance.random() < 0.1 else 0)
        say(connection, f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")


def run(place, seed, here):
    chance = random.Random(seed)
    folder = harness.Place(place.file(str(seed)))
    folder.write("1.json", "41")
    folder.write("9.txt", "1\nx\n3")
    live = folder.program(
        "p.frp", program(chance, here), "--in", "line=lines:-", "--record", "r.jsonl", "--seed", str(seed), "--for", "400ms",
        f"--allow-net={here}", "--allow-read=.")
    for _ in range(chance.randint(1, 12)):
        try:
            live.say(str(chance.randint(1, 6)))
        except BrokenPipeError:
            break
        time.sleep(chance.choice([0, 0, 0.01, 0.04]))
    live.wait()
    again = subprocess.run(
        [harness.FRP, "replay", "p.frp", "r.jsonl", "--format", "jsonl"], cwd=folder.path, capture_output=True, text=True,
        timeout=harness.PATIENCE)
    if again.stdout != "".join(line + "\n" for line in live.out) or not live.out:
        ours, theirs = again.stdout.splitlines(), live.out
        place = next((i for i, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), min(len(ours), len(theirs)))
        raise Failure(
            f"seed {seed} (SEED={seed} RUNS=1): line {place + 1} was {theirs[place:place + 2]} and is {ours[place:place + 2]}\n"
            f"{live.told()}\n{again.stderr}")


@case
def recordings_run_again(place):
    server = Raw(answer)
    here = f"127.0.0.1:{server.port}"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        failures = [str(f.exception()) for f in [pool.submit(run, place, SEED + n, here) for n in range(RUNS)] if f.exception()]
    server.close()
    if failures:
        raise Failure(f"{len(failures)} of {RUNS}:\n" + "\n".join(failures[:3]))


def replayed(place, name, *flags):
    return subprocess.run(
        [harness.FRP, "replay", name, "r.jsonl", *flags, "--format", "jsonl", "-q"], cwd=place.path, capture_output=True, text=True,
        timeout=harness.PATIENCE).stdout.splitlines()


@case
def what_comes_after_a_sample_is_later(place):
    """Lines of a program, while something moves: each sample shows what was before it, live and again."""
    script = place.executable("tick", "#!/bin/sh\nfor i in $(seq 1 600); do echo $i; sleep 0.001; done\n")
    live = place.program(
        "p.frp", f"""
input l: Event<String> from Process.lines("{script}", [])
output wave = time
output n = l |> count
// No Float: shown whenever it has changed.
output level = floor(time * 100.0) + n
// What waits for its time to be over, at the very moments of samples.
output late = every(2ms) |> scan(0, (k, _) => k + n) |> debounce(0s)
""", f"--allow-run={script}", "--sample", "2ms", "--record", "r.jsonl", "--for", "700ms")
    live.wait()
    again = replayed(place, "p.frp", "--sample", "2ms")
    if not live.shown("n") or again != live.out:
        at = next((i for i, pair in enumerate(zip(again, live.out)) if pair[0] != pair[1]), -1)
        raise Failure(f"line {at + 1} of {len(live.out)} was {live.out[at:at + 2]} and is {again[at:at + 2]}")


@case
def what_a_signal_ended_runs_again(place):
    """Between two samples, and told twice, as `timeout` does: its child first, then the group."""
    text = "input line: Event<String>\noutput wave = time * 2.0\noutput n = line |> count\noutput last = end |> map(_ => n)\n"
    for number, code in [(signal.SIGTERM, 143), (signal.SIGINT, 130)]:
        for wait in [0.123, 0.2, 0.257]:
            live = place.program("p.frp", text, "--record", "r.jsonl", "--sample", "50ms")
            live.say("a")
            live.until_shown("n", 1)
            time.sleep(wait)
            live.process.send_signal(number)
            # Not the same moment: two that wait are one.
            time.sleep(0.004)
            live.process.send_signal(number)
            harness.equal((live.wait(), live.shown("last")), (code, [1]))
            harness.equal(live.out, replayed(place, "p.frp", "--sample", "50ms"))
            with open(place.file("r.jsonl")) as file:
                last = file.read().splitlines()[-1]
            if not re.fullmatch(r'{"at":[0-9.]+}', last):
                raise Failure(f"the recording ends with {last}")
