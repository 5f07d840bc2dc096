"""Scenarios of the prompt: what helps while one types, values on a screen, and looking around."""
from terminal import *

GREY = "brightblack"


def cell(t, words, offset=0):
    """The cell of a character of the entry, with its looks."""
    line = t.cursor_line()
    if words not in line:
        raise Failure(f"{words!r} is not in {line!r}")
    return t.screen.buffer[t.screen.cursor.y][line.index(words) + offset]


def drop(t):
    t.keys("\x03")
    t.await_prompt()


def scenario_suggestions(t):
    t.enter("alpha = 1 + 1")
    t.enter("beta = 2")
    t.enter("alphabet = 3")
    t.keys("alpha ")
    t.wait(lambda: t.cursor_line() == "frp> alpha = 1 + 1" and t.screen.cursor.x == 11, "a suggestion behind the cursor")
    expect(cell(t, "= 1").fg == GREY, f"it is grey, not {cell(t, '= 1').fg}")
    t.keys("\x1b[C")
    t.wait(lambda: t.screen.cursor.x == 18 and cell(t, "= 1").fg != GREY, "the suggestion taken")
    drop(t)
    yield "how an earlier entry went on is there in grey, and the right arrow takes it"
    t.keys("alpha ")
    t.wait(lambda: t.cursor_line() == "frp> alpha = 1 + 1", "a suggestion")
    t.keys("\x1b[1;5C")
    t.wait(lambda: t.screen.cursor.x == 14, "its first word taken")
    t.keys("x")
    t.wait(lambda: t.cursor_line() == "frp> alpha = 1x", "no suggestion any more")
    drop(t)
    yield "word by word, too; what does not fit is gone"
    t.keys("al\r")
    t.wait(lambda: "nothing is called `al`" in t.text(), "an answer to what was typed alone")
    t.await_prompt()
    yield "it is no part of the entry"
    t.enter("time")
    t.keys("bet")
    t.wait(lambda: t.cursor_line() == "frp> beta = 2" and cell(t, "a = 2").fg == GREY, "a suggestion")
    rows = lambda: re.findall(r"Behavior<Float> = ([\d.]+)", t.text())
    first = rows()
    t.wait(lambda: rows() != first, "a moving row")
    t.wait(lambda: t.cursor_line() == "frp> beta = 2" and cell(t, "a = 2").fg == GREY, "the suggestion below it")
    drop(t)
    yield "it stays while a row moves above it"


def scenario_prefix(t):
    for entry in ("alpha = 1", "beta = 2", "alphabet = 3"):
        t.enter(entry)
    t.keys("al\x1b[A")
    t.wait(lambda: t.cursor_line() == "frp> alphabet = 3", "the last that begins so")
    t.keys("\x1b[A")
    t.wait(lambda: t.cursor_line() == "frp> alpha = 1", "the one before it")
    t.keys("\x1b[A\x1b[B\x1b[B")
    t.wait(lambda: t.cursor_line().startswith("frp> al") and t.screen.cursor.x == 7, "what was typed")
    drop(t)
    t.keys("\x1b[A\x1b[A")
    t.wait(lambda: t.cursor_line() == "frp> beta = 2", "the entry before the last")
    drop(t)
    yield "Up goes through what begins as the entry does"
    t.keys("one two(three\x1f")
    t.wait(lambda: t.cursor_line() == "frp> one two(", "without the last word")
    t.keys("\x1f\x1f\x1f")
    t.wait(lambda: t.cursor_line() == "frp> one", "without the word before it")
    t.keys(" x\x01\x0b")
    t.wait(lambda: t.cursor_line() == "frp>", "an empty line")
    t.keys("\x1f")
    t.wait(lambda: t.cursor_line() == "frp> one x", "what ^K took")
    drop(t)
    yield "^_ takes typing back, word by word"


