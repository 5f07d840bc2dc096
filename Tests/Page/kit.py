"""What all scenarios use: the program under test, the list of scenarios, and the commonest acts."""

import pathlib
import re
import socket
import statistics
import sys
import tempfile

from drive import Served, until

FRP = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="frp-page-"))
PICTURES = ROOT / ".build" / "page"
SCENARIOS = []

COUNTER = """\
/// How much a tap counts. @range 1 10
input step: Behavior<Int> = 1
input tap: Event<Unit>
input name: Behavior<String> = "ann"
input loud: Behavior<Bool> = true
type Mode = Calm | Wild
input mode: Behavior<Mode> = Calm
input spot: Behavior<{x: Float, y: Float}> = {x: 0.5, y: 0.5}
input order: Event<{item: String, count: Int}>

output total = tap |> fold(0, (n, _) => n + step)
output greeting = "hello {name}"
output wave = sin(time)
output isMany = total > 2
output taps = tap |> scan(0, (n, _) => n + 1)
output stock = Map.fromList([("tea", 3), ("milk", 5)])
output rows = [{at: 1.5, what: "<i>x</i>"}]
output chosen = mode
output bought = order |> map(o => "{o.count} {o.item}")
"""

SHAPES = """\
output picture = Page.svg(200.0, 120.0, List.range(0, 1000) |> map(shape))
shape(i) = Page.circle(100.0 + 90.0 * cos(time + toFloat(i)), 60.0 + 50.0 * sin(time * 0.7 + toFloat(i) * 1.7), 1.5, "accent")
"""


def scenario(function):
    SCENARIOS.append(function)
    return function


def program(name, text):
    path = FOLDER / f"{name}.frp"
    path.write_text(text)
    return path


def served(name, text, *flags):
    return Served(FRP, program(name, text), *flags)


def shows(page, name, text):
    until(page, "([name, text]) => document.querySelector(`.card[data-name=${name}] .view`)?.textContent.includes(text)", [name, text])


def press(page, name):
    page.locator(f".control[data-name={name}] .push").click()


def write(page, text):
    page.locator(".code-input").fill(text)


# How long an element takes to change after each of forty acts. A promise sees the change: whoever asks at each frame asks
# before the page has drawn it.
TIMED = """const changed = (element) => new Promise((done) => {
  const watch = new MutationObserver(() => {
    watch.disconnect();
    done();
  });
  watch.observe(element, { childList: true, characterData: true, subtree: true });
  setTimeout(done, 5000);
});
const timed = async (element, act) => {
  const times = [];
  for (let count = 0; count < 40; count += 1) {
    const change = changed(element);
    const start = performance.now();
    act(count);
    await change;
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 20 + 7 * (count % 5)));
  }
  return times;
};
"""


def type_moment(page, text):
    """Goes to a moment by writing it."""
    page.locator(".time-reading").click()
    page.locator(".time-field").fill(text)
    page.keyboard.press("Enter")


def drags(page):
    """How long the page takes to show another moment, once the slider was moved."""
    times = page.evaluate("async () => {" + TIMED + """
      const slider = document.querySelector('.time-slider');
      return timed(document.querySelector('.time-reading'), (count) => {
        slider.value = Number(slider.max) * (0.2 + 0.6 * (count % 2) + count / 200);
        slider.dispatchEvent(new Event('input'));
      });
    }""")
    median = statistics.median(times)
    assert median < 400, times
    return f"{median:.1f} ms at the median, {max(times):.1f} at most"


def asked(port, lines, body=b""):
    """Status, head and body of an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        answer = b""
        while True:
            if b"\r\n\r\n" in answer:
                head, rest = answer.split(b"\r\n\r\n", 1)
                size = re.search(rb"Content-Length: (\d+)", head)
                if b" 101 " in head[:20] or lines[0].startswith("HEAD") or len(rest) >= int(size[1] if size else 0):
                    return int(head.split()[1]), head.decode(), rest
            more = connection.recv(65536)
            if not more:
                return int(answer.split()[1]), answer.decode(errors="replace"), b""
            answer += more
