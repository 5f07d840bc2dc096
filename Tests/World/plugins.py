"""Plug-ins: a program beside `frp` that does what a module declares, and what becomes of those that die, lie, stall and shout."""

import os
import subprocess
import sys

import harness
from harness import Failure, case, equal

HEAD = """#!PYTHON
import json, os, signal, sys, time
def say(**fields): sys.stdout.write(json.dumps(fields) + "\\n"); sys.stdout.flush()
DECLARATIONS = '''
// A queue of its own.
type Note = Quiet | Said(String)
/// Gives back what it is given.
echo(value: a): Task<a>
/// The size of a text, after so many seconds.
measure(text: String, wait: Float): Task<{size: Int, note: Note}>
/// Numbers from a first one, so many.
count(first: Int, many: Int): Source<Int>
/// Does what it is told.
misbehave(how: String): Task<Int>
'''
if sys.argv[1:] == ["describe"]:
    print(DECLARATIONS)
    sys.exit(0)
"""

GOOD = HEAD + """
import threading
cancelled = set()
def measure(n, text, wait):
    time.sleep(wait)
    say(end=n, ok={"size": len(text), "note": {"Said": text} if text else "Quiet"})
for line in sys.stdin:
    asked = json.loads(line)
    if "cancel" in asked:
        open("cancelled", "a").write(f"{asked['cancel']}\\n")
        continue
    n, call, args = asked["begin"], asked["call"], asked["args"]
    if call == "echo": say(end=n, ok=args[0])
    if call == "measure": threading.Thread(target=measure, args=(n, *args), daemon=True).start()
    if call == "count":
        for k in range(args[1]): say(item=n, value=args[0] + k)
        say(end=n)
    if call == "misbehave":
        how = args[0]
        if how == "err": say(end=n, err="no such topic")
        if how == "type": say(end=n, ok="three")
        if how == "json": print('{"end":%d,"ok":[1,}' % n, flush=True)
        if how == "die": sys.stderr.write("out of ideas\\n"); sys.stderr.flush(); os._exit(3)
        if how == "signal": os.kill(os.getpid(), signal.SIGKILL)
        if how == "leave": os._exit(0)
        if how == "garbage": print("Connected to broker!", flush=True)
        if how == "bytes": sys.stdout.buffer.write(b"\\xff\\xfe\\n"); sys.stdout.flush()
        if how == "stranger": say(end=n + 1000, ok=1)
        if how == "empty": say(end=n)
        if how == "item": say(item=n, value=1)
        if how == "huge":
            for _ in range(70): sys.stdout.write("x" * (1 << 20))
            print("", flush=True)
        if how == "twice": say(end=n, ok=1); say(end=n, ok=2)
"""

PROGRAM = """
input how: Event<String>
// One after the other: a plug-in that ends takes all with it that it had under way.
done = how |> perform(Queue, h => if h == "slow" then Mine.measure("ab", 30.0) |> map(m => m.size) |> timeout(200ms)
                                  else if startsWith(h, "size ") then Mine.measure(String.drop(h, 5), 0.0) |> map(m => m.size)
                                  else Mine.misbehave(h))
output got = done.results |> map(r => match r { Ok(n) => "{n}"; Err(e) => e.message })
"""

SENTENCES = {
    "err": "no such topic",
    "type": "what `Mine.misbehave` gives does not fit: expected Int, found \"three\"",
    "json": None,
    "die": "the plug-in Mine: PATH ended with status 3: out of ideas",
    "signal": "the plug-in Mine: PATH ended with status 137",
    "leave": "the plug-in Mine: PATH has ended",
    "garbage": "the plug-in Mine: it says what is no answer: Connected to broker!",
    "bytes": "the plug-in Mine: what it says is not UTF-8",
    "stranger": None,
    "empty": None,
    "item": None,
    "huge": "the plug-in Mine: it says a line of more than 64 MiB",
    "twice": "1",
    "slow": None,
}


def plugin(place, text, name="mine"):
    place.executable(name, text.replace("PYTHON", sys.executable))
    return "./" + name


