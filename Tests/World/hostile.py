"""Servers that cut, lie, stall and send what nobody should: each ends in an `Err` with a sentence, and the program goes on."""

import base64
import gzip
import hashlib
import re
import socket
import struct
import time
import zlib

from harness import Failure, Raw, authority, case, equal

PROGRAM = """
input url: Event<String>
said(t: String) = "ok: {t}"
asked(u: String): Task<(String, String)> = Http.get(u) |> timeout(if contains(u, "/s") then 2s else 60s) |> map(t => (u, said(t))) |> recover(e => Task.succeed((u, e.message)))
output got = (url |> perform(All, asked)).results |> filterMap(ok)
"""

STREAMS = """
input url: Event<String>
streamed = listen(url, Queue, u => Http.lines(u) |> map(String.size))
output lines = streamed.items
output ends = streamed.ends |> map(r => match r { Ok(_) => "ok"; Err(e) => e.message })
"""

# By name: what follows the head of a request, and the sentence of a whole answer and of a stream of lines.
ANSWERS = {}


def answer(name, whole, lines=None):
    def note(script):
        ANSWERS["/" + name] = (script, whole, whole if lines is None else lines)
        return script

    return note


def say(connection, *parts):
    for part in parts:
        connection.sendall(part if isinstance(part, bytes) else part.encode())


