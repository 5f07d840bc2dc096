"""Scenarios of the prompt: keys in, screen out, through a pseudo terminal and a terminal emulator (pyte).

    python3 Tests/Terminal/scenarios.py PATH-OF-FRP [FILTER]

Every function whose name begins with `scenario_` is one scenario. It gets a fresh session, or what `@session(...)` asks
for. Nothing waits for a fixed time where it can wait for what must appear.
"""
import os, sys, time

from scenarios_entering import *
from scenarios_keys import *
from scenarios_playing import *
from scenarios_running import *
from scenarios_typing import *
from terminal import Terminal


def run(program, pattern):
    if not os.access(program, os.X_OK):
        print(f"FAIL  there is no program {program}\n0 passed, 1 failed")
        return 1
    names = [name for name in globals() if name.startswith("scenario_") and pattern in name]
    passed, failed = 0, []
    started = time.monotonic()
    for name in names:
        function = globals()[name]
        terminal = None
        last = "its beginning"
        try:
            options = dict(getattr(function, "options", {}))
            terminal = Terminal(program, **options)
            for last in function(terminal):
                passed += 1
                print(f"ok    {name[9:]}: {last}", flush=True)
        except Exception as failure:
            failed.append(name)
            print(f"FAIL  {name[9:]}, after {last!r}: {type(failure).__name__}: {failure}", flush=True)
        finally:
            if terminal:
                terminal.close()
    print(f"{time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""))
