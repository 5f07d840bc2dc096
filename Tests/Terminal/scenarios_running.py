"""Scenarios of the prompt: colours, load, files, the pane, pictures, the past, mistakes."""
from random import Random

from terminal import *


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


def scenario_long_spans(t):
    t.enter("n = every(1s)")
    t.enter("silent = n |> filter(_ => false)")
    worst = 0
    # A quick machine comes to the limit of the others by itself.
    for entry, ends in ((":marble silent for 9e9", ["stopped"]), (":plot n for 9e9", ["stopped", "too much"]),
                        (":plot time for 9e9", ["stopped", "too much"])):
        t.keys("\x0c" + entry + "\r")
        t.pump(0.5)
        started = time.monotonic()
        t.keys("\x03")
        over = lambda: any(end in t.text() for end in ends) and t.cursor_line().strip() == "frp>"
        t.wait(over, f"the end of {entry}")
        worst = max(worst, time.monotonic() - started)
    expect(worst < 5, f"{worst:.1f} s")
    t.enter("20 + 22")
    expect(": Int = 42" in t.text(), "an answer")
    yield "^C ends what looks far ahead, and the session goes on"
    t.enter(":marble n for 9e6")
    expect("there is too much to show of n" in t.text(), "a limit")
    yield "what would not fit is told"


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
    t.wait(lambda: t.cursor_line() == "frp> abcdef", "all that was typed")
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


def scenario_storm(t):
    # libedit's own handler of the signal changed its buffers while they were drawn from.
    t.enter("k = every(5ms) |> count")
    t.enter(":watch k")
    t.enter("every(20ms) |> count")
    t.keys("1 + " + "a" * 60)
    random = Random(7)
    for _ in range(300):
        columns, rows = random.randint(1, 200), random.randint(1, 60)
        for _ in range(random.randint(1, 4)):
            os.kill(t.process, signal.SIGWINCH)
        t.resize(columns, rows)
        t.keys(random.choice(["b", "\x7f", "\x1b[D", "\x01", "é", "\x03", "\x03" + "a" * 90, ""]))
        t.pump(random.choice([0, 0.001, 0.01]))
    t.resize(80, 24)
    t.keys("\x03")
    t.await_prompt()
    t.enter("2 + 3")
    t.see(": Int = 5")
    yield "a storm of resizes while the screen is drawn"


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
    expect(os.system(f"cd {t.home} && {t.program} test session.frp > /dev/null") == 0, "frp test passes on it")
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
    count = 40000
    lines = "".join(f"a{i} = sin(time * {i}.0) + {i}.0\n" for i in range(count))
    open(os.path.join(t.home, "big.frp"), "w").write(lines)
    t.start(":load big.frp")
    t.pump(0)
    expect(f"{count} definitions" not in t.text(), "compiling takes longer than that")
    started = time.monotonic()
    t.keys("\x03")
    t.see("stopped; nothing has changed", 10)
    t.await_prompt()
    took = time.monotonic() - started
    expect(took < 10, f"it took {took:.2f} s to stop")
    t.enter("a1")
    expect("nothing is called `a1`" in t.text(), "nothing was taken")
    t.enter("1 + 1")
    expect(": Int = 2" in t.text(), "the session goes on")
    yield "^C stops compiling, and nothing has changed"


