"""A Python program that embeds frp by ctypes: `python3 counter.py PATH/libfrp.so`. Run by Tests/CLibrary/run."""

import ctypes
import json
import sys


class Frp:
    """The few calls of frp.h that this example needs, with exceptions for statuses."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, name, handle, *arguments):
        status = getattr(self.library, name)(ctypes.c_uint64(handle), *arguments)
        if status not in (0, 11):
            raise RuntimeError(f"{name}: {status}: {self.text('frp_message', handle)}")
        return status

    def text(self, name, handle, *arguments):
        needed = ctypes.c_ssize_t(0)
        self.call(name, handle, *arguments, None, ctypes.c_ssize_t(0), ctypes.byref(needed))
        buffer = ctypes.create_string_buffer(max(1, needed.value))
        self.call(name, handle, *arguments, buffer, ctypes.c_ssize_t(needed.value), ctypes.byref(needed))
        return buffer.raw[: needed.value].decode()

    def compile(self, name, source):
        name, source, program = name.encode(), source.encode(), ctypes.c_uint64(0)
        status = self.library.frp_compile(
            name, ctypes.c_ssize_t(len(name)), source, ctypes.c_ssize_t(len(source)), ctypes.byref(program))
        if status:
            raise SyntaxError(self.text("frp_message", program.value))
        return program.value

    def open(self, program):
        run = ctypes.c_uint64(0)
        self.call("frp_open", program, None, ctypes.c_ssize_t(0), ctypes.c_uint64(0), ctypes.byref(run))
        self.call("frp_start", run.value)
        return run.value

    def port(self, run, kind, name):
        port, name = ctypes.c_int32(0), name.encode()
        self.call(f"frp_{kind}", run, name, ctypes.c_ssize_t(len(name)), ctypes.byref(port))
        return port

    def send(self, run, port, value):
        text = json.dumps(value).encode()
        self.call("frp_send_json", run, port, text, ctypes.c_ssize_t(len(text)))

    def read(self, run, port):
        return json.loads(self.text("frp_read_json", run, port))


frp = Frp(sys.argv[1])
try:
    frp.compile("bad.frp", "output x = y")
    sys.exit("a wrong program was compiled")
except SyntaxError as error:
    assert "E0" in str(error), error

program = frp.compile(
    "words.frp",
    """
input line: Event<String>
output lines = line |> fold([], (all, l) => all ++ [l])
output longest = lines |> map(size) |> fold(0, max)
""",
)
run = frp.open(program)
line = frp.port(run, "input", "line")
lines = frp.port(run, "output", "lines")
longest = frp.port(run, "output", "longest")
for text in ["to be", "or not to be", 'that is "the" question – ja']:
    frp.send(run, line, text)
assert frp.read(run, lines) == ["to be", "or not to be", 'that is "the" question – ja']
assert frp.read(run, longest) == 27
for handle in (run, program):
    frp.call("frp_release", handle)
print("python: all as it should be")