def scenario_colours_of_an_entry(t):
    t.enter("ticks = every(1h)")
    t.enter("n = count(ticks)")
    t.keys('"is {n + 1}" ++ "" + (ticks')
    t.wait(lambda: t.cursor_line().endswith("(ticks") and cell(t, '"is').fg == "green", "colours")
    expect(cell(t, "{n +", 1).fg == "blue" and cell(t, "1}").fg == "cyan", "code in a text has the colours of code")
    expect(cell(t, '}" +').fg == "green", "the text goes on behind it")
    expect(cell(t, "(ticks", 1).fg == "brown", "an event has another colour than a behavior")
    t.keys(")")
    t.wait(lambda: cell(t, "(ticks)").bold and cell(t, "(ticks)", 6).bold, "both brackets stand out")
    t.keys(")")
    t.wait(lambda: cell(t, "))", 1).fg == "red", "one too many is red")
    drop(t)
    yield "texts with code, behaviors, events and brackets have their colours"
    t.enter("count(ticks)")
    row = next(y for y, line in enumerate(t.lines()) if line == "frp> count(ticks)")
    expect(not t.screen.buffer[row][10].bold, "an entry that is finished matches no brackets")
    yield "what belongs to the cursor goes with it"


def scenario_numbers(t):
    t.enter(":clock virtual")
    t.enter("speed = 2.5")
    t.enter("pos = integral(speed)")
    t.enter(":watch pos speed")
    t.keys("speed = 2.5\x1b[1;3A\x1b[1;3A")
    t.wait(lambda: t.cursor_line() == "frp> speed = 2.7", "a larger number")
    t.wait(lambda: t.lines()[1].split()[:2] == ["speed", "2.7"], "the pane has followed")
    t.keys("\x1b[D\x1b[D\x1b[D\x1b[1;3B\x1b[1;3B\x1b[1;3B")
    t.wait(lambda: t.cursor_line() == "frp> speed = -0.3", "the digit at the cursor")
    t.keys("\x1b")
    t.wait(lambda: t.cursor_line() == "frp> speed = 2.5", "the entry as it was")
    t.wait(lambda: t.lines()[1].split()[:2] == ["speed", "2.5"], "the pane, too")
    yield "Alt-Up and Alt-Down change the number at the cursor, Escape puts it back"
    t.keys("\x1b[1;3A\x1b[1;3A\r")
    t.see("speed : Float = 2.7")
    t.await_prompt()
    t.enter(":step 1s")
    # How long the entries took is in the last digits.
    t.wait(lambda: abs(float(t.lines()[0].split()[1]) - 2.7) < 0.01, "the program goes on with it")
    t.enter(":undo")
    t.wait(lambda: t.lines()[1].split()[:2] == ["speed", "2.5"], "one :undo for all of it")
    t.keys("speed = 2.5\x1b[1;3A")
    t.wait(lambda: t.lines()[1].split()[:2] == ["speed", "2.6"], "the pane has followed")
    drop(t)
    t.wait(lambda: t.lines()[1].split()[:2] == ["speed", "2.5"], "^C puts it back, too")
    yield "Return keeps it, one :undo takes it back, so does ^C"
    t.keys("2.0 * speed\x01\x1b[1;3A")
    t.see(": Float = 7.5")
    t.keys("\x1b")
    t.wait(lambda: t.cursor_line() == "frp> 2.0 * speed", "the expression as it was")
    drop(t)
    yield "expressions have a row that follows"


def scenario_values(t):
    t.enter("1..1000000")
    shown = t.lines()
    last = next(i for i, line in enumerate(shown) if "more" in line)
    expect(re.fullmatch(r"  … and 999,\d\d\d more   \(:show all shows all\)", shown[last]), shown[last])
    expect(last <= 8 and all(line.endswith(",") for line in shown[last - 6:last]), "rows that break between elements")
    count = shown[last - 1].rstrip(",").split(", ")[-1]
    expect(int(count) + int(shown[last].split()[2].replace(",", "")) == 1_000_000, "what is shown and what is not is all")
    yield "a long list breaks between elements, and says how much more there is"
    t.enter('map(1..50, i => {name: "row {i}", n: i * i, words: "x" |> String.repeat(i)})')
    t.see("more   (:show all")
    lines = t.lines()
    first = next(i for i, line in enumerate(lines) if '"row 1"' in line)
    expect(lines[first - 1].split() == ["n", "name", "words"], lines[first - 1])
    expect(lines[first].index('"row') == lines[first + 10].index('"row'), "columns")
    expect(lines[first].index(" 1 ") == lines[first + 3].index("16") , "numbers to the right")
    expect(all(len(line) < 80 for line in lines[first:first + 12]), "cells are cut")
    yield "records of one shape are a table"
    t.enter('{left: 1.5, text: "long" |> String.repeat(30), list: 1..3, more: {a: 1}}')
    expect("  list  [1, 2, 3]" in t.text() and "  left  1.5" in t.text(), "a row for each field")
    t.enter('["a", "b"]')
    t.see(': List<String> = ["a", "b"]')
    t.enter(":show all")
    t.see('["a", "b"]')
    yield "a long record is a row for each field; what fits is one row"


