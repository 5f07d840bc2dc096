"""What a trial of the page found: each stays mended."""

import re
import threading
import time

from drive import Cut, Guest, drag_time, opened, sentence, until
from kit import COUNTER, press, scenario, served, shows, type_moment, write

LINES = """\
input lines: Behavior<String> = "a\\nb\\t\\"{"c"}\\" \\\\ \\{"
input right: Behavior<String> = "\\u{5E9}\\u{5DC}\\u{5D5}\\u{5DD} 1"
output x = 1
output y = lines
"""


@scenario
def values_behind_a_line_stay_on_it(browser):
    with served("lines", LINES) as run:
        page = opened(browser, run.url)
        until(page, "() => document.querySelector('.code-hint')?.textContent.startsWith('\"a')")
        hints = page.locator(".code-hint").all_text_contents()
        assert hints[0] == '"a\\nb\\t\\"c\\" \\\\ \\{"', hints
        heights = page.evaluate("[...document.querySelectorAll('.code-line')].map((line) => line.offsetHeight)")
        assert len(set(heights)) == 1, heights
        # A text from the right stays behind its line.
        sides = page.evaluate("""() => {
          const hint = document.querySelectorAll('.code-hint')[1];
          const range = document.createRange();
          range.setStart(hint.parentNode, 0);
          range.setEndBefore(hint);
          return [Math.max(...[...range.getClientRects()].map((one) => one.right)), hint.getBoundingClientRect().left, getComputedStyle(hint).unicodeBidi];
        }""")
        assert sides[0] <= sides[1] + 1 and sides[2] == "isolate", sides
        assert page.complaints == [], page.complaints


LONG = """\
type Mode = Calm | SomethingWithAVeryLongNameThatDoesNotFit | AnotherOneWithAVeryLongNameThatDoesNotFit
input order: Event<{item: String, mode: Mode}>
input mode: Behavior<Mode> = Calm
input people: Behavior<List<{name: String, age: Int}>> = [{name: "Ada", age: 36}]
output rows = 1..100 |> map(i => {id: i, name: "row {i}"})
output more = rows
output numbers = 1..100
output ordered = order
output chosen = mode
""" + "".join(f"output rows{index} = rows\n" for index in range(12))


@scenario
def the_page_is_as_large_as_the_window(browser):
    with served("large", LONG) as run:
        page = opened(browser, run.url)
        shows(page, "rows", "row 100")
        page.wait_for_timeout(300)
        size = page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
        assert size[0] <= size[1], size
        page.set_viewport_size({"width": 360, "height": 800})
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.evaluate("document.documentElement.scrollWidth")
        assert page.evaluate("[...document.querySelectorAll('.control, .card')].every((one) => one.scrollWidth <= one.clientWidth)")
        bottom = page.evaluate("Math.max(...[...document.querySelectorAll('.work > *')].map((one) => one.getBoundingClientRect().bottom)) + scrollY")
        assert page.evaluate("document.documentElement.scrollHeight") <= bottom + 40, bottom


TEXTS = """\
input note: Behavior<String> = "one\\ntwo\\r\\nthree"
input name: Behavior<String> = "ann"
input word: Event<String>
input both: Behavior<{title: String, count: Int}> = {title: "x\\ny", count: 1}
output noted = note |> replace("\\r", "R") |> replace("\\n", "N")
output named = name |> replace("\\n", "N")
output worded = word |> map(w => w |> replace("\\n", "N"))
output title = both.title |> replace("\\n", "N")
"""


@scenario
def a_text_keeps_its_lines(browser):
    with served("texts", TEXTS) as run:
        page = opened(browser, run.url)
        field = page.locator(".control[data-name=note] .text-field")
        assert field.input_value() == "one\ntwo\nthree"
        one = page.locator(".control[data-name=name] .text-field")
        assert field.bounding_box()["height"] > 1.8 * one.bounding_box()["height"]
        field.focus()
        page.keyboard.press("Control+End")
        page.keyboard.type("!")
        shows(page, "noted", "oneNtwoRNthree!")
        page.keyboard.press("Enter")
        shows(page, "noted", "oneNtwoRNthree!N")
        # A name has one line, unless it is wanted otherwise.
        one.focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        page.keyboard.type("e")
        shows(page, "named", "anne")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("b")
        shows(page, "named", "anneNb")
        page.locator(".control[data-name=word] .text-field").focus()
        page.keyboard.type("tea")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("milk")
        page.keyboard.press("Enter")
        shows(page, "worded", "teaNmilk")
        page.locator(".control[data-name=both] .number-field").fill("2")
        shows(page, "title", "xNy")
        assert page.complaints == [], page.complaints


