"""The grammar for tree-sitter against the parser itself. scenarios.py FRP PLACE [FILTER]

SEED=… repeats what is random, COUNT=… takes that many."""

import os
import random
import re
import subprocess
import sys

from tree_sitter import Query, QueryCursor

import colours
import counted
import mutate
from grammar import FOLDER, Grammar, problems, programs, refused, shape

FRP, PLACE = os.path.abspath(sys.argv[1]), sys.argv[2]
SEED = int(os.environ.get("SEED", random.randrange(10**6)))
COUNT = int(os.environ.get("COUNT", 300))

grammar = Grammar(PLACE)
texts = programs()
codes, formatted = refused(FRP, list(texts.values()))
accepted = {name: (text, written) for (name, text), code, written in zip(texts.items(), codes, formatted) if not code}
mistaken = {name: (text, code) for (name, text), code in zip(texts.items(), codes) if code}
short = sorted(text for text, _ in accepted.values() if len(text) < 4000)


def every_program_is_read():
    assert len(accepted) > 500, len(accepted)
    wrong = [(name, problems(grammar.parse(text))) for name, (text, _) in accepted.items() if grammar.has_error(text)]
    assert not wrong, wrong[:5]
    return f"{len(accepted)} programs"


def what_the_parser_refuses_has_errors():
    missed = [(name, code) for name, (text, code) in mistaken.items() if not grammar.has_error(text)]
    assert len(mistaken) > 80 and len(missed) <= len(mistaken) // 50, missed
    return f"{len(mistaken) - len(missed)} of {len(mistaken)}"


def the_one_layout_has_the_same_tree():
    """`frp fmt` moves every line and changes no meaning."""
    wrong = [name for name, (text, written) in accepted.items()
             if shape(grammar.parse(text)) != shape(grammar.parse(written))]
    assert not wrong, wrong[:5]


def changed(change):
    source = random.Random(SEED)
    results = [change(source.choice(short).decode(), source).encode() for _ in range(COUNT)]
    codes, formatted = refused(FRP, results)
    caught = 0
    for number, (text, code, written) in enumerate(zip(results, codes, formatted)):
        tree = grammar.parse(text)
        caught += bool(code) and tree.root_node.has_error
        if not code:
            assert not tree.root_node.has_error, f"SEED={SEED}, number {number}: {problems(tree)}\n{text.decode()}"
            assert shape(tree) == shape(grammar.parse(written)), f"SEED={SEED}, number {number}:\n{text.decode()}"
    wrong = sum(map(bool, codes))
    assert caught >= wrong * 0.8, (SEED, caught, wrong)
    return f"{COUNT - wrong} programs; errors in {caught} of {wrong} others"


def layout_is_that_of_the_parser():
    return changed(mutate.move_layout)


def spoiled_programs_are_told_from_whole_ones():
    return changed(mutate.spoil)


def places(tree):
    found, stack = [], [tree.root_node]
    while stack:
        node = stack.pop()
        found.append((node.type, node.start_point, node.end_point, node.is_missing))
        stack.extend(node.children)
    return found


def point(text, offset):
    return text.count(b"\n", 0, offset), offset - (text.rfind(b"\n", 0, offset) + 1)


