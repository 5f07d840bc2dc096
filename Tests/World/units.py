"""Runs under a service manager: what is said to its socket, and the units that `frp unit` writes."""

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import time

import harness
from harness import Failure, Skipped, case, equal, free_port

COUNT = "input x: Event<Int>\noutput total = x |> fold(0, (s, v) => s + v)\n"


class Manager:
    """The socket of a service manager, and what it was told."""

    def __init__(self, name):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)

    def environment(self, **more):
        return {"NOTIFY_SOCKET": self.name, **more}

    def heard(self, seconds=harness.PATIENCE):
        """The next message as a map; nil if none comes."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return None
        message = self.socket.recv(65536).decode()
        return dict(line.split("=", 1) for line in message.split("\n"))

    def until(self, key):
        while True:
            message = self.heard()
            if message is None:
                raise Failure(f"{key} was not told")
            if key in message:
                return message


@case
def a_service_tells_how_it_is(place):
    for name in [place.file("notify"), f"@frp-test-{os.getpid()}-{id(place)}"]:
        manager = Manager(name)
        program = place.program("count.frp", COUNT, "--in", "x=jsonl:-", env=manager.environment())
        equal(manager.heard(), {"READY": "1", "STATUS": "running"})
        program.say("5")
        program.until_shown("total", 5)
        # Nobody waits for pulses.
        equal(manager.heard(0.3), None)
        program.process.send_signal(signal.SIGTERM)
        equal(manager.heard(), {"STOPPING": "1", "STATUS": "stopping"})
        equal(program.wait(), 143)
        equal(manager.heard(0.1), None)


@case
def a_service_is_ready_once_it_has_begun(place):
    manager = Manager(place.file("notify"))
    program = place.program("wrong.frp", "zero = 0\noutput n = 1 / zero\n", env=manager.environment())
    if program.wait() == 0:
        raise Failure("it was to fail")
    equal([message for message in iter(lambda: manager.heard(0.1), None) if "READY" in message], [])
    # What was to be told to somebody who is not there is told to nobody.
    program = place.program("one.frp", "output one = 1\n", env={"NOTIFY_SOCKET": place.file("nobody")})
    equal(program.wait(), 0)


@case
def pulses_come_from_a_loop_that_is_alive(place):
    manager = Manager(place.file("notify"))
    program = place.program(
        "count.frp", COUNT, "--in", "x=jsonl:-", "--limit", "instant=60s,steps=1e15",
        env=manager.environment(WATCHDOG_USEC="400000"))
    manager.until("READY")
    began = time.monotonic()
    for _ in range(5):
        manager.until("WATCHDOG")
    took = time.monotonic() - began
    if not 0.6 < took < 10:
        raise Failure(f"five pulses at 200 ms took {took} s")
    # A process that stands still tells nothing, though it is there.
    program.process.send_signal(signal.SIGSTOP)
    while manager.heard(0) is not None:
        pass
    equal(manager.heard(1), None)
    program.process.send_signal(signal.SIGCONT)
    manager.until("WATCHDOG")
    equal(program.stop(signal.SIGTERM), 143)
    # The pulses of somebody else are not ours to give.
    program = place.program("count.frp", COUNT, "--in", "x=jsonl:-", env=manager.environment(WATCHDOG_USEC="100000", WATCHDOG_PID="1"))
    manager.until("READY")
    equal(manager.heard(0.5), None)
    program.stop(signal.SIGTERM)


@case
def a_loop_that_does_not_come_back_gives_no_pulse(place):
    manager = Manager(place.file("notify"))
    text = "input x: Event<Int>\noutput seen = x |> map(n => (1..n |> map(i => (1..n |> map(j => i + j) |> sum)) |> sum))\n"
    program = place.program(
        "slow.frp", text, "--in", "x=jsonl:-", "--limit", "instant=120s,steps=1e15",
        env=manager.environment(WATCHDOG_USEC="200000"))
    manager.until("WATCHDOG")
    program.say("200000")
    time.sleep(0.5)
    while manager.heard(0) is not None:
        pass
    equal(manager.heard(1), None)
    program.process.kill()


@case
def a_long_beginning_says_so(place):
    manager = Manager(place.file("notify"))
    flags = ("--in", "x=jsonl:-", "--journal", "kept")
    program = place.program("count.frp", COUNT, *flags)
    program.say("5")
    program.until_shown("total", 5)
    program.process.kill()
    program.process.wait()
    program = place.program("count.frp", COUNT, *flags, env=manager.environment())
    first = manager.heard()
    if "EXTEND_TIMEOUT_USEC" not in first or "batch 1 of" not in first["STATUS"]:
        raise Failure(f"{first}")
    manager.until("READY")
    program.say("6")
    program.until_shown("total", 11)
    equal(program.end(), 0)
    manager.until("STOPPING")
    # A run that has ended is no failure of its service.
    program = place.program("count.frp", COUNT, *flags, env=manager.environment())
    manager.until("READY")
    equal(program.wait(), 0)


@case
def children_do_not_speak_for_the_service(place):
    manager = Manager(place.file("notify"))
    program = place.program(
        "env.frp", 'ran = start |> perform(All, _ => Process.run("/usr/bin/env", []))\noutput said = ran.results |> filterMap(ok) |> map(r => r.out)\n',
        "--allow-run=/usr/bin/env", env=manager.environment(WATCHDOG_USEC="60000000"))
    program.until(lambda: program.shown("said"), "the environment of a child")
    for word in ["NOTIFY_SOCKET", "WATCHDOG_USEC"]:
        if word in program.shown("said")[0]:
            raise Failure(f"a child has {word}")
    program.stop(signal.SIGTERM)


def unit(place, text, *flags, name="app.frp"):
    place.write(name, text)
    done = subprocess.run([harness.FRP, "unit", name, *flags], cwd=place.path, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def settings(text):
    """By name, what a unit sets, in order."""
    found = {}
    for line in text.splitlines():
        if "=" in line and not line.startswith("#"):
            name, value = line.split("=", 1)
            found.setdefault(name, []).append(value)
    return found


TICKS = "output ticks = every(1s) |> count\n"


@case
def a_unit_is_what_was_granted(place):
    code, text, err = unit(place, TICKS)
    equal((code, err), (0, ""))
    plain = settings(text)
    for name, value in [
        ("Type", "notify"), ("PrivateNetwork", "yes"), ("RestrictAddressFamilies", "AF_UNIX"), ("ProtectSystem", "strict"),
        ("NoNewPrivileges", "yes"), ("CapabilityBoundingSet", ""), ("PrivateDevices", "yes"), ("Restart", "on-failure"),
        ("WorkingDirectory", place.path), ("ExecStart", f"{harness.FRP} run {place.path}/app.frp")]:
        equal(plain.get(name), [value], name)
    for name in ["StateDirectory", "ReadWritePaths", "IPAddressAllow", "AmbientCapabilities"]:
        equal(plain.get(name), None, name)
    os.mkdir(place.file("folder"))
    code, text, err = unit(
        place, TICKS, "--allow-net=127.0.0.1:80", "--allow-net=10.1.2.3", "--allow-listen=80", "--allow-write=folder",
        "--allow-write=one/../new.txt", "--allow-read=app.frp", "--allow-env=TOKEN", "--out", "ticks=lines:50% $HOME \"x\".txt",
        "--journal", "kept", "--upgrade")
    equal((code, err), (0, ""))
    given = settings(text)
    for name, value in [
        ("IPAddressDeny", ["any"]), ("IPAddressAllow", ["127.0.0.1", "10.1.2.3", "localhost"]),
        ("SocketBindDeny", ["any"]), ("SocketBindAllow", ["ipv4:tcp:80"]), ("StateDirectory", ["frp/app"]),
        ("AmbientCapabilities", ["CAP_NET_BIND_SERVICE"]), ("CapabilityBoundingSet", ["CAP_NET_BIND_SERVICE"]),
        ("ReadWritePaths", [f"{place.path} {place.path}/folder"]), ("EnvironmentFile", ["-/etc/app.env"]),
        ("PrivateNetwork", None), ("PrivateUsers", None)]:
        equal(given.get(name), value, name)
    words = given["ExecStart"][0]
    for word in ["--journal=/var/lib/frp/app/kept", "--upgrade", '"--out=ticks=lines:50%% $$HOME \\"x\\".txt"', "--allow-write=folder"]:
        if word not in words:
            raise Failure(f"{word} is not in {words}")
    # A name can be anywhere, and so can who connects.
    for flag in ["--allow-net=api.example.org", "--allow-listen=0.0.0.0:8080"]:
        given = settings(unit(place, TICKS, flag)[1])
        equal((given.get("IPAddressDeny"), given.get("PrivateNetwork")), (None, None), flag)
    # Of other programs nothing is known.
    given = settings(unit(place, TICKS, "--allow-run=/bin/sh")[1])
    for name in ["SystemCallFilter", "PrivateNetwork", "MemoryDenyWriteExecute", "SocketBindDeny"]:
        equal(given.get(name), None, name)
    given = settings(unit(place, TICKS, "--journal", "/var/lib/shop/a/kept")[1])
    equal((given["StateDirectory"], given.get("ReadWritePaths")), (["shop/a/kept"], None))
    given = settings(unit(place, TICKS, "--journal", place.file("kept"))[1])
    equal((given.get("StateDirectory"), given["ReadWritePaths"]), (None, [place.path]))


@case
def what_cannot_be_a_service_is_refused(place):
    for text, flags, words in [
        (COUNT, [], "no standard input: connect `x`"),
        (COUNT, ["--in", "x=jsonl:-"], "no standard input: connect `x`"),
        (TICKS, ["--virtual"], "--virtual"),
        (TICKS, ["--downtime", "elapse"], "--journal DIR"),
        ('output a = Files.read("x")\n', [], None),
        ('ask = start |> perform(All, _ => Http.get("http://127.0.0.1:1/"))\noutput a = ask.busy\n', [], "--allow-net=127.0.0.1:1"),
        ("output a = b\n", [], "E0"),
        (TICKS, ["--set", "x=5"], "no input `x`"),
        (COUNT, ["--in", "xx=lines:f"], "no input `xx`; did you mean `x`?"),
        (TICKS, ["--out", "tock=lines:f"], "no output `tock`"),
        (TICKS, ["--until", "done"], "no output `done`"),
        (TICKS, ["--journal", "kept", "--limit", "instant=1s"], "--limit steps="),
    ]:
        code, out, err = unit(place, text, *flags)
        if code == 0 or out or (words and words not in err):
            raise Failure(f"{flags}: {code} {out} {err}")


def verified(text, place):
    """What systemd says of a unit."""
    path = place.write("checked.service", text)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "checked.service" in line]
    return done.returncode, ours


@case
def systemd_reads_the_units(place):
    if not shutil.which("systemd-analyze"):
        raise Skipped("there is no systemd-analyze")
    place.write("x.jsonl", "")
    for flags in [
        [], ["--allow-net=api.example.org:443", "--allow-env=TOKEN", "--journal", "kept", "--downtime", "elapse"],
        ["--allow-listen=[::1]:80", "--allow-net=[fd00::1]:80", "--allow-read=app.frp", "--allow-write=."],
        ["--allow-run=/bin/sh"], ["--out", "ticks=lines:/dev/ttyS0"], ["--out", 'ticks=lines:a "b" %n $c;.txt'],
    ]:
        code, text, err = unit(place, TICKS, *flags)
        equal((code, err), (0, ""))
        code, said = verified(text, place)
        if said:
            raise Failure(f"{flags}: {said}")
    # It does look.
    if not verified(text.replace("WatchdogSec=30s", "WatchdogSec=never!"), place)[1]:
        raise Failure("a wrong unit was believed")


def allowed(filters):
    """The system calls of a filter."""
    calls = set()
    for name in filters:
        if not name.startswith("@"):
            calls.add(name)
            continue
        done = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
        words = [line.strip() for line in done.stdout.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
        calls |= allowed(words)
    return calls


WORLD = """
input text: Event<String>
ask(t): Task<Int> = Http.get("http://localhost:{port}/lines")
got = text |> perform(All, ask)
output told = got.results |> filterMap(ok) |> count
output lines = text |> count to Serve.value("/lines")
wrote = text |> perform(Queue, t => Files.write("out/a.txt", t))
output written = wrote.results |> filterMap(ok) |> count
stored = text |> perform(Queue, _ => Db.exec("out/a.db", "CREATE TABLE IF NOT EXISTS t (a)", {{}}))
output kept = stored.results |> filterMap(ok) |> count
ticks = every(50ms) |> count
"""


@case
def what_the_runner_asks_is_what_the_filter_has(place):
    if not shutil.which("systemd-analyze"):
        raise Skipped("there is no systemd-analyze")
    if not shutil.which("strace") or subprocess.run(["strace", "true"], capture_output=True).returncode:
        raise Skipped("strace does not work here")
    port = free_port()
    os.mkdir(place.file("out"))
    text = WORLD.format(port=port)
    calls = place.file("calls")
    manager = Manager(place.file("notify"))
    program = place.program(
        "world.frp", text, "--in", "text=lines:-", f"--allow-net=localhost:{port}", f"--allow-listen={port}",
        "--allow-write=out", "--journal", "kept", prefix=["strace", "-f", "-qq", "-o", calls],
        env=manager.environment(WATCHDOG_USEC="200000"))
    program.say("a")
    for name in ["told", "lines", "written", "kept"]:
        program.until_shown(name, 1)
    program.process.send_signal(signal.SIGTERM)
    program.end()
    _, text, _ = unit(
        place, text, "--in", "text=lines:app.frp", f"--allow-net=localhost:{port}", f"--allow-listen={port}", "--allow-write=out")
    lists = settings(text)["SystemCallFilter"]
    may = set()
    for line in lists:
        may = may - allowed(line[1:].split()) if line.startswith("~") else may | allowed(line.split())
    with open(calls) as file:
        asked = set(re.findall(r"^\d+ +([a-z0-9_]+)\(", file.read(), re.M))
    if not asked - may <= {"execve"} or len(asked) < 30:
        raise Failure(f"of {len(asked)} calls the filter refuses {sorted(asked - may)}")
