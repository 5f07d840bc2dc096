"""Who is served: across two processes of a run, by a server that is full, and beside a client that does not read."""

import contextlib
import json
import signal
import socket
import threading
import time
import urllib.error
import urllib.request

import websockets.exceptions
import websockets.sync.client

from harness import Failure, case, equal, free_port, until

REQUEST = "{id: Int, method: String, path: String, query: Map<String, String>, body: String}"


def opened(port):
    """A connection, once there is somebody."""
    def tried():
        with contextlib.suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), 30)

    return until(tried, "the server")


def asked(port, path):
    connection = opened(port)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    return connection


def answered(connection):
    """Status and body."""
    text = b""
    while more := connection.recv(65536):
        text += more
    head, _, body = text.decode().partition("\r\n\r\n")
    return (head.split(" ")[1] if head else "", body)


@case
def nobody_hears_the_answer_of_another(place):
    port = free_port()
    text = f"""
    input r: Event<{REQUEST}> from Serve.requests("/*")
    done = r |> perform(All, q => Task.after(if q.path == "/fast" then 0s else 1s, ()) |> Task.andThen(_ => Serve.reply(q.id, 200, "for {{q.path}}")))
    output ids = r |> map(q => q.id)
    output said = done.results |> filterMap(x => match x {{ Err(e) => Some(e.message); Ok(_) => None }})
    """
    flags = (f"--allow-listen={port}", "--journal", "kept")
    program = place.program("swap.frp", text, *flags)
    equal(answered(asked(port, "/fast")), ("200", "for /fast"))
    ann = asked(port, "/ann")
    program.until_all_shown("ids", 1, 2)
    # Killed, without a state: the journal's lines alone know of them.
    program.process.send_signal(signal.SIGKILL)
    program.process.wait()
    ann.close()
    for number in (3, 4):
        program = place.program("swap.frp", text, *flags)
        equal(answered(asked(port, "/bob")), ("200", "for /bob"), "who asks the next process")
        program.until(lambda: number in program.shown("ids"), "another number")
        if number == 3:
            program.until(lambda: program.shown("said"), "whom nobody can answer")
            equal(program.shown("said"), ["request 2 came to an earlier process: its connection has gone"])
        # Stopped, with a state.
        equal(program.stop(signal.SIGTERM), 143)


@case
def who_was_joined_has_left_with_the_process(place):
    port = free_port()
    text = """
    input sockets: Event<Socket<String>> from Serve.sockets("/chat")
    input other: Event<Socket<String>> from Serve.sockets("/other")
    output seen = merge(sockets, other) |> map(m => match m { Joined(i) => "joined {i}"; Left(i) => "left {i}"; Said(i, t) => "{t} {i}" })
    output here = sockets |> fold(0, (n, m) => match m { Joined(_) => n + 1; Left(_) => n - 1; Said(_, _) => n })
    said = sockets |> filterMap(m => match m { Said(i, _) => Some(i); _ => None })
    output echo = said to i => Serve.say(i, "to {i}")
    """.replace("Socket<", "Serve.Socket<")
    flags = (f"--allow-listen={port}", "--journal", "kept")

    def connect(path):
        opened(port).close()
        return websockets.sync.client.connect(f"ws://127.0.0.1:{port}{path}")

    def left_behind(program, end):
        end()
        program.process.wait()

    program = place.program("chat.frp", text, *flags)
    sockets = [connect("/chat"), connect("/chat"), connect("/other")]
    sockets[0].close()
    program.until(lambda: len(program.shown("seen")) == 4, "all have come")
    # A kill, then a stop: from lines, and from a state.
    left_behind(program, program.process.kill)
    program = place.program("chat.frp", text, *flags)
    program.until(lambda: {"left 2", "left 3"} <= set(program.shown("seen")), "they have left")
    program.until(lambda: program.shown("here")[-1] == 0, "nobody is there")
    with connect("/chat") as client:
        client.send("hi")
        equal(client.recv(30), "to 4")
        equal(program.stop(signal.SIGTERM), 143)
    program = place.program("chat.frp", text, *flags)
    program.until_shown("seen", "left 4")
    with connect("/chat") as client:
        client.send("hi")
        equal(client.recv(30), "to 5")
    program.until_shown("seen", "left 5")
    equal([line for line in program.shown("seen") if line.startswith("left")], ["left 4", "left 5"])
    equal(program.stop(signal.SIGTERM), 143)


@case
def who_has_hung_up_makes_room(place):
    port = free_port()
    program = place.program(
        "owed.frp", f"""
        input r: Event<{REQUEST}> from Serve.requests("/*")
        output ids = r |> count
        answer(q) = if q.path == "/now" then Serve.reply(q.id, 200, "now") else Task.after(60s, ()) |> Task.andThen(_ => Serve.reply(q.id, 200, "late"))
        answers = r |> perform(All, answer)
        output failed = answers.results |> filterMap(x => match x {{ Err(e) => Some(e.message); Ok(_) => None }})
        """,
        f"--allow-listen={port}")
    opened(port).close()
    waiting = [asked(port, "/later") for _ in range(1024)]
    program.until_shown("ids", 1024)
    equal(answered(asked(port, "/now"))[0], "503", "it is full")
    equal(answered(asked(port, "/now"))[0], "503", "it is full")
    for connection in waiting:
        connection.close()
    for _ in range(100):
        equal(answered(asked(port, "/now")), ("200", "now"), "there is room")
    equal(program.shown("failed"), [])
    told = [line for line in program.err if "503" in line]
    equal(told, ["frp: the server has 1024 connections, and answers 503 to who comes beyond these"])
    program.process.kill()


@case
def who_does_not_read_is_dropped_alone(place):
    port = free_port()
    program = place.program(
        "chat.frp", """
        input sockets: Event<Serve.Socket<String>> from Serve.sockets("/chat")
        output seen = sockets |> filterMap(m => match m { Joined(i) => Some("joined {i}"); Left(i) => Some("left {i}"); _ => None })
        said = sockets |> filterMap(m => match m { Said(_, t) => Some(t); _ => None })
        here = sockets |> fold(Map.empty, (all, m) => match m { Joined(i) => all |> set(i, ()); Left(i) => all |> remove(i); Said(_, _) => all })
        output told = (said |> map(t => keys(here) |> map(i => {to: i, text: t})) |> spill) to m => Serve.say(m.to, m.text)
        """, f"--allow-listen={port}")
    opened(port).close()
    place_of = f"ws://127.0.0.1:{port}/chat"
    deaf = socket.create_connection(("127.0.0.1", port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.sendall(
        b"GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    program.until_shown("seen", "joined 1")
    with websockets.sync.client.connect(place_of, max_size=None) as ann:
        long = "x" * 500_000
        for number in range(40):
            ann.send(long + str(number))
            equal(ann.recv(30)[500_000:], str(number))
        program.until_shown("seen", "left 1")
    deaf.close()
    program.until_shown("seen", "left 2")
    equal(program.stop(), 130)