@session(columns=200, rows=60, environment={"TERM": "dumb"})
def scenario_values_without_a_screen(t):
    t.enter("map(1..3, i => {a: i, b: i})")
    expect("[{a: 1, b: 1}, {a: 2, b: 2}, {a: 3, b: 3}]" in t.text(), "one line")
    t.enter("abc = 1")
    t.keys("ab")
    t.wait(lambda: t.cursor_line() == "frp> ab", "an entry")
    t.keys("\x1b[Cc\x1b[1;3A")
    t.pump(0.2)
    expect(t.cursor_line() == "frp> abc", "nothing is suggested or changed")
    yield "a dumb terminal has lines, and no suggestions"


@session(environment={"NO_COLOR": "1"})
def scenario_no_colour_no_suggestion(t):
    t.enter("alpha = 1")
    t.keys("al\x1b[Cp")
    t.pump(0.2)
    expect(t.cursor_line() == "frp> alp", t.cursor_line())
    yield "without colours there is nothing in grey"


def scenario_asking(t):
    t.enter("n = every(1h) |> count")
    t.enter("m = n + 1")
    t.enter("?n")
    t.see("a step behavior")
    expect("  used by m" in t.text(), "users")
    t.enter("?integral")
    t.see("integral : ")
    expect("gives" in t.text() or "expect" in t.text(), "an example")
    t.enter("?push")
    t.see("let an input event occur")
    yield "?name tells what something is"
    t.enter("?Some")
    t.see("Some : (a) -> Option<a>")
    t.keys(pasted("q = 1\n?List\nr = q + 1") + "\r")
    t.see("r : Int = 2")
    t.await_prompt()
    expect("takeLast" in t.history(), "a question among what was pasted")
    t.enter(":browse Option")
    t.see("isSome")
    t.enter(":browse Optio")
    t.see("did you mean Option?")
    yield ":browse lists a group"
    t.enter("20 + 1")
    t.enter("2 * 2")
    t.enter("it1 + it")
    t.see(": Int = 25")
    t.enter("kept = it1 * it2")
    t.see("kept : Int = 84")
    yield "it1 and it2 are the results before the last"
    t.enter(":history 3")
    t.see("1  kept = it1 * it2")
    t.enter(":history Optio")
    t.see(":browse Option")
    yield ":history numbers what was entered"
    t.enter(":!pwd; exit 3")
    t.see("it ended with 3")
    t.see(t.home)
    os.mkdir(os.path.join(t.home, "inner"))
    t.enter(":cd inner")
    t.see(t.home + "/inner")
    t.enter(":cd nowhere")
    t.see("nowhere: No such file")
    t.enter(":mem")
    t.see("resident")
    yield ":!, :cd and :mem"


