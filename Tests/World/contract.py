"""What the modules promise, sentence by sentence, where no other case holds it."""

import http.client
import json
import os
import signal
import subprocess
import threading
import time

import websockets.sync.client

import harness
from harness import Failure, Raw, Web, answers, case, equal, free_port, until

JSON = "application/json"


def ask(port, method, path, body=None, headers=None):
    """The status, the headers and the text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


@case
def what_is_served_is_the_newest_value(place):
    """GET with an ETag, an event stream and a WebSocket of `Serve.value`; the three stay in step."""
    port = free_port()
    program = place.program(
        "value.frp", """
input n: Event<Int>
output total = n |> fold({sum: 0}, (t, k) => {sum: t.sum + k}) to Serve.value("/total")
""", "--in", "n=jsonl:-", f"--allow-listen={port}")
    until(lambda: answers(port), "it listens")
    until(lambda: ask(port, "GET", "/total")[0] == 200, "its first value")
    status, headers, text = ask(port, "GET", "/total")
    equal((json.loads(text), headers["Content-Type"].split(";")[0]), ({"sum": 0}, JSON))
    tag = headers["ETag"]
    equal(ask(port, "GET", "/total", headers={"If-None-Match": tag})[::2], (304, ""))
    stream = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    stream.request("GET", "/total", headers={"Accept": "text/event-stream"})
    events = stream.getresponse()
    equal(events.headers["Content-Type"].split(";")[0], "text/event-stream")

    def event():
        line = events.readline().decode()
        while not line.startswith("data:"):
            line = events.readline().decode()
        return json.loads(line[5:])

    with websockets.sync.client.connect(f"ws://127.0.0.1:{port}/total") as socket:
        equal([event(), json.loads(socket.recv(30))], [{"sum": 0}] * 2)
        for number, total in [(2, 2), (0, 2), (3, 5)]:
            program.say(str(number))
            if number:
                equal([event(), json.loads(socket.recv(30))], [{"sum": total}] * 2)
    status, headers, text = ask(port, "GET", "/total", headers={"If-None-Match": tag})
    equal((status, json.loads(text), headers["ETag"] != tag), (200, {"sum": 5}, True))
    equal([ask(port, "GET", "/other")[0], ask(port, "POST", "/total", "1")[0]], [404, 405])
    stream.close()
    program.process.stdin.close()
    equal(program.stop(signal.SIGTERM) in (0, -15, 143), True)


@case
def what_is_posted_is_taken_or_refused(place):
    port = free_port()
    program = place.program(
        "posts.frp", """
input order: Event<{price: Float}> from Serve.posts("/order")
input tried: Event<Result<{price: Float}, Error>> from Serve.posts("/tried")
input text: Event<String> from Serve.posts("/text")
output order
output tried
output text
output seen = (start |> listen(All, _ => Serve.posts("/seen"))).items |> map(x => match x { Ok(n) => n + 1; Err(_) => 0 })
""", f"--allow-listen={port}")
    until(lambda: answers(port), "it listens")
    equal(ask(port, "POST", "/order", '{"price": 2, "more": 1}')[0], 202)
    program.until_shown("order", {"price": 2.0})
    status, _, text = ask(port, "POST", "/order", '{"price": "high"}')
    equal((status, text), (400, 'body at .price: expected Float, found "high"\n'))
    equal(ask(port, "POST", "/tried", '{"price": "high"}')[0], 202)
    program.until_shown("tried", {"Err": {"message": 'body at .price: expected Float, found "high"'}})
    equal([ask(port, "POST", "/seen", text)[0] for text in ["1", "one"]], [202, 202])
    program.until(lambda: program.shown("seen") == [2, 0], "a number, and none")
    equal(ask(port, "POST", "/text", "{not json")[0], 202)
    program.until_shown("text", "{not json")
    equal(ask(port, "GET", "/text")[0], 405)
    program.stop(signal.SIGTERM)
    equal(program.shown("order"), [{"price": 2.0}])


@case
def requests_wait_for_their_reply(place):
    port = free_port()
    program = place.program(
        "requests.frp", """
