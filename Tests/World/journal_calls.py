"""Calls of runs that outlive their process: under way at a kill, begun again, shown by the page."""

import http.server
import json
import os
import signal
import subprocess
import threading
import time

import harness
from harness import Failure, case, equal, free_port, until
from journal import content

def run_frp(place, *words):
    """Another command to its end."""
    done = subprocess.run([harness.FRP, *words], cwd=place.path, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Slow(http.server.ThreadingHTTPServer):
    """A server that takes its time, and what it was asked: paths, and the keys of what is to be done once."""

    def __init__(self):
        super().__init__(("127.0.0.1", free_port()), Handler)
        self.asked, self.keys = [], []
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.keys.append(self.headers.get("Idempotency-Key"))
        time.sleep(0.3)
        try:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'"answered"')
        except BrokenPipeError:
            # Who asked was killed.
            pass

    do_POST = do_DELETE = do_GET

    def log_message(self, *_):
        pass


@case
def calls_under_way_begin_again(place):
    server = Slow()
    text = f"""
    input x: Event<Int>
    ask(i): Task<String> = Http.get("http://127.0.0.1:{server.port}/{{i}}")
    got = x |> perform(All, ask)
    output said = got.results |> filterMap(ok) |> count
    """
    flags = ("--in", "x=jsonl:-", f"--allow-net=127.0.0.1:{server.port}", "--journal", "kept")
    try:
        program = place.program("ask.frp", text, *flags)
        program.say("1")
        until(lambda: server.asked == ["/1"], "the call")
        program.process.kill()
        program.process.wait()
        program = place.program("ask.frp", text, *flags)
        program.until_shown("said", 1)
        equal(server.asked, ["/1", "/1"])
        program.process.kill()
        program.process.wait()
        program = place.program("ask.frp", text, *flags)
        program.say("2")
        program.until_shown("said", 2)
        equal(server.asked, ["/1", "/1", "/2"])
        program.stop(signal.SIGTERM)
    finally:
        server.shutdown()