def scenario_completion_by_type(t):
    t.enter("input news: Event<{price: Int, text: String}>")
    t.enter("total = 3.5")
    t.keys("news |> fold(0, (sum, x) => sum + x.pr\t")
    t.wait(lambda: t.cursor_line().endswith("sum + x.price"), "the field of what the function is given")
    drop(t)
    t.keys("news |> de\t")
    t.see("delay")
    row = next(line for line in t.lines() if line.startswith("  debounce"))
    expect("(Event<a>, =Float) -> Event<a>" in row and "An occurrence" in row, "its type and what it does beside it")
    expect("deepest" not in t.text() and "decode" not in t.text(), "nothing else")
    t.keys("b\t")
    t.wait(lambda: t.cursor_line() == "frp> news |> debounce", "the word")
    t.keys("\t")
    t.wait(lambda: t.text().count("An occurrence, once") == 2 and t.cursor_line() == "frp> news |> debounce", "its words")
    drop(t)
    yield "Tab offers what fits, with what it does beside it"
    t.keys(":clear\r")
    t.wait(lambda: t.lines()[0] == "frp>", "a clear screen")
    t.keys("sin(\t")
    t.wait(lambda: t.cursor_line() == "frp> sin(" and "total" in t.text(), "a list")
    expect(t.lines()[1].split()[0] == "total" and "upper" not in t.text() and "news" not in t.text(), t.text())
    drop(t)
    yield "where a type is needed, what has it comes first and what has not does not come"


def scenario_branches(t):
    t.enter("input k: Event<Int>")
    t.enter("n = k |> count")
    t.enter(":push k 1")
    t.enter(":back 1h")
    t.see(":undo goes back there")
    t.enter(":branch pushed")
    t.see("with 1 push ")
    t.enter(":undo")
    t.see("again, and going on")
    t.enter("n")
    t.see("Behavior<Int> = 1")
    yield ":undo goes back to the run that was left, and its clock goes on"
    t.enter("square = side * side")
    t.see("square is pending: it waits for side")
    t.enter("side = 4")
    t.see("square : Int = 16")
    yield "a definition waits for what it needs"


def scenario_suggestions_in_vi(t):
    open(os.path.join(t.home, "editrc"), "w").write("bind -v\n")
    with Terminal(t.program, home=t.home, environment={"EDITRC": os.path.join(t.home, "editrc")}) as vi:
        vi.enter("alpha = 1 + 1")
        vi.keys("alp")
        vi.wait(lambda: vi.cursor_line() == "frp> alpha = 1 + 1" and vi.screen.cursor.x == 8, "a suggestion")
        vi.keys("\x1b[C")
        vi.wait(lambda: vi.screen.cursor.x == 18, "the suggestion taken")
        vi.keys(" * 2\x1f\x1f\x1f\x1f")
        vi.wait(lambda: vi.cursor_line() == "frp> alpha = 1 + 1" and vi.screen.cursor.x == 18, "typing taken back")
        vi.keys("\r")
        vi.see("alpha : Int = 2")
    yield "vi's keys have suggestions and undo, too"


def scenario_deep_text(t):
    t.keys(pasted('"{' * 20000))
    t.pump(0.5)
    drop(t)
    t.keys(pasted('"{' * 20000) + "\r")
    t.keys("\x03")
    t.await_prompt()
    t.enter("1 + 1")
    t.see(": Int = 2")
    yield "texts within texts without end are painted as far as anybody reads"


def transcripts(page):
    """The entries of a page's blocks with the lines that are shown below each."""
    inside = False
    for line in open(os.path.join(os.path.dirname(__file__), "../../docs", page), encoding="utf-8").read().split("\n"):
        if line.startswith("```"):
            inside = not inside
        elif inside and line.startswith("frp> "):
            yield [line[5:]]
        elif inside:
            yield line


def scenario_the_page_is_true(t):
    entries = []
    for part in transcripts("prompt.md"):
        if isinstance(part, list):
            entries.append((part[0], []))
        elif entries:
            entries[-1][1].append(part)
    expect(len(entries) >= 9, f"{len(entries)} entries")
    for entry, answer in entries:
        if entry == ":play":
            t.keys(":play\r")
            t.see("Escape ends")
            t.keys("\x1b")
            t.see("played until")
            t.keys("\x0c")
            t.await_prompt()
            continue
        t.keys("\x0c")
        t.await_prompt()
        t.enter(entry)
        shown = t.lines()
        expect(not answer or answer == shown[1:1 + len(answer)], f"{entry}\n" + t.text())
        expect("error" not in t.text(), t.text())
    yield "what docs/prompt.md shows is what is shown"
