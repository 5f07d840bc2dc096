"""Descriptors and memory over many requests, of a program that asks and of one that answers. REQUESTS=100000 makes them more."""

import http.client
import os
import socket

from harness import Failure, Raw, answers, case, equal, free_port, until
from hostile import handshake

REQUESTS = int(os.environ.get("REQUESTS") or 20_000)

SERVER = """
input asked: Event<{id: Int, method: String, path: String, query: Map<String, String>, body: String}> from Serve.requests("/x/*")
answers = asked |> perform(All, r => Serve.reply(r.id, 200, {path: r.path, kept: [1, 2, 3]}))
output refused = answers.results |> filterMap(r => match r { Err(e) => Some(e.message); Ok(_) => None })
"""

CLIENT = """
input n: Event<Int>
ask(i): Task<{path: String}> = Http.get("http://127.0.0.1:PORT/x/{i}")
got = n |> perform(Limit(64), i => ask(i))
output failed = got.results |> filterMap(r => match r { Err(e) => Some(e.message); Ok(_) => None })
right = got.results |> filterMap(ok) |> filter(a => startsWith(a.path, "/x/")) |> count
output done = changes(right) |> filter(c => c % 1000 == 0)
"""


@case
def descriptors_and_memory_stay(place):
    port = free_port()
    server = place.program("server.frp", SERVER, f"--allow-listen={port}")
    client = place.program(
        "client.frp", CLIENT.replace("PORT", str(port)), "--in", "n=jsonl:-", f"--allow-net=127.0.0.1:{port}")
    before = None
    for thousand in range(1, REQUESTS // 1000 + 1):
        client.say("\n".join(str(number) for number in range(1000)))
        client.until_shown("done", 1000 * thousand)
        if thousand == max(5, REQUESTS // 10_000):
            before = [(one.descriptors(), one.memory()) for one in (server, client)]
    for one, (descriptors, memory) in zip((server, client), before):
        print(
            f"{REQUESTS} requests: descriptors {descriptors} to {one.descriptors()}, KiB {memory} to {one.memory()}",
            flush=True)
        if one.descriptors() > descriptors + 2 or one.memory() > memory + 6 * 1024:
            raise Failure(f"{descriptors} descriptors and {memory} KiB became {one.descriptors()} and {one.memory()}")
    equal(client.end(), 0)
    equal(client.shown("failed"), [])
    equal(server.stop(), 130)
    equal(server.shown("refused"), [])


SOCKETS = """
input m: Event<Int> from Ws.messages("ws://127.0.0.1:PORT/") |> reconnect(_ => Some(1ms))
output seen = m |> count |> changes |> filter(c => c % 500 == 0)
"""


@case
def sockets_that_come_and_go_leave_nothing(place):
    def talk(connection, asked):
        connection.sendall(handshake(asked).encode() + b"\x81\x017")

    server = Raw(talk)
    program = place.program("again.frp", SOCKETS.replace("PORT", str(server.port)), f"--allow-net=127.0.0.1:{server.port}")
    for count in range(500, 2001, 500):
        program.until_shown("seen", count)
    descriptors, memory = program.descriptors(), program.memory()
    for count in range(2500, 6001, 500):
        program.until_shown("seen", count)
    print(f"4000 WebSockets: descriptors {descriptors} to {program.descriptors()}, KiB {memory} to {program.memory()}", flush=True)
    if program.descriptors() > descriptors + 2 or program.memory() > memory + 3 * 1024:
        raise Failure(f"{descriptors} descriptors and {memory} KiB became {program.descriptors()} and {program.memory()}")
    equal(program.stop(), 130)
    server.close()


WRITTEN = """
input n: Event<Int>
pad = join(1..400 |> map(n => "0123456789"), "")
page = n |> map(i => "{i} {pad}")
told = page |> perform(All, p => Files.write("page.txt", p))
output failed = told.results |> filterMap(r => match r { Err(e) => Some(e.message); Ok(_) => None })
output done = changes(told.results |> count) |> filter(c => c % 500 == 0)
"""


@case
def calls_with_ever_new_arguments_leave_nothing(place):
    """Those that a journal has, and those of a recording."""
    for number, flag in enumerate(["--journal", "--record"]):
        program = place.program(f"written{number}.frp", WRITTEN, "--in", "n=jsonl:-", "--allow-write=.", flag, f"kept{number}")
        memory = None
        for sent in range(500, 3001, 500):
            program.say("\n".join(str(value) for value in range(sent - 500, sent)))
            program.until_shown("done", sent)
            if sent == 1000:
                memory = program.memory()
        print(f"2000 calls of 4 kB with {flag}: KiB {memory} to {program.memory()}", flush=True)
        if program.memory() > memory + 4 * 1024:
            raise Failure(f"{memory} KiB became {program.memory()}")
        equal(program.end(), 0)


POSTED = """
input n: Event<Int> from Serve.posts("/n")
output total = n |> fold(0, (s, v) => s + v)
"""


@case
def idle_connections_leave_descriptors_for_the_rest(place):
    """Where the hard limit is low, too: who comes beyond hears 503, and the journal goes on."""
    port = free_port()
    program = place.program(
        "posted.frp", POSTED, f"--allow-listen={port}", "--journal", "kept", prefix=["sh", "-c", "ulimit -n 160; exec \"$0\" \"$@\""])
    until(lambda: answers(port), "the server")
    first = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    idle = []
    try:
        first.request("POST", "/n", "1")
        first.getresponse().read()
        for _ in range(200):
            idle.append(socket.create_connection(("127.0.0.1", port), timeout=30))
        # The journal begins new files every so many values.
        for value in range(2, 502):
            first.request("POST", "/n", str(value))
            answer = first.getresponse()
            answer.read()
            equal(answer.status, 202)
        program.until_shown("total", 501 * 502 // 2)
        late = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        late.request("POST", "/n", "1")
        equal(late.getresponse().status, 503)
        until(lambda: any("answers 503 to who comes beyond" in line for line in program.err), "the sentence")
    finally:
        for connection in idle:
            connection.close()
    equal(program.stop(), 130)