@scenario
def a_text_that_faults_as_it_begins(browser):
    with served("begins", "output x = 1\noutput twice = 2 * x\n") as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 0.5")
        for text, words, place in [("output x = 1\noutput y = 10 % (x - 1)\n", "division by zero", "line 2"),
                                   ("output z = 1\n\noutput y = size(1..1000000000)\n", "memory limit", "line 3")]:
            write(page, text)
            until(page, "(words) => document.querySelector('.problem.is-error')?.textContent.includes(words)", words)
            assert place in sentence(page, ".problem"), sentence(page, ".problem")
            until(page, "() => document.querySelector('.editor-status').textContent.includes('goes on')")
        write(page, "output x = 2\n")
        shows(page, "x", "2")
        assert page.locator(".problem").count() == 0
        # In the past as well.
        drag_time(page, 0.5)
        until(page, "() => document.body.dataset.mode === 'past'")
        for text, words in [("output x = 2\noutput y = 10 % (x - 2)\n", "division by zero"), ("output x = 2\noutput y = every(1s) |> fold(size(1..1000000000), (n, _) => n)\n", "memory limit")]:
            write(page, text)
            until(page, "(words) => document.querySelector('.problem.is-error')?.textContent.includes(words)", words)
            assert "line 2" in sentence(page, ".problem"), sentence(page, ".problem")
        assert page.evaluate("document.body.dataset.mode") == "past"


SHARED = "input n: Behavior<Int> = 1\noutput a = n\n\noutput b = 2\n"


@scenario
def two_who_write(browser):
    with served("shared", SHARED) as run:
        mine = opened(browser, run.url)
        theirs = opened(browser, run.url)
        text = lambda page: page.locator(".code-input").input_value()
        # A draft with a mistake stays, and one is asked.
        write(mine, SHARED + "output c = nothing\n")
        mine.wait_for_selector(".problem.is-error")
        write(theirs, SHARED.replace("= 2", "= 3"))
        shows(mine, "b", "3")
        mine.wait_for_selector(".editor-question:not([hidden])")
        assert "nothing" in text(mine)
        mine.locator(".code-input").focus()
        mine.keyboard.press("Control+End")
        mine.keyboard.type("// and more")
        mine.wait_for_timeout(600)
        assert text(mine).endswith("// and more") and text(theirs) == SHARED.replace("= 2", "= 3")
        mine.get_by_role("button", name="Take theirs").click()
        assert text(mine) == text(theirs) and mine.locator(".editor-question").is_hidden() and mine.locator(".problem").count() == 0
        # What is right waits for an answer as well.
        write(mine, SHARED + "output c = nothing\n")
        mine.wait_for_selector(".problem.is-error")
        write(theirs, SHARED.replace("= 2", "= 4"))
        mine.wait_for_selector(".editor-question:not([hidden])")
        write(mine, SHARED + "output c = 5\n")
        mine.wait_for_timeout(700)
        assert text(theirs) == SHARED.replace("= 2", "= 4"), text(theirs)
        mine.get_by_role("button", name="Keep mine").click()
        shows(theirs, "c", "5")
        until(theirs, "(text) => document.querySelector('.code-input').value === text", SHARED + "output c = 5\n")
        assert mine.locator(".editor-question").is_hidden()
        assert mine.complaints == [] and theirs.complaints == []


@scenario
def undo_takes_back_what_one_has_done(browser):
    with served("undo", SHARED) as run:
        mine = opened(browser, run.url)
        theirs = opened(browser, run.url)
        undo = lambda page: page.get_by_role("button", name="undo the last change of the program")
        until(mine, "() => document.querySelector('.card[data-name=b]')")
        write(mine, SHARED.replace("a = n", "a = n + 6"))
        shows(theirs, "a", "7")
        write(theirs, SHARED.replace("a = n", "a = n + 6").replace("= 2", "= 3"))
        shows(mine, "b", "3")
        undo(mine).click()
        shows(mine, "a", "1")
        shows(mine, "b", "3")
        until(theirs, "(text) => document.querySelector('.code-input').value === text", SHARED.replace("= 2", "= 3"))
        until(mine, "() => document.querySelector('[aria-label^=\"undo\"]').disabled")
        # Theirs is the last but one now.
        undo(theirs).click()
        shows(mine, "b", "2")
        # Where both have changed the same line nothing is lost.
        write(mine, SHARED.replace("= 2", "= 8"))
        shows(theirs, "b", "8")
        write(theirs, SHARED.replace("= 2", "= 9"))
        shows(mine, "b", "9")
        undo(mine).click()
        until(mine, "() => document.querySelector('.toast')?.textContent.includes('same lines')")
        shows(mine, "b", "9")


