"""Descriptors and memory over many requests, of a program that asks and of one that answers. REQUESTS=100000 makes them more."""

import os

from harness import Failure, case, equal, free_port

REQUESTS = int(os.environ.get("REQUESTS") or 20_000)

SERVER = """
input asked: Event<{id: Int, method: String, path: String, query: Map<String, String>, body: String}> from Serve.requests("/x/*")
answers = asked |> perform(All, r => Serve.reply(r.id, 200, {path: r.path, kept: [1, 2, 3]}))
output refused = answers.results |> filterMap(r => match r { Err(e) => Some(e.message); Ok(_) => None })
"""

CLIENT = """
input n: Event<Int>
ask(i): Task<{path: String}> = Http.get("http://127.0.0.1:PORT/x/{i}")
got = n |> perform(Limit(64), i => ask(i))
output failed = got.results |> filterMap(r => match r { Err(e) => Some(e.message); Ok(_) => None })
right = got.results |> filterMap(ok) |> filter(a => startsWith(a.path, "/x/")) |> count
output done = changes(right) |> filter(c => c % 1000 == 0)
"""


@case
def descriptors_and_memory_stay(place):
    port = free_port()
    server = place.program("server.frp", SERVER, f"--allow-listen={port}")
    client = place.program(
        "client.frp", CLIENT.replace("PORT", str(port)), "--in", "n=jsonl:-", f"--allow-net=127.0.0.1:{port}")
    before = None
    for thousand in range(1, REQUESTS // 1000 + 1):
        client.say("\n".join(str(number) for number in range(1000)))
        client.until_shown("done", 1000 * thousand)
        if thousand == max(5, REQUESTS // 10_000):
            before = [(one.descriptors(), one.memory()) for one in (server, client)]
    for one, (descriptors, memory) in zip((server, client), before):
        print(
            f"{REQUESTS} requests: descriptors {descriptors} to {one.descriptors()}, KiB {memory} to {one.memory()}",
            flush=True)
        if one.descriptors() > descriptors + 2 or one.memory() > memory + 6 * 1024:
            raise Failure(f"{descriptors} descriptors and {memory} KiB became {one.descriptors()} and {one.memory()}")
    equal(client.end(), 0)
    equal(client.shown("failed"), [])
    equal(server.stop(), 130)
    equal(server.shown("refused"), [])
