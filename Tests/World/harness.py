"""Programs of the language as processes, and the servers that they meet."""

import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import signal
import socket
import socketserver
import ssl
import subprocess
import tempfile
import threading
import time

FRP = ""
CASES = []
# As long as anything may take on a busy machine.
PATIENCE = 30


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


def case(function):
    """A test, with a directory of its own."""

    @functools.wraps(function)
    def run():
        place = Place(os.path.realpath(tempfile.mkdtemp(prefix="frp-world-")))
        try:
            function(place)
        finally:
            place.clear()

    CASES.append(run)
    return run


def equal(got, wanted, what=""):
    if got != wanted:
        raise Failure(f"{what}\n  wants {wanted!r}\n  got   {got!r}")


def until(condition, what, seconds=PATIENCE):
    """What a condition comes to, once that is true."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{what}: not after {seconds} s")
        time.sleep(0.01)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Place:
    """A directory, and what is run there."""

    def __init__(self, path):
        self.path = path
        self.programs = []

    def clear(self):
        for program in self.programs:
            program.process.kill()
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text, mode="w"):
        os.makedirs(os.path.dirname(self.file(name)), exist_ok=True)
        with open(self.file(name), mode) as file:
            file.write(text)
        return self.file(name)

    def executable(self, name, content):
        """A process of its own writes it: one that another thread forks off meanwhile would have it open for writing, too, and
        what is open for writing does not run (ETXTBSY)."""
        content = content.encode() if isinstance(content, str) else content
        os.makedirs(os.path.dirname(self.file(name)), exist_ok=True)
        subprocess.run(["install", "-m", "755", "/dev/stdin", self.file(name)], input=content, check=True)
        return self.file(name)

    def program(self, name, text, *flags, prefix=(), env=None, format="jsonl"):
        self.write(name, text)
        self.programs.append(Program(self, [name, *flags, "--format", format], list(prefix), env or {}))
        return self.programs[-1]


def sample(name, *replacements):
    """An example, with the addresses of this test in the place of those of the text."""
    with open(os.path.join("examples/world", name)) as file:
        text = file.read()
    for old, new in replacements:
        if old not in text:
            raise Failure(f"{name} has no {old}")
        text = text.replace(old, new)
    return text


class Program:
    """`frp run`, and what it has written so far."""

    def __init__(self, place, words, prefix, env):
        self.process = subprocess.Popen(
            prefix + [FRP, "run", *words], cwd=place.path, env={**os.environ, **env}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.out, self.err = [], []
        self.readers = [
            threading.Thread(target=self.read, args=pair, daemon=True)
            for pair in [(self.process.stdout, self.out), (self.process.stderr, self.err)]]
        for reader in self.readers:
            reader.start()

    def read(self, stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    @property
    def pid(self):
        return self.process.pid

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def shown(self, name):
        """The values of an output."""
        values = [json.loads(line) for line in list(self.out)]
        return [value[name] for value in values if name in value]

    def until(self, condition, what):
        def met():
            value = condition()
            if not value and self.process.poll() is not None:
                # What it wrote last may not have been read yet.
                for reader in self.readers:
                    reader.join(PATIENCE)
                value = condition()
            if not value and self.process.poll() is not None:
                raise Failure(f"{what}: the program has ended with {self.process.returncode}\n{self.told()}")
            return value

        try:
            return until(met, what)
        except Failure as failure:
            self.process.kill()
            raise Failure(f"{failure}\n{self.told()}")

    def told(self):
        return "\n".join(["  " + line for line in self.out[-10:] + self.err[-10:]])

    def until_shown(self, name, value):
        self.until(lambda: value in self.shown(name), f"{name} = {value!r}")

    def until_all_shown(self, name, *values):
        """Waits for these values, and no others."""
        self.until(lambda: self.shown(name) == list(values), f"{name} is {list(values)!r}")

    def end(self):
        """Says that no more comes, and waits for the end."""
        self.process.stdin.close()
        return self.wait()

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.wait()

    def wait(self):
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("it does not end\n" + self.told())
        for reader in self.readers:
            reader.join(PATIENCE)
        return code

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def watches(self, file):
        """Whether it follows a file: it watches it once it has found its end."""
        for number in os.listdir(f"/proc/{self.pid}/fdinfo"):
            with contextlib.suppress(OSError), open(f"/proc/{self.pid}/fdinfo/{number}") as info:
                if f" ino:{os.stat(file).st_ino:x} " in info.read():
                    return True
        return False

    def memory(self):
        """KiB that it has at present."""
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


class Authority:
    """Certificates of the test's own."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="frp-world-ca-")
        self.file = self.path("ca.pem")
        self.lock = threading.Lock()
        self.contexts = {}
        self.openssl("req", "-x509", *self.key("ca"), "-out", "ca.pem", "-subj", "/CN=test", "-days", "2")

    def path(self, name):
        return os.path.join(self.directory, name)

    def key(self, name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key"]

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.directory, check=True, capture_output=True)

    def context(self, host="localhost", days=2):
        with self.lock:
            if (host, days) not in self.contexts:
                self.contexts[host, days] = self.made(host, days)
            return self.contexts[host, days]

    def made(self, host, days):
        name = f"{host}{days}"
        with open(self.path(name + ".ext"), "w") as file:
            file.write(f"subjectAltName=DNS:{host}")
        self.openssl("req", *self.key(name), "-out", name + ".csr", "-subj", "/CN=" + host)
        self.openssl(
            "x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
            str(days), "-extfile", name + ".ext", "-out", name + ".pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path(name + ".pem"), self.path(name + ".key"))
        return context

    @property
    def trusted(self):
        """The environment of a program that trusts it."""
        return {"SSL_CERT_FILE": self.file}


AUTHORITY = []
MAKING = threading.Lock()


def authority():
    """One for all cases."""
    with MAKING:
        if not AUTHORITY:
            AUTHORITY.append(Authority())
        return AUTHORITY[0]


class Web:
    """An HTTP server: `answer(method, path, body)` gives a status, a type and a text."""

    def __init__(self, answer, tls=None):
        requests = self.requests = []
        # By request: the key of what is to be done once.
        keys = self.keys = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                data = self.rfile.read(length)
                if len(data) < length:
                    # Who asked was killed: a server that is cut off answers nothing, and does nothing.
                    self.close_connection = True
                    return
                body = data.decode()
                requests.append((self.command, self.path, body))
                keys.append(self.headers.get("Idempotency-Key"))
                status, kind, text = answer(self.command, self.path, body)
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_REPORT = do_GET

            def log_message(self, *words):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *words):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.place = f"{'https' if tls else 'http'}://localhost:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Raw:
    """A server that does what none of good faith does: `script(socket, head of the request)` for each connection, which is
    not read before unless it `reads`."""

    def __init__(self, script, tls=None, reads=True):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    connection = tls.wrap_socket(self.request, server_side=True) if tls else self.request
                    connection.settimeout(PATIENCE)
                    script(connection, head(connection) if reads else "")
                    connection.close()
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def head(connection):
    text = b""
    while b"\r\n\r\n" not in text:
        more = connection.recv(65536)
        if not more:
            break
        text += more
    return text.decode("latin-1")