input ask: Event<{id: Int, method: String, path: String, query: Map<String, String>, body: String}> from Serve.requests("/a/*")
plain = ask |> filter(r => r.path == "/a/text")
rest = ask |> filter(r => r.path != "/a/text")
output text = plain |> map(r => r.id) to id => Serve.reply(id, 201, "as it is")
output data = rest to r => Serve.reply(r.id, 200, {method: r.method, path: r.path, query: r.query, body: r.body})
""", f"--allow-listen={port}")
    until(lambda: answers(port), "it listens")
    status, headers, text = ask(port, "PUT", "/a/text")
    equal((status, text, headers["Content-Type"].split(";")[0]), (201, "as it is", "text/plain"))
    status, headers, text = ask(port, "DELETE", "/a/b/c?x=1&y=a%20b", "hello")
    equal((status, headers["Content-Type"].split(";")[0]), (200, JSON))
    equal(json.loads(text), {"method": "DELETE", "path": "/a/b/c", "query": {"x": "1", "y": "a b"}, "body": "hello"})
    equal(ask(port, "GET", "/b")[0], 404)
    program.stop(signal.SIGTERM)


@case
def signals_are_occurrences(place):
    program = place.program(
        "signals.frp", """
input hup: Event<()> from Signals.on("HUP")
input usr: Event<()> from Signals.on("USR1")
output hups = hup |> count
output usrs = usr |> count
output none = (start |> listen(All, _ => Signals.on("KILL"))).ends
""")
    program.until(lambda: program.shown("none"), "what is no signal to wait for")
    equal("Err" in program.shown("none")[0], True)
    for count in [1, 2]:
        program.process.send_signal(signal.SIGUSR1)
        program.until_shown("usrs", count)
    program.process.send_signal(signal.SIGHUP)
    program.until_shown("hups", 1)
    program.stop(signal.SIGTERM)
    equal([program.shown("hups"), program.shown("usrs")], [[0, 1], [0, 1, 2]])
    # One that nothing needs is connected all the same, and is not that of standard input.
    program = place.program("unused.frp", 'input hup: Event<()> from Signals.on("HUP")\noutput one = 1\n')
    equal([program.wait(), program.err, program.shown("one")], [0, [], [1]])


@case
def each_method_of_http(place):
    def answer(method, path, body):
        if path == "/gone":
            return 404, "text/plain", "no"
        return 200, JSON, json.dumps({"method": method, "path": path, "body": body, "price": "high"})

    web = Web(answer)
    program = place.program(
        "methods.frp", f"""
do(task) = (start |> perform(All, _ => task)).results
at(path) = "{web.place}" ++ path
body(task) = do(task) |> map(r => r |> map(x => x.body ++ ""))
output put = body(Http.put(at("/a"), [1, 2]))
output patch = body(Http.patch(at("/a"), {{x: 1.0}}))
output post = body(Http.post(at("/a"), "text as it is"))
output delete = do(Http.delete(at("/a")))
output gone = do(Http.delete(at("/gone")))
output sent = do(Http.send({{method: "REPORT", url: at("/gone"), headers: Map.fromList([("X-A", Secret.of("b"))]), body: "c"}}))
  |> map(r => r |> map(a => (a.status, a.body)))
output unfit: Event<Result<{{price: Float}}, Error>> = do(Http.get(at("/a")))
output escaped = Http.escape("a b&c/d?é")
""", f"--allow-net=localhost:{web.port}")
    equal(program.wait(), 0, program.told())
    shown = {name: program.shown(name) for name in ["put", "patch", "post", "delete", "gone", "sent", "unfit", "escaped"]}
    equal(shown, {
        "put": [{"Ok": "[1,2]"}], "patch": [{"Ok": '{"x":1.0}'}], "post": [{"Ok": "text as it is"}],
        "delete": [{"Ok": None}], "gone": [{"Err": {"message": "404 Not Found"}}], "sent": [{"Ok": [404, "no"]}],
        "unfit": [{"Err": {"message": 'body at .price: expected Float, found "high"'}}],
        "escaped": ["a%20b%26c%2Fd%3F%C3%A9"]})
    web.close()


@case
def an_event_stream_goes_on_where_it_was(place):
    asked = []

    def serve(connection, text):
        asked.append(text)
        last = len(asked) > 1
        data = "id: 8\ndata: 3\n\n" if last else "id: 7\ndata: 1\n\n: nothing\ndata: 2\n\n"
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + data.encode())

    server = Raw(serve)
    program = place.program(
        "events.frp", f"""