def edits_give_the_tree_of_the_text():
    """Typing and taking back: what has no error is as read anew; in what has one, where the errors are may differ."""
    source = random.Random(SEED)
    other = 0
    for number in range(COUNT // 2):
        text = source.choice(short)
        tree = grammar.parse(text)
        done = []
        for step in range(8):
            if step < 4:
                begin = source.randrange(len(text) + 1)
                end = min(len(text), begin + source.choice([0, 0, 1, 1, 3, 20]))
                piece = source.choice(mutate.PIECES + [""] * 20).encode()
                done.append((begin, piece, text[begin:end]))
            else:
                begin, old, piece = done.pop()
                end = begin + len(old)
            new = text[:begin] + piece + text[end:]
            tree.edit(begin, end, begin + len(piece), point(text, begin), point(text, end), point(new, begin + len(piece)))
            text, tree, fresh = new, grammar.parse(new, tree), grammar.parse(new)
            if places(tree) != places(fresh):
                other += 1
                assert tree.root_node.has_error and fresh.root_node.has_error, f"SEED={SEED}, number {number}, step {step}"
    assert other <= COUNT * 4 // 50, other
    return f"{COUNT * 4} edits, in {other} of them the errors differ"


def a_mistake_stays_where_it_is():
    """A bracket or quote taken out of one definition: how many of the other items are found all the same."""
    source = random.Random(SEED)
    found = whole = 0
    for _ in range(COUNT):
        text = source.choice(short)
        items = [(node.start_byte, node.end_byte) for node in grammar.parse(text).root_node.named_children]
        spots = [match.start() for match in re.finditer(rb'[(){}\[\]"=,]', text)
                 if any(begin <= match.start() < end for begin, end in items)]
        if not spots:
            continue
        at = source.choice(spots)
        expected = {(begin - (begin > at), end - (begin > at)) for begin, end in items if not begin <= at < end}
        tree = grammar.parse(text[:at] + text[at + 1:])
        found += len(expected & {(node.start_byte, node.end_byte) for node in tree.root_node.named_children})
        whole += len(expected)
    assert found > whole * 0.95, (SEED, found, whole)
    return f"{100 * found / whole:.1f} %"


def the_corpus_has_its_trees():
    """As `tree-sitter test` reads them, but with FRP_ACCEPT=1 the present trees are written."""
    count = 0
    for name in sorted(os.listdir(f"{FOLDER}/test/corpus")):
        path = f"{FOLDER}/test/corpus/{name}"
        text = open(path, encoding="utf-8", newline="").read()
        cases = re.findall(r"^=+\n(.*)\n=+\n\n((?:.*\n)*?)\n---\n\n((?:.*\n)*?)(?=\n=+\n|\s*\Z)", text, re.M)
        trees = []
        for title, program, expected in cases:
            tree = pretty(grammar.parse(program.encode()).root_node)
            trees.append(f"{'=' * 20}\n{title}\n{'=' * 20}\n\n{program}\n---\n\n{tree}\n")
            if not os.environ.get("FRP_ACCEPT"):
                assert expected.split() == tree.split(), f"{path}: {title}\n{tree}"
        if os.environ.get("FRP_ACCEPT"):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write("\n".join(trees))
        count += len(cases)
    assert count > 30, count
    return f"{count} cases"


def pretty(node, field="", depth=0):
    """A tree as text, a node a line."""
    if not node.is_named and not node.is_missing:
        return ""
    name = node.type if node.is_named else f'"{node.type}"'
    lines = [f"MISSING {name}" if node.is_missing else name]
    for number, child in enumerate(node.children):
        lines.append(pretty(child, node.field_name_for_child(number), depth + 1))
    return "  " * depth + (f"{field}: " if field else "") + "(" + "\n".join(filter(None, lines)) + ")"


def queries_hold():
    names = sorted(os.listdir(f"{FOLDER}/queries"))
    assert len(names) == 5, names
    queries = {name: Query(grammar.language, open(f"{FOLDER}/queries/{name}").read()) for name in names}
    for text, _ in accepted.values():
        root = grammar.parse(text).root_node
        seen = {}
        for _, match in QueryCursor(queries["highlights.scm"]).matches(root):
            for name, nodes in match.items():
                for node in nodes:
                    place = node.start_byte, node.end_byte
                    assert seen.setdefault(place, name) == name, (node.text, name, seen[place])
    return f"{len(names)} queries"


def colours_of_the_sample():
    """Below a line, `^ name` and, for the first column, `<- name` say what stands there is captured as."""
    text = open(f"{FOLDER}/test/highlight/sample.frp", "rb").read()
    query = Query(grammar.language, open(f"{FOLDER}/queries/highlights.scm").read())
    at = {}
    for name, nodes in QueryCursor(query).captures(grammar.parse(text).root_node).items():
        for node in nodes:
            for column in range(node.start_point[1], node.end_point[1]):
                at[node.start_point[0], column] = name
    row, count = 0, 0
    for number, line in enumerate(text.decode().splitlines()):
        said = re.match(r"//( *)(\^|<-) ([a-z.]+)$", line)
        if not said:
            row = number
            continue
        column = 0 if said[2] == "<-" else 2 + len(said[1])
        assert at.get((row, column)) == said[3], (number + 1, said[3], at.get((row, column)))
        count += 1
    assert count > 60, count
    return f"{count} places"


def the_grammars_colour_alike():
    """Of Pygments, of TextMate (which is Visual Studio Code's), of Vim and of tree-sitter."""
    plain = [(name, text) for name, (text, _) in accepted.items()
             if b"\r" not in text and name.startswith(("examples/", "editors/", "Tests/Golden/", "docs/"))]
    found, which = colours.differences(grammar, PLACE, open(f"{FOLDER}/queries/highlights.scm").read(), plain)
    assert not found, found[:10]
    return which


def no_text_harms_the_scanner():
    """It reads random bytes, and programs with bytes changed, under the sanitizers of addresses and of undefined behavior."""
    program = f"{PLACE}/hostile"
    built = subprocess.run(["cc", "-g", "-O1", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                            f"-I{FOLDER}/src", "Tests/TreeSitter/hostile.c", "-o", program], capture_output=True, text=True)
    if built.returncode != 0:
        return "SKIPPED: no sanitizers: " + built.stderr[:100]
    files = f"{PLACE}/hostile.txt"
    with open(files, "wb") as file:
        file.write(b"\0".join(short))
    run = subprocess.run([program, files, str(SEED), str(COUNT * 8)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, (SEED, run.stdout[-500:], run.stderr[-3000:])
    return run.stdout.strip()


SCENARIOS = [
    every_program_is_read, what_the_parser_refuses_has_errors, the_one_layout_has_the_same_tree,
    layout_is_that_of_the_parser, spoiled_programs_are_told_from_whole_ones, edits_give_the_tree_of_the_text,
    a_mistake_stays_where_it_is, the_corpus_has_its_trees, queries_hold, colours_of_the_sample,
    the_grammars_colour_alike, no_text_harms_the_scanner,
]

if __name__ == "__main__":
    sys.exit(counted.run(SCENARIOS, sys.argv[3] if len(sys.argv) > 3 else ""))