@case
def plugins_do_what_they_declare(place):
    path = plugin(place, GOOD)
    program = place.program(
        "app.frp", """
input word: Event<String>
output sizes = (word |> perform(Queue, w => Mine.measure(w, 0.0))).results |> filterMap(ok) |> map(m => match m.note { Said(t) => t; Quiet => "-" })
output echoed: Event<{name: String}> = (word |> perform(Queue, w => Mine.echo({name: w}))).results |> filterMap(ok)
numbers = listen(word |> filter(w => w == "count"), All, _ => Mine.count(5, 3))
output items = numbers.items
output ends = numbers.ends |> map(r => match r { Ok(_) => "ok"; Err(e) => e.message })
output gone = word |> filter(w => w == "gone") |> perform(Latest, _ => Mine.measure("x", 30.0) |> timeout(50ms)) |> (p => p.results) |> map(r => match r { Err(e) => e.message; Ok(_) => "?" })
test "no plug-in is asked" {
  given word = "a" every 1s with {a: "one"}
  given Mine.measure(text, wait) = Task.succeed({size: 3, note: Said(text ++ "!")})
  expect sizes == "x" every 1s with {x: "one!"}
}
""", "--in", "word=lines:-", "--host", "Mine=" + path)
    for word in ["", "b\u00e9", "count", "gone"]:
        program.say(word)
    program.until(lambda: len(program.shown("ends")) == 1 and program.shown("gone"), "everything")
    program.until(lambda: os.path.exists(place.file("cancelled")), "the cancel")
    program.until(lambda: len(program.shown("echoed")) == 4, "the echoes")
    equal(program.end(), 0)
    equal(program.shown("sizes"), ["-", "b\u00e9", "count", "gone"])
    equal(program.shown("echoed"), [{"name": word} for word in ["", "b\u00e9", "count", "gone"]])
    equal((program.shown("items"), program.shown("ends")), ([5, 6, 7], ["ok"]))
    tested = subprocess.run(
        [harness.FRP, "test", "app.frp", "--host", "Mine=" + path], cwd=place.path, capture_output=True, text=True)
    equal((tested.returncode, tested.stderr), (0, ""), tested.stdout)
    shown = subprocess.run(
        [harness.FRP, "doc", "Mine", "--host", "Mine=" + path], cwd=place.path, capture_output=True, text=True)
    if "Numbers from a first one" not in shown.stdout:
        raise Failure(shown.stdout + shown.stderr)


@case
def plugins_that_lie(place):
    path = plugin(place, GOOD)
    program = place.program("app.frp", PROGRAM, "--in", "how=lines:-", "--host", "Mine=" + path)
    for number, (how, sentence) in enumerate(SENTENCES.items(), 1):
        program.say(how)
        program.until(lambda: len(program.shown("got")) == 2 * number - 1, how)
        got = program.shown("got")[-1]
        if sentence is None:
            if len(got) < 8 or got.isdigit():
                raise Failure(f"{how}: {got!r} is no sentence")
        else:
            equal(got, sentence.replace("PATH", path), how)
        # Whatever it did, the next call is done.
        program.say("size " + "x" * number)
        program.until(lambda: len(program.shown("got")) == 2 * number, "after " + how)
        equal(program.shown("got")[-1], str(number), "after " + how)
    equal(program.end(), 0)


@case
def plugins_that_cannot_be_asked(place):
    def told(name, text, *words):
        path = plugin(place, text, name)
        place.write("app.frp", "output x = (start |> perform(Latest, _ => Mine.misbehave(\"\"))).results |> map(_ => 1)\n")
        ran = subprocess.run(
            [harness.FRP, "run", "app.frp", "--host", "Mine=" + path], cwd=place.path, capture_output=True, text=True, timeout=60)
        equal(ran.returncode, 2, name)
        for word in words:
            if word not in ran.stderr:
                raise Failure(f"{name}: {ran.stderr!r} has no {word!r}")

    told("dies", "#!/bin/sh\necho 'no license' >&2\nexit 4\n", "describe` ended with status 4", "no license")
    told("nonsense", "#!/bin/sh\necho 'misbehave(: Int'\n", "misbehave")
    told("binary", "#!/bin/sh\nprintf '\\377\\376'\n", "is not UTF-8")
    told("pure", "#!/bin/sh\necho 'misbehave(how: String): Int'\n", "is neither a Task nor a Source")
    told("shouts", "#!/bin/sh\nexec cat /dev/zero\n", "the plug-in Mine: ")
    told("missing/../gone", "no program", "the plug-in Mine: ")


@case
def a_plugin_that_waits_holds_nobody_up_and_goes_with_the_run(place):
    path = plugin(place, HEAD + """
with open("pid.new", "w") as file: file.write(str(os.getpid()))
os.rename("pid.new", "pid")
time.sleep(1000)
""")
    program = place.program(
        "app.frp", """
input n: Event<Int>
output seen = n
tried = n |> perform(All, i => Mine.echo(i) |> timeout(100ms))
output errors = (tried.results |> filterMap(r => match r { Err(e) => Some(e.message); Ok(_) => None })) |> count
""", "--in", "n=jsonl:-", "--host", "Mine=" + path)
    for number in range(300):
        program.say(str(number))
    program.until(lambda: 300 in program.shown("errors"), "each is given up")
    equal(len(program.shown("seen")), 300)
    program.until(lambda: os.path.exists(place.file("pid")), "the plug-in has begun")
    with open(place.file("pid")) as file:
        pid = int(file.read())
    equal(program.end(), 0)

    def is_gone():
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    # The kernel may just be about to.
    harness.until(is_gone, "its end")