def scenario_resizing(t):
    t.enter("k = every(200ms) |> count")
    t.enter(":watch k")
    t.enter("40 + 2")
    t.keys("abc")
    for columns, rows in ((60, 16), (100, 30), (50, 12), (80, 24)):
        # What a terminal that breaks lines anew may leave behind.
        t.screen.resize(rows, columns)
        for row in range(2, rows - 1):
            t.stream.feed(f"\x1b7\x1b[{row};1Hold row\x1b8".encode())
        t.resize(columns, rows)
        t.wait(lambda: "old row" not in t.text(), "a clean screen")
        t.wait(lambda: t.lines()[0].startswith("k ") and t.cursor_line() == "frp> abc", "pane and entry")
        rows = [line for line in t.lines() if re.match(r"k +\d", line)]
        expect(len(rows) == 1, "one row of the pane\n" + t.text())
        expect(": Int = 42" in t.text(), "what was answered")
    yield "after a resize the pane, the answers and the entry are there, and nothing else"
    t.keys("\x03")
    t.await_prompt()
    t.enter(":unwatch k")
    t.keys("1 + " + "a" * 100)
    t.wait(lambda: t.text().count("a" * 20) > 0 and t.cursor_line().endswith("a"), "a wrapped entry")
    for columns in (50, 120, 30, 80):
        t.resize(columns, 24)
        t.wait(lambda: re.sub(r"\s", "", t.text()).count("frp>1+" + "a" * 100) == 1, f"the entry at {columns} columns")
        expect(t.text().count("frp> 1 +") == 1, "it is there once\n" + t.text())
    yield "a wrapped entry follows the width"


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
    t.enter("input o: Event<Option<Int>>")
    t.enter(":push o Some(2)")
    t.enter(":marble o last 1s")
    expect("with {A: Some(2)}" in t.text(), "a lane that reads back")
    yield ":marble names what no letter means"
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
    t.wait(lambda: t.cursor_line() == "frp> abc", "typing below")
    yield ":sample shows values as time goes on"


def scenario_vi(t):
    open(os.path.join(t.home, "editrc"), "w").write("# mine\nbind -v\nbind ^T ed-transpose-chars\n")
    with Terminal(t.program, home=t.home, environment={"EDITRC": os.path.join(t.home, "editrc")}) as vi:
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
        shell.keys(f"{t.program}\r")
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


def scenario_signals(t):
    def child():
        return int(open(f"/proc/{shell.process}/task/{shell.process}/children").read().split()[0])

    with Terminal("/bin/sh", home=t.home, arguments=("-i",), environment={"PS1": "$ ", "ENV": ""},
                  await_prompt=False) as shell:
        shell.wait(lambda: shell.cursor_line().startswith("$"), "the shell")
        shell.keys(f"{t.program}\r")
        shell.await_prompt()
        shell.keys("abc")
        shell.wait(lambda: shell.cursor_line() == "frp> abc", "an entry")
        for number, name in ((signal.SIGTSTP, "TSTP"), (signal.SIGSTOP, "STOP")):
            os.kill(child(), number)
            shell.wait(lambda: shell.cursor_line() == "$", "the shell")
            shell.keys("fg\r")
            shell.wait(lambda: shell.cursor_line() == "frp> abc", "the entry again")
            shell.keys("\x0c")
            shell.wait(lambda: shell.lines()[0] == "frp> abc", "an empty screen")
            yield f"stopped by {name}, fg goes on with the entry"
        os.kill(child(), signal.SIGINT)
        shell.wait(lambda: shell.cursor_line() == "frp>", "an empty entry")
        yield "INT from outside is ^C"
        os.kill(child(), signal.SIGTERM)
        shell.wait(lambda: shell.cursor_line() == "$", "the shell")
        shell.keys("stty -a | tr ';' '\\n' | grep icanon\r")
        shell.wait(lambda: " icanon" in shell.text() and " echo" in shell.text(), "the modes of the terminal")
        expect("-icanon" not in shell.text() and "-isig" not in shell.text(), shell.text())
        expect(b"\x1b[?2004l" in shell.raw.split(b"frp>")[-1], "pastes are plain again")
        yield "TERM gives the terminal back as it was"