input n: Event<Int> from Http.events("http://127.0.0.1:{server.port}/") |> reconnect(n => if n > 1 then None else Some(50ms))
output n
""", f"--allow-net=127.0.0.1:{server.port}")
    program.until(lambda: len(program.shown("n")) >= 3, "what comes after the cut")
    program.stop(signal.SIGTERM)
    equal(program.shown("n")[:3], [1, 2, 3])
    equal(["last-event-id: 7" in text.lower() for text in asked[:2]], [False, True])
    server.close()


@case
def an_event_stream_is_opened_again_as_the_program_says(place):
    """Meanwhile it is said how it stands, and the server's own wait is not waited for."""
    asked = []
    waits = threading.Event()

    def serve(connection, text):
        last = [line[15:] for line in text.split("\r\n") if line.lower().startswith("last-event-id: ")]
        asked.append(last[0] if last else "")
        place = int(asked[-1] or 0) + 1
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            + f"retry: 60000\nid: {place}\ndata: {place}\n\nid: {place + 10}\n\n".encode())
        if place > 1:
            waits.wait(60)

    server = Raw(serve)
    url = f"http://127.0.0.1:{server.port}/"
    program = place.program(
        "again.frp", f"""
heard = start |> listen(All, _ => Http.events("{url}") |> reconnect(n => Some(50ms)))
output n: Event<Int> = heard.items
output state = heard.state
""", f"--allow-net=127.0.0.1:{server.port}")
    program.until_all_shown("n", 1, 12)
    equal(program.shown("state")[:5], ["Opening", "Open", {"Retrying": "it ended"}, "Opening", "Open"])
    equal(asked, ["", "11"])
    waits.set()
    program.stop(signal.SIGTERM)
    server.close()


class Events:
    """A server of one event for each connection. It ends the first, and names how long to wait before the next."""

    def __init__(self, retry):
        self.asked, self.moments = [], []
        self.waits = threading.Event()

        def serve(connection, text):
            last = [line[15:] for line in text.split("\r\n") if line.lower().startswith("last-event-id: ")]
            self.asked.append(last[0] if last else "")
            self.moments.append(time.monotonic())
            number = len(self.asked)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                + f"retry: {retry}\nid: {number}\ndata: {number}\n\n".encode())
            if number > 1:
                self.waits.wait(60)

        self.server = Raw(serve)
        self.grant = f"--allow-net=127.0.0.1:{self.server.port}"
        # Any operators may stand around it but `reconnect`.
        self.text = f"""
heard = start |> listen(All, _ => Http.events("http://127.0.0.1:{self.server.port}/") |> map(n => n) |> filterMap(n => Some(n)))
output state = heard.state
output n: Event<Int> = heard.items
output done = heard.items |> filter(n => n > 1)
"""

    def close(self):
        self.waits.set()
        self.server.close()


@case
def an_event_stream_goes_on_by_itself(place):
    """Without `reconnect`, after the server's own wait; it is said how it stands, and a recording has that."""
    events = Events(retry=400)
    program = place.program("alone.frp", events.text, events.grant, "--until", "done", "--record", "r.jsonl")
    equal(program.wait(), 0, program.told())
    equal([program.shown("n"), events.asked], [[1, 2], ["", "1"]])
    equal(program.shown("state"), ["Opening", "Open", {"Retrying": "it ended"}, "Open"])
    equal(events.moments[1] - events.moments[0] > 0.39, True)
    events.close()
    again = subprocess.run(
        [harness.FRP, "replay", "alone.frp", "r.jsonl", "--format", "jsonl"], cwd=place.path, capture_output=True, text=True,
        timeout=harness.PATIENCE)
    equal(again.stdout.splitlines(), program.out, again.stderr)


