"""What is asked of the system without a grant: nothing. strace says so, of the whole process."""

import os
import re
import shlex
import shutil
import socket
import subprocess

import harness
from harness import Failure, Skipped, Web, case, equal, free_port

CALLS = "open,openat,openat2,creat,connect,bind,execve,execveat,landlock_restrict_self"

# Each line of input is a path, a program, an address: computed, so that it is the call that asks.
PROGRAM = """
input text: Event<String>
shown(r: Result<String, Error>) = match r { Ok(t) => t; Err(e) => e.message }
output read = (text |> perform(Queue, x => Files.read(x))).results |> map(shown)
output listed = (text |> perform(Queue, x => Files.list(x))).results |> map(r => shown(r |> map(_ => "")))
output wrote = (text |> perform(Queue, x => Files.write(x, ""))).results |> map(r => shown(r |> map(_ => "")))
output added = (text |> perform(Queue, x => Files.append(x, ""))).results |> map(r => shown(r |> map(_ => "")))
output ran = (text |> perform(Queue, x => Process.run(x, []))).results |> map(r => shown(r |> map(_ => "")))
output asked = (text |> perform(Queue, x => Http.get(x))).results |> map(shown)
output stored = (text |> perform(Queue, x => Db.exec(x, "CREATE TABLE t (a)", {}))).results |> map(r => shown(r |> map(_ => "")))
output told = (text |> perform(Queue, x => Mqtt.publish(x, "a", "b"))).results |> map(r => shown(r |> map(_ => "")))
output followed = listen(text, All, x => Files.tail(x)).ends |> map(r => shown(r |> map(_ => "")))
output joined = listen(text, All, x => Ws.messages(x)).ends |> map(r => shown(r |> map(_ => "")))
"""

OUTPUTS = ["read", "listed", "wrote", "added", "ran", "asked", "stored", "told", "followed", "joined"]


def trace(place, name, text, inputs, *flags):
    """What a program shows, and the calls of the system that it makes once it is confined."""
    if not shutil.which("strace") or subprocess.run(["strace", "-e", "trace=openat", "true"], capture_output=True).returncode:
        raise Skipped("strace does not work here")
    calls = place.file(name + ".calls")
    program = place.program(
        name, text, "--in", "text=lines:-", "--for", "2s", *flags,
        prefix=["strace", "-f", "-qq", "-s", "300", "-o", calls, "-e", "trace=" + CALLS])
    for line in inputs:
        program.say(line)
    program.wait()
    with open(calls) as file:
        lines = [re.sub(r"^\d+ +", "", line.strip()) for line in file]
    # The second half of a call that another thread's stood in the middle of.
    lines = [line for line in lines if not line.startswith("<... ")]
    walls = [number for number, line in enumerate(lines) if line.startswith("landlock_restrict_self")]
    if not walls:
        raise Skipped("the kernel has no Landlock")
    return program, lines[walls[0]:]


def is_ours(call):
    """The walls of the other threads, the question whether there is openat2, and the configuration of OpenSSL."""
    return (
        call.startswith("landlock_restrict_self") or call.startswith('openat2(AT_FDCWD, ".", {flags=O_RDONLY|O_CLOEXEC|O_PATH')
        or call.startswith('openat(AT_FDCWD, "/usr/lib/ssl/openssl.cnf", O_RDONLY)'))


@case
def nothing_without_a_grant(place):
    port = free_port()
    inputs = [
        "/etc/passwd", "secret", place.file("secret"), "../../etc/hostname", "/bin/true", "/proc/self/mem",
        f"http://127.0.0.1:{port}/", f"ws://127.0.0.1:{port}/", f"mqtt://127.0.0.1:{port}", "http://192.0.2.1/"]
    place.write("secret", "secret")
    program, calls = trace(place, "nothing.frp", PROGRAM, inputs)
    for name in OUTPUTS:
        shown = program.shown(name)
        equal(len(shown), len(inputs), f"{name}: {program.told()}")
        for line in shown:
            if not re.match("not granted: |not a URL|a URL |it is not|no URL", line):
                raise Failure(f"{name} says {line}")
    equal([call for call in calls if not is_ours(call)], [])
    equal(sorted(os.listdir(place.path)), ["nothing.frp", "nothing.frp.calls", "secret"])


