"""What is not safe is sent once, however the connection ends that it was sent on; what is safe is asked for again."""

import socket
import struct

from harness import Raw, case, equal, head

PROGRAM = """
input line: Event<(String, String)>
asked(m: String, path: String) = Http.send({method: m, url: "http://127.0.0.1:PORT/{path}", headers: Map.fromList([]), body: BODY})
output answer = (line |> perform(Queue, ((m, path)) => asked(m, path))).results |> map(r => match r { Ok(a) => a.body; Err(e) => e.message })
"""


def ending(seen):
    """A server that answers the first request of a connection, and ends it where it is asked for more, to which it does not
    answer."""

    def script(connection, text):
        number = 0
        while text:
            number += 1
            method, path = text.split(" ")[:2]
            length = next((int(l.split(":")[1]) for l in text.split("\r\n") if l.lower().startswith("content-length:")), 0)
            body = text.split("\r\n\r\n", 1)[1]
            while len(body) < length:
                body += connection.recv(65536).decode()
            seen.append((method, path, len(body)))
            if number > 1 and path != "/ok":
                if path == "/reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            status = "307 Temporary Redirect\r\nLocation: /ok" if path == "/moved" else "200 OK"
            connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nok".encode())
            text = head(connection)

    return Raw(script)


def outcomes(place, body, *asked):
    """What a program is answered, one request after the other, and what the server has seen."""
    seen = []
    server = ending(seen)
    text = PROGRAM.replace("PORT", str(server.port)).replace("BODY", body)
    program = place.program("repeated.frp", text, f"--allow-net=127.0.0.1:{server.port}")
    for method, path in asked:
        program.say(f'["{method}", "{path}"]')
    equal(program.end(), 0, program.told())
    server.close()
    gone = f"127.0.0.1:{server.port} closed the connection without an answer"
    return ["GONE" if value == gone else value for value in program.shown("answer")], seen


@case
def a_body_is_sent_once(place):
    for method in ["POST", "PUT", "PATCH", "DELETE", "REPORT"]:
        for path in ["closed", "reset"]:
            answers, seen = outcomes(place, '"abc"', (method, "ok"), (method, path), (method, "ok"))
            equal(answers, ["ok", "GONE", "ok"], f"{method} {path}")
            equal(seen, [(method, "/ok", 3), (method, "/" + path, 3), (method, "/ok", 3)], f"{method} {path}")


@case
def a_large_body_is_sent_once_and_whole(place):
    answers, seen = outcomes(place, 'String.repeat("x", 300000)', ("POST", "ok"), ("POST", "ok"), ("POST", "closed"))
    equal(answers, ["ok", "ok", "GONE"])
    equal(seen, [("POST", "/ok", 300000), ("POST", "/ok", 300000), ("POST", "/closed", 300000)])


@case
def an_empty_body_is_sent_on_a_connection_of_its_own(place):
    for method in ["POST", "DELETE"]:
        answers, seen = outcomes(place, '""', (method, "ok"), (method, "closed"), (method, "ok"))
        equal(answers, ["ok", "ok", "ok"], method)
        equal(seen, [(method, "/ok", 0), (method, "/closed", 0), (method, "/ok", 0)], method)


@case
def what_is_safe_is_asked_again(place):
    answers, seen = outcomes(place, '""', ("GET", "ok"), ("GET", "closed"))
    equal(answers, ["ok", "ok"])
    equal([path for _, path, _ in seen], ["/ok", "/closed", "/closed"])


@case
def a_body_goes_along_with_a_redirect(place):
    answers, seen = outcomes(place, '"abc"', ("POST", "moved"), ("PUT", "moved"))
    equal(seen[0:2], [("POST", "/moved", 3), ("POST", "/ok", 3)])
    equal(answers[0], "ok")
