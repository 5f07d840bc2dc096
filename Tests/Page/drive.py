"""A served program and a browser that looks at it."""

import re
import subprocess
import threading

FLAGS = ["--no-sandbox", "--disable-gpu"]


class Served:
    """`frp serve FILE`, until the end of a `with`."""

    def __init__(self, frp, file, *flags):
        self.process = subprocess.Popen([frp, "serve", str(file), *flags], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = []
        self.addresses = []
        wanted = 2 if "--viewers" in flags else 1
        while len(self.addresses) < wanted:
            line = self.process.stdout.readline()
            if not line:
                self.process.kill()
                raise AssertionError("frp serve ended: " + "".join(self.said))
            self.said.append(line)
            self.addresses += re.findall(r"http://\S+#\w+", line)
        # Who does not read what a process says stops it at last.
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    @property
    def url(self):
        return self.addresses[0]

    @property
    def port(self):
        return int(re.search(r":(\d+)/", self.url)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def opened(browser, url, width=1280, height=800, scheme="light"):
    """A page that has been told its program. What it complains of is in `page.complaints`."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True)
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(url)
    page.wait_for_selector("body.is-ready", timeout=30000)
    return page


def sentence(page, selector):
    return page.locator(selector).first.text_content() or ""


def until(page, expression, argument=None, timeout=20000):
    page.wait_for_function(expression, arg=argument, timeout=timeout)


def drag_time(page, part):
    """Drags the time slider to a part of the run."""
    box = page.locator(".time-slider").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 16, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + box["width"] * (1 - (1 - part) * step / 8), y)
    page.mouse.up()
