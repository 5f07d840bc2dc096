"""Scenarios, one after the other, and their count in the last line. A scenario is a function; what it gives is told beside its name."""

import sys
import time
import traceback


def run(scenarios, wanted="", of=lambda scenario: scenario()):
    """Runs those whose names have `wanted`, each by `of`; the exit code."""
    passed = failed = 0
    for scenario in scenarios:
        name = scenario.__name__.replace("_", " ")
        if wanted not in name:
            continue
        began = time.monotonic()
        try:
            said = of(scenario)
            passed += 1
            print(f"ok    {name}{f': {said}' if said else ''} ({time.monotonic() - began:.1f} s)")
        except Exception:
            failed += 1
            print(f"FAIL  {name}")
            traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
