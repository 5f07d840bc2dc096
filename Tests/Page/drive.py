"""A served program and a browser that looks at it."""

import base64
import json
import os
import re
import socket
import struct
import subprocess
import threading

FLAGS = ["--no-sandbox", "--disable-gpu"]


class Served:
    """`frp serve FILE`, until the end of a `with`."""

    def __init__(self, frp, file, *flags):
        self.process = subprocess.Popen([frp, "serve", str(file), *flags], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = []
        self.addresses = []
        wanted = 2 if "--viewers" in flags else 1
        while len(self.addresses) < wanted:
            line = self.process.stdout.readline()
            if not line:
                self.process.kill()
                raise AssertionError("frp serve ended: " + "".join(self.said))
            self.said.append(line)
            self.addresses += re.findall(r"http://\S+#\w+", line)
        # Who does not read what a process says stops it at last.
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    @property
    def url(self):
        return self.addresses[0]

    @property
    def port(self):
        return int(re.search(r":(\d+)/", self.url)[1])

    @property
    def token(self):
        return self.url.split("#")[1]

    @property
    def processor_seconds(self):
        """What the process has used so far."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def megabytes(self):
        return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{self.process.pid}/status").read())[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def opened(browser, url, width=1280, height=800, scheme="light"):
    """A page that has been told its program. What it complains of is in `page.complaints`."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True)
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(url)
    page.wait_for_selector("body.is-ready", timeout=30000)
    return page


def sentence(page, selector):
    return page.locator(selector).first.text_content() or ""


def until(page, expression, argument=None, timeout=20000):
    page.wait_for_function(expression, arg=argument, timeout=timeout)


def drag_time(page, part):
    """Drags the time slider to a part of the run."""
    box = page.locator(".time-slider").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 16, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + box["width"] * (1 - (1 - part) * step / 8), y)
    page.mouse.up()


class Guest:
    """A WebSocket by hand: what a browser would say, and what none would."""

    def __init__(self, port, token=None, **hello):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=20)
        host = f"127.0.0.1:{port}"
        self.connection.sendall("\r\n".join([
            "GET /socket HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "", ""]).encode())
        self.waiting = b""
        while b"\r\n\r\n" not in self.waiting:
            self.waiting += self.connection.recv(65536)
        head, self.waiting = self.waiting.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        if token is not None:
            self.say(do="hello", token=token, **hello)

    def say(self, **message):
        self.send(1, json.dumps(message).encode())

    def send(self, opcode, body):
        mask = os.urandom(4)
        size = len(body)
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size) if size < 126 else (
            struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size) if size < 65536 else struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size))
        self.connection.sendall(head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(body)))

    def take(self, count):
        while len(self.waiting) < count:
            more = self.connection.recv(1 << 16)
            if not more:
                raise EOFError
            self.waiting += more
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken

    def next(self):
        """The next message; None once the server has closed."""
        try:
            while True:
                first, second = self.take(2)
                size = second & 127
                if size == 126:
                    size = struct.unpack("!H", self.take(2))[0]
                elif size == 127:
                    size = struct.unpack("!Q", self.take(8))[0]
                body = self.take(size)
                if first & 15 == 8:
                    return None
                if first & 15 == 9:
                    self.send(10, body)
                elif first & 15 == 1:
                    return json.loads(body)
        except (EOFError, ConnectionError):
            return None

    def wait(self, kind):
        while (message := self.next()) is not None:
            if message["is"] == kind:
                return message
        raise AssertionError(f"the server closed before it said {kind}")

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Cut:
    """Stands between a browser and a server, and cuts what goes through it. It says its own name in place of the server's."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.through = []
        self.is_open = True
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                if not self.is_open:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.through += [near, far]
            threading.Thread(target=self.pump, args=(near, far, f"127.0.0.1:{self.port}".encode(), f"127.0.0.1:{self.target}".encode()), daemon=True).start()
            threading.Thread(target=self.pump, args=(far, near, None, None), daemon=True).start()

    def pump(self, source, target, name, other):
        try:
            while data := source.recv(65536):
                target.sendall(data.replace(name, other) if name else data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.is_open = False
        for end in self.through:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.through = []

    def join(self):
        self.is_open = True

    def close(self):
        self.listener.close()
        self.cut()