def scenario_newcomer(t):
    said = [
        ("clear()", ":clear"), ("1 / 0", "division by zero"), ("?", "Type a definition"), ("exit(", "closed"), (":", ":list"), (":s", "could be"),
        (":pusj x", "did you mean :push?"), (":push", "Write :push"), (":push nope", "no input called nope"),
        ("input v: Event<Int>", "push with"), (":push v", "needs a value of type Int"),
        (":push v 1.5", "1.5 is none"), (":push v \"a\"", "needs a value of type Int"), ("w = v |> count", "w : Beh"),
        (":push w 3", "w is computed"), (":set w 3", "w is computed"), ("v + 1", "v |> map(x => x + 1)"),
        ("w |> fold(0, (a, _) => a)", "changes(w)"), ("x = x + 1", "nothing is assigned"),
        ("if w = 3 then 1 else 2", "`==` compares"), ("v = 3", "w could not go on"), (":feed v from no.txt", "no file"),
        (":feed v", "from which file"), (":load .", "is a folder"), (":load nope.frp", "there is no file"),
        (":step soon", "how far?"), (":goto there", "no mark there"), (":rename w 3x", "no name"),
        (":forget v", "is needed by w"), (":explain 401", "Way out 2"), (":explain E9999", "no page"),
        (":unwatch w", "is not watched"), ("True", "true"), ("nil", "None"), ("now", "time"), ("ls", ":list"),
        ("v |> map(1)", "_ => 1"), ("input y: Event", "Event<Int>"), ("input z: Behavior<Int>", ":set z VALUE"),
        (":plot \"a\"", "only numbers"), (":marble w", "no event"), (":whynot w", "no event"), (":at w q = 1", "no event"),
        ("[1, 2", "never closed\x03"), ("test \"a\" { expect w at 1s == 2 }", ":save FILE writes it"),
        (":push v v", "v is an event"), (":push v 3 every 1s", "how often?"), (":push v 3 x3 every now", "no length of time"),
        (":push v 3 x0", "no number of times"), (":plot w for ever", "no length of time"), (":plot w for 1s to a.png", "are SVG"),
        (":plot w for 1e300", "is too long"), (":marble v last 9e11", "is too long"), (":step 3000000h", "is too long"), (":step -1", "how far?"),
        (":speed 1e9", "at most a million times"),
        (":speed fast", "how fast?"), (":tour 11", "from 1 to 10"), ("[1, 2][0]", "xs |> get(0)"), (":type 1 +", "its right"),
        ("input k: event Int", "Event<Int>"), ("while true { }", "no loops"), ("type S = P Int", "P(Int)"),
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


def scenario_what_is_stopped(t):
    t.enter("input k: Event<Int>")
    t.enter("n = k |> count")
    t.enter(":push k 1 x1000 every 10ms")
    t.keys("\x03")
    t.see("pushes that were to come are dropped")
    t.await_prompt()
    t.enter(":why k")
    before = t.text().count("k #")
    seen = [line for line in t.lines() if line.startswith("k #")][-1]
    t.pump(0.5)
    t.enter(":why k")
    expect([line for line in t.lines() if line.startswith("k #")][-1] == seen and before, "no more pushes")
    yield "^C drops pushes that are to come"
    t.enter("big = 1..2000000")
    t.see(" more   (:show all shows all)")
    t.keys(":show big\r")
    t.wait(lambda: "1000," in t.history(), "the beginning of the list")
    t.keys("\x03")
    t.see("stopped")
    t.await_prompt()
    expect("2000000]" not in t.history(), "not the end of the list")
    yield "^C ends what is printed"
    t.enter('"x" |> String.repeat(1000000000)')
    expect("memory" in t.history(), "a limit of memory")
    t.enter("1 + 1")
    expect(": Int = 2" in t.text(), "the session goes on")
    yield "an entry has a limit of memory"
    t.keys("\x04")
    expect(t.leave() == 0, "^D leaves with 0")
    expect(t.screen.cursor.x == 0, "what comes next begins a line")
    yield "^D leaves a line of its own to the shell"


def scenario_pasted_transcripts(t):
    t.keys(pasted("frp> a = 1 + 1\na : Int = 2\nfrp> f(x) = {\n  x + a\n}\nf : (Int) -> Int\nfrp> f(40)\n: Int = 42") + "\r")
    t.see(": Int = 42")
    t.await_prompt()
    t.enter("f(a)")
    expect(": Int = 4" in t.text(), "the definitions are there")
    yield "a transcript is entered without its answers"
    t.keys(pasted("b = a * 10\n:type b\nb + 1") + "\r")
    t.see(": Int = 21")
    t.await_prompt()
    expect("b : Int = 20" in t.text() and "b : Int\n" in t.text() + "\n", "the definition and the command")
    yield "a block with commands is taken apart"


def scenario_tour_and_row(t):
    for entry in (":tour 3", "time"):
        t.enter(entry)
    t.see("4 of 10: lifting")
    lines = t.lines()
    step = next(index for index, line in enumerate(lines) if "4 of 10: lifting" in line)
    expect(any(line.startswith(": Behavior<Float> = ") for line in lines[:step]), "the answer is above the next step")
    yield "the tour goes on after the answer"
