"""Sinks of runs that outlive their process: what failed before."""

import os
import signal
import time

import harness
from harness import case, equal, until


@case
def what_failed_before_hides_nothing_new(place):
    """Sinks that failed in an earlier process are told as what they are, a few of them, and all that fail now as before."""
    os.mkdir(place.file("kept"))
    text = 'input x: Event<Int>\noutput seen = x to v => Files.write("kept/none/{v}", "{v}")\n'
    flags = ("--in", "x=jsonl:-", "--journal", "failed", "--allow-write=kept")
    lines = lambda program, *words: [one for one in program.err if "the sink of `seen`" in one and all(word in one for word in words)]
    for past in (0, 12, 24):
        program = place.program("sinks.frp", text, *flags)
        for number in range(12):
            program.say(str(past + number))
        until(lambda: any("more sinks that fail are only counted" in one for one in program.err), "what fails")
        program.until_shown("seen", past + 11)
        time.sleep(0.3)
        program.stop(signal.SIGKILL)
        told = lines(program, "in an earlier process")
        equal((len(told), len(lines(program)) - len(told)), (min(past, 3), 10), "\n".join(program.err))