@case
def an_event_stream_that_waits_does_so_in_a_journal(place):
    events = Events(retry=60_000)
    flags = (events.grant, "--journal", "kept")
    program = place.program("alone.frp", events.text, *flags)
    program.until_shown("state", {"Retrying": "it ended"})
    program.process.kill()
    program.process.wait()
    # It still waits where the run goes on, so that being open again is news.
    program = place.program("alone.frp", events.text, *flags)
    program.until_shown("n", 2)
    equal(program.shown("state")[-1:], ["Open"])
    events.close()
    program.stop(signal.SIGTERM)


@case
def what_may_be_none_is_where_nothing_came(place):
    """A request, a post, a file and an answer without content, each read as an Option."""
    port = free_port()
    web = Web(lambda method, path, body: (204 if path == "/none" else 200, JSON, "" if path == "/none" else " \n"))
    place.write("empty.json", "")
    program = place.program(
        "none.frp", f"""
input ask: Event<{{id: Int, method: String, path: String, query: Map<String, String>, body: Option<Json>}}> from Serve.requests("/a")
input tried: Event<Result<Option<Int>, Error>> from Serve.posts("/tried")
do(task) = (start |> perform(All, _ => task)).results
output said = ask |> map(r => r.body)
output answer = ask to r => Serve.reply(r.id, 200, r.body)
output tried
output none: Event<Result<Option<Int>, Error>> = do(Http.get("{web.place}/none"))
output blank: Event<Result<Option<{{a: Int}}>, Error>> = do(Http.get("{web.place}/blank"))
output file: Event<Result<Option<List<Int>>, Error>> = do(Files.read("empty.json"))
""", f"--allow-listen={port}", f"--allow-net=localhost:{web.port}", "--allow-read=empty.json")
    until(lambda: answers(port), "it listens")
    equal(ask(port, "GET", "/a")[0], 200)
    equal(ask(port, "PUT", "/a", "[1]")[0], 200)
    equal([ask(port, "POST", "/tried", text)[0] for text in ["", "3", "x"]], [202, 202, 202])
    program.until(lambda: len(program.shown("tried")) == 3 and program.shown("blank") and program.shown("file"), "all came")
    equal(program.shown("said"), [None, [1]])
    equal(program.shown("tried")[:2], [{"Ok": None}, {"Ok": 3}])
    equal("Err" in program.shown("tried")[2], True)
    equal([program.shown(name) for name in ["none", "blank", "file"]], [[{"Ok": None}]] * 3)
    program.stop(signal.SIGTERM)
    web.close()


@case
def a_program_that_is_run_sees_what_was_granted(place):
    program = place.program(
        "env.frp", """
ran = start |> perform(All, _ => Process.run("/usr/bin/env", []))
output said = ran.results |> filterMap(ok) |> map(r => r.out |> lines)
listed = listen(start, All, _ => Process.lines("/usr/bin/env", []))
output line = listed.items
""", "--allow-run=/usr/bin/env", "--allow-env=TOKEN",
        env={"TOKEN": "granted", "TOKEN2": "hidden", "PASSWORD": "hidden", "LC_TIME": "C", "TZ": "UTC"})
    equal(program.wait(), 0, program.told())
    said = program.shown("said")[0]
    for seen in ["TOKEN=granted", "LC_TIME=C", "TZ=UTC", "PATH=" + os.environ["PATH"]]:
        equal(seen in said, True, seen)
    equal([line for line in said if "hidden" in line], [])
    equal(sorted(program.shown("line")), sorted(line for line in said if line))


