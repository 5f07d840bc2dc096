#!/usr/bin/env python3
"""How long a run with `--journal` makes an event wait while its state is large: Bench/journal.py FRP [KEYS [SECONDS]].

Brings a map of so many keys about, then sends one event at a time and waits for what it makes. Says how long that took (p50, p99, the longest
three), without a journal and with one, and how many states were kept meanwhile."""

import os
import subprocess
import sys
import tempfile
import time

PROGRAM = """
input key: Event<Int>
counts = key |> countBy(k => k)
output keys = key |> filter(k => k < 0) |> map(_ => size(counts))
"""


def measure(frp, keys, seconds, *flags):
    with tempfile.TemporaryDirectory(dir=".") as folder:
        with open(f"{folder}/keys.frp", "w") as file:
            file.write(PROGRAM)
        process = subprocess.Popen(
            [frp, "run", "keys.frp", "--in", "key=jsonl:-", *flags], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        kept, states, waits = None, 0, []

        def turn(number):
            begun = time.perf_counter()
            process.stdin.write(b"%d\n-1\n" % number)
            process.stdin.flush()
            size = int(process.stdout.readline())
            waits.append(time.perf_counter() - begun)
            return size

        for number in range(keys):
            process.stdin.write(b"%d\n" % number)
        turn(0)
        waits.clear()
        end, number = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            number = (number * 1103515245 + 12345) % keys
            if abs(turn(number) - keys) > 1:
                raise SystemExit("the map has another size")
            names = {name: os.stat(f"{folder}/kept/{name}").st_ino for name in ("state-a", "state-b")
                     if os.path.exists(f"{folder}/kept/{name}")} if len(waits) % 64 == 0 else kept
            states, kept = states + (names != kept), names
        process.stdin.close()
        process.wait()
    waits.sort()
    show = lambda wait: f"{wait * 1000:.2f}"
    print(f"{' '.join(flags) or 'without a journal'}: {len(waits)} events, p50 {show(waits[len(waits) // 2])} ms, "
          f"p99 {show(waits[len(waits) * 99 // 100])}, longest {', '.join(map(show, waits[:-4:-1]))}; "
          f"{sum(wait > 0.05 for wait in waits)} over 50 ms, files of states changed {states} times", flush=True)


if __name__ == "__main__":
    frp = os.path.abspath(sys.argv[1])
    keys, seconds = (int(word) for word in (sys.argv[2:] + ["1000000", "20"][len(sys.argv) - 2:]))
    measure(frp, keys, seconds)
    measure(frp, keys, seconds, "--journal", "kept")