class Slow(Cut):
    """A connection that lets through so many bytes a second of what the server says."""

    rate = 1e9

    def pump(self, source, target, name, other):
        try:
            while data := source.recv(4096):
                if name is None:
                    time.sleep(len(data) / self.rate)
                target.sendall(data.replace(name, other) if name else data)
        except OSError:
            pass


WAVES = "".join(f"output wave{index} = sin({index}.0 + time)\n" for index in range(30)) + "input tap: Event<Int>\noutput last = tap |> hold(0)\n"


@scenario
def a_slow_connection_does_not_fall_behind(browser):
    with served("waves", WAVES) as run:
        between = Slow(run.port)
        page = opened(browser, run.url.replace(f":{run.port}/", f":{between.port}/"))
        between.rate = 20000
        page.wait_for_timeout(12000)
        with Guest(run.port, run.token) as other:
            other.wait("history")
            other.say(do="send", name="tap", value=7)
            other.say(do="seek", to=1e9)
            now = other.wait("past")["t"]
        start = time.monotonic()
        until(page, "(t) => Number(document.querySelector('.time-slider').max) >= t", now)
        late = time.monotonic() - start
        print(f"  at 20 kB a second the page is {late:.1f} s behind")
        assert late < 5, late
        shows(page, "last", "7")
        # What has occurred meanwhile is not lost.
        between.rate = 1e9
        until(page, "() => { const [a, b] = [document.querySelector('.time-reading').textContent, window.before]; window.before = a; return a !== b; }")
        between.close()


@scenario
def who_says_what_it_has_drawn(browser):
    with served("waves", WAVES) as run, Guest(run.port, run.token, draws=True) as guest, Guest(run.port, run.token) as other:
        guest.wait("history")
        frames = []
        def read():
            try:
                while (message := guest.next()) is not None:
                    if message["is"] == "frame":
                        frames.append(message)
            except OSError:
                pass
        threading.Thread(target=read, daemon=True).start()
        # What is not drawn is not followed by more without end.
        time.sleep(2)
        count = len(frames)
        assert 3 <= count <= 75, count
        other.wait("history")
        other.say(do="send", name="tap", value=3)
        time.sleep(0.5)
        assert len(frames) == count, (count, len(frames))
        guest.say(do="drawn", frame=frames[-1]["number"])
        time.sleep(0.5)
        whole = frames[count]
        assert [event[::2] for event in whole["events"]] == [["tap", 3]], whole["events"]
        assert whole["values"]["last"] == 3, whole["values"]