@case
def files_are_read_and_written(place):
    place.write("now.json", '{"a": 1}')
    place.write("rows.csv", "name,n\nx,1\ny,2\n")
    os.makedirs(place.file("folder"), exist_ok=True)
    place.write("folder/one.txt", "é")
    program = place.program(
        "files.frp", """
input now: Behavior<{a: Int}> = {a: 0} from Files.value("now.json")
input change: Event<{path: String, gone: Bool}> from Files.watch("folder")
do(task) = (start |> perform(All, _ => task)).results
output now
output change
output rows: Event<Result<List<{name: String, n: Int}>, Error>> = do(Files.read("rows.csv"))
output names = do(Files.list("folder"))
output text: Event<Result<String, Error>> = do(Files.read("folder/one.txt"))
output missing: Event<Result<String, Error>> = do(Files.read("none"))
output written = do(Files.write("out.txt", "a") |> andThen(_ => Files.append("out.txt", "b")))
""", "--allow-read=.", "--allow-write=out.txt")
    program.until(lambda: program.shown("written") and program.shown("missing"), "what is done at the start")
    equal(program.shown("now"), [{"a": 1}], "the value is there before the start")
    program.until_all_shown("rows", {"Ok": [{"n": 1, "name": "x"}, {"n": 2, "name": "y"}]})
    program.until_all_shown("names", {"Ok": ["one.txt"]})
    program.until_all_shown("text", {"Ok": "é"})
    equal("Err" in program.shown("missing")[0], True)
    with open(place.file("out.txt")) as file:
        equal(file.read(), "ab")
    place.write("now.json", '{"a": 2}')
    program.until_shown("now", {"a": 2})
    place.write("folder/two.txt", "2")
    program.until(lambda: any(c["path"].endswith("two.txt") and not c["gone"] for c in program.shown("change")), "it came")
    os.remove(place.file("folder/two.txt"))
    program.until(lambda: any(c["path"].endswith("two.txt") and c["gone"] for c in program.shown("change")), "it went")
    program.stop(signal.SIGTERM)


@case
def programs_end_with_their_scope(place):
    """No shell, a process group of its own, and the whole of it is gone when its scope is."""
    place.executable("work.sh", "#!/bin/sh\nsleep 300 &\necho $! > child\necho $$ > own\necho begun\nwait\n")
    program = place.program(
        "work.frp", """
input stop: Event<()>
do(task) = (start |> perform(All, _ => task)).results
work = merge(start |> map(_ => true), stop |> map(_ => false))
  |> listen(Latest, on => if on then Process.lines("./work.sh", []) else Source.fail("stopped"))
output line = work.items
output ran = do(Process.run("/bin/echo", ["$HOME; *", "b"]))
output failed = do(Process.run("/bin/false", []))
""", "--in", "stop=jsonl:-", "--allow-run=./work.sh", "--allow-run=/bin/echo", "--allow-run=/bin/false", "--allow-run=/bin/sh", "--allow-read=.",
        "--allow-write=.")
    program.until_shown("line", "begun")
    program.until_all_shown("ran", {"Ok": {"err": "", "out": "$HOME; * b\n", "status": 0}})
    program.until_all_shown("failed", {"Ok": {"err": "", "out": "", "status": 1}})
    numbers = []
    for name in ["own", "child"]:
        with open(place.file(name)) as file:
            numbers.append(int(file.read()))
    equal(os.getpgid(numbers[0]), numbers[0], "its own group")
    program.say("null")
    until(lambda: not any(is_alive(number) for number in numbers), "both are gone")
    program.stop(signal.SIGTERM)


