"""Scenarios of the prompt: keys, characters and moments that are out of the ordinary."""
import fuzz
from terminal import *

# Of Tests/Terminal/fuzz: some that once failed, and some others.
SEEDS = (0, 5, 8, 13, 102, 354)


def scenario_no_text(t):
    t.enter("ticks = every(50ms) |> count")
    t.keys(b"abc\xe3\x03")
    t.wait(lambda: t.cursor_line() == "frp>", "^C behind half a character")
    yield "^C counts also after bytes that are no text"
    t.enter("ticks")
    t.keys(b"x\xe3")
    t.wait(lambda: t.cursor_line() == "frp> x?", "a question mark")
    shown = lambda: re.findall(r"Behavior<Int> = (\d+)", t.text())
    first = shown()
    t.wait(lambda: shown() != first, "a moving row")
    t.keys(b"\x80\xff\xc3(\xc3\xa9)\r")
    t.wait(lambda: "x????(é)" in t.text(), "what could be read")
    t.await_prompt()
    yield "half a character keeps nothing waiting"


def scenario_joined_characters(t):
    t.keys('"e\u0301👩\u200d🚀')
    t.wait(lambda: t.cursor_line() == 'frp> "e◌́👩·🚀', "every character in a place of its own")
    t.keys('"\x1b[D\x1b[D\x1b[Dx')
    t.wait(lambda: t.cursor_line() == 'frp> "e◌́👩x·🚀"' and t.screen.cursor.x == 11, "a character between them")
    t.keys("\x7f")
    t.wait(lambda: t.cursor_line() == 'frp> "e◌́👩·🚀"', "it is deleted again")
    t.keys("\r")
    t.wait(lambda: b': String = "e\xcc\x81\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80"' in t.raw, "the text as it was typed")
    t.await_prompt()
    t.keys("\x1b[A\x01z")
    t.wait(lambda: t.cursor_line() == 'frp> z"e◌́👩·🚀"', "the earlier entry")
    t.keys("\x03")
    t.await_prompt()
    yield "characters that join the one before are shown by themselves, and stay what they are"
    t.keys(pasted("a\x01\tb" + "c" * 80))
    t.wait(lambda: t.cursor_line() == "c" * 10, "control characters take two columns")
    t.keys("\x0c")
    t.wait(lambda: t.lines()[0].startswith("frp> a^A b") and t.cursor_line() == "c" * 10, "the same after ^L")
    t.keys("\x03")
    t.await_prompt()
    yield "so are control characters"


@session(columns=30, rows=12)
def scenario_long_prompt(t):
    t.keys(":set prompt \"a prompt that is longer than the screen > \"\r")
    t.wait(lambda: t.cursor_line() == "he screen >", "the prompt over two rows")
    t.keys("2 * 21")
    t.wait(lambda: t.cursor_line() == "he screen > 2 * 21", "an entry")
    t.keys("\x0c")
    t.wait(lambda: t.lines()[:3] == ["a prompt that is longer than t", "he screen > 2 * 21", ""], "the entry alone")
    t.keys("\r")
    t.wait(lambda: t.lines()[2] == ": Int = 42" and t.lines()[4] == "he screen >", "its answer")
    yield "a prompt may be longer than the screen"


def scenario_typing_ahead(t):
    t.enter("f(n) = if n == 0 then 0 else f(n - 1) + 1")
    t.enter("g(n) = fold(1..n, 0, (all, k) => all + f(k % 1000))")
    # It takes a third of a second; where it is over sooner, what is shown in the end is the same.
    t.keys("g(100000)\r")
    time.sleep(0.1)
    t.keys("1 + 22\x7f\x1b[D\x1b[D\x1b[D\x1b[D2\r")
    t.see(": Int = 49950000", 60)
    t.see(": Int = 14")
    t.await_prompt()
    shown = t.text()[t.text().index("g(100000)"):].splitlines()
    expect(shown[1:] == [": Int = 49950000", "frp> 12 + 2", ": Int = 14", "frp>"] + [""] * (len(shown) - 5), t.text())
    yield "what is typed while something is computed is the next entry, and nothing else"


