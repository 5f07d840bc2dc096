"""How long a key takes to come back while 10,000 events a second arrive: Tests/Terminal/latency PATH-OF-FRP [KEYS].

From the byte that is written to the terminal to the bytes that come back with its echo. Four loads: nothing, events
that nobody looks at, events that are followed above the prompt, and events with a pinned pane and a definition that
counts them. Prints a table; exit 1 if the 99th percentile of a load is 16 ms or more in each of three rounds.
"""
import os, random, select, sys, time

from terminal import PROMPT, Terminal

LIMIT = 0.016
FLOOD = "flood = every(100us)"
LOADS = [
    ("nothing goes on", []),
    ("10,000 events a second, counted", [FLOOD, "n = flood |> count", "total = flood |> fold(0, (s, _) => s + n)"]),
    ("10,000 a second, shown above the prompt", [FLOOD, "n = flood |> count", "flood"]),
    ("10,000 a second pushed at an input", ["input x: Event<Int>", "n = x |> fold(0, (s, v) => s + v)",
                                            ":push x 3 x1000000 every 100us", "n"]),
    ("10,000 a second, in a pinned pane", [FLOOD, "n = flood |> count", ":watch n", ":watch flood", "n"]),
]


def press(terminal, typed, letter):
    """Seconds until a letter is on the screen, behind what was typed."""
    started = time.monotonic()
    os.write(terminal.descriptor, letter.encode())
    while time.monotonic() < started + 2:
        ready, _, _ = select.select([terminal.descriptor], [], [], 0.05)
        if not ready:
            continue
        data = os.read(terminal.descriptor, 65536)
        arrived = time.monotonic()
        terminal.raw += data
        terminal.stream.feed(data)
        if terminal.cursor_line() == PROMPT + typed + letter:
            return arrived - started
    raise SystemExit(f"{letter!r} did not come back:\n{terminal.text()}")


def measure(program, entries, keys):
    terminal = Terminal(program)
    try:
        for entry in entries:
            terminal.enter(entry)
        terminal.pump(0.5)
        times = []
        chance = random.Random(1)
        typed = ""
        for index in range(keys):
            if index % 40 == 39:
                terminal.keys("\x03")
                terminal.await_prompt()
                typed = ""
            terminal.pump(chance.uniform(0.005, 0.06))
            times.append(press(terminal, typed, "abcdefghij"[index % 10]))
            typed += "abcdefghij"[index % 10]
        times.sort()
        return times
    finally:
        terminal.close()


def main(program, keys):
    failed = 0
    print(f"{'':44}  median    99 %    worst   ms")
    for title, entries in LOADS:
        for attempt in range(3):
            times = measure(program, entries, keys)
            middle, most = times[len(times) // 2], times[int(len(times) * 0.99)]
            print(f"{title:44} {middle * 1000:7.2f} {most * 1000:7.2f} {times[-1] * 1000:8.2f}", flush=True)
            if most < LIMIT:
                break
        else:
            failed += 1
    print(f"{len(LOADS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200))