def is_alive(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


@case
def secrets_are_sent_and_not_shown(place):
    seen = []

    def serve(connection, text):
        seen.append(text)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    server = Raw(serve)
    program = place.program(
        "secret.frp", f"""
input region: Behavior<String> = "none" from Env.value("REGION")
token = (start |> perform(All, _ => Env.secret("TOKEN"))).results
send(t) = Http.send({{
  method: "GET", url: "http://127.0.0.1:{server.port}/", headers: Map.fromList([("Authorization", Secret.of("Bearer ") ++ t)]), body: ""}})
output region
output told = token |> map(t => "{{t}}")
output status = (token |> filterMap(ok) |> perform(All, send)).results |> map(r => r |> map(a => a.status))
""", f"--allow-net=127.0.0.1:{server.port}", "--allow-env=TOKEN", "--allow-env=REGION", "--record", "run.jsonl",
        env={"TOKEN": "xyzzy", "REGION": "north"})
    equal(program.wait(), 0, program.told())
    equal(program.shown("region"), ["north"], "before the start")
    equal(program.shown("status"), [{"Ok": 200}])
    equal("•••" in program.shown("told")[0], True)
    equal("authorization: bearer xyzzy" in seen[0].lower(), True)
    with open(place.file("run.jsonl")) as file:
        recorded = file.read()
    equal(["xyzzy" in recorded, "•••" in recorded], [False, True])
    server.close()


@case
def a_sink_of_a_behavior_has_the_newest(place):
    """The first value and each change, and of those that wait the newest; an `Err` is reported and makes the exit code 3."""
    asked = []

    def answer(method, path, body):
        asked.append(int(body))
        until(lambda: len(asked) > 1 or program.shown("n")[-1:] == [3], "what comes meanwhile")
        return (500 if body == "3" else 200), "text/plain", ""

    web = Web(answer)
    program = place.program(
        "sink.frp", f"""
input e: Event<Int>
output n = e |> hold(0) to x => Http.post("{web.place}/", x)
""", "--in", "e=jsonl:-", f"--allow-net=localhost:{web.port}")
    for number in [1, 2, 3]:
        program.say(str(number))
    equal(program.end(), 3)
    equal(asked, [0, 3])
    equal(any("the sink of `n`: 500" in line for line in program.err), True, program.told())
    web.close()


@case
def other_sources_and_none(place):
    place.write("other", "x\ny\n")
    text = """
input line: Event<String> from Files.lines("not/there")
output copy = line to l => Files.append("not/there", l)
"""
    program = place.program(
        "ports.frp", text, "--in", "line=Files.lines(\"other\")", "--out", "copy=l => Files.append(\"out\", l ++ \".\")", "--allow-read=other",
        "--allow-write=out")
    equal(program.wait(), 0, program.told())
    with open(place.file("out")) as file:
        equal(file.read(), "x.y.")
    program = place.program("ports.frp", text, "--in", "line=none", "--out", "copy=jsonl:-")
    equal(program.wait(), 0, program.told())
    equal(program.out, [])


@case
def what_is_there_before_the_start_is_the_start_value(place):
    """An input whose source is there needs no other start value; one whose source is not there has none."""
    text = """
input home: Behavior<String> from Env.value("FRP_HOME")
input plan: Behavior<{k: Int, o: Option<Int>, names: List<String>}> from Files.value("plan.json")
output where = "{home} {plan.k}"
"""
    place.write("plan.json", '{"k": 7, "names": ["a"]}')
    flags = ("--allow-env=FRP_HOME", "--allow-read=plan.json")
    program = place.program("there.frp", text, *flags, env={"FRP_HOME": "here"})
    program.until_shown("where", "here 7")
    place.write("plan.json", '{"k": 8, "names": []}')
    program.until_shown("where", "here 8")
    program.stop(signal.SIGTERM)
    equal(program.shown("where"), ["here 7", "here 8"])
    os.remove(place.file("plan.json"))
    missing = subprocess.run(
        [harness.FRP, "run", "there.frp", *flags], cwd=place.path, capture_output=True, text=True, env=os.environ | {"FRP_HOME": "here"})
    if missing.returncode != 3 or "the input 'plan' has no value yet" not in missing.stderr:
        raise Failure(missing.stderr)


@case
def lines_that_are_too_long_are_told(place):
    """Of a file that a program reads as of one that `--in` names."""
    with open(place.file("long.txt"), "wb") as file:
        file.write(b"a\n" + b"x" * (65 << 20) + b"\nz\n")
    place.write("long.frp", 'output line = listen(start, All, _ => Files.lines("long.txt")).items\n')
    done = subprocess.run([harness.FRP, "run", "long.frp", "--allow-read=long.txt"], cwd=place.path, capture_output=True, text=True)
    equal((done.returncode, done.stdout), (0, "a\nz\n"))
    if "Files.lines: long.txt: a line is longer than 64 MiB" not in done.stderr:
        raise Failure(done.stderr)