@case
def an_export_is_shown_by_the_page(place):
    import websockets.sync.client
    server = Slow()
    text = f"""
    input x: Event<Int>
    got = x |> perform(All, i => Http.get("http://127.0.0.1:{server.port}/{{i}}"))
    output total = x |> fold(0, (s, v) => s + v)
    output said = got.results |> filterMap(ok) |> count
    """
    flags = ("--in", "x=jsonl:-", f"--allow-net=127.0.0.1:{server.port}", "--journal", "kept")
    program = place.program("ask.frp", text, *flags)
    program.say("1")
    program.until_shown("said", 1)
    program.process.kill()
    program.process.wait()
    code, out, err = run_frp(place, "journal", "kept", "--export", "begun.jsonl")
    equal((code, out), (0, ""), err)
    # It begins where the run began, so it is a recording.
    code, out, err = run_frp(place, "replay", "ask.frp", "begun.jsonl")
    equal((code, out.split("\n")[-3:]), (0, ["total = 1", "said = 1", ""]), err)
    program = place.program("ask.frp", text, *flags)
    program.say("4")
    program.until_shown("said", 2)
    equal(program.stop(signal.SIGTERM), 143)
    program = place.program("ask.frp", text, *flags)
    program.say("20")
    program.until_shown("said", 3)
    program.say("300")
    program.until_shown("total", 325)
    program.process.kill()
    program.process.wait()
    server.shutdown()
    code, out, err = run_frp(place, "journal", "kept", "--export", "gone_on.jsonl")
    equal((code, out), (0, ""), err)
    code, _, err = run_frp(place, "replay", "ask.frp", "gone_on.jsonl")
    if code != 2 or "frp serve --recording" not in err:
        raise Failure(f"{code}: {err}")
    moments = {}
    for line in content(place, "gone_on.jsonl").splitlines():
        line = json.loads(line)
        if "x" in line:
            moments[line["x"]] = line["at"]
    equal(sorted(moments), [20, 300])
    for name, seen in [
            ("begun.jsonl", [(0.0, 0, 0), (60.0, 1, 1)]),
            ("gone_on.jsonl", [(0.0, 5, 2), (moments[20] - 0.0001, 5, 2), (moments[20] + 0.0001, 25, 2),
                               (moments[300] - 0.0001, 25, 3), (moments[300] + 0.0001, 325, 3)])]:
        # Nobody is asked again: there is no server any more, and nothing is granted.
        process = subprocess.Popen(
            [harness.FRP, "serve", "--recording", name], cwd=place.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            address = process.stdout.readline().split()[-1]
            where, token = address.split("#")
            with websockets.sync.client.connect(where.replace("http", "ws") + "socket", max_size=None, origin=where.rstrip("/")) as page:
                page.send(json.dumps({"do": "hello", "token": token}))
                answer = lambda kind: next(found for found in iter(lambda: json.loads(page.recv(harness.PATIENCE)), None) if found["is"] == kind)
                equal(answer("program")["text"], text)
                frame = answer("frame")
                equal((frame["paused"], frame["values"]["total"], frame["values"]["said"]), (True, *seen[-1][1:]))
                for time_, total, said in seen:
                    page.send(json.dumps({"do": "seek", "to": time_}))
                    values = answer("past")["values"]
                    equal((values["total"], values["said"]), (total, said), f"{name} at {time_}")
        finally:
            process.kill()
            process.wait()


@case
def a_call_that_begins_again_has_the_same_key(place):
    server = Slow()
    address = f"http://127.0.0.1:{server.port}"
    text = f"""
    input x: Event<Int>
    ask(i): Task<String> = match i % 3 {{
      0 => Http.post("{address}/{{i}}", i)
      1 => Http.get("{address}/{{i}}")
      _ => Http.send({{method: "POST", url: "{address}/{{i}}", headers: Map.fromList([("idempotency-key", Secret.of("own"))]), body: ""}}) |> map(r => r.body)
    }}
    got = x |> perform(All, ask)
    output said = got.results |> filterMap(ok) |> count
    """
    flags = ("--in", "x=jsonl:-", f"--allow-net=127.0.0.1:{server.port}", "--journal", "kept")
    try:
        for number in range(3):
            program = place.program("ask.frp", text, *flags)
            if number == 0:
                program.say("3")
            until(lambda: len(server.asked) == number + 1, "the call")
            program.process.kill()
            program.process.wait()
        equal((server.asked, len(set(server.keys))), (["/3"] * 3, 1))
        if not server.keys[0].endswith("-1") or len(server.keys[0]) < 32:
            raise Failure(f"the key is {server.keys[0]}")
        program = place.program("ask.frp", text, *flags)
        program.until_shown("said", 1)
        for value in [6, 1, 2]:
            program.say(str(value))
        program.until_shown("said", 4)
        program.stop(signal.SIGTERM)
        keys = dict(zip(server.asked, server.keys))
        equal((keys["/1"], keys["/2"], keys["/6"]), (None, "own", keys["/3"].replace("-1", "-2")))
        # A run without a journal does not outlive its process.
        program = place.program("ask.frp", text, *flags[:3])
        program.say("9")
        program.until_shown("said", 1)
        equal(server.keys[-1], None)
        program.stop(signal.SIGTERM)
    finally:
        server.shutdown()


@case
def a_recording_whose_values_do_not_fit_is_told(place):
    """And what nothing needs has its `start` there, too."""
    import websockets.sync.client

    text = "input x: Event<Int>\nunneeded = start |> count\noutput sum = x |> fold(0, (s, v) => s + v)\n"
    program = place.program("sums.frp", text, "--in", "x=jsonl:-", "--journal", "kept")
    program.say("1")
    program.say("2")
    program.until_shown("sum", 3)
    program.stop(signal.SIGKILL)
    code, out, err = run_frp(place, "journal", "kept", "--export", "all.jsonl")
    equal((code, out), (0, ""), err)
    whole = content(place, "all.jsonl")
    for old, new, wanted in [
            ('"x":2', '"x":"two"', 'line 3 does not fit: expected Int, found "two"'), ('"x":2', '"y":2', "line 3 does not fit: there is no `y`"),
            ('{"at":', "{\"at\":-", "line 2 is none of a recording")]:
        place.write("bad.jsonl", whole[:20] + whole[20:].replace(old, new, 1))
        code, out, err = run_frp(place, "serve", "--recording", "bad.jsonl")
        equal((code, out), (1, ""), err)
        if wanted not in err:
            raise Failure(err)
    process = subprocess.Popen(
        [harness.FRP, "serve", "--recording", "all.jsonl"], cwd=place.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        where, token = process.stdout.readline().split()[-1].split("#")
        with websockets.sync.client.connect(where.replace("http", "ws") + "socket", max_size=None, origin=where.rstrip("/")) as page:
            page.send(json.dumps({"do": "hello", "token": token}))
            frame = next(found for found in iter(lambda: json.loads(page.recv(harness.PATIENCE)), None) if found["is"] == "frame")
            equal((frame["values"]["sum"], frame["values"]["unneeded"]), (3, 1))
    finally:
        process.kill()
        process.wait()


@case
def an_export_of_several_processes_is_one_recording(place):
    """The same call again and again, with another answer each time, and a kill in between."""
    text = """
        input n: Event<Int>
        dated = n |> perform(All, _ => Process.run("/bin/date", ["+%N"]))
        output told = dated.results |> filterMap(ok) |> map(r => trim(r.out))
        """.replace("\n        ", "\n")
    for number in range(3):
        program = place.program(
            "dated.frp", text, "--in", "n=jsonl:-", "--allow-run=/bin/date", "--journal", "kept", "--out", "told=lines:told.txt")
        for turn in range(4):
            program.say(str(turn))
            until(
                lambda: os.path.exists(place.file("told.txt")) and len(content(place, "told.txt").splitlines()) > 4 * number + turn,
                "an answer")
        program.stop(signal.SIGKILL)
    code, out, err = run_frp(place, "journal", "kept", "--export", "dated.jsonl")
    equal((code, out), (0, ""), err)
    code, out, err = run_frp(place, "replay", "dated.frp", "dated.jsonl", "--format", "jsonl")
    told = [json.loads(line)["told"] for line in out.splitlines()]
    equal((code, told), (0, content(place, "told.txt").splitlines()), err)
