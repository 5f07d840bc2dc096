"""Scenarios of the prompt: keys in, screen out, through a pseudo terminal and a terminal emulator (pyte).

    python3 Tests/Terminal/scenarios.py PATH-OF-FRP [FILTER]

Every function whose name begins with `scenario_` is one scenario. It gets a fresh session, or what `@session(...)` asks
for. Nothing waits for a fixed time where it can wait for what must appear.
"""
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
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            # A child that does not become the program must not go on as a second run of the scenarios.
            try:
                os.chdir(self.home)
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execve(program, ["frp", *arguments], values)
            finally:
                os._exit(127)
        self.screen = pyte.HistoryScreen(columns, rows, history=20000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        if await_prompt:
            self.await_prompt()

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
        data = text.encode()
        while data:
            readable, writable, _ = select.select([self.descriptor], [self.descriptor], [], 1)
            if readable:
                self.pump(0)
            if writable:
                data = data[os.write(self.descriptor, data[:512]):]

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def history(self):
        """Everything that was ever shown, what has scrolled away included."""
        top = ["".join(row[x].data for x in range(self.screen.columns)).rstrip() for row in self.screen.history.top]
        return "\n".join(top + self.lines())

    def cursor_line(self):
        return self.lines()[self.screen.cursor.y]

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

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.process, signal.SIGWINCH)

    def leave(self, patience=10):
        """Waits for the end of the process; its exit code."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            self.pump(0.02)
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                self.status = status
                return os.waitstatus_to_exitcode(status)
        raise Failure("the session did not end")

    def close(self):
        os.close(self.descriptor)
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            end = time.monotonic() + 5
            while os.waitpid(self.process, os.WNOHANG)[0] == 0 and time.monotonic() < end:
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


# Several scenarios share a session: `yield NAME` ends one and begins the next.

def scenario_first_steps(t):
    expect(":help" in t.text() and ":tour" in t.text(), "the banner names :help and :tour")
    yield "the banner"
    t.enter("1 + 2")
    expect(": Int = 3" in t.text(), "a sum")
    yield "an expression shows type and value"
    t.enter("double(x) = x * 2")
    expect("double : Num a => (a) -> a" in t.text(), "a function's type")
    yield "a function shows its type"
    t.enter("x = double(21)")
    expect("x : Int = 42" in t.text(), "a definition's value")
    yield "a definition shows name, type and value"
    t.enter("doble(3)")
    expect("double" in t.text() and "doble" in t.text(), "a suggestion")
    yield "a typo gets a suggestion"
    t.enter(":lst")
    expect("did you mean :list?" in t.text(), "a suggestion for a command")
    yield "a mistyped command gets a suggestion"
    t.enter("help")
    expect(":watch" in t.history(), "help without a colon")
    yield "bare help helps"
    t.enter(":help push")
    expect("for example" in t.text(), "an example")
    yield "help of a command has an example"
    t.enter(":tour")
    expect("10. Keep what you have" in t.text(), "ten steps")
    yield "the tour has ten steps"
    t.keys("\x04")
    expect(t.leave() == 0, "^D leaves with 0")
    yield "^D leaves"


def scenario_leaving(t):
    t.keys("exit\r")
    expect(t.leave() == 0, "exit leaves")
    yield "exit leaves"


def scenario_quitting(t):
    t.keys(":q\r")
    expect(t.leave() == 0, ":q leaves")
    yield ":q leaves"
    expect(b"\x1b[?2004l" in t.raw, "bracketed paste is switched off")
    yield "the terminal is put back"


def scenario_editing(t):
    t.keys("1 + 3\x1b[D2 * ")
    t.see("1 + 2 * 3")
    t.keys("\r")
    t.see(": Int = 7")
    t.await_prompt()
    yield "characters go in at the cursor"
    t.keys("garbage\x03")
    t.await_prompt()
    yield "^C drops the entry"
    t.enter("40 + 2")
    t.keys("\x1b[A")
    t.see("frp> 40 + 2")
    t.wait(lambda: t.cursor_line() == "frp> 40 + 2", "the earlier entry")
    t.keys("\r")
    t.wait(lambda: t.text().count(": Int = 42") == 2, "the same answer")
    t.await_prompt()
    yield "up recalls the last entry"
    t.keys("\x12" + "1 + 2")
    t.see("bck:")
    t.keys("\x1b")
    t.keys("\x03")
    t.await_prompt()
    yield "^R searches"
    t.keys("aaa bbb\x17")
    t.wait(lambda: t.cursor_line() == "frp> aaa", "a word deleted")
    t.keys("\x03")
    t.await_prompt()
    yield "^W deletes a word"
    t.keys("\x1b[A\x1b[H9")
    t.wait(lambda: t.cursor_line() == "frp> 940 + 2", "a digit at the start")
    t.keys("\x03")
    t.await_prompt()
    yield "Home goes to the start"


def scenario_lines(t):
    t.keys("f(x) = {\r")
    t.wait(lambda: t.screen.cursor.x == 2 and t.lines()[t.screen.cursor.y - 1] == "frp> f(x) = {", "another line")
    t.keys("y = x + 1\ry * y\r\x7f\x7f}\r")
    t.see("f : Num a")
    t.await_prompt()
    yield "an unfinished entry goes on over lines"
    t.keys("\x1b[A")
    t.wait(lambda: t.cursor_line() == "}" or t.text().count("y * y") == 2, "the block again")
    yield "it is recalled whole"
    t.keys("\x1b[A\x1b[A")
    time.sleep(0.1)
    t.keys("\x05 + 1")
    t.wait(lambda: t.text().count("y = x + 1 + 1") == 1, "an edit inside the block")
    t.keys("\r")
    t.see("f redefined")
    t.await_prompt()
    yield "up moves inside the block, and Return takes it"
    t.enter("f(1)")
    expect(": Int = 9" in t.text(), "the edited function")
    yield "the edited block is what runs"
    t.keys("k =\r7 * 7\r")
    t.see("k : Int = 49")
    t.await_prompt()
    yield "an unfinished definition goes on further in"
    t.keys("1 +\x1b\r2")
    t.wait(lambda: t.cursor_line() == "  2", "a line opened by Alt-Return")
    t.keys("\r")
    t.see(": Int = 3")
    t.await_prompt()
    yield "Alt-Return opens a line"


def scenario_completion(t):
    t.enter("counter = 3")
    t.keys("1 + counte\t")
    t.wait(lambda: t.cursor_line() == "frp> 1 + counter", "a completed name")
    t.keys("\x03")
    t.await_prompt()
    yield "Tab completes a name"
    t.keys("coun * 2" + "\x1b[D" * 4 + "\t")
    t.wait(lambda: t.cursor_line() == "frp> count * 2", "what both names share")
    t.keys("e\t")
    t.wait(lambda: t.cursor_line() == "frp> counter * 2", "a name completed inside the line")
    t.keys("\x03")
    t.await_prompt()
    yield "Tab touches only the word at the cursor"
    t.keys("takeL\t")
    t.wait(lambda: t.cursor_line() == "frp> takeLast", "a built-in")
    t.keys("\x03")
    t.await_prompt()
    yield "Tab knows built-ins"
    t.keys("take\t")
    t.see("takeWhile")
    t.wait(lambda: t.cursor_line() == "frp> take", "the entry below the list")
    t.keys("\x03")
    t.await_prompt()
    yield "several are listed with their types"
    t.keys(":resu\t")
    t.wait(lambda: t.cursor_line() == "frp> :resume", "a command")
    t.keys("\x03")
    t.await_prompt()
    yield "Tab completes commands"
    t.enter("p = {left: 1, right: 2}")
    t.keys("p.le\t")
    t.wait(lambda: t.cursor_line() == "frp> p.left", "a field")
    t.keys("\x03")
    t.await_prompt()
    yield "Tab completes fields"
    open(os.path.join(t.home, "garden.frp"), "w").write("tulips = 12\n")
    t.keys(":load gar\t")
    t.wait(lambda: t.cursor_line() == "frp> :load garden.frp", "a file")
    t.keys("\r")
    t.see("garden.frp: 1 definition")
    t.await_prompt()
    yield "Tab completes files, :load takes them"
    t.keys("zzzz\t")
    time.sleep(0.1)
    t.pump(0.1)
    expect(t.cursor_line() == "frp> zzzz", "nothing to complete changes nothing")
    t.keys("\x03")
    t.await_prompt()
    yield "an unknown word stays"


def scenario_paste(t):
    t.keys(pasted("a = 1\nb = 2\nc = a + b"))
    t.see("c = a + b")
    expect("a : Int" not in t.text(), "pasted lines wait for Return")
    t.keys("\r")
    t.see("c : Int = 3")
    t.await_prompt()
    yield "a pasted block is inert until Return"
    t.keys(pasted("\tcounter"))
    t.wait(lambda: t.cursor_line() == "frp>  counter", "a blank for the tab")
    t.keys("\x03")
    t.await_prompt()
    yield "a pasted tab completes nothing"
    t.keys(pasted("frp> d = 4\nfrp> e = d + 1"))
    t.keys("\r")
    t.see("e : Int = 5")
    t.await_prompt()
    yield "a pasted transcript runs"
    started = time.monotonic()
    t.keys(pasted("\n".join(f"v{i} = {i}" for i in range(1000))))
    t.wait(lambda: t.cursor_line() == "v999 = 999", "the end of the paste")
    took = time.monotonic() - started
    expect(took < 5, f"1,000 lines took {took:.1f} s to paste")
    yield "1,000 lines are pasted quickly"
    t.keys("\r")
    t.see("more; :list shows all", 60)
    t.await_prompt()
    t.enter("v999")
    expect(": Int = 999" in t.text(), "all of them are there")
    yield "and taken"


def scenario_live(t):
    t.enter("time")
    first = re.search(r"Behavior<Float> = ([\d.]+)", t.text())
    t.wait(lambda: len(re.findall(r"Behavior<Float> = ", t.text())) == 1
           and re.search(r"Behavior<Float> = ([\d.]+)", t.text())
           and first and re.search(r"Behavior<Float> = ([\d.]+)", t.text()).group(1) != first.group(1), "a moving row")
    yield "a behavior is one row that moves"
    t.keys("1 + 1")
    t.wait(lambda: t.cursor_line() == "frp> 1 + 1", "typing below the row")
    t.pump(0.3)
    expect(t.text().count("Behavior<Float>") == 1, "the row stays one row while typing")
    yield "typing does not tear it"
    t.keys("\r")
    t.see(": Int = 2")
    t.await_prompt()
    frozen = re.search(r"Behavior<Float> = ([\d.]+)", t.text()).group(1)
    t.pump(0.4)
    expect(re.search(r"Behavior<Float> = ([\d.]+)", t.text()).group(1) == frozen, "the row stands still")
    yield "the next entry freezes it"
    t.enter("every(100ms)")
    t.keys("x" * 100)
    t.wait(lambda: t.text().count("x") >= 100, "a wrapped line")
    before = t.history().count("s  ()")
    t.wait(lambda: t.history().count("s  ()") > before + 3, "occurrences above")
    row = t.screen.cursor.y
    expect(t.lines()[row - 1] == "frp> " + "x" * 75 and t.lines()[row] == "x" * 25, "the wrapped line is whole")
    expect(t.text().count("x") == 100, "it is there once")
    yield "output arrives above a wrapped line"
    t.keys("\x03")
    t.await_prompt()
    t.enter("1")
    yield "^C drops it"
    t.keys(pasted("g(x) = {\nx\n"))
    t.pump(0.3)
    t.keys("\x03")
    t.await_prompt()
    yield "a block under arriving output can be dropped"


def scenario_inputs(t):
    t.enter("input clicks: Event<Unit>")
    expect(":push clicks" in t.text(), "how to push")
    yield "an input says how to push"
    t.enter("n = clicks |> count")
    t.enter(":push clicks x3")
    t.enter("n")
    t.see("Behavior<Int> = 3")
    yield "pushes are counted"
    t.enter(":push clicks x2 every 100ms")
    t.see("Behavior<Int> = 3")
    t.enter("n")
    t.see("Behavior<Int> = 5", 5)
    yield "planned pushes come while one types"
    t.enter(":push click")
    t.see("did you mean clicks?")
    yield "a mistyped input gets a suggestion"
    t.enter("input b: Behavior<Float> = 1.0")
    t.enter("pos = integral(b)")
    t.enter(":pause")
    t.enter("pos")
    value = float(re.findall(r"Behavior<Float> = ([\d.]+)", t.text())[-1])
    expect(value < 30, "an integral begins when it is entered")
    t.enter(":set b 5")
    t.enter("b = 3")
    yield "an integral begins when it is entered"
    t.enter(":undo")
    expect("undone" in t.text(), "undo")
    t.enter(":why n")
    expect("clicks #5" in t.text(), "the chain to the clicks")
    yield ":why goes back to the push"
    t.enter(":table")
    expect(re.search(r"n +Behavior<Int> +5", t.text()), "a table")
    yield ":table has a row each"


def scenario_redefinition(t):
    t.enter(":clock virtual")
    t.enter(":reset")
    t.enter("input clicks: Event<Unit>")
    t.enter("n = clicks |> count")
    t.enter("speed = 2 * n")
    t.enter("pos = integral(toFloat(speed))")
    t.enter(":push clicks")
    t.enter(":step 2s")
    t.enter("speed = 5 * n")
    expect("rewired: pos" in t.text() and "state kept: " in t.text(), "what was kept")
    yield "a redefinition says what was kept"
    t.enter("pos")
    t.see("Behavior<Float> = 4.0")
    yield "state is kept"
    t.enter(":step 1s")
    t.enter("pos")
    t.see("Behavior<Float> = 9.0")
    yield "the new definition counts from now"
    t.enter(":undo")
    t.enter("pos")
    t.see("Behavior<Float> = 6.0")
    yield ":undo restores code and state"
    t.enter(":redo")
    t.enter("pos")
    t.wait(lambda: t.text().count("Behavior<Float> = 9.0") == 2, "the state again")
    yield ":redo brings both back"
    t.enter(":back 2s")
    t.enter("pos")
    t.see("Behavior<Float> = 2.0")
    yield ":back goes back"
    t.enter(":mark here")
    t.enter(":step 1s")
    t.enter(":goto here")
    expect("at here, 1.0s" in t.text(), "at the mark")
    yield ":goto goes to a mark"


def scenario_interrupts(t):
    t.enter("f(n) = if n == 0 then 0 else f(n - 1) + 1")
    t.enter("g(n) = if n == 0 then 0 else f(1000) + g(n - 1)")
    t.keys("g(100000)\r")
    time.sleep(0.4)
    t.keys("\x03")
    t.wait(lambda: "stopped" in t.text() or "step limit" in t.text(), "the evaluation to stop", 30)
    t.await_prompt()
    yield "^C stops an endless evaluation"
    t.enter("f(5)")
    expect(": Int = 5" in t.text(), "the session goes on")
    yield "the session goes on after it"
    t.keys("\x03\x03\x03")
    t.await_prompt()
    t.enter("6 * 7")
    expect(": Int = 42" in t.text(), "nothing died")
    yield "^C at an empty prompt is harmless"


@session(environment={"FRP_HISTORY": None})
def scenario_history(t):
    t.enter("first = 1")
    t.keys("h(x) = {\rx\r\x7f\x7f}\r")
    t.see("h : ")
    t.await_prompt()
    os.kill(t.process, signal.SIGKILL)
    t.leave()
    again = Terminal(PROGRAM, home=t.home)
    try:
        again.keys("\x1b[A")
        again.wait(lambda: "h(x) = {" in again.text(), "the block after a restart")
        again.keys("\x03")
        again.await_prompt()
        yield "history survives a kill, blocks whole"
        again.keys("\x1b[A\x1b[A\x1b[A\x1b[A")
        again.wait(lambda: "first = 1" in again.text(), "an older entry")
        again.keys("\x03")
        again.await_prompt()
        yield "older entries too"
        again.enter(" secret = 1")
        expect("secret" not in open(os.path.join(t.home, ".local/state/frp/history.jsonl")).read(), "a blank hides it")
        yield "an entry that begins with a blank is not kept"
    finally:
        again.close()


def scenario_wide(t):
    t.enter('"日本語" ++ "é"')
    expect('"日本語é"' in t.text().replace(" ", ""), "wide characters")
    yield "wide characters are read and shown"
    t.keys('"日本語"\x1b[D\x7fx')
    t.wait(lambda: '日本x"' in t.text().replace(" ", ""), "an edit between wide characters")
    t.keys("\x03")
    t.await_prompt()
    yield "the cursor is right among them"
    t.keys('"' + "語" * 45 + '"')
    t.wait(lambda: t.text().count("語") == 47, "a wrapped wide line")
    t.keys("\x7f\x7f\x7f")
    t.wait(lambda: t.text().count("語") == 45, "two of them deleted")
    t.keys("\x03")
    t.await_prompt()
    yield "wide lines wrap"
    t.enter('"😀"')
    expect("😀" in t.text(), "an emoji")
    yield "emoji"


@session(columns=40, rows=10)
def scenario_narrow(t):
    t.enter("1 + " * 12 + "1")
    expect(": Int = 13" in t.text(), "an entry over two rows")
    yield "a narrow screen wraps entries"
    t.enter("time")
    t.pump(0.4)
    expect(t.text().count("Behavior<Float>") == 1, "the live row fits")
    yield "the live row is cut to fit"
    t.enter("{left: time, right: time, middle: time}")
    t.pump(0.5)
    expect(t.text().count("{left") <= 2, "a long row does not tear")
    yield "a long live row does not tear"


@session(columns=200, rows=60)
def scenario_large(t):
    t.enter("every(50ms)")
    t.keys("abc")
    t.pump(0.5)
    t.resize(60, 20)
    t.pump(0.3)
    t.keys("def")
    t.wait(lambda: t.cursor_line().endswith("abcdef"), "typing after a resize")
    yield "a resize keeps the entry"
    t.keys("\x03")
    t.await_prompt()
    t.enter("1 + 1")
    t.see(": Int = 2")
    yield "and the session"


@session(environment={"TERM": "dumb"})
def scenario_dumb(t):
    t.enter("1 + 1")
    expect(": Int = 2" in t.text(), "a dumb terminal")
    expect("\x1b[3" not in t.raw.decode(errors="replace"), "no colours")
    yield "TERM=dumb"


@session(environment={"NO_COLOR": "1"})
def scenario_colourless(t):
    t.enter("if true then 1 else 2")
    expect(not re.search(rb"\x1b\[[0-9;]*3[0-9]m", t.raw), "no colours")
    yield "NO_COLOR"


@session(environment={"TERM": None})
def scenario_termless(t):
    t.enter("1 + 1")
    expect(": Int = 2" in t.text(), "no TERM")
    yield "no TERM"


@session(environment={"LANG": "C"})
def scenario_locale(t):
    t.enter('size("語")')
    expect(": Int = 1" in t.text(), "UTF-8 in the C locale")
    yield "LANG=C reads UTF-8"
    t.enter(":plot time for 1s")
    expect("|" in t.text() and "⠁" not in t.text(), "ASCII")
    yield "LANG=C draws in ASCII"


def scenario_colours(t):
    t.keys("if true")
    t.wait(lambda: any(t.screen.buffer[t.screen.cursor.y][5].fg not in ("default",) for _ in [0]), "a colour")
    t.keys("\x03")
    t.await_prompt()
    yield "words of the language are coloured"
    t.enter(":plot sin(time) for 6s")
    expect("⠁" in t.text() or "⠈" in t.text() or "⡀" in t.text() or "⢀" in t.text(), "Braille")
    yield ":plot draws in Braille"
    t.enter(":marble every(1s) for 4s")
    expect('every(1s) == "-xxx' in t.text(), "a lane")
    yield ":marble draws a lane that reads back"


def scenario_flood(t):
    t.enter("flood = every(100us)")
    t.enter("flood")
    t.pump(0.3)
    worst = 0
    for letter in "abcdef":
        started = time.monotonic()
        t.keys(letter)
        t.wait(lambda: t.cursor_line().endswith(letter), "the letter")
        worst = max(worst, time.monotonic() - started)
    expect(t.cursor_line() == "frp> abcdef", "what was typed is whole")
    yield f"typing while 10,000 events a second arrive (worst key {worst * 1000:.0f} ms)"
    t.keys("\x03")
    t.await_prompt()
    expect(re.search(r"\+\d+ more", t.history()), "what is not shown is counted")
    yield "what is not shown is counted"


@session(columns=60, rows=12)
def scenario_resizes(t):
    t.enter("every(100ms)")
    t.keys("y" * 100)
    t.wait(lambda: t.text().count("y") >= 100, "a wrapped line")
    for columns, rows in ((30, 10), (100, 30), (45, 8), (80, 24)):
        t.resize(columns, rows)
        t.pump(0.15)
    # pyte does not wrap lines anew as terminals do, so what the old rows show is not looked at.
    t.keys("z")
    t.pump(0.2)
    t.keys("\x03")
    t.await_prompt()
    t.enter("2 + 2")
    t.see(": Int = 4")
    yield "many resizes while output arrives"


def scenario_slow(t):
    t.enter("f(n) = if n == 0 then 0 else f(n - 1) + 1")
    t.enter("slow = every(50ms) |> map(_ => sum(1..300 |> map(_ => f(3000))))")
    t.pump(1)
    started = time.monotonic()
    t.keys("abc")
    t.wait(lambda: t.cursor_line().endswith("abc"), "keys while the program cannot keep up")
    yield f"keys are read although the program cannot keep up ({time.monotonic() - started:.1f} s)"
    t.keys("\x03")
    t.await_prompt()
    t.keys(":pause\r")
    time.sleep(0.3)
    t.keys("\x03")
    t.wait(lambda: "paused at" in t.text(), "the clock to be paused")
    t.await_prompt()
    yield "it can be paused"
    t.enter(":forget slow")
    t.enter("1 + 1")
    expect(": Int = 2" in t.text(), "the session goes on")
    yield "and forgotten"


def scenario_files(t):
    t.enter(":clock virtual")
    t.enter(":reset")
    t.enter("input clicks: Event<Unit>")
    t.enter("n = clicks |> count")
    t.enter(":record clicks.jsonl")
    t.enter(":push clicks")
    t.enter(":step 1s")
    t.enter(":push clicks")
    t.enter(":record off")
    expect(len(open(os.path.join(t.home, "clicks.jsonl")).read().splitlines()) == 2, "two lines of trace")
    yield ":record writes a trace"
    t.enter(":save test session.frp")
    expect("1 expectations" in t.text(), "a test")
    expect(os.system(f"cd {t.home} && {PROGRAM} test session.frp > /dev/null") == 0, "frp test passes on it")
    yield ":save test writes what frp test runs"
    t.enter(":reset")
    t.enter(":replay clicks.jsonl")
    t.enter(":step 2s")
    t.enter("n")
    t.see("Behavior<Int> = 2")
    yield ":replay pushes it again"
    t.enter(":graph to g.svg")
    expect(open(os.path.join(t.home, "g.svg")).read().startswith("<svg"), "an SVG")
    yield ":graph writes an SVG"
    t.enter(":save out.frp")
    expect("n = clicks |> count" in open(os.path.join(t.home, "out.frp")).read(), "the program")
    yield ":save writes the program"


@session(environment={"EDITOR": "sh -c 'echo \"n = 7\" > \"$0\"'"})
def scenario_editor(t):
    t.enter("n = 3")
    t.enter(":edit n")
    t.see("n : Int = 7")
    yield ":edit takes what the editor wrote"


def scenario_tour(t):
    for entry in ("sum(1..10)", "double(x) = x * 2", "time", "double(time)", "input clicks: Event<Unit>",
                  "n = clicks |> count", ":push clicks x3 every 100ms"):
        t.enter(entry)
    expect(": Int = 55" in t.text() and "clicks : Event" in t.text(), "the first steps of the tour")
    yield "the steps of the tour can be typed"
    t.enter("double(x) = x * 10")
    expect("double redefined" in t.text(), "a redefinition")
    t.enter(":undo")
    t.enter("double(4)")
    expect(": Int = 8" in t.text(), "the old function")
    t.enter(":pause")
    t.enter(":step 1s")
    t.enter("n")
    t.see("Behavior<Int> = 3")
    t.enter(":back 2s")
    t.enter(":resume")
    t.enter(":save mine.frp")
    expect("definitions" in t.text(), "a saved program")
    yield "to the last one"


def scenario_pane(t):
    t.enter("input x: Event<Int>")
    t.enter("n = x |> fold(0, (s, v) => s + v)")
    t.enter(":watch n x")
    t.wait(lambda: t.lines()[0].startswith("n  0") and t.lines()[2].startswith("──"), "a pane of two rows")
    expect("frp 0." in t.text() and "n : Behavior<Int> = 0" in t.text(), "nothing was covered")
    yield ":watch pins rows at the top, and covers nothing"
    t.enter(":push x 20 + 1")
    t.wait(lambda: t.lines()[0].startswith("n  21") and "#1" in t.lines()[1], "the new value")
    yield "they follow"
    for number in range(40):
        t.enter(f"{number} + 1000")
    expect(t.lines()[0].startswith("n  21") and t.lines()[2].startswith("──"), "the pane is still there")
    expect(": Int = 1039" in t.text() and ": Int = 1000\n" not in t.text(), "the session scrolls below")
    yield "the session scrolls below"
    t.keys("abc" * 40)
    t.wait(lambda: t.text().count("abc") >= 39, "a wrapped entry")
    t.pump(0.3)
    expect(t.lines()[0].startswith("n  21"), "typing does not touch it")
    t.keys("\x0c")
    t.wait(lambda: t.lines()[3].startswith("frp> abc"), "the entry at the top")
    expect(t.lines()[0].startswith("n  21"), "^L leaves the pane")
    t.keys("\x03")
    t.await_prompt()
    yield "^L clears what is below"
    t.enter(":watch sin(time) as wave")
    t.wait(lambda: t.lines()[2].startswith("wave  ") and t.lines()[3].startswith("──"), "a third row")
    t.enter(":watch nope")
    expect("nothing is called nope" in t.text(), "an unknown name")
    yield "an expression is watched by a name"
    t.enter(":unwatch x")
    t.wait(lambda: t.lines()[1].startswith("wave") and t.lines()[2].startswith("──"), "one row fewer")
    t.enter(":unwatch")
    t.wait(lambda: "──" not in t.text(), "no pane")
    t.enter("7 * 6")
    expect(": Int = 42" in t.text(), "the session goes on")
    yield ":unwatch gives the rows back"


@session(columns=200, rows=60)
def scenario_pane_resized(t):
    t.enter("tick = every(50ms)")
    t.enter("k = tick |> count")
    t.enter(":watch k tick")
    t.keys("def")
    for columns, rows in ((80, 24), (40, 12), (120, 40)):
        t.resize(columns, rows)
        t.wait(lambda: t.lines()[0].startswith("k     ") and t.lines()[2].startswith("──"), "the pane after a resize")
    t.keys("ghi")
    t.wait(lambda: t.cursor_line().endswith("defghi"), "what was typed")
    yield "the pane follows the size of the screen"
    t.resize(80, 7)
    t.pump(0.3)
    t.resize(80, 24)
    t.wait(lambda: t.lines()[0].startswith("k     "), "the pane again")
    yield "it gives way on a screen that is too small"
    # Where the entry is now, pyte and terminals see differently.
    os.kill(t.process, signal.SIGTERM)
    t.leave()
    expect(t.raw.rstrip().endswith(b"\x1b[?2004l") or b"\x1b[r" in t.raw[-200:], "the terminal is put back")
    yield "a signal that ends the process puts the terminal back"


def scenario_interrupt_key(t):
    t.enter("flood = every(100us)")
    t.enter("n = flood |> count")
    for _ in range(5):
        t.keys("garbage")
        t.wait(lambda: t.cursor_line() == "frp> garbage", "typing")
        t.keys("\x03")
        t.await_prompt()
    expect("paused" not in t.text() and "error" not in t.history(), "nothing was stopped")
    yield "^C drops the entry while events pour in, and stops nothing"


def scenario_compiling(t):
    lines = "".join(f"a{i} = sin(time * {i}.0) + {i}.0\n" for i in range(6000))
    open(os.path.join(t.home, "big.frp"), "w").write(lines)
    t.keys(":load big.frp\r")
    time.sleep(0.3)
    started = time.monotonic()
    t.keys("\x03")
    t.wait(lambda: "stopped" in t.text() or "6000 definitions" in t.text(), "compiling to stop", 60)
    t.await_prompt()
    took = time.monotonic() - started
    how = "stopped; nothing has changed" if "stopped" in t.text() else "it was done before"
    expect(how in t.text() or took < 2, t.text())
    t.enter("1 + 1")
    expect(": Int = 2" in t.text(), "the session goes on")
    yield f"^C stops compiling ({how}, {took:.2f} s)"


def scenario_looking_deeper(t):
    for entry in (":clock virtual", ":reset", "input x: Event<Int>", "limit = 10",
                  "armed = x |> map(v => v > 5) |> hold(false)", "big = x |> filter(v => v > limit && armed)",
                  "n = x |> count", "pos = integral(toFloat(n))", ":push x 3", ":step 1s", ":push x 12", ":step 1s"):
        t.enter(entry)
    t.enter(":whynot big")
    expect("was false for x = 12" in t.text() and "armed was false" in t.text(), "the guard that was false")
    yield ":whynot names the guard that was false, with the values of then"
    t.enter(":lift 2.0 * pos + toFloat(n + 1)")
    expect(re.search(r"n \+ 1 +`\+` at instants +over n", t.text()), "each operator")
    expect(re.search(r"2\.0 \* pos +`\*` at every moment +over pos", t.text()), "each operator")
    yield ":lift explains each operator"
    t.enter(":top")
    expect("cost of a second" in t.text() and re.search(r"n +[\d.]+ +2 +1\.0s +[\d.]+ [um]s +\d+ B", t.text()), "cost")
    yield ":top knows rate, cost and state"
    t.enter(":sample pos every 500ms last 1s")
    expect("  1.0s  1.0" in t.text() and "  2.0s  3.0" in t.text(), "samples of the past")
    yield ":sample looks back"
    t.enter(":plot pos, x last 2s")
    expect("●" in t.text() and "┬" in t.text() and "⠉" in t.text(), "a curve with marks")
    yield ":plot marks events on a curve of the past"
    t.enter(":set canvas block")
    t.enter(":plot sin(time) for 6s")
    expect("▀" in t.text() and "⠉" not in t.text().split("canvas block")[1], "blocks")
    t.enter(":plot sin(time), x for 6s to waves.svg")
    picture = open(os.path.join(t.home, "waves.svg")).read()
    expect(picture.startswith("<svg") and "polyline" in picture, "an SVG")
    yield ":plot draws blocks and SVG"
    t.enter(":snapshot now.state")
    t.enter(":step 5s")
    t.enter(":restore now.state")
    t.enter("pos")
    expect(": Behavior<Float> = 3.0" in t.text(), "the state of then")
    yield ":snapshot and :restore"
    t.enter(":at x limit = 1")
    t.enter("limit")
    expect(t.text().count("limit : Int = 10") >= 1, "not yet")
    t.enter(":push x 2")
    t.enter("limit")
    expect("limit : Int = 1\n" in t.text() + "\n", "the new limit")
    yield ":at takes a definition when an event occurs"
    t.enter("x = 3")
    expect("x is not redefined" in t.text() and ":force" in t.text(), "what :force would do")
    t.enter(":force")
    expect("waits for another x" in t.text(), "what waits")
    yield ":force takes what its dependents refuse"


def scenario_sampling(t):
    t.enter(":sample 2.0 * time every 100ms for 400ms")
    t.keys("abc")
    t.wait(lambda: t.text().count("2.0 * time ") >= 5, "five samples")
    expect(t.cursor_line() == "frp> abc", "typing goes on below")
    yield ":sample shows values as time goes on"


def scenario_vi(t):
    open(os.path.join(t.home, "editrc"), "w").write("# mine\nbind -v\nbind ^T ed-transpose-chars\n")
    with Terminal(PROGRAM, home=t.home, environment={"EDITRC": os.path.join(t.home, "editrc")}) as vi:
        vi.keys("1 + 3\x1bhi2 * \r")
        vi.see(": Int = 7")
        vi.await_prompt()
        yield "~/.editrc chooses vi"
        vi.keys("\x1bk")
        vi.wait(lambda: vi.cursor_line().startswith("frp> 1 +"), "the last entry")
        vi.keys("\x03")
        vi.await_prompt()
        yield "k recalls in command mode"
        vi.keys("z1 = " + pasted("4\nz2 = z1 + 1"))
        vi.see("z2 = z1 + 1")
        expect("z1 : Int" not in vi.text(), "a paste is inert")
        vi.keys("\r")
        vi.see("z2 : Int = 5")
        vi.await_prompt()
        yield "a paste goes in behind the cursor"
        vi.keys("g(x) = {\rx\x1b\x1b[A")
        vi.keys("\x03")
        vi.await_prompt()
        vi.keys("takeLas\t")
        vi.wait(lambda: vi.cursor_line() == "frp> takeLast", "completion")
        vi.keys("\x03")
        vi.await_prompt()
        yield "Tab and ^C work there too"


@session(environment={"EDITOR": "sh -c 'printf \" + 41\" >> \"$0\"'"})
def scenario_editing_entry(t):
    t.keys("1 + 1\x18\x05")
    t.wait(lambda: t.cursor_line() == " + 41", "the text from the editor")
    t.keys("\r")
    t.see(": Int = 43")
    yield "^X ^E opens the entry in $EDITOR"


def scenario_suspend(t):
    with Terminal("/bin/sh", home=t.home, arguments=("-i",), environment={"PS1": "$ ", "ENV": ""},
                  await_prompt=False) as shell:
        shell.wait(lambda: shell.cursor_line().startswith("$"), "the shell")
        shell.keys(f"{PROGRAM}\r")
        shell.await_prompt()
        shell.keys("abc")
        shell.wait(lambda: shell.cursor_line() == "frp> abc", "an entry")
        shell.keys("\x1a")
        shell.wait(lambda: "topped" in shell.text(), "the shell")
        yield "^Z stops the process"
        shell.keys("fg\r")
        shell.wait(lambda: shell.cursor_line() == "frp> abc", "the entry again")
        shell.keys("\x7f\x7f\x7f2 * 4\r")
        shell.see(": Int = 8")
        shell.await_prompt()
        yield "fg goes on with the entry"


def scenario_newcomer(t):
    said = [
        ("clear()", ":clear"), ("1 / 0", "division by zero"), ("?", "Type a definition"), ("exit(", "closed"), (":", ":list"), (":s", "could be"),
        (":pusj x", "did you mean :push?"), (":push", "Write :push"), (":push nope", "no input called nope"),
        ("input v: Event<Int>", "push with"), (":push v", "needs a value of type Int"),
        (":push v 1.5", "1.5 is none"), (":push v \"a\"", "needs a value of type Int"), ("w = v |> count", "w : Beh"),
        (":push w 3", "w is computed"), (":set w 3", "no input or option"), ("v + 1", "v |> map(x => x + 1)"),
        ("w |> fold(0, (a, _) => a)", "changes(w)"), ("x = x + 1", "nothing is assigned"),
        ("if w = 3 then 1 else 2", "`==` compares"), ("v = 3", "w could not go on"), (":feed v from no.txt", "no file"),
        (":feed v", "from which file"), (":load .", "is a folder"), (":load nope.frp", "there is no file"),
        (":step soon", "how far?"), (":goto there", "no mark there"), (":rename w 3x", "no name"),
        (":forget v", "is needed by w"), (":explain 401", "Way out 2"), (":explain E9999", "no page"),
        (":unwatch w", "is not watched"), ("True", "true"), ("nil", "None"), ("now", "time"), ("ls", ":list"),
        ("v |> map(1)", "_ => 1"), ("input y: Event", "Event<Int>"), ("input z: Behavior<Int>", ":set z VALUE"),
        (":plot \"a\"", "only numbers"), (":marble w", "no event"), (":whynot w", "no event"), (":at w q = 1", "no event"),
        ("[1, 2", "never closed\x03"), ("test \"a\" { expect w at 1s == 2 }", ":save test"),
        ("output nope", "nothing is called nope"), ("\"a\" + 1", "\"a{1}\""), ("f x = x", "parentheses"),
    ]
    count = 0
    for entry, words in said:
        drops = words.endswith("\x03")
        t.keys("\x0c")
        t.keys(entry + "\r")
        if entry.count("(") > entry.count(")") or drops:
            # Return opened a line: the entry is not finished.
            t.pump(0.05)
            t.keys("\x03")
            t.await_prompt()
            continue
        t.wait(lambda: words.strip("\x03") in t.text(), f"{words!r} after {entry!r}")
        t.await_prompt()
        count += 1
    yield f"{count} mistakes of newcomers are explained"


def run(program, pattern):
    if not os.access(program, os.X_OK):
        print(f"FAIL  there is no program {program}\n0 passed, 1 failed")
        return 1
    names = [name for name in globals() if name.startswith("scenario_") and pattern in name]
    passed, failed = 0, []
    started = time.monotonic()
    for name in names:
        function = globals()[name]
        terminal = None
        last = "its beginning"
        try:
            options = dict(getattr(function, "options", {}))
            terminal = Terminal(program, **options)
            for last in function(terminal):
                passed += 1
                print(f"ok    {name[9:]}: {last}", flush=True)
        except (Failure, OSError) as failure:
            failed.append(name)
            print(f"FAIL  {name[9:]}, after {last!r}: {failure}", flush=True)
        finally:
            if terminal:
                terminal.close()
    print(f"{time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    sys.exit(run(PROGRAM, sys.argv[2] if len(sys.argv) > 2 else ""))
