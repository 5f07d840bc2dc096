"""Runs that outlive their process: killed at any moment, paused, upgraded. KILLS=1000 makes them more; a failure says its SEED."""

import http.client
import itertools
import json
import os
import random
import signal
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

import harness
from harness import Failure, case, equal, free_port, until

KILLS = int(os.environ.get("KILLS") or 12)
SEED = int(os.environ.get("SEED") or 0)

SUMS = """
input x: Event<Int>
total = x |> fold(0, (s, v) => s + v)
output sum = x |> scan(0, (s, v) => s + v)
output evens = x |> filter(v => v % 2 == 0) |> scan([], (list, v) => take([v, ...list], 3))
output ticks = every(7ms) |> scan(0, (n, _) => n + 1)
output late = x |> filter(v => v % 1000 == 0) |> delay(15ms)
output level = floor(time * 20.0)
counts = x |> countBy(v => v)
output keys = x |> filter(v => v % 500 == 0) |> map(_ => size(counts))
"""
LINES = 60_000
FILES = ("sum", "evens", "ticks", "late", "level", "keys")


def run(place, name, *flags, limit=None, said=None, **more):
    """A run to its end, or until it is killed after so many seconds."""
    if said is not None:
        more["stdin"] = subprocess.PIPE
    process = subprocess.Popen(
        [harness.FRP, "run", name, *flags], cwd=place.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    try:
        out, err = process.communicate(said, timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    return process.returncode, out, err


def content(place, name):
    with open(place.file(name)) as file:
        return file.read()


@case
def killed_at_any_moment(place):
    chance = random.Random(SEED)
    place.write("sums.frp", SUMS)
    place.write("x.jsonl", "".join(f"{n}\n" for n in range(1, LINES + 1)))
    outputs = [word for name in FILES for word in ("--out", f"{name}=lines:{name}.txt")]
    kills = ends = 0
    while kills < KILLS:
        limit = chance.uniform(0.02, 0.5)
        code, _, err = run(place, "sums.frp", "--in", "x=jsonl:x.jsonl", *outputs, "--journal", f"journal{ends}", limit=limit)
        if code not in (-9, 0):
            raise Failure(f"SEED={SEED}: it ended with {code}: {err}")
        kills += code == -9
        if code == 0:
            check_files(place, kills)
            ends += 1
    code, _, err = run(place, "sums.frp", "--in", "x=jsonl:x.jsonl", *outputs, "--journal", f"journal{ends}")
    equal(code, 0, err)
    check_files(place, kills)
    print(f"{kills} kills in {ends + 1} runs: each byte as without", flush=True)


def check_files(place, kills):
    """Every file has what it would have had, whole, and is removed."""
    lines = {name: content(place, f"{name}.txt").split("\n") for name in FILES}
    wanted = {
        "sum": [str(sum) for sum in itertools.accumulate(range(1, LINES + 1))],
        "evens": [str([value for value in range(n, max(0, n - 6), -2)]) for n in range(2, LINES + 1, 2)],
        "late": [str(n) for n in range(1000, LINES + 1, 1000)],
        "keys": [str(n - 1) for n in range(500, LINES + 1, 500)],
        # How long it has taken does not matter, but nothing is missing and nothing comes twice.
        "ticks": [str(n) for n in range(1, len(lines["ticks"]))],
        "level": [str(n) for n in range(len(lines["level"]) - 1)],
    }
    for name in FILES:
        if lines[name] != wanted[name] + [""]:
            raise Failure(f"SEED={SEED}: {name} differs after {kills} kills")
        os.remove(place.file(f"{name}.txt"))


@case
def a_run_is_paused_and_goes_on(place):
    text = """
    input x: Event<Int>
    output total = x |> fold(0, (s, v) => s + v)
    output begun = start |> map(_ => "once")
    output late = x |> delay(400ms)
    """
    program = place.program("total.frp", text, "--in", "x=jsonl:-", "--journal", "kept")
    program.say("5")
    program.until_shown("total", 5)
    equal(program.stop(signal.SIGTERM), 143)
    equal(program.shown("begun"), ["once"])
    time.sleep(0.6)
    program = place.program("total.frp", text, "--in", "x=jsonl:-", "--journal", "kept")
    program.say("6")
    program.until_shown("total", 11)
    # Time stood still: what was held back comes as late as if nothing had been.
    program.until_shown("late", 6)
    equal(program.stop(signal.SIGTERM), 143)
    equal((program.shown("begun"), program.shown("late")), ([], [5, 6]))
    changed = text.replace("s + v", "s + 100 * v").replace("delay(400ms)", "delay(300ms)")
    place.write("total.frp", changed)
    code, out, err = run(place, "total.frp", "--in", "x=jsonl:-", "--journal", "kept", stdin=subprocess.DEVNULL)
    equal((code, out), (2, ""))
    if "state kept: total" not in err or "restarted: late" not in err or "--upgrade" not in err:
        raise Failure(err)
    program = place.program("total.frp", changed, "--in", "x=jsonl:-", "--journal", "kept", "--upgrade")
    program.say("1")
    program.until_shown("total", 111)
    equal(program.stop(signal.SIGTERM), 143)
    program = place.program("total.frp", changed, "--in", "x=jsonl:-", "--journal", "kept")
    program.say("1")
    program.until_shown("total", 211)
    code, _, err = run(place, "total.frp", "--journal", "kept", stdin=subprocess.DEVNULL)
    if code != 2 or "another run has the journal" not in err:
        raise Failure(f"{code}: {err}")
    equal(program.end(), 0)
    code, out, err = run(place, "total.frp", "--journal", "kept", stdin=subprocess.DEVNULL)
    equal((code, out), (0, ""))
    if "has ended" not in err:
        raise Failure(err)


@case
def another_text_shows_what_is_new_at_once(place):
    """Outputs that are new, or other than they were, and sinks get their values as the text takes over; once."""
    os.mkdir(place.file("kept"))
    text = "input x: Event<Int>\ntotal = x |> fold(0, (s, v) => s + v)\noutput t = total\n"
    flags = ("--in", "x=jsonl:-", "--journal", "taken", "--allow-write=kept")
    program = place.program("over.frp", text, *flags)
    program.say("5")
    program.until_shown("t", 5)
    equal(program.stop(signal.SIGTERM), 143)
    text = text.replace("= total", '= total to v => Files.write("kept/t", "{v}")') + (
        "output u = updates(total)\noutput c = x |> count\noutput same = 2 * total\n")
    program = place.program("over.frp", text, *flags, "--upgrade")
    until(lambda: os.path.exists(place.file("kept/t")) and content(place, "kept/t") == "5", "the new sink's first value")
    program.say("1")
    program.until_shown("u", 6)
    until(lambda: content(place, "kept/t") == "6", "the sink's next value")
    equal(program.stop(signal.SIGTERM), 143)
    equal([program.shown(name) for name in ("t", "u", "c", "same")], [[6], [5, 6], [0, 1], [10, 12]])
    # A sink whose output is another behavior now has its value at once, too; and nothing else is shown again.
    text = text.replace("output t = total", "output t = total * 100")
    program = place.program("over.frp", text, *flags, "--upgrade")
    until(lambda: content(place, "kept/t") == "600", "the changed sink's value")
    equal(program.stop(signal.SIGTERM), 143)
    equal([program.shown(name) for name in ("t", "u", "c", "same")], [[600], [], [], []])


@case
def a_file_that_was_replaced_is_not_read_on(place):
    """Behind the lines that were taken only what follows these lines comes."""
    text = "input x: Event<Int>\ninput more: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    flags = ("--in", "x=jsonl:x.jsonl", "--in", "more=jsonl:-", "--journal", "read")
    for lines, shown in [([1, 2], [1, 3]), ([1, 2, 3], [6])]:
        place.write("x.jsonl", "".join(f"{n}\n" for n in lines))
        program = place.program("read.frp", text, *flags)
        program.until_shown("sum", shown[-1])
        equal(program.stop(signal.SIGTERM), 143)
        equal(program.shown("sum"), shown)
    for lines in [[7, 2, 3, 4, 5], [1]]:
        place.write("x.jsonl", "".join(f"{n}\n" for n in lines))
        code, out, err = run(place, "read.frp", *flags, stdin=subprocess.DEVNULL)
        if code != 2 or out or "x.jsonl is not what was read of `x`" not in err:
            raise Failure(f"{code}: {out}{err}")
    place.write("x.jsonl", "1\n2\n3\n4\n")
    program = place.program("read.frp", text, *flags)
    program.until_shown("sum", 10)
    equal(program.end(), 0)


@case
def faults_of_an_earlier_process_say_so(place):
    """They are made again with all else that no state has, and whoever reads the log knows that nothing new went wrong."""
    text = "input x: Event<Int>\noutput parts = x |> map(n => div(10, n))\n"
    flags = ("--in", "x=jsonl:-", "--journal", "faulted")

    def faults():
        told = " ".join(" ".join(program.err).split())
        return [told.count(words) for words in ("division by zero", "an earlier process")]

    program = place.program("faults.frp", text, *flags)
    program.say("0\n5")
    program.until_shown("parts", 2)
    program.stop(signal.SIGKILL)
    equal(faults(), [1, 0])
    program = place.program("faults.frp", text, *flags)
    program.say("0\n2")
    program.until_shown("parts", 5)
    equal(program.stop(signal.SIGTERM), 143)
    equal(faults(), [2, 1])


@case
def who_posts_while_a_service_restarts_may_try_again(place):
    """Never 404: that is for what is served nowhere."""
    port = free_port()
    text = 'input n: Event<Int> from Serve.posts("/n")\noutput all = n |> fold(Map.empty, (m, v) => m |> set(size(m), v))\n'
    heard, goes_on = set(), True

    def post():
        while goes_on:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/n", b"1", timeout=10) as answer:
                    heard.add(answer.status)
            except urllib.error.HTTPError as error:
                heard.add(error.code)
            except OSError:
                pass

    sender = harness.threading.Thread(target=post)
    sender.start()
    try:
        for _ in range(4):
            program = place.program("post.frp", text, f"--allow-listen={port}", "--journal", "posted", "--out", "all=lines:/dev/null")
            until(lambda: harness.answers(port), "the server")
            time.sleep(0.3)
            equal(program.stop(signal.SIGTERM), 143)
    finally:
        goes_on = False
        sender.join()
    if 202 not in heard or not heard <= {202, 503}:
        raise Failure(f"{heard}")


@case
def a_mended_text_begins_where_nothing_began(place):
    """A run that ended by a fault at its start has done nothing: the mended text begins in the same journal."""
    text = "input x: Event<Int>\noutput total = x |> fold(div(1, 0), (+))\n"
    place.write("mended.frp", text)
    flags = ("mended.frp", "--in", "x=jsonl:-", "--journal", "unbegun")
    equal(run(place, *flags, stdin=subprocess.DEVNULL)[0], 3)
    place.write("mended.frp", text.replace("div(1, 0)", "10"))
    code, out, err = run(place, *flags, stdin=subprocess.DEVNULL)
    equal((code, out), (2, ""))
    if "has done nothing" not in err or "--upgrade" not in err:
        raise Failure(err)
    program = place.program("mended.frp", text.replace("div(1, 0)", "10"), *flags[1:], "--upgrade")
    program.say("1")
    program.until_shown("total", 11)
    equal(program.stop(signal.SIGTERM), 143)
    # One that ended in its first instant by `--until` has shown something.
    place.write("until.frp", "output done = true\n")
    equal(run(place, "until.frp", "--until", "done", "--journal", "until", stdin=subprocess.DEVNULL)[0], 0)
    place.write("until.frp", "output done = 1 < 2\n")
    code, _, err = run(place, "until.frp", "--until", "done", "--journal", "until", "--upgrade", stdin=subprocess.DEVNULL)
    if code != 2 or "another text cannot go on" not in err:
        raise Failure(err)
    # What was mended is a run like any other from there.
    program = place.program("mended.frp", text.replace("div(1, 0)", "10"), *flags[1:])
    program.say("2")
    program.until_shown("total", 13)
    equal(program.end(), 0)


@case
def a_run_that_has_ended_shows_nothing_twice(place):
    """What the last instant has shown is not shown again, however often the run is started, by its own text or another."""
    text = "output done = after(10ms) |> map(_ => 7)\noutput last = end |> map(_ => 8)\n"
    place.write("done.frp", text)
    flags = ("done.frp", "--until", "done", "--journal", "ended")
    shown = "done = 7\nlast = 8\n"
    equal(run(place, *flags, stdin=subprocess.DEVNULL)[:2], (0, shown))
    equal(run(place, *flags, stdin=subprocess.DEVNULL)[:2], (0, ""))
    place.write("done.frp", "// The same.\n" + text)
    equal(run(place, *flags, "--upgrade", stdin=subprocess.DEVNULL)[:2], (2, ""))
    # What a full device did not take comes with the next start, and only then.
    place.write("done.frp", text)
    full = subprocess.run(
        [harness.FRP, "run", *flags[:-1], "full"], cwd=place.path, stdin=subprocess.DEVNULL, stdout=open("/dev/full", "w"),
        stderr=subprocess.PIPE)
    equal(full.returncode, 3)
    equal(run(place, *flags[:-1], "full", stdin=subprocess.DEVNULL)[:2], (0, shown))
    equal(run(place, *flags[:-1], "full", stdin=subprocess.DEVNULL)[:2], (0, ""))
    # Nor by a changed text that nobody has agreed to.
    text = "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)\n"
    program = place.program("asked.frp", text, "--in", "x=jsonl:-", "--journal", "asked")
    program.say("1")
    program.until_shown("sum", 1)
    program.stop(signal.SIGKILL)
    place.write("asked.frp", "// The same.\n" + text)
    for _ in range(2):
        equal(run(place, "asked.frp", "--in", "x=jsonl:-", "--journal", "asked", stdin=subprocess.DEVNULL)[:2], (2, ""))


@case
def what_moves_is_shown_again_to_the_last_digit(place):
    """A run that is killed after it has kept a state shows what is integrated as it was shown before."""
    text = """
    input x: Event<Int>
    output n = x |> count
    output y = integralFrom(cos(3.0 * time) - 0.3 * y, 1.0, never)
    output z = integral(y * sin(y))
    """
    flags = ["--in", "x=jsonl:-", "--journal", "moving", "--sample", "5ms", "--out", "y=lines:y.txt", "--out", "z=lines:z.txt"]
    program = place.program("moving.frp", text, *flags)
    for _ in range(26):
        program.say("1\n" * 999 + "1")
        time.sleep(0.03)
    program.until(lambda: any(name.startswith("state") for name in os.listdir(place.file("moving"))), "a state")
    time.sleep(1.0)
    program.stop(signal.SIGKILL)
    before = {name: content(place, name) for name in ("y.txt", "z.txt")}
    program = place.program("moving.frp", text, *flags)
    program.until(lambda: all(len(content(place, name)) > len(before[name]) for name in before), "more")
    equal(program.stop(signal.SIGTERM), 143)
    for name, text in before.items():
        if not content(place, name).startswith(text):
            raise Failure(f"{name} is not what it was")


@case
def what_shows_nothing_happens_once(place):
    """Lines that were taken and made no output are in the state, or behind it, and not in both."""
    text = """
    input x: Event<Int>
    total = x |> fold(0, (s, v) => s + v)
    output shown = x |> filter(v => v < 0) |> map(_ => total)
    """
    flags = ("--in", "x=jsonl:-", "--journal", "kept")
    for value in [5, 7]:
        program = place.program("silent.frp", text, *flags)
        program.say("-1")
        program.until_shown("shown", 0 if value == 5 else 4)
        program.say(str(value))
        # It is taken with the next look at the input, and the journal has it only a second later.
        time.sleep(0.2)
        equal(program.stop(signal.SIGTERM), 143)
    program = place.program("silent.frp", text, *flags)
    program.say("-1")
    program.until_shown("shown", 10)
    program.stop(signal.SIGTERM)


@case
def a_source_stands_as_it_stood(place):
    """What `state` shows changes when something happens to the source, not when its process does."""
    text = """
    lost = start |> listen(All, _ => Process.lines("/bin/false", []) |> reconnect(k => if k == 1 then Some(3s) else None))
    output stands = every(100ms) |> map(_ => match lost.state { Retrying(why) => why; Open => "open"; _ => "other" })
    output state = lost.state
    output over = lost.ends |> map(_ => lost.state)
    """
    flags = ("--allow-run=/bin/false", "--journal", "kept")
    program = place.program("lost.frp", text, *flags)
    program.until_shown("stands", "/bin/false ended with status 1")
    equal(program.stop(signal.SIGTERM), 143)
    program = place.program("lost.frp", text, *flags)
    program.until(lambda: program.shown("stands"), "it says how it stands")
    equal(program.shown("stands")[0], "/bin/false ended with status 1")
    program.until(lambda: program.shown("over"), "the second try")
    equal(program.stop(signal.SIGTERM), 143)
    equal(program.shown("state")[0], "Opening")


@case
def who_sends_what_shows_nothing_hears_at_once(place):
    port = free_port()
    text = """
    input n: Event<Int> from Serve.posts("/n")
    output large = n |> filter(v => v > 1000)
    """
    program = place.program("take.frp", text, f"--allow-listen={port}", "--journal", "kept")
    until(lambda: harness.answers(port), "the server")
    waits = []
    for number in range(20):
        began = time.monotonic()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/n", str(number).encode()) as answer:
            equal(answer.status, 202)
        waits.append(time.monotonic() - began)
    # A commit waits for the disk, and not for the next second.
    if sorted(waits)[len(waits) // 2] > 0.3:
        raise Failure(f"{waits}")
    program.stop(signal.SIGTERM)


@case
def missed_timers_fire_at_their_own_moments(place):
    text = "output tick = every(200ms) |> scan(0, (n, _) => n + 1)"
    program = place.program("ticks.frp", text, "--journal", "kept")
    program.until_shown("tick", 2)
    equal(program.stop(signal.SIGTERM), 143)
    last = program.shown("tick")[-1]
    time.sleep(1)
    program = place.program("ticks.frp", text, "--journal", "kept", "--downtime", "elapse")
    program.until_shown("tick", last + 5)
    lines = [json.loads(line) for line in list(program.out) if '"tick"' in line]
    equal([line["tick"] for line in lines[:5]], list(range(last + 1, last + 6)))
    for line in lines[:5]:
        if abs(line["at"] - 0.2 * line["tick"]) > 0.001 and abs(line["at"] - 0.2 * (line["tick"] - 1)) > 0.001:
            raise Failure(f"{line} is not at its own moment")
    program.stop(signal.SIGTERM)


@case
def a_database_takes_each_call_once(place):
    chance = random.Random(SEED)
    count = 400
    place.write("x.jsonl", "".join(f"{n}\n" for n in range(1, count + 1)))
    with sqlite3.connect(place.file("kept.db")) as database:
        database.execute("CREATE TABLE t (sum INTEGER, many INTEGER)")
        database.execute("INSERT INTO t VALUES (0, 0)")
    database.close()
    place.write("store.frp", """
    input x: Event<Int>
    output kept = x |> map(n => {n: n}) to s => Db.exec("kept.db", "UPDATE t SET sum = sum + :n; UPDATE t SET many = many + 1", s)
    """)
    flags = ("--in", "x=jsonl:x.jsonl", "--allow-write=kept.db", "--journal", "kept")
    kills, code = 0, -9
    while code == -9:
        # Each run lives a little longer, so that it comes to its end.
        code, _, err = run(place, "store.frp", *flags, limit=chance.uniform(0.05, 0.15 + 0.02 * kills))
        kills += code == -9
    equal(code, 0, err)
    with sqlite3.connect(place.file("kept.db")) as database:
        equal(database.execute("SELECT sum, many FROM t").fetchall(), [(count * (count + 1) // 2, count)], f"SEED={SEED}, {kills} kills")
        left = database.execute("SELECT count(*) FROM frp_calls").fetchone()[0]
    database.close()
    if kills == 0 or left > count:
        raise Failure(f"{kills} kills, {left} names are left")
    print(f"a database through {kills} kills: each call once", flush=True)


@case
def what_was_answered_is_kept(place):
    chance = random.Random(SEED)
    port = free_port()
    text = """
    input n: Event<Int> from Serve.posts("/n")
    output all = n |> fold([], (list, v) => [v, ...list])
    """
    flags = (f"--allow-listen={port}", "--journal", "kept")
    answered, sent = [], 0
    for _ in range(max(3, KILLS // 4)):
        program = place.program("take.frp", text, *flags)
        until(lambda: harness.answers(port), "the server")
        harness.threading.Timer(chance.uniform(0.02, 0.3), program.process.kill).start()
        try:
            while True:
                sent += 1
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/n", str(sent).encode(), timeout=5) as answer:
                    equal(answer.status, 202)
                answered.append(sent)
        except (OSError, http.client.HTTPException):
            program.process.wait()
    program = place.program("take.frp", text, *flags)
    until(lambda: harness.answers(port), "the server")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/n", b"0") as answer:
        equal(answer.status, 202)
    program.until(lambda: any(value and value[0] == 0 for value in program.shown("all")), "the last")
    kept = program.shown("all")[-1]
    program.stop(signal.SIGTERM)
    # What was under way when it was killed may be there or not.
    if sorted(set(kept)) != sorted(kept) or not set(answered) <= set(kept) or not answered:
        raise Failure(f"SEED={SEED}: of {len(answered)} answered values {sorted(set(answered) - set(kept))[:5]} are missing")


@case
def a_view_through_kills_is_the_view_without(place):
    """Orders come until each was answered; kills in between. A repeated order changes nothing, so the sums are known."""
    chance = random.Random(SEED)
    port = free_port()
    database = sqlite3.connect(place.file("shop.db"))
    database.execute("CREATE TABLE total (customer TEXT PRIMARY KEY, cents INTEGER)")
    database.commit()
    flags = (f"--allow-listen={port}", f"--allow-write={place.path}", "--journal", "kept")
    orders = [{"id": str(n), "customer": f"c{n % 7}", "cents": n} for n in range(120)]
    begin = lambda: place.program("view.frp", harness.sample("view.frp"), *flags)
    program, kills = begin(), 0
    for order in orders:
        while True:
            if chance.random() < 0.05:
                program.process.kill()
                program.process.wait()
                program, kills = begin(), kills + 1
            try:
                with urllib.request.urlopen(
                        f"http://127.0.0.1:{port}/orders", json.dumps(order).encode(), timeout=5) as answer:
                    equal(answer.status, 202)
                break
            except ConnectionError:
                time.sleep(0.01)
            except urllib.error.URLError as error:
                # It listens a moment after it has begun; what listens knows the path.
                if isinstance(error, urllib.error.HTTPError):
                    raise
                time.sleep(0.01)
    wanted = sorted((f"c{c}", sum(n for n in range(120) if n % 7 == c)) for c in range(7))
    rows = lambda: sorted(database.execute("SELECT customer, cents FROM total"))
    program.until(lambda: rows() == wanted, f"SEED={SEED}: the table after {kills} kills")
    program.stop(signal.SIGTERM)
    database.close()
    if kills == 0:
        raise Failure("nothing was killed")


def told_once(web):
    """What was posted: texts with their keys. A call that began again has the key that it had, so a server that knows the
    header takes it once."""
    found = {(body, key) for (method, _, body), key in zip(web.requests, web.keys) if method == "POST"}
    if any(not key for _, key in found) or len({key for _, key in found}) != len(found):
        raise Failure(f"{found}")
    return sorted(body for body, _ in found)


@case
def an_alert_through_kills_is_one(place):
    web = harness.Web(lambda *_: (200, "text/plain", "ok"), harness.authority().context())
    log = place.write("log/current.log", "ERROR old\n" * 10)
    text = harness.sample(
        "logalert.frp", ("/var/log/app/current.log", log), ("https://hooks.example.org", web.place))
    flags = (f"--allow-net=localhost:{web.port}", f"--allow-read={place.file('log')}", "--journal", "kept")
    kept = lambda: os.stat(place.file("kept/journal.sqlite-wal")).st_mtime_ns
    # The sixth comes to an alert; what comes later is within ten minutes of it.
    for number in range(1, 14):
        program = place.program("logalert.frp", text, *flags, env=harness.authority().trusted)
        program.until(lambda: program.watches(log), "the log is followed")
        before = kept()
        place.write("log/current.log", f"ERROR {number}\n", "a")
        # Nothing is shown; but it is kept before the run waits for more.
        program.until(lambda: kept() != before, "the line is kept")
        if number >= 6:
            until(lambda: web.requests, "the hook is told")
        program.process.kill()
        program.process.wait()
    web.close()
    equal(told_once(web), ['{"last":"ERROR 6","text":"6 errors in a minute"}'])


@case
def each_entry_of_a_feed_is_told_once_through_kills(place):
    chance = random.Random(SEED)
    begun, wanted = time.monotonic(), 20

    def answer(method, path, body):
        if method == "POST":
            return 200, "text/plain", "ok"
        count = min(wanted, 1 + int((time.monotonic() - begun) * 8))
        items = [{"id": str(n), "title": f"t{n:02}", "url": "u"} for n in range(count)]
        return 200, "application/json", json.dumps({"items": items})

    web = harness.Web(answer, harness.authority().context())
    place.write("feeds.json", json.dumps([web.place + "/a.json"]))
    port = free_port()
    text = harness.sample(
        "rss.frp", ("https://a.example.org/feed.json", web.place + "/a.json"), ("https://hooks.example.org", web.place),
        ("every(10min)", "every(100ms)"))
    flags = (
        "--allow-read=feeds.json", f"--allow-net=localhost:{web.port}", f"--allow-listen={port}", "--journal", "kept")

    def recent():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/recent", timeout=5) as answer:
                return [int(entry["id"]) for entry in json.load(answer)]
        except OSError:
            return []

    kills = 0
    while True:
        program = place.program("rss.frp", text, *flags, env=harness.authority().trusted)
        program.until(lambda: harness.answers(port), "it is served")
        if kills >= 6 and len(recent()) == wanted:
            break
        # Each lives a little longer, so that what begins again comes to its end.
        time.sleep(chance.uniform(0, 0.5 + 0.1 * kills))
        program.process.kill()
        program.process.wait()
        kills += 1
        if kills > 30:
            raise Failure(f"SEED={SEED}: {len(recent())} entries after {kills} kills")
    program.until(lambda: recent() == list(range(wanted))[::-1], f"SEED={SEED}: the newest first")
    news = [f'{{"text":"t{n:02} u"}}' for n in range(wanted)]
    until(lambda: told_once(web) == news, f"SEED={SEED}: each once, not {told_once(web)}")
    program.stop(signal.SIGTERM)
    web.close()
