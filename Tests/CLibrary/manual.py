"""The programs of docs/embedding_c.md, compiled and run as they stand there: manual.py PREFIX.

What its first block of commands says is done for PREFIX in the place of ~/.local. clock.c runs twice, and goes on where it ended.
"""

import os
import re
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(root, "docs/embedding_c.md"), encoding="utf-8") as file:
    page = file.read()
programs = dict(re.findall(r"^```c file=(\S+)\n(.*?)^```$", page, re.S | re.M))
commands = re.search(r"^```sh\n(.*?)^```$", page, re.S | re.M)[1].replace("~/.local", sys.argv[1])
environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
failures = 0


def run(folder, command):
    done = subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr + (f"exit code {done.returncode}\n" if done.returncode else "")


def expect(shown, wanted):
    global failures
    if shown != wanted:
        failures += 1
        print(f"shown:\n{shown}wanted:\n{wanted}")


def lines(start, ticks):
    """What clock.c shows: the price comes with the first advance, ticks every tenth of a second."""
    return sorted([start] + [f'{{"at":{tick / 10},"ticks":{tick}}}' for tick in ticks])


with tempfile.TemporaryDirectory() as folder:
    for name, text in programs.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    # The page's flags, and no warnings.
    strict = commands.replace("gcc ", "gcc -std=c11 -Wall -Wextra -Werror ")
    expect(run(folder, strict), "total = 6\n")
    expect(run(folder, strict.replace("hello", "clock").replace("./clock", "true")), "")
    for ticks in range(1, 4), range(4, 8):
        shown = run(folder, "./clock").splitlines()
        prices = [line for line in shown if '"price":2.5}' in line]
        expect("\n".join(sorted(shown)), "\n".join(lines(*prices, ticks)) if len(prices) == 1 else "one price\n")
print(f"{len(programs)} programs of the page, {failures} failures")
sys.exit(1 if failures or len(programs) != 2 else 0)