@case
def what_is_granted_is_all_that_is_asked_for(place):
    web = Web(lambda method, path, body: (200, "text/plain", "answer"))
    other = socket.create_server(("127.0.0.1", 0))
    place.write("in/a", "inside")
    place.write("out/x", "")
    place.write("secret", "secret")
    os.symlink("../secret", place.file("in/link"))
    tool = shutil.which("true")
    inputs = [
        "in/a", "in/link", "in/../secret", "secret", tool, "/bin/false", f"http://127.0.0.1:{web.port}/",
        f"http://127.0.0.1:{other.getsockname()[1]}/", "out/a.db"]
    program, calls = trace(
        place, "some.frp", PROGRAM, inputs, "--allow-read=in", "--allow-write=out", f"--allow-run={tool}",
        f"--allow-net=127.0.0.1:{web.port}")
    equal(program.shown("read")[:4], ["inside"] + [f"not granted: read {path}" for path in inputs[1:4]])
    equal(program.shown("asked")[6], "answer")
    equal(program.shown("asked")[7], f"not granted: net 127.0.0.1:{other.getsockname()[1]}")
    equal(program.shown("ran")[4:6], ["", "not granted: run /bin/false"])
    for call in calls:
        if call.startswith("connect("):
            if f"sin_port=htons({web.port})" not in call:
                raise Failure(call)
        elif call.startswith("exec"):
            if "AT_EMPTY_PATH" not in call:
                raise Failure(call)
        elif call.startswith("openat2("):
            if "RESOLVE_BENEATH" not in call or call.startswith("openat2(AT_FDCWD") and not is_ours(call):
                raise Failure(call)
        elif not is_ours(call) and "secret" in call:
            raise Failure(call)
    other.close()
    web.close()


@case
def nobody_listens_without_a_grant(place):
    text = PROGRAM + """
output served = (text |> perform(Queue, x => Serve.value(x)(x))).results |> map(r => shown(r |> map(_ => "")))
output posted = (listen(text, All, x => Serve.posts("/" ++ x)).ends) |> map(r => shown(r |> map(_ => "")))
"""
    refused = place.program("served.frp", text, "--in", "text=lines:-")
    equal(refused.wait(), 2)
    if "--allow-listen=8080" not in "\n".join(refused.err):
        raise Failure(refused.told())
    port = free_port()
    program, calls = trace(place, "listens.frp", text, ["/a"], f"--allow-listen={port}")
    equal(program.shown("served"), [""])
    binds = [call for call in calls if call.startswith("bind(")]
    equal(len(binds), 1)
    if f"sin_port=htons({port}), sin_addr=inet_addr(\"127.0.0.1\")" not in binds[0]:
        raise Failure(binds[0])


@case
def the_line_to_paste_has_all_that_was_given(place):
    place.write("a.txt", "")
    place.write("paste.frp", """
    input line: Event<String> from Files.lines("a.txt")
    input n: Event<Int> from Files.lines("b.txt") |> filterMap(String.toInt)
    input none: Event<String> from Files.lines("")
    output got = merge(line, n |> map(k => "{k}")) to l => Http.post("http://127.0.0.1:1/", l)
    output nothing = none
    """)
    given = ["--in", "n=Files.lines(\"c d.txt\") |> filterMap(String.toInt)", "--for=10s", "--format", "jsonl", "--allow-net=example.org:80", "--strict"]
    done = subprocess.run([harness.FRP, "run", "paste.frp", *given], cwd=place.path, capture_output=True, text=True, timeout=60)
    equal(done.returncode, 2)
    lines = done.stderr.splitlines()
    needs = ["frp:   net 127.0.0.1:1   (line 5)", "frp:   read a.txt   (line 2)", "frp:   read c d.txt   (--in n)"]
    equal([line for line in lines if line.startswith("frp:   ")], needs)
    pasted = next(line for line in lines if "to grant it: " in line).split("to grant it: ")[1]
    words = shlex.split(pasted)
    equal(words[:3], ["frp", "run", "paste.frp"])
    wanted = given[:2] + ["--for", "10s", "--format", "jsonl", "--strict", "--allow-net=example.org:80"]
    wanted += ["--allow-net=127.0.0.1:1", "--allow-read=a.txt", "--allow-read=c d.txt"]
    equal(sorted(words[3:]), sorted(wanted))
    # Pasted, it runs: what is not there is told.
    again = subprocess.run([harness.FRP, *words[1:]], cwd=place.path, capture_output=True, text=True, timeout=60)
    if "grant" in again.stderr.replace("not granted: read ", ""):
        raise Failure(again.stderr)
