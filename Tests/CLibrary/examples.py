"""Every example with a trace through the C interface, beside what `frp run` shows of it: examples.py LIBRARY FRP.

A line of a trace with several inputs is one instant, which C has no call for: such examples are left out, and so is what is continuous, which is
shown when somebody looks.
"""

import ctypes
import glob
import json
import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
library = ctypes.CDLL(sys.argv[1])


def call(name, handle, *arguments):
    status = getattr(library, name)(ctypes.c_uint64(handle), *arguments)
    # A fault undoes its instant, and the run goes on.
    if status not in (0, 8, 11):
        raise RuntimeError(f"{name}: {status}: {text('frp_message', handle)}")


def text(name, handle):
    needed = ctypes.c_ssize_t(0)
    call(name, handle, None, ctypes.c_ssize_t(0), ctypes.byref(needed))
    buffer = ctypes.create_string_buffer(max(1, needed.value))
    call(name, handle, buffer, ctypes.c_ssize_t(needed.value), ctypes.byref(needed))
    return buffer.raw[: needed.value].decode()


def compiled(path):
    with open(path, "rb") as file:
        source = file.read()
    name, program = os.path.basename(path).encode(), ctypes.c_uint64(0)
    status = library.frp_compile(
        name, ctypes.c_ssize_t(len(name)), source, ctypes.c_ssize_t(len(source)), ctypes.byref(program))
    if status:
        raise SyntaxError(text("frp_message", program.value))
    return program.value


def port(run, kind, name):
    found, name = ctypes.c_int32(0), name.encode()
    call(f"frp_{kind}", run, name, ctypes.c_ssize_t(len(name)), ctypes.byref(found))
    return found


def through_c(path, trace):
    """What the watched outputs show, a line each."""
    program = compiled(path)
    ports = json.loads(text("frp_ports", program))
    run = ctypes.c_uint64(0)
    call("frp_open", program, None, ctypes.c_ssize_t(0), ctypes.c_uint64(0), ctypes.byref(run))
    run = run.value
    for output in ports["outputs"]:
        call("frp_watch", run, port(run, "output", output["name"]))
    call("frp_start", run)
    for line in trace:
        call("frp_advance", run, ctypes.c_double(line.pop("at", 0)))
        for name, value in line.items():
            value = json.dumps(value).encode()
            call("frp_send_json", run, port(run, "input", name), value, ctypes.c_ssize_t(len(value)))
    call("frp_finish", run)
    shown = text("frp_poll", run).splitlines()
    for handle in (run, program):
        call("frp_release", handle)
    return shown


def name_of(line):
    return next(name for name in json.loads(line) if name != "at")


def main():
    compared = different = 0
    for path in sorted(glob.glob(os.path.join(root, "examples", "*.trace"))):
        program = path[: -len("trace")] + "frp"
        if os.path.exists(path[: -len("trace")] + "args"):
            continue
        with open(path, encoding="utf-8") as file:
            trace = [json.loads(line) for line in file if line.strip()]
        if any(len(line) != 2 for line in trace):
            continue
        wanted = subprocess.run(
            [sys.argv[2], "run", program, "--trace", path, "--format", "jsonl", "--quiet"],
            capture_output=True, text=True, check=False).stdout.splitlines()
        shown = through_c(program, trace)
        names = {name_of(line) for line in shown}
        wanted = [line for line in wanted if name_of(line) in names]
        compared += 1
        if shown != wanted:
            different += 1
            print(f"{os.path.basename(program)}:")
            for here, there in zip(shown + [None] * len(wanted), wanted + [None] * len(shown)):
                if here != there:
                    print(f"  through C {here}, by frp run {there}")
                    break
    print(f"{compared} examples through C, {different} different")
    sys.exit(1 if different or compared < 10 else 0)


main()
