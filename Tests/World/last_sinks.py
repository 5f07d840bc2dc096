"""The end of a run: sinks end what they have begun, however they wait for it; what is served meanwhile."""

import contextlib
import http.client
import signal
import threading
import time

from harness import Web, case, equal, free_port, until
from serving import REQUEST, answered, asked


def told(program, text):
    program.until(lambda: any(text in line for line in program.err), text)


def posted(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path, '"x"')
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@case
def a_sink_ends_its_wait_after_the_end(place):
    for begin in ["Task.after(1500ms, v)", "(Task.after(500ms, v) |> Task.andThen(_ => Task.after(1s, v)))"]:
        program = place.program("waits.frp", f"""
        input v: Event<String>
        output o = v to v => {begin} |> Task.andThen(x => Files.append("out.txt", "{{x}},"))
        output tick = count(every(100ms))
        """, "--in", "v=lines:-", "--for", "500ms", "--allow-write=.")
        program.say("a")
        program.say("b")
        began = time.monotonic()
        equal(program.wait(), 0, begin)
        with open(place.file("out.txt")) as file:
            equal(file.read(), "a,b,", begin)
        if time.monotonic() - began < 2.9:
            raise AssertionError("waits are cut short")
        # For the program nothing happens after the end.
        equal(program.shown("tick")[-1], 5)
        place.write("out.txt", "")


@case
def a_sink_tries_again_after_the_end(place):
    answers = iter([500, 500, 500, 200, 200])
    web = Web(lambda method, path, body: (next(answers), "text/plain", ""))
    program = place.program("tries.frp", f"""
    input v: Event<String>
    p(v): Task<String> = Http.post("{web.place}/hook", v)
    output o = v to v => p(v) |> retryWith(n => Some(0.7))
    """, "--in", "v=lines:-", f"--allow-net=localhost:{web.port}")
    program.say("a")
    program.say("b")
    until(lambda: len(web.requests) == 1, "the first try")
    equal(program.stop(signal.SIGTERM), 143, program.told())
    equal([body for _, _, body in web.requests], ["a", "a", "a", "a", "b"])
    equal(any("waiting for the sink of `o`" in line for line in program.err), True, program.told())
    web.close()


@case
def what_is_not_delivered_is_told(place):
    program = place.program("never.frp", """
    input v: Event<String>
    input go: Event<String>
    output o = v to v => Task.await(go)
    """, "--in", "v=lines:-", "--in", "go=none", "--for", "500ms")
    program.say("a")
    program.say("b")
    equal(program.wait(), 3, program.told())
    told(program, "the sink of `o`: 2 values were not delivered")


@case
def who_has_asked_is_answered_after_the_end(place):
    port = free_port()
    program = place.program("slow.frp", f"""
    input r: Event<{REQUEST}> from Serve.requests("/x")
    input never: Event<{REQUEST}> from Serve.requests("/never")
    input p: Event<String> from Serve.posts("/p")
    output taken = merge(map(r, q => q.id), map(never, q => q.id))
    output o = r |> map(q => q.id) to i => Process.run("/bin/sleep", ["2"]) |> Task.andThen(_ => Serve.reply(i, 200, "done"))
    """, f"--allow-listen={port}", "--allow-run=/bin/sleep")
    slow, never = asked(port, "/x"), asked(port, "/never")
    program.until(lambda: len(program.shown("taken")) == 2, "both requests")
    program.process.send_signal(signal.SIGTERM)

    def refused():
        status, text = posted(port, "/p")
        return text if status == 503 else None

    until(refused, "the end")
    equal(posted(port, "/x")[0], 503)
    equal(answered(slow), ("200", "done"))
    equal(answered(never)[0], "503")
    equal(program.wait(), 143, program.told())
