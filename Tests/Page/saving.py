"""The file behind the page: another editor writes it, and the page saves in it."""

import os

from drive import opened, until
from kit import FOLDER, scenario, served, shows, write

BEFORE = "input tap: Event<Unit>\noutput taps = tap |> fold(0, (n, _) => n + 1)\noutput word = \"first\"\n"
AFTER = BEFORE.replace("first", "new")
WRONG = BEFORE.replace("\"first\"", "nothing")
MARK = "() => document.querySelector('.unsaved').textContent"
SAVED = f"() => !({MARK})()"


def toast(page, words):
    until(page, "(words) => document.querySelector('.toasts').textContent.includes(words)", words)


def text(page):
    return page.locator(".code-input").input_value()


@scenario
def what_another_editor_writes(browser):
    with served("followed", BEFORE) as run:
        file = FOLDER / "followed.frp"
        page = opened(browser, run.url)
        page.locator(".control[data-name=tap] .push").click()
        shows(page, "taps", "1")
        file.write_text(AFTER)
        shows(page, "word", "new")
        shows(page, "taps", "1")
        assert text(page) == AFTER
        # A mistake is told with its line, and the run goes on.
        file.write_text(WRONG)
        toast(page, "line 3")
        assert text(page) == AFTER
        page.locator(".control[data-name=tap] .push").click()
        shows(page, "taps", "2")
        # An editor that puts another file in its place, and one that empties it first.
        other = FOLDER / "followed.new"
        other.write_text(BEFORE.replace("first", "replaced"))
        os.replace(other, file)
        shows(page, "word", "replaced")
        file.write_text("")
        page.wait_for_timeout(900)
        assert "replaced" in text(page)
        file.write_text(BEFORE)
        shows(page, "word", "first")
        shows(page, "taps", "2")
        # Anybody may take it back.
        page.get_by_role("button", name="undo the last change of the program").click()
        shows(page, "word", "replaced")
        # A draft is nobody's to overwrite.
        write(page, WRONG)
        page.wait_for_selector(".problem.is-error")
        file.write_text(AFTER)
        page.wait_for_selector(".editor-question:not([hidden])")
        assert text(page) == WRONG
        page.get_by_role("button", name="Take theirs").click()
        assert text(page) == AFTER
        assert page.complaints == []


@scenario
def saved_in_the_file(browser):
    with served("saved", BEFORE, "--save", "--viewers") as run:
        file = FOLDER / "saved.frp"
        file.chmod(0o640)
        page = opened(browser, run.url)
        theirs = opened(browser, run.url)
        viewer = opened(browser, run.addresses[1])
        button = page.get_by_role("button", name="save in saved.frp")
        until(page, SAVED)
        assert button.is_disabled() and viewer.get_by_role("button", name="save in saved.frp").count() == 0
        write(page, AFTER)
        shows(page, "word", "new")
        until(page, f"() => ({MARK})() === '• not saved'")
        until(theirs, f"() => ({MARK})() === '• not saved'")
        assert file.read_text() == BEFORE
        page.locator(".code-input").press("Control+s")
        until(page, SAVED)
        until(theirs, SAVED)
        assert file.read_text() == AFTER and file.stat().st_mode & 0o777 == 0o640
        assert page.evaluate(MARK) == "" and viewer.evaluate(MARK) == ""
        # What does not check is saved as well: the run goes on with what does.
        write(page, WRONG)
        page.wait_for_selector(".problem.is-error")
        button.click()
        until(page, SAVED)
        assert file.read_text() == WRONG
        until(theirs, f"() => ({MARK})() === '• not saved'")
        shows(page, "word", "new")
        # Another editor has been there: one is asked.
        file.write_text(WRONG.replace("nothing", "something"))
        toast(page, "is not taken")
        write(page, BEFORE)
        shows(page, "word", "first")
        button.click()
        toast(page, "nothing is written over that")
        assert "something" in file.read_text()
        page.get_by_role("button", name="Write over it").click()
        until(page, SAVED)
        assert file.read_text() == BEFORE
        # Where it cannot be written it says so, and what was there stays.
        file.unlink()
        file.mkdir()
        write(page, AFTER)
        shows(page, "word", "new")
        button.click()
        toast(page, "saved.frp is not saved")
        file.rmdir()
        button.click()
        until(page, SAVED)
        assert file.read_text() == AFTER
        assert page.complaints == [] and theirs.complaints == [] and viewer.complaints == []


@scenario
def saved_as_a_download(browser):
    with served("downloaded", BEFORE) as run:
        page = opened(browser, run.url)
        until(page, "() => document.querySelector('.card[data-name=word]')")
        write(page, WRONG)
        with page.expect_download() as download:
            page.keyboard.press("Control+s")
        assert download.value.suggested_filename == "downloaded.frp"
        assert open(download.value.path()).read() == WRONG
        assert (FOLDER / "downloaded.frp").read_text() == BEFORE
        assert page.complaints == []


@scenario
def what_the_program_imports(browser):
    module = FOLDER / "Words.frp"
    for name in ("Marks.frp", "Signs.frp"):
        (FOLDER / name).unlink(missing_ok=True)
    module.write_text("greet(n) = \"hello {n}\"\n")
    with served("importing", "import Words\ninput tap: Event<Unit>\nn = tap |> fold(0, (n, _) => n + 1)\noutput word = Words.greet(n)\n") as run:
        page = opened(browser, run.url)
        page.locator(".control[data-name=tap] .push").click()
        shows(page, "word", "hello 1")
        module.write_text("greet(n) = \"good day {n}\"\n")
        shows(page, "word", "good day 1")
        module.write_text("greet(n) = \"good night {m}\"\n")
        toast(page, "Words.frp, line 1")
        page.locator(".control[data-name=tap] .push").click()
        shows(page, "word", "good day 2")
        module.write_text("greet(n) = \"good night {n}\"\n")
        shows(page, "word", "good night 2")
        # A text is refused for what it imports, and taken once that is there; also where that is only imported by another.
        file = FOLDER / "importing.frp"
        text = file.read_text()
        file.write_text("import Marks\n" + text.replace("Words.greet(n)", "Words.greet(n) ++ Marks.end"))
        toast(page, "importing.frp has been changed and is not taken")
        (FOLDER / "Marks.frp").write_text("import Signs\nend = Signs.end\n")
        toast(page, "Marks.frp, line 1")
        (FOLDER / "Signs.frp").write_text("end = \"!\"\n")
        shows(page, "word", "good night 2!")
        assert page.complaints == []
