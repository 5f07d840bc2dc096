"""What people do with the page, in a browser. Every scenario has its own program and its own tab; waits are on conditions."""

import re
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import finding
import lessons
import past
import safety
import saving
import speed
import using
from drive import FLAGS, Served, opened
from kit import FRP, PICTURES, ROOT, SCENARIOS, scenario

FILTER = sys.argv[2]
# Each module adds its scenarios when it is imported.
MODULES = (using, past, speed, safety, lessons, finding, saving)


@scenario
def applications(browser):
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "examples" / "page").glob("*.frp")):
        reads = sorted(set(re.findall(r"/proc/[a-z]+(?:/[a-z]+)*", path.read_text())))
        with Served(FRP, path, *[f"--allow-read={file}" for file in reads]) as run:
            page = opened(browser, run.url)
            for scheme in ("light", "dark"):
                for width in (1280, 360):
                    page.emulate_media(color_scheme=scheme)
                    page.set_viewport_size({"width": width, "height": 800})
                    page.wait_for_timeout(250)
                    page.screenshot(path=PICTURES / f"{path.stem}-{scheme}-{width}.png", full_page=width == 360)
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path.stem} is wider than {width}"
            assert page.complaints == [], (path.stem, page.complaints)
            page.context.close()


def failure(one, browser):
    """Why a scenario fails; None where it does not."""
    try:
        one(browser)
        return None
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in where if "Tests/Page" in frame.filename]
        return f"{str(error)[:1500]}\n  at: {(ours or where)[-1].line}"
    finally:
        for context in browser.contexts:
            context.close()


def main():
    passed = failed = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for one in SCENARIOS:
            if FILTER not in one.__name__:
                continue
            start = time.monotonic()
            why = failure(one, browser)
            if why:
                # A browser on a machine that builds beside it may miss a wait: what is broken is broken twice.
                print(f"AGAIN {one.__name__}: {why}", flush=True)
                why = failure(one, browser)
            if why:
                failed += 1
                print(f"FAIL {one.__name__}: {why}", flush=True)
            else:
                passed += 1
                print(f"ok   {one.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        browser.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
