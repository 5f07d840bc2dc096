"""The grammar of editors/tree-sitter, compiled and loaded, and what `frp fmt` says about the same texts."""

import ctypes
import glob
import json
import os
import re
import subprocess
import tempfile

from tree_sitter import Language, Parser

FOLDER = "editors/tree-sitter"


def load(place):
    source, library = f"{FOLDER}/src", os.path.abspath(f"{place}/frp.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-std=c11", f"-I{source}", f"{source}/parser.c",
                    f"{source}/scanner.c", "-o", library], check=True)
    function = ctypes.CDLL(library).tree_sitter_frp
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return Language(capsule(function(), b"tree_sitter.Language", None))


class Grammar:
    def __init__(self, place):
        self.language = load(place)
        self.parser = Parser(self.language)

    def parse(self, text, old=None):
        return self.parser.parse(text, old) if old else self.parser.parse(text)

    def has_error(self, text):
        return self.parse(text).root_node.has_error


def problems(tree):
    """The first lines of what was not understood: (line, column, kind, text)."""
    found, stack = [], [tree.root_node]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            found.append((node.start_point[0] + 1, node.start_point[1] + 1, node.type, node.text[:40]))
        elif node.has_error:
            stack.extend(reversed(node.children))
    return found[:3]


# Around one thing alone these say nothing, and `frp fmt` takes them away.
BRACKETS = ("parenthesized_type", "tuple_pattern", "lambda_parameters", "parenthesized_expression")


def shape(tree):
    """The tree without comments, places and the brackets that say nothing."""
    def write(node):
        if node.type in ("comment", "documentation"):
            return None
        if not node.children:
            return node.text.decode().replace("\r\n", "\n").strip("`\r")
        parts = [part for part in map(write, node.children) if part is not None and part not in (",", ";", "|")]
        if node.type in BRACKETS and len(parts) == 3:
            return parts[1]
        return [node.type] + parts
    return write(tree.root_node)


def programs():
    """Every program of the project, by its name: the files, and what stands in the documents."""
    found = {path: open(path, "rb").read() for path in sorted(glob.glob("**/*.frp", recursive=True))}
    for path in sorted(glob.glob("docs/**/*.md", recursive=True)) + ["README.md"]:
        text = open(path, encoding="utf-8").read()
        for number, block in enumerate(re.findall(r"^```frp.*\n((?:.*\n)*?)```", text, re.M), 1):
            found[f"{path}, block {number}"] = block.encode()
    return found


def refused(frp, texts):
    """Which of the texts `frp fmt` refuses, with the codes that it names; and how it writes the others."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            with open(f"{folder}/{number}.frp", "wb") as file:
                file.write(text)
        names = [f"{folder}/{number}.frp" for number in range(len(texts))]
        codes = [[] for _ in texts]
        for begin in range(0, len(names), 500):
            run = subprocess.run([frp, "fmt", "--error-format", "json", *names[begin:begin + 500]],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            assert run.returncode in (0, 1), (run.returncode, run.stderr[:400])
            for line in run.stderr.decode().splitlines():
                problem = json.loads(line)
                if problem["severity"] == "error":
                    codes[int(os.path.basename(problem["file"])[:-4])].append(problem["code"])
        return codes, [open(name, "rb").read() for name in names]