@scenario
def a_click_on_a_value(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        press(page, "tap")
        shows(page, "total", "1")
        for name, part in [("total", ".digits"), ("greeting", ".view-text"), ("isMany", ".lamp"), ("rows", "td"), ("taps", ".event-last")]:
            page.locator(f".card[data-name={name}] {part}").first.click()
            until(page, "(name) => document.querySelector('.why-title').textContent.startsWith(name) && document.querySelector('.why-line')", name)
            page.keyboard.press("Escape")
            assert page.locator(".why").first.is_hidden()
        # A text that is selected is selected.
        page.locator(".card[data-name=greeting] .view-text").dblclick()
        page.keyboard.press("Escape")
        assert page.evaluate("getSelection().toString()").strip() in ("hello", "ann")
        assert page.complaints == [], page.complaints


@scenario
def values_in_the_text_are_of_the_moment(browser):
    with served("moment", "output a = every(1s) |> count\n") as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 2.5")
        write(page, "output a = every(1s) |> count\noutput twice = 2 * a\n")
        until(page, "() => Number(document.querySelectorAll('.code-hint')[1]?.textContent) >= 6")
        type_moment(page, "1.9")
        until(page, "() => document.body.dataset.mode === 'past'")
        until(page, "() => document.querySelectorAll('.code-hint')[0].textContent === '1'")
        assert page.locator(".code-hint").nth(1).text_content() == ""


@scenario
def axes_tell_their_ticks_apart(browser):
    with served("axes", "output huge = 1e12 * (1.0 + 0.001 * sin(time))\n") as run:
        page = opened(browser, run.url)
        told = page.evaluate("""async () => {
          const { tickLabels, tickStep } = await import('./draw.js');
          const of = (low, high) => {
            const step = tickStep(high - low, 124, 34);
            const ticks = [];
            for (let tick = Math.ceil(low / step); tick * step <= high; tick += 1) ticks.push(+(tick * step).toPrecision(12));
            return tickLabels(ticks, step);
          };
          return [[0.999e12, 1.001e12], [0, 1], [-2, 2], [1e-9, 2e-9], [-1e-9, 1e-9], [0, 3000], [1, 1.00001], [1e12, 1e12 + 10000], [250000, 250010], [-5e5, 5e5], [0, 1e6], [12345, 12346]].map(([low, high]) => of(low, high));
        }""")
        print("  " + " · ".join(", ".join(labels) for labels in told))
        for labels in told:
            assert len(labels) > 1 and len(set(labels)) == len(labels) and all(len(label) < 18 for label in labels), labels
        # Nothing is drawn above the picture.
        page.wait_for_timeout(1500)
        tops = page.evaluate("""async () => {
          const tops = [];
          const old = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
            if (this.canvas.className === 'plot' && this.textBaseline === 'middle') tops.push(y);
            return old.call(this, text, x, y, ...more);
          };
          await new Promise((done) => setTimeout(done, 3000));
          return tops;
        }""")
        assert tops and min(tops) >= 6, tops


FAULTS = "input n: Behavior<Int> = 1\noutput quotient = 10 % n\n"


@scenario
def faults_can_be_found_later(browser):
    with served("faults", FAULTS) as run:
        page = opened(browser, run.url)
        assert page.locator(".fault-button").is_hidden()
        field = page.locator(".control[data-name=n] .number-field")
        for _ in range(2):
            field.fill("0")
            until(page, "() => document.querySelector('.control[data-name=n] .number-field').value === '1'")
        until(page, "() => document.querySelector('.fault-button').textContent === '2 faults'")
        told = sentence(page, ".toast.is-fault p")
        assert re.search(r"at \d+(\.\d{1,3})? s", told), told
        page.evaluate("document.querySelectorAll('.toast .icon-button').forEach((one) => one.click())")
        page.locator(".fault-button").click()
        rows = page.locator(".fault-rows li").all_text_contents()
        assert len(rows) == 2 and all("division by zero" in row and re.search(r"at \d+(\.\d{1,3})? s", row) for row in rows), rows
        page.keyboard.press("Escape")
        assert page.locator(".faults").is_hidden() and page.evaluate("document.activeElement.className") == "fault-button"
        assert page.complaints == [], page.complaints


JSONS = """\
input list: Behavior<List<Int>> = [1]
input people: Behavior<List<{name: String, age: Int}>> = []
input pairs: Event<List<(Int, String)>>
type Shape = Circle(Float) | Square(Float)
input shapes: Behavior<List<Shape>> = []
output all = list
output last = pairs |> map(p => size(p)) |> hold(0)
output who = people |> map(p => p.name)
output forms = size(shapes)
"""


@scenario
def a_wrong_value_is_marked_at_its_field(browser):
    with served("jsons", JSONS) as run:
        page = opened(browser, run.url)
        def filled(name, text):
            page.locator(f".control[data-name={name}] .json-field").fill(text)
        def marked(name, words):
            until(page, "([name, words]) => document.querySelector(`.control[data-name=${name}] .field-problem`).textContent.includes(words)", [name, words])
            assert page.locator(f".control[data-name={name}] .json-field").get_attribute("aria-invalid") == "true"
        for name, text, words in [("list", "[1, \"x\"]", "[1]: \"x\" is no Int"), ("list", "3", "3 is no List<Int>"), ("list", "[1.5]", "no Int"), ("list", "[1", "JSON"),
                                  ("people", '[{"name": "Max"}]', "[0].age is missing"), ("people", '[{"name": "Max", "age": "3"}]', "[0].age: \"3\" is no Int"),
                                  ("pairs", "[[1]]", "no (Int, String)")]:
            filled(name, text)
            marked(name, words)
            assert page.locator(f".control[data-name={name}] .json-field").input_value() == text
        filled("list", "[1, 2, 3]")
        shows(page, "all", "3")
        filled("people", '[{"name": "Max", "age": 3}]')
        shows(page, "who", "Max")
        filled("pairs", '[[1, "a"]]')
        page.get_by_role("button", name="send pairs").click()
        shows(page, "last", "1")
        assert page.locator(".toast").count() == 0, page.locator(".toast").all_text_contents()
        # What only the server can tell.
        filled("shapes", '["Triangle"]')
        marked("shapes", "shapes")
        assert page.locator(".toast").count() == 0 and page.locator(".control[data-name=shapes] .json-field").input_value() == '["Triangle"]'
        filled("shapes", '[{"Circle": 1.5}]')
        shows(page, "forms", "1")
        assert page.locator("[aria-invalid]").count() == 0
        assert page.complaints == [], page.complaints
