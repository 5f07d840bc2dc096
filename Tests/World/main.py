"""Runs the cases side by side and counts."""

import concurrent.futures
import sys
import time
import traceback

import harness


def main():
    harness.FRP = sys.argv[1]
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    import built, carried, contract, exact, failing, grants, hostile, journal, journal_calls, journal_damage, journal_outputs, journal_sinks, last_sinks, once, plugins, recordings, repeated, said, samples, serving, steady, storing, units  # noqa: E401,F401: each adds its cases

    began, passed, failed = time.monotonic(), 0, 0
    cases = [one for one in harness.CASES if wanted in one.__name__]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for future, one in [(pool.submit(one), one) for one in cases]:
            try:
                future.result()
                passed += 1
                print("ok   ", one.__name__, flush=True)
            except harness.Skipped as skipped:
                print(f"SKIPPED: {one.__name__} ({skipped})", flush=True)
            except Exception as error:
                failed += 1
                is_ours = isinstance(error, harness.Failure)
                print("FAIL ", one.__name__, error if is_ours else traceback.format_exc(), sep="  ", flush=True)
    print(f"{time.monotonic() - began:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
