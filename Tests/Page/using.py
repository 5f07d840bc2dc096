"""Controls, views, the text, the keyboard, and who cannot see or shares."""

from axe_playwright_python.sync_playwright import Axe

from drive import Guest, drag_time, opened, sentence, until
from kit import COUNTER, FOLDER, press, scenario, served, shows, write

MARKUP = """\
input name: Behavior<String> = "<img src=x onerror=window.broken=1>"
output greeting = name
output page = Page.column([Page.text(name), Page.markdown("# {name}\\n\\n*{name}* [x](javascript:window.broken=2)"), Page.show("greeting")])
"""


@scenario
def controls_and_views(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        press(page, "tap")
        shows(page, "total", "1")
        page.locator(".control[data-name=name] .text-field").fill("bob")
        shows(page, "greeting", "hello bob")
        page.get_by_role("radio", name="Wild").check(force=True)
        shows(page, "chosen", "Wild")
        page.locator(".control[data-name=step] .number-field").fill("5")
        press(page, "tap")
        shows(page, "total", "6")
        shows(page, "isMany", "on")
        form = page.locator(".control[data-name=order]")
        form.locator(".text-field").fill("tea")
        form.locator(".number-field").fill("4")
        form.get_by_role("button", name="send order").click()
        shows(page, "bought", "4 tea")
        shows(page, "stock", "milk")
        shows(page, "rows", "<i>x</i>")
        assert page.complaints == [], page.complaints


DIGITS = """\
input n: Behavior<Int> = 1
input sent: Event<{age: Int, who: String, scores: List<Int>}>
input none: Behavior<Option<Int>> = None
output quotient = 10 % n
output plain = "n={n}"
output cents = 9007199254740993
output many = [-9007199254740993, 2]
output last = sent |> map(s => "{s.age} {s.scores}")
output kept = sent |> map(s => s.age) |> hold(0)
"""


@scenario
def every_digit_counts(browser):
    with served("digits", DIGITS) as run:
        page = opened(browser, run.url, width=1280, height=900)
        shows(page, "cents", "9\u202f007\u202f199\u202f254\u202f740\u202f993")
        shows(page, "many", "\u22129\u202f007\u202f199\u202f254\u202f740\u202f993")
        field = page.locator(".control[data-name=n] .number-field")
        field.fill("9007199254740993")
        shows(page, "plain", "n=9007199254740993")
        field.blur()
        assert field.input_value() == "9007199254740993", field.input_value()
        field.focus()
        page.keyboard.press("ArrowUp")
        # The slider's step is a part of what it goes through.
        until(page, "() => /n=90071992547409\\d\\d/.test(document.querySelector('.card[data-name=plain] .view').textContent)")
        field.fill("9223372036854775808")
        assert field.get_attribute("aria-invalid") == "true"
        form = page.locator(".control[data-name=sent]")
        box = form.locator(".json-field")
        form.locator(".number-field").fill("-9223372036854775808")
        box.fill("[9007199254740993, 9007199254740995]")
        send = form.get_by_role("button", name="send sent")
        send.click()
        shows(page, "last", "-9223372036854775808 [9007199254740993, 9007199254740995]")
        shows(page, "kept", "\u22129\u202f223\u202f372\u202f036\u202f854\u202f775\u202f808")
        # Nothing lies over anything else.
        places = [one.bounding_box() for one in [form.locator(".number-field"), form.locator(".text-field"), box, send]]
        for index, one in enumerate(places):
            for other in places[:index]:
                apart = one["x"] >= other["x"] + other["width"] or other["x"] >= one["x"] + one["width"]
                assert apart or one["y"] >= other["y"] + other["height"] or other["y"] >= one["y"] + one["height"], places
        until(page, "() => [...document.querySelectorAll('.code *')].some((one) => one.textContent.trim() === 'none')")
        with page.expect_download() as download:
            page.get_by_role("button", name="Share").click()
        download.value.save_as(FOLDER / "digits.html")
        assert page.complaints == [], page.complaints
    page = opened(browser, (FOLDER / "digits.html").as_uri())
    shows(page, "cents", "9\u202f007\u202f199\u202f254\u202f740\u202f993")
    assert page.complaints == [], page.complaints


@scenario
def what_was_undone_is_given_back(browser):
    with served("digits", DIGITS) as run:
        page = opened(browser, run.url)
        control = page.locator(".control[data-name=n]")
        control.locator(".number-field").fill("4")
        shows(page, "plain", "n=4")
        control.locator(".number-field").fill("0")
        until(page, "() => document.querySelector('.control[data-name=n] .number-field').value === '4'")
        assert control.locator(".slider").input_value() == "4"
        until(page, "() => document.querySelector('.toast.is-fault')")
        told = sentence(page, ".toast.is-fault p")
        assert told.startswith("division by zero in `quotient`, at ") and told.endswith(" s: the divisor is 0 here"), told


@scenario
def edits_keep_state_and_controls(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        for _ in range(3):
            press(page, "tap")
        page.locator(".control[data-name=name] .text-field").fill("bob")
        page.locator(".control[data-name=order] .text-field").fill("a draft")
        shows(page, "total", "3")
        write(page, COUNTER.replace("hello {name}", "bye {name}"))
        shows(page, "greeting", "bye bob")
        shows(page, "total", "3")
        assert page.locator(".control[data-name=order] .text-field").input_value() == "a draft"
        write(page, COUNTER.replace("hello {name}", "bye {nme}"))
        page.wait_for_selector(".problem.is-error")
        assert page.locator(".mark-error").count() > 0
        shows(page, "greeting", "bye bob")
        assert "goes on" in sentence(page, ".editor-status")
        page.locator(".problem-fix").first.click()
        until(page, "() => document.querySelectorAll('.problem.is-error').length === 0")
        shows(page, "total", "3")


@scenario
def markup_is_text(browser):
    with served("markup", MARKUP) as run:
        page = opened(browser, run.url)
        shows(page, "greeting", "<img src=x")
        until(page, "() => document.querySelector('.part-markdown h2')?.textContent.includes('<img src=x')")
        page.locator(".control[data-name=name] .text-field").fill("<script>window.broken=3</script>")
        shows(page, "greeting", "<script>")
        assert page.evaluate("window.broken") is None
        assert page.locator("img, a[href^=javascript]").count() == 0
        assert page.complaints == [], page.complaints


@scenario
def keyboard_only(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        def reach(words):
            for _ in range(80):
                page.keyboard.press("Tab")
                if page.evaluate("(words) => (document.activeElement.getAttribute('aria-label') || document.activeElement.textContent) === words", words):
                    return
            raise AssertionError(f"no key leads to {words}")
        reach("tap")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.keyboard.press("Enter")
        shows(page, "total", "1")
        page.keyboard.press("Space")
        shows(page, "total", "2")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Space")
        until(page, "() => document.querySelector('.play').getAttribute('aria-label') === 'go on'")
        page.keyboard.press("ArrowLeft")
        until(page, "() => document.body.dataset.mode === 'past'")
        page.keyboard.press("Escape")
        until(page, "() => document.body.dataset.mode === 'now'")
        reach("total")
        page.keyboard.press("Enter")
        until(page, "() => document.querySelector('.why-lines .why-line')")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.textContent") == "total"


@scenario
def accessibility(browser):
    with served("counter", COUNTER) as run:
        for width, scheme in ((1280, "light"), (360, "dark")):
            page = opened(browser, run.url, width=width, scheme=scheme)
            shows(page, "total", "")
            page.wait_for_timeout(300)
            found = Axe().run(page).response["violations"]
            told = [f"{one['id']} ({one['impact']}): {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]
            assert not told, "\n".join(told)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"


@scenario
def twenty_tabs(browser):
    with served("counter", COUNTER) as run:
        first = opened(browser, run.url, width=800, height=500)
        tabs = [first.context.new_page() for _ in range(19)]
        for tab in tabs:
            tab.goto(run.url)
        press(first, "tap")
        for tab in tabs:
            # A tab behind others draws nothing until it is before them.
            tab.bring_to_front()
            shows(tab, "total", "1")


@scenario
def shared_file(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1")
        press(page, "tap")
        shows(page, "total", "1")
        with page.expect_download() as download:
            page.get_by_role("button", name="Share").click()
        path = FOLDER / "shared.html"
        download.value.save_as(path)
    page = opened(browser, path.as_uri())
    shows(page, "total", "1")
    drag_time(page, 0.1)
    shows(page, "total", "0")
    assert page.complaints == [], page.complaints


@scenario
def less_motion(browser):
    with served("counter", COUNTER) as run:
        context = browser.new_context(reduced_motion="reduce")
        page = context.new_page()
        page.goto(run.url)
        page.wait_for_selector("body.is-ready")
        press(page, "tap")
        shows(page, "total", "1")
        moving = page.evaluate("""() => [...document.querySelectorAll('*')].flatMap((one) => ['', '::before', '::after'].map((part) => getComputedStyle(one, part)))
          .filter((style) => [style.animationDuration, style.transitionDuration].some((text) => text.split(',').some((one) => parseFloat(one) > 0.001))).length""")
        assert moving == 0, f"{moving} elements move"


FORM = """\
input name: Behavior<String> = ""
input age: Behavior<Int> = 3
input agree: Behavior<Bool> = false
tooShort = if size(name) < 3 && name != "" then [Page.text("too short")] else []
odd = if age % 2 == 1 then [Page.markdown("*odd*")] else []
body = [Page.markdown("## Sign up")] ++ tooShort ++ [Page.column(odd ++ [Page.show("name")]), Page.show("age"), Page.enabled(agree, Page.text("ok")), Page.show("agree")]
output page = if name == "wide" then Page.row(body) else Page.column(odd ++ body)
"""


@scenario
def what_has_the_focus_keeps_it(browser):
    with served("form", FORM) as run:
        page = opened(browser, run.url)
        field = page.locator(".control[data-name=name] .text-field")
        field.click()
        page.evaluate("window.lost = 0; document.activeElement.addEventListener('blur', () => { window.lost += 1; })")
        # A part appears above the field after the first letter, and goes after the third; the caret stands within the text.
        for text, caret in [("Aa", 1), ("nn", 2)]:
            page.keyboard.type(text, delay=60)
            page.keyboard.press("ArrowLeft")
            assert page.evaluate("document.activeElement.selectionStart") == caret
        assert field.input_value() == "Anna", field.input_value()
        until(page, "() => !document.querySelector('.page-place').textContent.includes('too short')")
        # Parts go and come in two lists at once; the list itself becomes another.
        with Guest(run.port, run.token) as other:
            for age, text in [(4, "even"), (5, "odd")]:
                other.say(do="send", name="age", value=age)
                until(page, f"() => document.querySelectorAll('.page-place em').length === {2 * (age % 2)}")
        field.fill("wid")
        page.keyboard.type("e")
        until(page, "() => document.querySelector('.view-page').dataset.part === 'Row'")
        page.keyboard.type("r")
        until(page, "() => document.querySelector('.view-page').dataset.part === 'Column'")
        assert field.input_value() == "wider" and page.evaluate("window.lost") == 0, (field.input_value(), page.evaluate("window.lost"))
        assert page.complaints == [], page.complaints


SWITCHED = """\
input on: Behavior<Bool> = true
input name: Behavior<String> = ""
input other: Behavior<String> = ""
output page = Page.column([Page.enabled(on, Page.show("name")), Page.show("other")])
"""


@scenario
def what_is_switched_off_gets_the_focus_back(browser):
    with served("switched", SWITCHED) as run:
        page = opened(browser, run.url)
        where = "() => (document.activeElement.closest('.control') || document.activeElement).dataset.name || ''"
        off = "(isOff) => document.querySelector('.part-enabled').disabled === isOff"
        with Guest(run.port, run.token) as other:
            def switched(on):
                other.say(do="send", name="on", value=on)
                until(page, off, not on)
            page.locator(".control[data-name=name] .text-field").click()
            page.keyboard.type("A")
            switched(False)
            until(page, f"() => ({where})() === ''")
            switched(True)
            until(page, f"() => ({where})() === 'name'")
            page.keyboard.type("b")
            until(page, "() => document.querySelector('.control[data-name=name] .text-field').value === 'Ab'")
            # Who has gone elsewhere stays there.
            switched(False)
            page.locator(".control[data-name=other] .text-field").click()
            switched(True)
            assert page.evaluate(where) == "other", page.evaluate(where)
        assert page.complaints == [], page.complaints


PLACES = """\
input n: Behavior<Int> = 1
input m: Behavior<Int> = 1
output half = div(n, 2)
output twice = n * 2
first = [Page.show("n"), Page.show("half")]
output page = Page.column(if n > 6 then [Page.show("n")] else if n > 3 then [Page.show("m"), Page.show("half")] ++ first else first)
"""


@scenario
def the_page_is_what_it_shows_now(browser):
    with served("places", PLACES) as run:
        page = opened(browser, run.url)
        for n, inside, beside in [(1, ["n", "half"], ["m", "twice"]), (5, ["m", "half", "n"], ["twice"]), (2, ["n", "half"], ["m", "twice"]),
                                  (7, ["n"], ["m", "half", "twice"]), (5, ["m", "half", "n"], ["twice"])]:
            page.locator(".control[data-name=n] .number-field").fill(str(n))
            names = "(place) => [...document.querySelectorAll(place)].map((one) => one.dataset.name).join(' ')"
            until(page, f"([inside, beside]) => ({names})('.page-place .part-show > *') .trim() === inside && ({names})('.controls-list .control, .cards > .card') === beside",
                  [" ".join(inside), " ".join(beside)])
        assert page.complaints == [], page.complaints


KEYS = """\
type Filter = All | Active | Completed
input show: Behavior<Filter> = All
input keys: Event<{key: String, down: Bool}> from Page.keys
output shown = show
output told = keys |> scan("", (all, k) => all ++ k.key ++ (if k.down then "+ " else "- "))
"""


@scenario
def a_choice_by_arrows(browser):
    for text in (KEYS, COUNTER):
        with served("choice", text) as run:
            page = opened(browser, run.url)
            until(page, "() => Number(document.querySelector('.time-slider').max) > 0.5")
            page.locator(".segment input").first.focus()
            page.keyboard.press("ArrowRight")
            shows(page, *(("shown", "Active") if text == KEYS else ("chosen", "Wild")))
            assert page.evaluate("document.body.dataset.mode") == "now"
            if text == KEYS:
                page.keyboard.press("ArrowDown")
                shows(page, "shown", "Completed")
                page.keyboard.press("x")
                shows(page, "told", "x+ x- ")
                assert sentence(page, ".card[data-name=told] .view").strip().startswith("x+ x-")


@scenario
def keys_that_are_held(browser):
    with served("keys", KEYS) as run:
        page = opened(browser, run.url)
        tools = page.context.new_cdp_session(page)
        told = "x+ "
        def then(act, words):
            nonlocal told
            act()
            told += words
            shows(page, "told", told)
        page.keyboard.down("x")
        page.keyboard.down("Shift")
        # With Shift the key that comes up has another name.
        tools.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": "X", "code": "KeyX", "modifiers": 8, "windowsVirtualKeyCode": 88})
        then(lambda: page.keyboard.up("Shift"), "Shift+ x- Shift- ")
        page.keyboard.down("ArrowRight")
        page.keyboard.down("Control")
        then(lambda: page.keyboard.up("ArrowRight"), "ArrowRight+ ArrowRight- ")
        # Shortcuts of the browser are not the program's.
        page.keyboard.press("c")
        page.keyboard.up("Control")
        then(lambda: page.keyboard.down("y"), "y+ ")
        then(lambda: page.evaluate("dispatchEvent(new Event('blur'))"), "y- ")
        page.keyboard.up("y")
        then(lambda: page.keyboard.down("ArrowLeft"), "ArrowLeft+ ")
        page.reload()
        page.wait_for_selector("body.is-ready")
        then(lambda: page.keyboard.press("z"), "ArrowLeft- z+ z- ")
        prevented = page.evaluate("""() => ['F5', 'F12', 'Home', 'PageDown', ' ', 'ArrowUp'].filter((key) => {
          const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
          document.body.dispatchEvent(event);
          return event.defaultPrevented;
        })""")
        assert prevented == [" ", "ArrowUp"], prevented
        assert page.complaints == [], page.complaints


NUMBERS = """\
input order: Event<Int>
input price: Event<Float>
input both: Event<{item: String, count: Int}>
/// @range 0 1
/// @step 0.1
input part: Behavior<Float> = 0.0
input amount: Behavior<Float> = 1.5
output ordered = order |> map(n => "{n}") |> hold("none")
output priced = price |> map(n => "{n}") |> hold("none")
output boths = both |> map(r => "{r.count} {r.item}") |> hold("none")
output parts = "{part}"
output amounts = "{amount}"
"""


@scenario
def numbers_as_they_are_typed(browser):
    with served("numbers", NUMBERS) as run:
        page = opened(browser, run.url)
        def typed(name, text, *keys):
            field = page.locator(f".control[data-name={name}] .number-field")
            field.fill("")
            page.keyboard.type(text)
            for key in keys:
                page.keyboard.press(key)
            return field
        for name, text, words in [("order", "12x", "12x is no number"), ("order", "", "a number is missing"), ("order", "3.7", "3.7 is no whole number"), ("order", "1,500", "1,500 is no number"),
                                  ("price", "1,234.50", "behind a point"), ("amount", "1.5.", "is no number"), ("order", "9" * 20, "is too large")]:
            typed(name, text, "Enter")
            if name != "amount":
                page.locator(f".control[data-name={name}] .send").click()
            assert words in sentence(page, f".control[data-name={name}] .field-problem"), (text, sentence(page, f".control[data-name={name}] .field-problem"))
        typed("order", "77", "Enter")
        shows(page, "ordered", "77")
        typed("price", "1234.5", "Enter")
        shows(page, "priced", "1234.5")
        assert sentence(page, ".control[data-name=order] .field-problem") == ""
        page.locator(".control[data-name=both] .text-field").fill("tea")
        typed("both", "5", "Enter")
        shows(page, "boths", "5 tea")
        assert sentence(page, ".card[data-name=ordered] .view").strip() == "77"
        # Steps are decimal, and no digit goes.
        page.locator(".control[data-name=part] .number-field").focus()
        for _ in range(3):
            page.keyboard.press("ArrowUp")
        until(page, "() => document.querySelector('.card[data-name=parts] .view').textContent.trim() === '0.3'")
        field = typed("amount", "12345678.5525")
        shows(page, "amounts", "12345678.5525")
        field.blur()
        assert field.input_value() == "12345678.5525", field.input_value()
        # What is still for an input method is not sent.
        text = page.locator(".control[data-name=both] .text-field")
        text.fill("milk")
        text.evaluate("(field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))")
        page.wait_for_timeout(150)
        assert "tea" in sentence(page, ".card[data-name=boths] .view")
        assert page.complaints == [], page.complaints


@scenario
def two_who_change_the_same(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        field = page.locator(".control[data-name=name] .text-field")
        slider = page.locator(".control[data-name=step] .slider")
        with Guest(run.port, run.token) as other:
            # While a field is in hand it stays as it is; then it shows what the run has.
            field.fill("bob")
            shows(page, "greeting", "hello bob")
            page.wait_for_timeout(350)
            other.say(do="send", name="name", value="eve")
            shows(page, "greeting", "hello eve")
            assert field.input_value() == "bob"
            field.blur()
            until(page, "() => document.querySelector('.control[data-name=name] .text-field').value === 'eve'")
            # At the same time: the last is that of the other.
            slider.evaluate("(slider) => { slider.value = 7; slider.dispatchEvent(new Event('input')); }")
            other.say(do="send", name="step", value=8)
            until(page, "() => document.querySelector('.control[data-name=step] .number-field').value === '8'")
            assert slider.input_value() == "8"


MAPS = """\
input put: Event<{key: String, value: String}>
output table = put |> fold(Map.fromList([("m", "first"), ("10", "ten")]), (all, p) => all |> Map.set(p.key, p.value))
output counts = table |> Map.map(v => size(v))
output dollars = Map.fromList([("$fault", "no fault"), ("a", "b")])
people = "\\u{1F469}\\u{200D}\\u{1F469}\\u{200D}\\u{1F467}"
output long = [{text: "buy milk, eggs, bread and butter for the party on Friday" ++ people ++ people}, {text: "short"}]
output list = ["a sentence that is quite long, since it says what should be done, by whom, until when, and why, in so many words " ++ people ++ people]
"""


@scenario
def maps_and_long_texts(browser):
    with served("maps", MAPS) as run:
        for scheme in ("light", "dark"):
            page = opened(browser, run.url, scheme=scheme)
            shows(page, "table", "ten")
            keys = "() => [...document.querySelectorAll('.card[data-name=table] .tree-children .tree-leaf')].map((one) => one.firstChild.textContent)"
            if scheme == "light":
                with Guest(run.port, run.token) as other:
                    for key in ("z", "9", "a"):
                        other.say(do="send", name="put", value={"key": key, "value": "v" + key})
                        shows(page, "table", "v" + key)
                    shown = page.evaluate(keys)
                    other.say(do="seek", to=1e9)
                    assert shown == list(other.wait("past")["values"]["table"]), shown
            else:
                # Who comes later sees the same order.
                until(page, "() => document.querySelectorAll('.card[data-name=table] .tree-leaf').length === 5")
                assert page.evaluate(keys) == shown, (page.evaluate(keys), shown)
            assert page.locator(".card[data-name=counts] .bar-name").all_text_contents() == shown
            shows(page, "dollars", "no fault")
            assert page.locator(".view-fault").count() == 0
            cell = page.locator(".card[data-name=long] td").first
            assert cell.get_attribute("title").endswith(2 * "\U0001F469\u200D\U0001F469\u200D\U0001F467"), cell.get_attribute("title")
            assert cell.text_content().endswith("Friday\u2026"), cell.text_content()
            assert not page.locator(".card[data-name=long] td").nth(1).get_attribute("title")
            assert page.locator(".card[data-name=list] li").get_attribute("title").startswith("a sentence")
            page.wait_for_timeout(300)
            told = [one["nodes"][0]["html"][:120] for one in Axe().run(page).response["violations"]]
            assert not told, told
            assert page.complaints == [], page.complaints


@scenario
def a_graph_larger_than_its_panel(browser):
    chain = "input n: Behavior<Int> = 1\n" + "".join(f"d{i} = {'n' if i == 0 else f'd{i - 1}'} + 1\n" for i in range(40)) + "output last = d39\n"
    with served("long_graph", chain) as run:
        page = opened(browser, run.url)
        shows(page, "last", "41")
        overflow = "() => { const graph = document.querySelector('.graph'); return graph.scrollWidth - graph.clientWidth; }"
        assert page.evaluate(overflow) > 1000
        page.get_by_role("button", name="show the whole graph").click()
        assert page.evaluate(overflow) <= 0
        box = page.locator(".graph-picture").bounding_box()
        assert box["width"] > 100 and box["height"] > 0, box
        # It stays so for who comes again.
        page.reload()
        shows(page, "last", "41")
        assert page.evaluate(overflow) <= 0
        page.get_by_role("button", name="show the whole graph").click()
        assert page.evaluate(overflow) > 1000
        assert page.complaints == []