def scenario_vi_commands(t):
    open(os.path.join(t.home, "editrc"), "w").write("bind -v\n")
    with Terminal(t.program, home=t.home, environment={"EDITRC": os.path.join(t.home, "editrc")}) as vi:
        vi.keys("0.5\x1b.")
        vi.wait(lambda: vi.cursor_line() == "frp> 0.0.55", "the text once more")
        vi.keys("\x03")
        vi.await_prompt()
        vi.keys("a b\x17x.y\x1b.\x1b...")
        vi.keys("\x03")
        vi.await_prompt()
        yield ". in the text does not make . endless"
        vi.enter("40 + 2")
        vi.keys("some text\x1b/nowhere\x03")
        vi.await_prompt()
        yield "^C leaves a search"
        vi.keys("some text\x1b/nowhere\x1bnx.dd")
        vi.keys("\x03")
        vi.await_prompt()
        vi.keys("\x1b/0 +")
        vi.wait(lambda: "frp> 40 + 2" in vi.text().splitlines()[-1] or "bck:0 +" in vi.text(), "the entry that was found")
        vi.keys("\r\r")
        vi.wait(lambda: vi.text().count(": Int = 42") == 2, "its answer")
        vi.await_prompt()
        yield "/ searches, also for nothing that is there"
        vi.keys("x\x1b:bind -e\r\x03")
        vi.await_prompt()
        vi.keys("1 + 2\x1bx")
        vi.wait(lambda: vi.cursor_line() == "frp> 1 +", "still vi")
        vi.keys("\x03")
        vi.await_prompt()
        yield "libedit's own commands cannot be reached"
        for _ in range(30):
            # Behind each of these libedit's cursor stands outside of the entry.
            vi.keys("\x1b$xp\x1b$dd\x1b$X\x1bi\x0b\x1b$5x\x03")
            vi.await_prompt()
            vi.keys("some text\x1bn\x1b5XN\x1b9x\x03")
            vi.await_prompt()
        yield "the cursor stays inside of the entry"


def scenario_stopping(t):
    def child():
        return int(open(f"/proc/{shell.process}/task/{shell.process}/children").read().split()[0])

    with Terminal("/bin/sh", home=t.home, arguments=("-i",), environment={"PS1": "$ ", "ENV": ""},
                  await_prompt=False) as shell:
        shell.wait(lambda: shell.cursor_line().startswith("$"), "the shell")
        shell.keys(f"{t.program}\r")
        shell.await_prompt()
        for entry in ("f(n) = if n == 0 then 0 else f(n - 1) + 1", "g(n) = if n == 0 then 0 else f(1000) + g(n - 1)",
                      "input x: Event<Int>", ":watch x"):
            shell.enter(entry)
        shell.wait(lambda: shell.lines()[1].startswith("──"), "a pane")
        shell.start("g(100000)")
        shell.keys("\x1a")
        shell.wait(lambda: shell.cursor_line() == "$", "the shell")
        expect(shell.screen.margins is None or shell.screen.margins.top == 0, "the whole screen scrolls")
        expect(b"\x1b[?2004l" in shell.raw.split(b"g(100000)")[-1], "pastes are plain")
        shell.keys("stty -a | tr ';' '\\n' | grep icanon\r")
        shell.wait(lambda: " icanon" in shell.text() and " echo" in shell.text(), "the modes of the terminal")
        expect("-icanon" not in shell.text(), shell.text())
        yield "^Z while something is computed gives the terminal back"
        shell.keys("fg\r")
        time.sleep(0.3)
        shell.keys("\x03")
        shell.wait(lambda: "stopped" in shell.text() or "step limit" in shell.text(), "the evaluation to stop", 30)
        shell.await_prompt()
        shell.wait(lambda: shell.lines()[1].startswith("──"), "the pane")
        shell.enter("1 + 1")
        shell.see(": Int = 2")
        yield "fg goes on with it, and ^C ends it"
        shell.enter("k = every(1ms) |> count")
        shell.start(":step 1h")
        shell.keys("\x03")
        shell.see("stopped; the clock is paused at")
        shell.await_prompt()
        shell.enter("2 + 3")
        shell.see(": Int = 5")
        yield "a step that was stopped does not go on with the next entry"
        os.kill(child(), signal.SIGTERM)


@session(environment={"EDITOR": "sh -c 'stty -a > modes; printf \" + 41\" >> \"$0\"'"})
def scenario_lent_terminal(t):
    t.keys("1\x18\x05")
    t.wait(lambda: t.cursor_line() == " + 41", "the text from the editor")
    modes = open(os.path.join(t.home, "modes")).read()
    expect(" icanon" in modes and " echo" in modes and "-icanon" not in modes, modes)
    t.keys("\r")
    t.see(": Int = 42")
    yield "$EDITOR has the terminal as it was"


@session(columns=200, rows=50)
def scenario_long_entry(t):
    t.enter("40 + 2")
    t.keys(pasted('size("' + "abcdefghij" * 200 + '")'))
    t.wait(lambda: t.cursor_line().endswith('j")'), "a long entry")
    for back, on in (("\x1b[A", "\x1b[B"), ("\x10", "\x0e")):
        t.keys(back)
        t.wait(lambda: t.cursor_line() == "frp> 40 + 2", "the earlier entry")
        t.keys(on)
        t.wait(lambda: t.cursor_line().endswith('j")'), "the long entry again")
    t.keys("\r")
    t.see(": Int = 2000")
    yield "a long entry is the same after a look at an earlier one"


def scenario_random(t):
    for seed in SEEDS:
        wrong = fuzz.play(t.program, fuzz.plan(seed), looks=False)
        expect(not wrong, f"seed {seed} (Tests/Terminal/fuzz {t.program} {seed} 1): {wrong}")
    yield f"{len(SEEDS)} sessions of random keys, sizes and signals"
