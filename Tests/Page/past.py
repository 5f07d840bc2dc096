"""Time that is dragged, and a past that is changed."""

from drive import drag_time, opened, sentence, until
from kit import COUNTER, drags, press, scenario, served, shows, type_moment, write


@scenario
def dragged_time(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1")
        press(page, "tap")
        shows(page, "total", "1")
        drag_time(page, 0.3)
        until(page, "() => document.body.dataset.mode === 'past'")
        shows(page, "total", "0")
        assert "changes the past" in sentence(page, ".controls-note")
        print(f"  a drag answered: {drags(page)}")
        page.get_by_role("button", name="Back to now").click()
        until(page, "() => document.body.dataset.mode === 'now'")
        shows(page, "total", "1")
        assert page.complaints == [], page.complaints


@scenario
def going_on_from_the_past(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1")
        press(page, "tap")
        shows(page, "total", "1")
        drag_time(page, 0.2)
        shows(page, "total", "0")
        page.get_by_role("button", name="Go on from here").click()
        until(page, "() => document.body.dataset.mode === 'now'")
        shows(page, "total", "0")
        assert not page.locator(".control[data-name=tap] .push").is_disabled()


@scenario
def controls_change_the_past(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1.5")
        press(page, "tap")
        shows(page, "total", "1")
        drag_time(page, 0.2)
        until(page, "() => document.body.dataset.mode === 'past'")
        shows(page, "total", "0")
        page.locator(".control[data-name=step] .number-field").fill("7")
        page.locator(".control[data-name=name] .text-field").fill("bob")
        until(page, "() => document.querySelector('.compare-side.is-old .digits')?.textContent === '1'")
        until(page, "() => document.querySelector('.compare-side.is-new .digits')?.textContent === '7'")
        press(page, "tap")
        until(page, "() => document.querySelector('.compare-side.is-new .digits')?.textContent === '14'")
        page.get_by_role("button", name="Drop it").click()
        until(page, "() => document.body.dataset.mode === 'past'")
        shows(page, "greeting", "hello ann")
        until(page, "() => document.querySelector('.control[data-name=step] .number-field').value === '1'")
        page.locator(".control[data-name=step] .number-field").fill("5")
        until(page, "() => document.querySelector('.compare-side.is-new .digits')?.textContent === '5'")
        page.get_by_role("button", name="Keep the new past").click()
        until(page, "() => document.body.dataset.mode === 'now'")
        shows(page, "total", "5")
        page.get_by_role("button", name="Bring the old one back").click()
        shows(page, "total", "1")
        until(page, "() => document.querySelector('.control[data-name=step] .number-field').value === '1'")
        # Before the tap, however long all this took.
        type_moment(page, "0.3")
        until(page, "() => document.body.dataset.mode === 'past'")
        page.locator(".control[data-name=step] .number-field").fill("5")
        until(page, "() => document.querySelector('.compare-side.is-new .digits')?.textContent === '5'")
        page.get_by_role("button", name="Keep the new past").click()
        until(page, "() => document.body.dataset.mode === 'now'")
        shows(page, "total", "5")
        press(page, "tap")
        shows(page, "total", "10")
        assert page.locator(".control[data-name=step] .number-field").input_value() == "5"
        # The lanes are those of the past that was kept: the step is 5 since then, not since now.
        page.locator(".lane-name", has_text="step").wait_for()
        drag_time(page, 0.5)
        until(page, "() => document.body.dataset.mode === 'past'")
        until(page, "() => document.querySelector('.control[data-name=step] .number-field').value === '5'")
        assert page.complaints == [], page.complaints


@scenario
def old_beside_new(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1")
        for _ in range(2):
            press(page, "tap")
        shows(page, "total", "2")
        page.keyboard.press("Escape")
        drag_time(page, 0.1)
        until(page, "() => document.body.dataset.mode === 'past'")
        write(page, COUNTER.replace("n + step", "n + step * 10"))
        until(page, "() => document.body.dataset.mode === 'compare'")
        until(page, "() => document.querySelector('.compare-side.is-old .digits')?.textContent === '2'")
        until(page, "() => [...document.querySelectorAll('.compare-side.is-new .digits')].some((one) => one.textContent === '20')")
        page.get_by_role("button", name="Drop it").click()
        until(page, "() => document.body.dataset.mode === 'past'")
        write(page, COUNTER.replace("n + step", "n + step * 10"))
        until(page, "() => document.body.dataset.mode === 'compare'")
        page.get_by_role("button", name="Keep the new past").click()
        until(page, "() => document.body.dataset.mode === 'now'")
        shows(page, "total", "20")
        assert "step * 10" in page.locator(".code-input").input_value()


STEPS = """\
input tap: Event<Unit>
count = tap |> fold(0, (n, _) => n + 1)
output picture = Page.svg(200.0, 100.0, List.range(0, 60) |> map(i => Page.circle(toFloat(i * 3), toFloat(count), 2.0, "accent")))
"""


@scenario
def long_values_of_the_past(browser):
    with served("steps", STEPS) as run:
        page = opened(browser, run.url)
        # Nothing moves, so no frame says that time goes on: the tap does.
        page.wait_for_timeout(1000)
        press(page, "tap")
        until(page, "() => document.querySelector('.code-hint') && [...document.querySelectorAll('.code-hint')].some((one) => one.textContent === '1')")
        drag_time(page, 0.1)
        until(page, "() => document.body.dataset.mode === 'past'")
        write(page, STEPS.replace("2.0", "4.0"))
        until(page, "() => document.body.dataset.mode === 'compare'")
        until(page, "() => document.querySelectorAll('.compare-side canvas').length === 2")
        assert page.complaints == [], page.complaints


BEGINS = """\
input gravity: Behavior<Float> = 9.5
width = 10 * 2
output size = width
output fall = gravity * 2.0
"""


@scenario
def the_start_of_the_past_is_changed(browser):
    with served("begins", BEGINS) as run:
        page = opened(browser, run.url)
        page.wait_for_timeout(600)
        page.keyboard.press("Escape")
        page.locator(".time-slider").focus()
        drag_time(page, 0)
        until(page, "() => document.body.dataset.mode === 'past'")
        # The start value of an input, and what is known once: both would have been so from the beginning.
        write(page, BEGINS.replace("9.5", "1.5").replace("10 * 2", "10 * 3"))
        until(page, "() => document.querySelector('.compare-summary')?.textContent.startsWith('2 of 2')")
        assert "from the beginning" in sentence(page, ".compare-summary")
        news = [text for text in page.locator(".compare-side.is-new .digits").all_text_contents() if text]
        assert "30" in news and "3.000" in news, news
        page.get_by_role("button", name="Keep the new past").click()
        until(page, "() => document.body.dataset.mode === 'now'")
        shows(page, "size", "30")
        shows(page, "fall", "3.0")
        write(page, BEGINS.replace("9.5", "2.5").replace("10 * 2", "10 * 3"))
        shows(page, "fall", "5.0")


@scenario
def what_was_left_comes_back(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        assert page.get_by_role("button", name="undo the last change").is_disabled()
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1")
        press(page, "tap")
        shows(page, "total", "1")
        for leave in ("back", "restart"):
            if leave == "back":
                drag_time(page, 0.2)
                shows(page, "total", "0")
                page.get_by_role("button", name="Go on from here").click()
            else:
                page.get_by_role("button", name="start again").click()
            shows(page, "total", "0")
            page.get_by_role("button", name="Bring it back").click()
            shows(page, "total", "1")
        press(page, "tap")
        shows(page, "total", "2")
        assert page.complaints == [], page.complaints


@scenario
def two_pasts_are_played(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 2")
        drag_time(page, 0.3)
        until(page, "() => document.body.dataset.mode === 'past'")
        write(page, COUNTER.replace("sin(time)", "cos(time)"))
        until(page, "() => document.body.dataset.mode === 'compare'")
        until(page, "() => document.querySelector('.compare-summary')?.textContent.startsWith('1 of')")
        # From the moment that was changed, by themselves.
        reading = "document.querySelector('.time-slider').value"
        until(page, f"() => Number({reading}) > 0.6 && Number({reading}) < 1.9")
        page.get_by_role("button", name="pause", exact=True).click()
        page.get_by_role("button", name="play both").click()
        start = float(page.evaluate(reading))
        until(page, f"() => Number({reading}) > {start} + 0.2")
        page.get_by_role("button", name="pause", exact=True).click()
        page.wait_for_timeout(100)
        still = page.evaluate(reading)
        page.wait_for_timeout(200)
        assert page.evaluate(reading) == still


LATER = """\
input level: Behavior<Float> = 1.0
input tap: Event<Unit>
output total = tap |> fold(0.0, (sum, _) => sum + level)
output way = integral(level)
"""


@scenario
def what_was_changed_later_changes_again(browser):
    with served("later", LATER) as run:
        page = opened(browser, run.url)
        field = ".control[data-name=level] .number-field"
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1.2")
        page.locator(field).fill("50")
        until(page, "() => [...document.querySelectorAll('.digits')].some((one) => Number(one.textContent) > 20)")
        type_moment(page, "0.5")
        until(page, "() => document.body.dataset.mode === 'past'")
        until(page, f"() => document.querySelector('{field}').value.startsWith('1')")
        assert page.locator(".time-reading").text_content().startswith("0.50")
        page.locator(field).fill("9")
        until(page, "() => document.body.dataset.mode === 'compare'")
        # At the end of the two pasts the control has what it was given later, once nobody writes in it; a sentence says so.
        page.locator(".banner-text").click()
        until(page, f"() => document.querySelector('{field}').value.startsWith('50')")
        assert "changes again: level at " in sentence(page, ".banner-hint"), sentence(page, ".banner-hint")
        # What is changed again is seen, where it counts.
        page.locator(field).fill("7")
        until(page, f"() => document.querySelector('{field}').value.startsWith('7')")
        assert page.complaints == [], page.complaints


@scenario
def the_past_is_played(browser):
    with served("counter", COUNTER) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 2")
        type_moment(page, "0.2 s")
        until(page, "() => document.body.dataset.mode === 'past'")
        reading = "Number(document.querySelector('.time-slider').value)"
        page.get_by_role("button", name="play from here").click()
        until(page, f"() => {reading} > 0.6 && document.body.dataset.mode === 'past'")
        page.get_by_role("button", name="pause", exact=True).click()
        page.wait_for_timeout(300)
        still = page.evaluate(reading)
        page.wait_for_timeout(300)
        assert page.evaluate(reading) == still
        # The speed is that of what is looked at; at its end the past is the present.
        page.locator(".speed").select_option("4")
        page.get_by_role("button", name="play from here").click()
        until(page, "() => document.body.dataset.mode === 'now'")
        assert page.locator(".speed").input_value() == "1"
        # What is no moment is none.
        type_moment(page, "soon")
        assert page.evaluate("document.body.dataset.mode") == "now"
        assert page.complaints == [], page.complaints


PLACED = """\
input name: Behavior<String> = "ann"
/// @range 0 100
input speed: Behavior<Float> = 10.0
output dist = integral(speed)
output page = Page.column([Page.text("hello {name}"), Page.show("name"), Page.show("speed"), Page.show("dist")])
output big = speed > 20.0
"""


@scenario
def the_page_is_used_in_the_past(browser):
    with served("placed", PLACED) as run:
        page = opened(browser, run.url)
        until(page, "() => Number(document.querySelector('.time-slider').max) > 1.5")
        type_moment(page, "1")
        until(page, "() => document.body.dataset.mode === 'past'")
        field = page.locator(".control[data-name=name] .text-field")
        field.click()
        page.keyboard.press("End")
        page.keyboard.type("a")
        until(page, "() => document.body.dataset.mode === 'compare'")
        page.keyboard.type("bel", delay=60)
        # The page is that of the new past, and what stands in it stands there only.
        until(page, "() => document.querySelector('.page-place').textContent.includes('hello annabel')")
        assert field.input_value() == "annabel" and field.is_visible()
        page.locator(".page-place .control[data-name=speed] .number-field").fill("50")
        until(page, "() => document.querySelector('.compare-summary').textContent.startsWith('3 of 3')")
        until(page, "() => document.querySelectorAll('.page-place .card[data-name=dist]').length === 1")
        until(page, "() => Number(document.querySelector('.page-place .card[data-name=dist] .digits').textContent) > 25")
        assert page.locator(".cards > .card[data-name=big]").count() == 0
        page.get_by_role("button", name="Drop it").click()
        shows(page, "big", "off")
        until(page, "() => document.querySelector('.part-text').textContent === 'hello ann'")
        assert page.complaints == [], page.complaints
