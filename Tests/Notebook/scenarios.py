"""Cells, completion, pictures, mistakes and the end of a session, as a notebook asks for them."""

import os
import subprocess
import sys

from jupyter_client.manager import KernelManager

import counted

place = sys.argv[1]
os.environ["JUPYTER_PATH"] = os.path.join(place, "share", "jupyter")
subprocess.run([sys.executable, "-m", "frp_kernel.install", "--prefix", place], check=True, stdout=subprocess.DEVNULL)


def run(client, code):
    """What a cell shows: its texts, what is displayed by kind, and its reply."""
    texts, shown = [], {}
    reply = client.execute_interactive(
        code, timeout=60, allow_stdin=False,
        output_hook=lambda message: (
            texts.append(message["content"]["text"]) if message["msg_type"] == "stream"
            else shown.update(message["content"].get("data", {}))))
    return "".join(texts), shown, reply["content"]


def cells(client):
    text, _, reply = run(client, "input clicks: Event<Int>\nn = clicks |> fold(0, (s, x) => s + x)")
    assert reply["status"] == "ok" and "n : Behavior<Int> = 0" in text, text
    assert run(client, ":push clicks 3")[2]["status"] == "ok"
    assert ": Behavior<Int> = 6" in run(client, "n * 2")[0]


def time_is_moved(client):
    run(client, "ticks = every(1s) |> count")
    run(client, ":step 3s")
    assert "3" in run(client, "ticks")[0]


def pictures(client):
    _, shown, _ = run(client, ":plot sin(time), n for 5s")
    assert shown["image/svg+xml"].startswith("<svg") and shown["image/svg+xml"].count("<polyline") >= 2, shown
    _, shown, _ = run(client, ":graph")
    assert ">clicks</text>" in shown["image/svg+xml"], shown


def tables(client):
    _, shown, _ = run(client, '[{name: "<b>", size: 1}, {name: "tea", size: 20}]')
    assert shown["text/html"].count("<tr>") == 3 and "&lt;b&gt;" in shown["text/html"], shown
    _, shown, _ = run(client, "1..300 |> map(k => {k: k})")
    assert "and 100 more" in shown["text/html"]
    assert "text/html" not in run(client, "[1, 2]")[1]


def mistakes(client):
    text, _, reply = run(client, "x = clicks + 1")
    assert reply["status"] == "error" and "E0403" in text, (text, reply)
    assert run(client, "n")[2]["status"] == "ok"
    assert run(client, ":nonsense")[2]["status"] == "error"


def is_complete(client, code):
    request = client.is_complete(code)
    while True:
        reply = client.get_shell_msg(timeout=60)
        if reply["parent_header"].get("msg_id") == request:
            return reply["content"]["status"]


def completion(client):
    content = client.complete("clicks |> cou", 13, reply=True, timeout=60)["content"]
    assert "count" in content["matches"] and (content["cursor_start"], content["cursor_end"]) == (10, 13), content
    content = client.inspect("clicks |> debounce(1s)", 14, reply=True, timeout=60)["content"]
    assert content["found"] and "debounce" in content["data"]["text/plain"], content
    assert not client.inspect("??", 1, reply=True, timeout=60)["content"]["found"]
    assert is_complete(client, "f(x) = {") == "incomplete"
    assert is_complete(client, "f(x) = x") == "complete"


def the_end_is_told(client):
    run(client, ":quit")
    text, _, reply = run(client, "1 + 1")
    assert reply["status"] == "error" and "restart the kernel" in text, text


def main():
    manager = KernelManager(kernel_name="frp", transport="ipc")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        return counted.run(
            [cells, time_is_moved, pictures, tables, mistakes, completion, the_end_is_told], of=lambda scenario: scenario(client))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


sys.exit(main())
