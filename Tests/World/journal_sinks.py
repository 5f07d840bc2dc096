"""Sinks of runs that outlive their process: what failed before, and what another text does with them."""

import os
import signal
import time
import urllib.error
import urllib.request

import harness
from harness import case, equal, free_port, until


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


@case
def another_sink_has_the_value_at_once(place):
    """A sink that is written differently gets the value that there is as the text takes over, and no other; what no part of the
    program serves any more is served by nobody."""
    port = free_port()
    text = """input p: Event<Int> from Serve.posts("/p")
path = "/old"
output a = p |> hold(0) to Serve.value(path)
output same = p |> hold(0) to v => Serve.value("/same/{v}")(v)
output happened = p to Serve.value("/event")
"""
    flags = (f"--allow-listen={port}", "--journal", "served", "--upgrade")

    def got(path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                return int(answer.read())
        except urllib.error.HTTPError as error:
            return error.code

    def became(text, values, ending):
        program = place.program("sinks.frp", text, *flags)
        until(lambda: harness.answers(port), "the server")
        until(lambda: all(got(path) == value for path, value in values.items()), f"{values}")
        time.sleep(0.2)
        equal({path: got(path) for path in values}, values)
        program.stop(ending)

    program = place.program("sinks.frp", text, *flags)
    until(lambda: harness.answers(port), "the server")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/p", b"8") as answer:
        equal(answer.status, 202)
    until(lambda: got("/old") == 8, "the first path")
    program.stop(signal.SIGTERM)
    text = text.replace('"/old"', '"/new"').replace('p to Serve.value("/event")', "p")
    values = {"/new": 8, "/old": 404, "/same/8": 8, "/event": 404}
    for ending in (signal.SIGKILL, signal.SIGTERM, signal.SIGTERM):
        became(text, values, ending)
    # A function of the sink is another, then the output is gone.
    text = text.replace("to Serve.value(path)", "to put") + "put(v: Int): Task<()> = Serve.value(path)(v + 1)\n"
    became(text, {"/new": 9, "/same/8": 8}, signal.SIGTERM)
    text = text.replace("(v + 1)", "(v + 2)")
    became(text, {"/new": 10, "/same/8": 8}, signal.SIGKILL)
    text = text.replace("output a = p |> hold(0) to put\n", "")
    for ending in (signal.SIGKILL, signal.SIGTERM):
        became(text, {"/new": 404, "/old": 404, "/same/8": 8}, ending)
