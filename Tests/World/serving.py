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
