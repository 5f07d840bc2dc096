"""Texts with programs in them."""

import pathlib
import tempfile

from axe_playwright_python.sync_playwright import Axe

from drive import Served, sentence, until
from kit import FOLDER, FRP, PICTURES, ROOT, press, scenario, shows, write

LESSON = """\
# A lesson with <b>marks</b>

Words, `code` and **more**, [the next](two.md).

| a | b |
|---|---|
| 1 | 2 |

```frp
input tap: Event<Unit>
output total = tap |> fold(0, (n, _) => n + 1)
output wave = sin(time)
```

- one
  goes on
- two

```frp
output wrong = nobody
```

```sh
frp serve
```
"""


def lesson(*chapters):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lesson-", dir=FOLDER))
    for name, text in chapters:
        (folder / name).write_text(text)
    return Served(FRP, folder, "--lesson")


def read(browser, run, width=1280, scheme="light"):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(run.url)
    page.wait_for_selector(".program.is-here", timeout=30000)
    return page


def part(page, number):
    """The frame of a program, once it is there."""
    frame = page.wait_for_selector(f"iframe[title='program {number}']").content_frame()
    frame.wait_for_selector("body.is-ready")
    return frame


@scenario
def a_lesson(browser):
    with lesson(("one.md", LESSON), ("two.md", "# Two\n\n```frp\noutput two = 2\n```\n")) as run:
        page = read(browser, run)
        assert sentence(page, "h1") == "A lesson with <b>marks</b>"
        assert page.locator("td").all_text_contents() == ["1", "2"]
        assert page.locator(".lesson-text li").all_text_contents() == ["one goes on", "two"]
        frame = part(page, 1)
        press(frame, "tap")
        shows(frame, "total", "1")
        write(frame, LESSON.split("```frp\n")[1].split("```")[0].replace("n + 1", "n + 10"))
        until(frame, "() => document.querySelector('.editor-status').dataset.kind === 'right' && document.querySelector('.editor-status').textContent.includes('kept')")
        press(frame, "tap")
        shows(frame, "total", "11")
        frame.locator(".time-slider").focus()
        frame.press(".time-slider", "ArrowLeft")
        until(frame, "() => document.body.dataset.mode === 'past'")
        # A program that does not check is there with its mistakes, and runs once it is right.
        other = part(page, 2)
        other.wait_for_selector(".problem.is-error")
        write(other, "output wrong = 4")
        shows(other, "wrong", "4")
        assert page.locator("iframe").count() == 2
        # The other chapter, and back: what was changed is still so.
        page.get_by_role("link", name="the next").click()
        shows(part(page, 3), "two", "2")
        page.go_back()
        shows(part(page, 1), "total", "11")
        assert page.complaints == [], page.complaints


@scenario
def a_long_lesson(browser):
    texts = "".join(f"## Part {index}\n\n```frp\noutput x = {index}\noutput y = x + 1\noutput z = time\n```\n" for index in range(24))
    with lesson(("one.md", "# Many\n\n" + texts)) as run:
        page = read(browser, run)
        most = 0
        for number in (8, 16, 24, 1, 24):
            page.evaluate("(number) => document.querySelectorAll('.program')[number - 1].scrollIntoView()", number)
            frame = part(page, number)
            shows(frame, "x", str(number - 1))
            most = max(most, page.locator("iframe").count())
        assert 0 < most <= 8, f"{most} programs are in frames"
        assert page.complaints == [], page.complaints


@scenario
def lessons_look_right(browser):
    PICTURES.mkdir(parents=True, exist_ok=True)
    with Served(FRP, ROOT / "docs" / "lessons", "--lesson") as run:
        for width, scheme in ((1280, "light"), (360, "dark")):
            page = read(browser, run, width, scheme)
            page.wait_for_timeout(500)
            page.screenshot(path=PICTURES / f"lesson-{scheme}-{width}.png")
            for frame in [page, *page.frames[1:]]:
                if frame is page or frame.evaluate("document.body.classList.contains('is-ready')"):
                    assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width}"
            found = Axe().run(page).response["violations"]
            told = [f"{one['id']} ({one['impact']}): {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]
            assert not told, "\n".join(told)
            assert page.complaints == [], page.complaints
