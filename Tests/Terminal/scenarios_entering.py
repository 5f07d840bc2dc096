"""Scenarios of the prompt: entering, looking, redefining, and terminals of all kinds."""
from terminal import *


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
    t.keys("\x04")
    expect(t.leave() == 0, "^D leaves with 0")
    yield "^D leaves"


def scenario_tour_waits(t):
    t.enter(":tour")
    expect("tour, 1 of 10" in t.text() and "sum(1..10)" in t.text(), "the first step")
    t.enter("summ(1..10)")
    expect("did you mean" in t.text() and "tour, 2" not in t.text(), "a mistake is no step")
    yield "a step waits until it is done"
    for entry, title in [("1 + 1", "2 of 10: definitions"), ("twice(x) = x * 2", "3 of 10: time"), ("time", "4 of 10: lifting"),
                         ("twice(time)", "5 of 10: inputs"), ("input taps: Event<Unit>", "6 of 10: memory"),
                         ("taps_so_far = taps |> count", "7 of 10: events")]:
        t.enter(entry)
        t.see(title)
        if "lifting" in title:
            expect("  twice(time)" in t.text(), "the name of the user's own function")
    expect(":push taps x3" in t.text() and "  taps_so_far" in t.text(), "the user's own names")
    yield "what counts is what was done, with the user's own names"
    t.enter(":tour next")
    t.see("8 of 10: changes")
    t.enter(":tour back")
    t.see("7 of 10: events")
    yield ":tour next and :tour back move"
    t.enter(":push taps")
    t.enter("taps_so_far")
    t.see("8 of 10: changes")
    t.enter("taps_so_far = 100 + count(taps)")
    t.enter(":undo")
    t.see("9 of 10: the clock")
    for entry in (":pause", ":back 1s", ":resume"):
        t.enter(entry)
    t.see("10 of 10: keeping")
    t.enter(":save mine.frp")
    t.see("That was the tour")
    expect("taps_so_far" in open(os.path.join(t.home, "mine.frp")).read(), "the program")
    yield "ten steps, and it is over"
    t.enter(":tour 4")
    t.see("4 of 10")
    t.enter(":tour stop")
    t.enter("twice(time)")
    expect("5 of 10: inputs" not in "\n".join(t.lines()[-6:]), "no step any more")
    yield ":tour stop ends it"


def scenario_last_expression(t):
    t.enter("20 + 1")
    t.enter("it * 2")
    expect(": Int = 42" in t.text(), "the last expression")
    t.enter("answer = it")
    t.enter('"text"')
    t.enter("answer")
    expect("answer : Int = 42" in t.text(), "a definition keeps what it was")
    yield "it is the last expression, also in definitions"
    t.enter("[1, 2] |> map(it => it + 1)")
    expect("[2, 3]" in t.text(), "a parameter of that name")
    yield "a parameter may have that name"
    t.enter("input a: Event<Int>")
    t.enter("a |> count")
    t.enter(":forget a")
    expect("a forgotten" in t.text(), "only the last expression used it")
    t.enter("type T = A | B")
    t.enter("match A { A => 1; B => 2 }")
    t.enter("type T = A | B | C")
    expect("is not redefined" not in t.text(), "only the last expression used it")
    yield "the last expression is in nobody's way"
    t.enter('n = 3')
    t.enter('label = "n is {n}"')
    t.enter('p = {n: n}.n')
    t.enter(":rename n m")
    t.enter(":source label")
    t.see('label = "n is {m}"')
    t.enter(":source p")
    t.see("p = {n: m}.n")
    yield ":rename leaves texts and fields alone"


def scenario_painting(t):
    t.keys("if true then " + "1 + " * 30 + '"text"')
    t.wait(lambda: t.cursor_line().endswith('"text"'), "a wrapped line")
    first, last = t.screen.cursor.y - 1, t.screen.cursor.y

    def colour(row, text):
        column = t.screen.display[row].index(text)
        return t.screen.buffer[row][column].fg
    t.wait(lambda: colour(first, "then") == "magenta" and colour(last, '"text"') == "green", "colours in both rows")
    expect(colour(last, "1") == "cyan" and colour(last, "+") == "default", "numbers have theirs")
    t.keys("\x1b[D" * 3)
    t.wait(lambda: t.screen.cursor.x == len(t.cursor_line()) - 3, "the cursor inside")
    yield "a wrapped line has its colours"
    t.keys("\x03")
    t.await_prompt()
    t.keys('"' + "語" * 60 + '" ++ "日本"')
    t.wait(lambda: t.text().count("語") == 60 and '"日本"' in t.text().replace(" ", ""), "wide characters")
    t.keys("\x03")
    t.await_prompt()
    t.keys("x" * 75)
    t.wait(lambda: "x" * 75 in t.text() and t.screen.cursor.x == 0, "a line that ends at the margin")
    t.keys(" + 1\x03")
    t.await_prompt()
    yield "so does one of wide characters, and one that ends at the margin"


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
    shown = lambda: re.findall(r"Behavior<Float> = ([\d.]+)", t.text())
    t.wait(lambda: len(shown()) == 1, "a row")
    first = shown()
    t.wait(lambda: len(shown()) == 1 and shown() != first, "a moving row")
    yield "a behavior is one row that moves"
    t.keys("1 + 1")
    t.wait(lambda: t.cursor_line() == "frp> 1 + 1", "typing below the row")
    t.pump(0.3)
    t.wait(lambda: len(shown()) == 1, "one row while typing")
    yield "typing does not tear it"
    t.keys("\r")
    t.see(": Int = 2")
    t.await_prompt()
    frozen = shown()
    t.pump(0.4)
    expect(shown() == frozen and len(frozen) == 1, "the row stands still")
    yield "the next entry freezes it"
    t.enter("every(100ms)")
    t.keys("x" * 100)
    t.wait(lambda: t.text().count("x") >= 100, "a wrapped line")
    before = t.history().count("s  ()")
    t.wait(lambda: t.history().count("s  ()") > before + 3, "occurrences above")
    t.wait(lambda: t.lines()[t.screen.cursor.y - 1] == "frp> " + "x" * 75 and t.cursor_line() == "x" * 25,
           "the whole wrapped line")
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
    t.start("g(100000)")
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
    again = Terminal(t.program, home=t.home)
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
