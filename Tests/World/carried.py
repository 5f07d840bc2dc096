"""How it is carried: HTTP/2 where a server has it, compressed bodies, and a long conversation over a WebSocket with TLS."""

import gzip
import struct
import threading

import websockets.sync.server

from harness import Raw, authority, case, equal

ASK = """
input url: Event<String>
output got = (url |> perform(Queue, u => Http.get(u) |> map(t => String.size(t)))).results
"""


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def two(connection, asked):
    """A server that has HTTP/2 and nothing else: its settings, 200 by the static table, three bytes."""
    if not asked.startswith("PRI * HTTP/2.0"):
        return
    connection.sendall(frame(4, 0, 0) + frame(4, 1, 0) + frame(1, 4, 1, b"\x88") + frame(0, 1, 1, b"two"))
    while connection.recv(65536):
        pass


@case
def answers_over_http2_and_compressed(place):
    context = authority().made("localhost", 3)
    context.set_alpn_protocols(["h2"])
    new = Raw(two, context)
    text = "round and round " * 1000
    old = Raw(lambda c, asked: c.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(text.encode())
        if "accept-encoding: deflate, gzip" in asked.lower() else b"HTTP/1.1 406 Not Acceptable\r\nContent-Length: 0\r\n\r\n"))
    program = place.program(
        "ask.frp", ASK, "--in", "url=lines:-", f"--allow-net=localhost:{new.port}", f"--allow-net=127.0.0.1:{old.port}",
        env=authority().trusted)
    program.say(f"https://localhost:{new.port}/")
    program.say(f"http://127.0.0.1:{old.port}/")
    program.until(lambda: len(program.shown("got")) == 2, "both answers")
    equal(program.shown("got"), [{"Ok": 3}, {"Ok": len(text)}])
    equal(program.end(), 0)
    new.close()
    old.close()


@case
def a_long_conversation_over_tls(place):
    """Everything that is said is answered, once and in order, in texts of a byte to a megabyte."""
    texts = [str(number) for number in range(3000)] + ["x" * (1 << size) for size in range(1, 21)] + ["end"]
    heard = []
    done = threading.Event()

    def serve(connection):
        talk = threading.Thread(target=lambda: [connection.send(text) for text in texts], daemon=True)
        talk.start()
        for text in connection:
            heard.append(text)
            if text == "end":
                break
        done.set()

    server = websockets.sync.server.serve(serve, "127.0.0.1", 0, ssl_context=authority().context())
    port = server.socket.getsockname()[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program = place.program(
        "echo.frp", f"""
input said: Event<String> from Ws.messages("wss://localhost:{port}/")
output answer = said to t => Ws.send("wss://localhost:{port}/", t)
""", f"--allow-net=localhost:{port}", env=authority().trusted)
    program.until(done.is_set, "the last answer")
    equal(len(heard), len(texts))
    equal(heard == texts, True, "in order")
    program.wait()
    server.shutdown()
