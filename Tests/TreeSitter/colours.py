"""What each grammar of `editors` takes the characters of a program for: words, types, texts, numbers, comments."""

import os
import shutil
import subprocess
import sys

from babi.highlight import Grammars, highlight_line
from pygments.token import Comment, Keyword, Name, Number, String
from tree_sitter import Query, QueryCursor

sys.path.insert(0, "editors/pygments")
from frp_lexer import FrpLexer  # noqa: E402

# The longer beginnings first.
CAPTURES = [("keyword.directive", "comment"), ("keyword", "word"), ("boolean", "word"), ("string", "text"), ("number", "number"),
            ("comment", "comment"), ("type", "type"), ("constructor", "type"), ("module", "type")]
SCOPES = [("punctuation.section", None), ("meta.interpolation", None), ("keyword.operator.word", "word"), ("keyword.operator", None),
          ("keyword", "word"), ("constant.language", "word"), ("string", "text"), ("constant.character.escape", "text"),
          ("constant.numeric", "number"), ("comment", "comment"), ("entity.name.type", "type")]
GROUPS = {"Conditional": "word", "Word": "word", "Boolean": "word", "Declaration": "word", "Test": "word", "Number": "number",
          "Float": "number", "Duration": "number", "Type": "type", "Escape": "text", "String": "text", "Raw": "text",
          "Comment": "comment", "Documentation": "comment", "Shebang": "comment", "Todo": "comment"}


def look_up(table, name):
    return next((kind for begin, kind in table if name.startswith(begin)), None)


def of_tree_sitter(grammar, query, text):
    kinds = [None] * len(text)
    for name, nodes in QueryCursor(query).captures(grammar.parse(text).root_node).items():
        for node in nodes:
            # A parameter of a type is a name like others where nobody knows that it stands in a type.
            kind = None if node.type == "type_variable" else look_up(CAPTURES, name)
            kinds[node.start_byte:node.end_byte] = [kind] * (node.end_byte - node.start_byte)
    return kinds


def of_pygments(text):
    kinds = []
    for token, piece in FrpLexer(stripnl=False, ensurenl=False).get_tokens(text.decode()):
        kind = ("comment" if token in Comment or token in String.Doc else None if token in String.Interpol
                else "text" if token in String else "number" if token in Number else "word" if token in Keyword
                else "type" if token in Name.Class or token in Name.Namespace else None)
        kinds += [kind] * len(piece.encode())
    return kinds


class TextMate:
    def __init__(self, place):
        # Files are found by the names of their scopes.
        os.makedirs(f"{place}/textmate", exist_ok=True)
        shutil.copy("grammar/frp.tmLanguage.json", f"{place}/textmate/source.frp.json")
        self.compiler = Grammars(f"{place}/textmate").compiler_for_scope("source.frp")

    def kinds(self, text):
        kinds, state = [], self.compiler.root_state
        for number, line in enumerate(text.decode().splitlines(keepends=True)):
            state, regions = highlight_line(self.compiler, state, line, number == 0)
            found = [None] * len(line)
            for region in regions:
                kind = next((look_up(SCOPES, scope) for scope in reversed(region.scope)
                             if any(scope.startswith(begin) for begin, _ in SCOPES)), None)
                found[region.start:region.end] = [kind] * (region.end - region.start)
            for character, kind in zip(line, found):
                kinds += [kind] * len(character.encode())
        return kinds


def of_vim(place, names):
    """By the names of the files; none where there is no Vim that colours."""
    if not shutil.which("vim") or "+syntax" not in subprocess.run(["vim", "--version"], capture_output=True, text=True).stdout:
        return {}
    files, written = f"{place}/vim_files", f"{place}/vim_kinds"
    with open(files, "w") as file:
        file.write("\n".join(names))
    open(written, "w").close()
    subprocess.run(["vim", "-u", "NONE", "-i", "NONE", "-es", "-S", "Tests/TreeSitter/kinds.vim"], timeout=100,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=os.environ | {"FILES": files, "KINDS": written})
    found = {}
    for file in open(written).read().split("FILE ")[1:]:
        name, *lines = file.split("\n")
        found[name] = [kind for line in lines
                       for kind in [GROUPS.get(group.removeprefix("frp")) for group in line.split(".")[:-1]] + [None]]
    return found


def differences(grammar, place, query_text, texts):
    """(name, line, by which, what tree-sitter says, what that says), of characters that are no blanks."""
    query, textmate, found = Query(grammar.language, query_text), TextMate(place), []
    vim = of_vim(place, [name for name, _ in texts if name.startswith(("examples/", "editors/", "Tests/Golden/format/", "Tests/Golden/run/"))])
    for name, text in texts:
        right = of_tree_sitter(grammar, query, text)
        others = {"Pygments": of_pygments(text), "TextMate": textmate.kinds(text)}
        if name in vim:
            # Vim knows a line break behind the last line, where there may be none.
            others["Vim"] = vim[name][:len(text)]
        for by, kinds in others.items():
            assert len(kinds) == len(right), (name, by)
            for at, (a, b) in enumerate(zip(right, kinds)):
                if a != b and not text[at:at + 1].isspace():
                    found.append((name, text.count(b"\n", 0, at) + 1, by, a, b))
                    break
    return found, "three and Vim" if vim else "three, without Vim"
