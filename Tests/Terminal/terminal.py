"""A session of the prompt in a pseudo terminal, seen through a terminal emulator (pyte): keys in, screen out."""
import fcntl, os, pty, re, select, shutil, signal, struct, sys, tempfile, termios, time

import pyte

PROMPT = "frp> "
PATIENCE = float(os.environ.get("FRP_PATIENCE", "20"))


class Failure(Exception):
    pass


class Terminal:
    """One session of frp in a terminal of its own."""

    def __init__(self, program, columns=80, rows=24, environment=None, arguments=(), home=None, await_prompt=True):
        self.home = home or tempfile.mkdtemp(prefix="frp-terminal-")
        self.owns_home = home is None
        values = {"PATH": os.environ.get("PATH", ""), "HOME": self.home, "TERM": "xterm-256color", "LANG": "C.UTF-8",
                  "FRP_CONFIG": ""}
        values.update(environment or {})
        values = {name: value for name, value in values.items() if value is not None}
        self.program = program
        self.leader, self.descriptor = pty.fork()
        if self.leader == 0:
            # A child that does not become the program must not go on as a second run of the scenarios.
            try:
                os.chdir(self.home)
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                self.become(lambda: os.execve(program, ["frp", *arguments], values))
            finally:
                os._exit(127)
        self.process = self.leader
        self.screen = pyte.HistoryScreen(columns, rows, history=20000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        if await_prompt:
            self.await_prompt()

    def become(self, execute):
        """In the child: the program takes its place."""
        execute()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def pump(self, seconds=0.0):
        """Reads what there is; at most for a while."""
        end = time.monotonic() + seconds
        while True:
            ready, _, _ = select.select([self.descriptor], [], [], max(0, min(0.02, end - time.monotonic())))
            if ready:
                try:
                    data = os.read(self.descriptor, 65536)
                except OSError:
                    data = b""
                if not data:
                    return False
                self.raw += data
                self.stream.feed(data)
            if time.monotonic() >= end and (not ready or time.monotonic() >= end + 1):
                return True

    def keys(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        while data:
            readable, writable, _ = select.select([self.descriptor], [self.descriptor], [], 1)
            if readable:
                self.pump(0)
            if writable:
                data = data[os.write(self.descriptor, data[:512]):]

    def lines(self):
        # Not `screen.display`, which fails where a resize or other text has left half of a wide character.
        return ["".join(row[x].data for x in range(self.screen.columns)).rstrip()
                for row in (self.screen.buffer[y] for y in range(self.screen.lines))]

    def text(self):
        return "\n".join(self.lines())

    def history(self):
        """Everything that was ever shown, what has scrolled away included."""
        top = ["".join(row[x].data for x in range(self.screen.columns)).rstrip() for row in self.screen.history.top]
        return "\n".join(top + self.lines())

    def cursor_line(self):
        return self.lines()[min(self.screen.cursor.y, self.screen.lines - 1)]

    def wait(self, condition, what, patience=None):
        end = time.monotonic() + (patience or PATIENCE)
        while time.monotonic() < end:
            self.pump(0.02)
            if condition():
                return
        raise Failure(f"{what} did not come; the screen is\n{self.text()}")

    def see(self, words, patience=None):
        self.wait(lambda: words in self.text(), repr(words), patience)

    def await_prompt(self):
        self.wait(lambda: self.cursor_line() == PROMPT.rstrip() and self.screen.cursor.x == len(PROMPT), "a prompt")

    def enter(self, text):
        """Types an entry, and waits for the next prompt."""
        self.keys(text)
        echo = text.split("\n")[-1][-20:].rstrip()
        self.wait(lambda: echo in self.history().replace("\n", ""), f"the echo of {text!r}")
        self.keys("\r")
        time.sleep(0.02)
        self.await_prompt()

    def start(self, text):
        """Types an entry that takes a while, and waits until it is being carried out: then ^C and ^Z are signals."""
        self.keys(text)
        self.wait(lambda: text[-20:] in self.text().replace("\n", ""), f"the echo of {text!r}")
        self.keys("\r")
        self.wait(lambda: self.screen.cursor.x == 0, "the entry to be taken")
        time.sleep(0.3)

    def set_size(self, columns, rows):
        self.screen.resize(rows, columns)
        cursor = self.screen.cursor
        cursor.x, cursor.y = min(cursor.x, columns), min(cursor.y, rows - 1)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.set_size(columns, rows)
        os.kill(self.process, signal.SIGWINCH)

    def leave(self, patience=10):
        """Waits for the end of the process; its exit code."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            self.pump(0.02)
            done, status = os.waitpid(self.leader, os.WNOHANG)
            if done:
                self.status = status
                return os.waitstatus_to_exitcode(status)
        raise Failure("the session did not end")

    def close(self):
        os.close(self.descriptor)
        if self.status is None:
            os.kill(self.leader, signal.SIGKILL)
            end = time.monotonic() + 5
            while os.waitpid(self.leader, os.WNOHANG)[0] == 0 and time.monotonic() < end:
                time.sleep(0.005)
        if self.owns_home:
            shutil.rmtree(self.home, ignore_errors=True)


def expect(condition, words):
    if not condition:
        raise Failure(words)


def session(**options):
    def decorate(function):
        function.options = options
        return function
    return decorate


def pasted(text):
    return "\x1b[200~" + text + "\x1b[201~"
