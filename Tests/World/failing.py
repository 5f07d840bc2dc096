"""System calls that fail once, injected by strace into a run with `--journal`: whatever call it is, the run goes on or ends with a sentence, and
started again it comes to what it would have come to. FAULTS=2000 makes them more; a failure says its SEED."""

import collections
import os
import random
import re
import shutil
import subprocess

import harness
from harness import Failure, Skipped, case

FAULTS = int(os.environ.get("FAULTS") or 20)
SEED = int(os.environ.get("SEED") or 0)

TEXT = """
input x: Event<Int>
output sum = x |> scan(0, (s, v) => s + v)
output late = x |> filter(v => v % 1000 == 0) |> delay(1ms)
counts = x |> countBy(v => v)
output keys = x |> filter(v => v % 500 == 0) |> map(_ => size(counts))
"""
# So many that a state is kept.
LINES = 24_000
OUTPUTS = ("sum", "late", "keys")
# What each may say. Memory is left out: a program without any is ended by the system's library.
ERRORS = {
    "openat": ("EMFILE", "EIO", "ENOSPC"), "read": ("EIO", "EINTR"), "pread64": ("EIO", "EINTR"), "write": ("EIO", "ENOSPC", "EINTR"),
    "pwrite64": ("EIO", "ENOSPC", "EINTR"), "fsync": ("EIO", "EINTR"), "fdatasync": ("EIO", "ENOSPC"), "ftruncate": ("EIO",),
    "unlinkat": ("EIO",), "unlink": ("EIO",), "lseek": ("EIO",), "newfstatat": ("EIO",), "fstat": ("EIO",), "fcntl": ("ENOLCK", "EINTR"),
    "flock": ("EINTR", "ENOLCK"), "poll": ("EINTR",), "epoll_wait": ("EINTR",), "epoll_pwait2": ("EINTR",), "mkdir": ("ENOSPC",),
    "clone": ("EAGAIN", "ENOMEM"), "wait4": ("EINTR",), "eventfd2": ("EMFILE",), "pipe2": ("EMFILE",), "fallocate": ("ENOSPC",),
    "close": ("EIO", "EINTR"), "fchmod": ("EPERM",),
}


def run(place, *prefix):
    words = [word for name in OUTPUTS for word in ("--out", f"{name}=lines:{name}.txt")]
    try:
        return subprocess.run(
            [*prefix, harness.FRP, "run", "sums.frp", "--in", "x=jsonl:x.jsonl", *words, "--journal", "kept"], cwd=place.path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise Failure(f"SEED={SEED}: it does not end: {prefix}")


def files(place):
    found = []
    for name in OUTPUTS:
        with open(place.file(f"{name}.txt")) as file:
            found.append(file.read())
    return found


def clear(place):
    shutil.rmtree(place.file("kept"), ignore_errors=True)
    for name in OUTPUTS:
        if os.path.exists(place.file(f"{name}.txt")):
            os.remove(place.file(f"{name}.txt"))


@case
def each_system_call_may_fail_once(place):
    if not shutil.which("strace"):
        raise Skipped("there is no strace")
    chance = random.Random(SEED)
    place.write("sums.frp", TEXT)
    place.write("x.jsonl", "".join(f"{n}\n" for n in range(1, LINES + 1)))
    done = run(place, "strace", "-f", "-o", "calls", "-e", "trace=" + ",".join(ERRORS))
    if done.returncode:
        raise Failure(done.stderr)
    wanted = files(place)
    # strace counts the calls of each thread for itself.
    counts = collections.Counter()
    with open(place.file("calls")) as file:
        for thread, name in re.findall(r"^(\d+) +(\w+)\(", file.read(), re.M):
            counts[name, thread] += 1
    most = {}
    for (name, _), count in counts.items():
        most[name] = max(most.get(name, 0), count)
    faults = [(name, number, error) for name in most for number in range(1, most[name] + 1) for error in ERRORS[name]]
    # Of each call some, however often others are made.
    chance.shuffle(faults)
    seen = collections.Counter()
    order = {fault: seen.update([fault[0]]) or seen[fault[0]] for fault in faults}
    faults = sorted(faults, key=order.get)[:FAULTS]
    ended, wrong = 0, []
    for name, number, error in faults:
        clear(place)
        done = run(place, "strace", "-f", "-qq", "-o", "calls", "-e", "trace=" + name, "-e", f"inject={name}:error={error}:when={number}")
        what = f"SEED={SEED}: {name} {number} says {error}"
        if done.returncode < 0 or done.returncode >= 128 or "Fatal error" in done.stderr:
            wrong.append(f"{what}: it ended with {done.returncode}: {done.stderr}")
            continue
        if done.returncode:
            ended += 1
            if not done.stderr.strip():
                wrong.append(f"{what}: it ended with {done.returncode} and without a word")
            again = run(place)
            if again.returncode:
                wrong.append(f"{what}: {done.stderr}\nand then with {again.returncode}: {again.stderr}")
                continue
        if files(place) != wanted:
            wrong.append(f"{what}: it ended with {done.returncode}, and the files differ: {done.stderr}")
    if wrong:
        raise Failure("\n".join(wrong))
    print(f"{len(faults)} of {sum(most.values())} system calls failed: {ended} runs ended with a sentence, and went on", flush=True)