@answer("cut-head", "the answer was cut short in its headers")
def cut_head(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Le")


@answer("nothing", "PLACE closed the connection without an answer")
def nothing(c):
    pass


@answer("cut-body", "the answer was cut short after 9 of 100 bytes")
def cut_body(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nline\npart")


@answer("cut-chunk", "the answer was cut short after 9 bytes")
def cut_chunk(c):
    say(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nline\n\r\n40\r\npart")


@answer("cut-between-chunks", "the answer was cut short after 5 bytes")
def cut_between_chunks(c):
    say(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nline\n\r\n")


@answer("bad-chunk", "PLACE: illegal or missing hexadecimal sequence in chunked-encoding")
def bad_chunk(c):
    say(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nline\n\r\n0\r\n\r\n")


@answer("reset", "PLACE: recv failure: Connection reset by peer")
def reset(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nline\n")
    time.sleep(0.1)
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@answer("two-lengths", "PLACE says two lengths of its answer")
def two_lengths(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nline\nmo")


@answer("bad-length", "what PLACE answers is not HTTP")
def bad_length(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nline\n")


@answer("too-long", "ok: line\n", "ok")
def too_long(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nline\nmore than was said\n")


@answer("endless-headers", "the headers of the answer are larger than 262144 bytes")
def endless_headers(c):
    say(c, "HTTP/1.1 200 OK\r\n")
    for number in range(1_000_000):
        say(c, f"X-{number}: {'x' * 1000}\r\n")


@answer("one-endless-header", "a header of the answer is too long")
def one_endless_header(c):
    say(c, "HTTP/1.1 200 OK\r\nX: ")
    for _ in range(1_000_000):
        say(c, "x" * 1000)


@answer("endless-redirects", "PLACE redirects more than 10 times")
def endless_redirects(c):
    say(c, "HTTP/1.1 302 Found\r\nLocation: /endless-redirects\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


@answer("redirect-elsewhere", "not granted: net 192.0.2.1:80")
def redirect_elsewhere(c):
    say(c, "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n")


@answer("redirect-to-a-file", "a URL without a host: file:///etc/passwd")
def redirect_to_a_file(c):
    say(c, "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")


@answer("no-http", "what PLACE answers is not HTTP")
def no_http(c):
    say(c, "220 mail.example.org ESMTP\r\n")


@answer("bomb", "the answer is larger than 67108864 bytes", "line 1 is longer than 1048576 bytes")
def bomb(c):
    data = gzip.compress(b"x" * (200 << 20), 1)
    say(c, f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(data)}\r\n\r\n", data)


@answer("bad-gzip", "the answer of PLACE is not compressed as it says")
def bad_gzip(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n12345678901234567890")


def compressed(c, data, coding="gzip"):
    say(c, f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(data)}\r\n\r\n", data)


@answer("cut-gzip", "the answer was cut short: what is compressed does not end")
def cut_gzip(c):
    compressed(c, gzip.compress(b"line\n" * 5000)[:-12])


@answer("cut-deflate", "the answer was cut short: what is compressed does not end")
def cut_deflate(c):
    compressed(c, zlib.compress(b"line\n" * 5000)[:-5], "deflate")


@answer("many-gzips", "ok: one\ntwo\n", "ok")
def many_gzips(c):
    compressed(c, gzip.compress(b"one\n") + gzip.compress(b"two\n"))


@answer("bare-deflate", "ok: line\n", "ok")
def bare_deflate(c):
    compressed(c, zlib.compress(b"line\n")[2:-4], "Deflate")


@answer("unknown-coding", "the answer of PLACE is not compressed as it says")
def unknown_coding(c):
    compressed(c, b"line\n", "br")


@answer("long-gzip", "ok: " + "line\n" * 99999, "ok")
def long_gzip(c):
    compressed(c, gzip.compress(b"line\n" * 99999))


@answer("slow-bytes", "timeout after 2.0 s", "")
def slow_bytes(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    for _ in range(100):
        say(c, "x")
        time.sleep(0.2)


@answer("silence", "timeout after 2.0 s", "")
def silence(c):
    time.sleep(20)


@answer("no-utf8", "the answer is not UTF-8", "line 1 is not UTF-8")
def no_utf8(c):
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"a\xff\xfeb\n")


def serve(connection, asked):
    path = asked.split(" ")[1] if " " in asked else ""
    if path in ANSWERS:
        ANSWERS[path][0](connection)


@case
def answers_that_lie(place):
    server = Raw(serve)
    here = f"127.0.0.1:{server.port}"
    program = place.program("hostile.frp", PROGRAM, "--in", "url=lines:-", f"--allow-net={here}")
    for path in ANSWERS:
        program.say(f"http://{here}{path}")
    program.until(lambda: len(program.shown("got")) == len(ANSWERS), "all answers")
    wanted = {f"http://{here}{path}": whole.replace("PLACE", here) for path, (_, whole, _) in ANSWERS.items()}
    equal(dict(program.shown("got")), wanted)
    before = program.descriptors()
    for path in ANSWERS:
        program.say(f"http://{here}{path}")
    program.until(lambda: len(program.shown("got")) == 2 * len(ANSWERS), "all answers, once more")
    program.until(lambda: program.descriptors() <= before + 1, "no descriptor is left")
    equal(program.end(), 0)
    server.close()


@case
def streams_that_lie(place):
    server = Raw(serve)
    here = f"127.0.0.1:{server.port}"
    program = place.program("streams.frp", STREAMS, "--in", "url=lines:-", f"--allow-net={here}")
    paths = [path for path, (_, _, lines) in ANSWERS.items() if lines]
    for path in paths:
        program.say(f"http://{here}{path}")
    program.until(lambda: len(program.shown("ends")) == len(paths), "all ends")
    wanted = [ANSWERS[path][2].replace("PLACE", here) for path in paths]
    equal(list(zip(paths, program.shown("ends"))), list(zip(paths, wanted)))
    equal(program.stop(), 130)
    server.close()


@case
def certificates_that_do_not_fit(place):
    serve = lambda c, asked: say(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    good, other, old = [
        Raw(serve, authority().context(*words)) for words in [("localhost",), ("other.example",), ("localhost", -1)]]
    plain = Raw(serve, reads=False)
    ports = [server.port for server in (good, other, old, plain)]
    grants = [f"--allow-net={host}:{port}" for host in ("localhost", "127.0.0.1") for port in ports]
    program = place.program("tls.frp", PROGRAM, "--in", "url=lines:-", *grants, env=authority().trusted)
    wanted = {
        f"https://localhost:{good.port}/": "ok: hi",
        f"https://127.0.0.1:{good.port}/": f"TLS: the certificate is not for 127.0.0.1:{good.port}",
        f"https://localhost:{other.port}/": f"TLS: the certificate is not for localhost:{other.port}",
        f"https://localhost:{old.port}/": f"TLS with localhost:{old.port}: certificate has expired",
        f"https://localhost:{plain.port}/": None,
    }
    for url in wanted:
        program.say(url)
    program.until(lambda: len(program.shown("got")) == len(wanted), "all answers")
    got = dict(program.shown("got"))
    if not got[f"https://localhost:{plain.port}/"].startswith(f"TLS with localhost:{plain.port}: "):
        raise Failure(f"{got}")
    del wanted[f"https://localhost:{plain.port}/"], got[f"https://localhost:{plain.port}/"]
    equal(got, wanted)
    equal(program.end(), 0)
    # Without the authority nobody is believed.
    program = place.program("tls.frp", PROGRAM, "--in", "url=lines:-", *grants, env={"SSL_CERT_FILE": "", "SSL_CERT_DIR": ""})
    program.say(f"https://localhost:{good.port}/")
    way = "(SSL_CERT_FILE=FILE says which authorities are trusted)"
    said = [f"https://localhost:{good.port}/", f"TLS with localhost:{good.port}: unable to get local issuer certificate {way}"]
    program.until(lambda: program.shown("got") == [said], "nobody is believed")
    for server in (good, other, old, plain):
        server.close()


# By name: what follows the handshake, and how the source ends.
FRAMES = {
    "cut": (b"\x81\x05he", "the connection was cut without a close"),
    "cut-in-length": (b"\x81\x7e\x01", "the connection was cut without a close"),
    "no-utf8": (b"\x81\x02\xff\xfe", None),
    "masked": (b"\x81\x82\x00\x00\x00\x00hi", None),
    "reserved": (b"\xf1\x02hi", None),
    "opcode": (b"\x83\x02hi", None),
    "too-large": (b"\x81\x7f\x00\x00\x00\x10\x00\x00\x00\x00", None),
    "no-start": (b"\x80\x02hi", None),
    "long-ping": (b"\x89\x7e\x00\x80" + b"x" * 128, None),
    "close": (b"\x88\x02\x0f\xa1", "the server closed it with 4001"),
    "bye": (b"\x88\x02\x03\xe8", "ok"),
}

SOCKETS = """
input url: Event<String>
heard = listen(url, Queue, u => Ws.messages(u) |> map(String.size))
output messages = heard.items
output ends = heard.ends |> map(r => match r { Ok(_) => "ok"; Err(e) => e.message })
"""


def handshake(asked):
    key = re.search(r"Sec-WebSocket-Key: (\S+)", asked)[1] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    return f"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"


@case
def sockets_that_lie(place):
    def talk(connection, asked):
        name = asked.split(" ")[1][1:]
        if name == "no-socket":
            return say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        if name == "wrong-key":
            return say(connection, re.sub(r"Accept: \S+", "Accept: xxxx", handshake(asked)))
        # A message that is whole comes before.
        say(connection, handshake(asked), b"\x81\x05hello", FRAMES[name][0])
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass

    server = Raw(talk)
    here = f"127.0.0.1:{server.port}"
    program = place.program("sockets.frp", SOCKETS, "--in", "url=lines:-", f"--allow-net={here}")
    names = [*FRAMES, "no-socket", "wrong-key"]
    for name in names:
        program.say(f"ws://{here}/{name}")
    program.until(lambda: len(program.shown("ends")) == len(names), "all ends")
    equal(program.shown("messages"), [5] * len(FRAMES))
    ends = dict(zip(names, program.shown("ends")))
    for name, (_, wanted) in FRAMES.items():
        if wanted and ends[name] != wanted or not wanted and (ends[name] == "ok" or "cut" in ends[name]):
            raise Failure(f"{name}: {ends[name]}")
    equal(ends["no-socket"], f"no WebSocket is there: {here} answers 200 OK")
    equal(ends["wrong-key"], f"what {here} answers is not the handshake of a WebSocket")
    equal(program.stop(), 130)
    server.close()
