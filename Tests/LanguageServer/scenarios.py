"""What an editor asks of `frp lsp`, and what it must be told. scenarios.py FRP [FILTER]"""

import asyncio
import glob
import os
import random
import sys
import tempfile
import time

import lsprotocol.types as lsp
from pygls.exceptions import JsonRpcException

import counted
from driver import Editor, apply, area, cursor

FRP = os.path.abspath(sys.argv[1])
ADDRESS = "file:///nowhere/program.frp"

PROGRAM = '''/// How warm it is.
input celsius: Behavior<Float> = 20.0
input clicks: Event<Int>

type Shape = Circle(Float) | Rect(w: Float, h: Float)

area(shape) = match shape {
  Circle(r) => 3.14159 * r * r
  Rect(w, h) => w * h
}

/// Clicks so far.
count = clicks |> fold(0, (n, _) => n + 1)
height = integral(celsius)
limit = 3.5
points = [{x: 1.0, y: 2.0}, {x: 3.0, y: 4.0}]
(big, small) = clicks |> partition(x => x > 9)
xs = points |> map(p => p.x)
flip({x, y}) = {x: y, y: x}

output label = "{count} {round(height)} {limit} {sum(xs)}"
output big, small
output areas = [Circle(1.0)] |> map(area)
output flipped = flip({x: 1, y: 2})

test "counts" {
  given clicks = "x-x" every 1s with {x: 1}
  expect count at 5s == 2
}
'''


def place(text, word, number=1, shift=0):
    """Where a word stands for the n-th time."""
    offset = -1
    for _ in range(number):
        offset = text.index(word, offset + 1)
    offset += shift
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


def spots(locations):
    return sorted((l.range.start.line, l.range.start.character) for l in locations)


# Problems


async def problems_have_codes_places_and_fixes():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)
        assert await editor.problems(ADDRESS) == (), editor.published
        broken = PROGRAM.replace("round(height)", "round(heigth)")
        editor.change(ADDRESS, broken)
        [problem] = await editor.problems(ADDRESS)
        assert problem.code == "E0201" and problem.source == "frp", problem
        assert problem.severity == lsp.DiagnosticSeverity.Error
        assert (problem.range.start.line, problem.range.start.character) == place(broken, "heigth")
        assert "`heigth`" in problem.message and "frp explain E0201" in problem.message, problem.message
        [action] = [a for a in await editor.client.text_document_code_action_async(lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(ADDRESS), problem.range, lsp.CodeActionContext(diagnostics=[problem])))
            if "height" in a.title]
        assert action.kind == "quickfix" and action.diagnostics[0].code == "E0201"
        assert apply(broken, action.edit.changes[ADDRESS]) == PROGRAM
        editor.change(ADDRESS, PROGRAM)
        assert await editor.problems(ADDRESS) == ()


async def a_problem_names_other_places():
    text = "a = 1\na = 2\noutput a\n"
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, text)
        [problem] = await editor.problems(ADDRESS)
        assert problem.code == "E0203", problem
        [related] = problem.related_information
        assert related.location.uri == ADDRESS and related.location.range.start.line == 0, related


async def every_fix_applies():
    """Each golden mistake: edits lie in the text, and what they make is another text."""
    count = 0
    async with Editor(FRP) as editor:
        for path in sorted(glob.glob("Tests/Golden/errors/*.frp")):
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
            address = "file:///nowhere/" + os.path.basename(path)
            editor.open(address, text)
            actions = await editor.client.text_document_code_action_async(lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(address), area((0, 0), (10**6, 0)), lsp.CodeActionContext(diagnostics=[])))
            for action in actions:
                assert apply(text, action.edit.changes[address]) != text, (path, action.title)
                count += 1
            editor.client.text_document_did_close(
                lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(address)))
    assert count > 40, f"only {count} fixes"


async def places_count_as_the_client_says():
    text = 'output a = "😀ä" ++ nope\n'
    for encodings, character in ((["utf-16"], 20), (["utf-8", "utf-16"], 23), ([], 20)):
        async with Editor(FRP, encodings) as editor:
            assert editor.answer.capabilities.position_encoding == (encodings + ["utf-16"])[0]
            editor.open(ADDRESS, text)
            [problem] = await editor.problems(ADDRESS)
            assert problem.range.start.character == character, problem.range


# Names


async def hover_tells_type_time_and_words():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)
        for word, number, wanted in [
            ("celsius", 1, ["celsius: Behavior<Float>", "an input", "step", "How warm it is."]),
            ("clicks", 1, ["clicks: Event<Int>", "an event"]),
            ("count", 1, ["count: Behavior<Int>", "a step behavior", "Clicks so far."]),
            ("height", 1, ["height: Behavior<Float>", "a continuous behavior"]),
            ("limit", 1, ["limit: Float", "a constant"]),
            ("area", 1, ["area: (Shape) -> Float"]),
            ("big", 1, ["big: Event<Int>", "an event"]),
            ("Circle", 2, ["Circle: (Float) -> Shape"]),
            ("Shape", 1, ["type Shape = Circle(Float)"]),
            ("fold", 1, ["fold: (Event<a>, =b, (b, a) -> b) -> Behavior<b>", "fold(e, x0, f) (t) ="]),
            ("integral", 1, ["integral: (Behavior<Float>) -> Behavior<Float>"]),
            ("p.x", 1, ["p: {x: Float, y: Float}", "a parameter"]),
            ("label", 1, ["label: Behavior<String>", "continuous"]),
        ]:
            text = await editor.hover(ADDRESS, place(PROGRAM, word, number)) or ""
            for part in wanted:
                assert part in text, (word, part, text)
            if word == "fold":
                assert "List<a>" not in text, "the row that is meant, alone"
        assert "x: Float" in await editor.hover(ADDRESS, place(PROGRAM, "p.x", 1, 2))
        assert await editor.hover(ADDRESS, (3, 0)) is None


async def definitions_and_references():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)
        there = await editor.client.text_document_definition_async(
            editor.at(lsp.DefinitionParams, ADDRESS, place(PROGRAM, "count", 2)))
        assert spots([there]) == [place(PROGRAM, "count", 1)], there
        uses = await editor.client.text_document_references_async(editor.at(
            lsp.ReferenceParams, ADDRESS, place(PROGRAM, "clicks"), context=lsp.ReferenceContext(False)))
        assert len(uses) == 3, uses
        assert place(PROGRAM, "clicks = ") in spots(uses), "a test feeds it"
        nothing = await editor.client.text_document_definition_async(
            editor.at(lsp.DefinitionParams, ADDRESS, place(PROGRAM, "fold")))
        assert nothing is None


async def modules_are_followed():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("Geometry", "/// Its area.\ncircle(r) = 3.0 * r * r\n"),
                           ("main", "import Geometry\noutput a = Geometry.circle(2.0)\n")):
            with open(f"{folder}/{name}.frp", "w", encoding="utf-8") as file:
                file.write(text)
        main, module = f"file://{folder}/main.frp", f"file://{folder}/Geometry.frp"
        text = open(f"{folder}/main.frp", encoding="utf-8").read()
        async with Editor(FRP) as editor:
            editor.open(main, text)
            assert await editor.problems(main) == ()
            there = await editor.client.text_document_definition_async(
                editor.at(lsp.DefinitionParams, main, place(text, "circle")))
            assert there.uri == module and there.range.start.line == 1, there
            assert "Its area." in await editor.hover(main, place(text, "circle"))
            assert await editor.complete(main, place(text, "circle", 1, 1)) == ["circle"]
            assert await editor.complete(main, place(text, "Geometry", 1, 2)) == ["Geometry"]
            # What the editor holds counts, not the file.
            editor.open(module, "disc(r) = r\n")
            editor.change(main, text + "\n")
            [problem] = await editor.problems(main)
            assert problem.code == "E0703", problem
            try:
                await editor.rename(module, (0, 0), "ring")
            except JsonRpcException as refusal:
                assert False, refusal
            editor.change(module, "circle(r) = r\n")
            editor.change(main, text)
            assert await editor.problems(main) == ()


async def names_are_followed_over_files():
    texts = {
        "Shapes": "type Shape = Round(Float)\ncircle(r) = 3.0 * r * r\ndouble(r) = circle(r) + circle(r)\n",
        "one": "import Shapes\noutput a = Shapes.circle(2.0)\nround = Shapes.Round(1.0)\n",
        "two": "import Shapes\nf(s: Shapes.Shape) = match s { Shapes.Round(r) => Shapes.circle(r) }\ncircle = 1\n",
        "three": "import one\ncircle = 4\n",
        "apart": "circle(r) = r\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/below")
        for name, text in texts.items():
            with open(f"{folder}/{name}.frp", "w", encoding="utf-8") as file:
                file.write(text)
        with open(f"{folder}/below/deep.frp", "w", encoding="utf-8") as file:
            file.write("type Sphere = Sphere(Float)\ninput tick: Event<Int>\n(left, right) = (1, 2)\n")
        address = {name: f"file://{folder}/{name}.frp" for name in texts}
        async with Editor(FRP, folders=[f"file://{folder}"]) as editor:
            # One file is open, with a text that is not on the disk yet.
            texts["one"] += "more = Shapes.circle(1.0)\n"
            editor.open(address["one"], texts["one"])
            uses = await editor.client.text_document_references_async(editor.at(
                lsp.ReferenceParams, address["one"], place(texts["one"], "circle"), context=lsp.ReferenceContext(True)))
            assert sorted((use.uri, use.range.start.line) for use in uses) == sorted(
                [(address["Shapes"], 1), (address["Shapes"], 2), (address["Shapes"], 2), (address["one"], 1),
                 (address["one"], 3), (address["two"], 1)]), uses

            async def renamed(name, word, number, new):
                edit = await editor.rename(address[name], place(texts[name], word, number), new)
                return {uri: apply(texts[next(n for n in texts if address[n] == uri)], edits)
                        for uri, edits in edit.changes.items()}

            changed = await renamed("one", "circle", 1, "disc")
            assert changed == {
                address["Shapes"]: texts["Shapes"].replace("circle", "disc"),
                address["one"]: texts["one"].replace("circle", "disc"),
                address["two"]: texts["two"].replace("Shapes.circle", "Shapes.disc"),
            }, changed
            assert (await renamed("one", "Round", 1, "Ball"))[address["two"]] == texts["two"].replace("Round", "Ball")
            editor.open(address["Shapes"], texts["Shapes"])
            kind = await renamed("Shapes", "Shape", 1, "Figure")
            assert kind[address["two"]] == texts["two"].replace("Shapes.Shape", "Shapes.Figure"), kind
            for new, reason in (("double", "defined twice"), ("Disc", "small letter")):
                try:
                    await editor.rename(address["one"], place(texts["one"], "circle"), new)
                    assert False, new
                except JsonRpcException as refusal:
                    assert reason in str(refusal), refusal
            # A name of a margin that nobody else mentions.
            assert set(await renamed("one", "more", 1, "less")) == {address["one"]}

            async def found(query):
                answer = await editor.client.workspace_symbol_async(lsp.WorkspaceSymbolParams(query))
                return sorted((symbol.name, symbol.container_name) for symbol in answer)

            assert await found("crc") == [
                ("circle", "Shapes"), ("circle", "apart"), ("circle", "three"), ("circle", "two")]
            assert await found("sphere") == [("Sphere", "deep"), ("Sphere", "deep")]
            assert await found("tick") == [("tick", "deep")] and await found("RIGHT") == [("right", "deep")]
            assert await found("more") == [("more", "one")], "as the editor holds it"
            with open(f"{folder}/apart.frp", "w", encoding="utf-8") as file:
                file.write("sphere = 1\n")
            assert ("sphere", "apart") in await found("sphere"), "as it is now"


async def files_that_change_elsewhere_are_read_again():
    with tempfile.TemporaryDirectory() as folder:
        main, text = f"file://{folder}/main.frp", "import Geometry\noutput a = Geometry.circle(2.0)\n"
        async with Editor(FRP) as editor:
            editor.open(main, text)
            [problem] = await editor.problems(main)
            assert problem.code == "E0702", problem
            with open(f"{folder}/Geometry.frp", "w", encoding="utf-8") as file:
                file.write("circle(r) = 3.0 * r * r\n")
            editor.published.clear()
            editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([
                lsp.FileEvent(f"file://{folder}/Geometry.frp", lsp.FileChangeType.Created)]))
            assert await editor.problems(main) == ()


async def renaming_keeps_the_meaning():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)

        async def renamed(word, number, name):
            edit = await editor.rename(ADDRESS, place(PROGRAM, word, number), name)
            return apply(PROGRAM, edit.changes[ADDRESS])

        total = await renamed("count", 1, "total")
        assert total == PROGRAM.replace("count = ", "total = ").replace("{count}", "{total}").replace(
            "expect count", "expect total"), total
        assert "Disc(Float)" in await renamed("Circle", 1, "Disc")
        # The field keeps its name.
        flipped = await editor.rename(ADDRESS, place(PROGRAM, "{x, y}", 1, 1), "left")
        assert "flip({x: left, y}) = {x: y, y: left}" in apply(PROGRAM, flipped.changes[ADDRESS])
        for word, number, name, reason in [
            ("count", 1, "clicks", "defined twice"), ("count", 1, "Count", "small letter"), ("count", 1, "if", "no name"),
            ("count", 1, "a b", "no name"), ("Circle", 1, "Rect", "defined twice"), ("limit", 1, "round", "round"),
            ("fold", 1, "reduce", "built in"),
        ]:
            try:
                await editor.rename(ADDRESS, place(PROGRAM, word, number), name)
                assert False, (word, name)
            except JsonRpcException as refusal:
                assert reason in str(refusal), (word, name, refusal)
        # What hides nothing that is meant is allowed.
        await editor.rename(ADDRESS, place(PROGRAM, "p.x"), "points")
        captured = "limit = 1\noutput a = [1] |> map(x => x + limit)\n"
        editor.change(ADDRESS, captured)
        for spot, name in ((place(captured, "limit"), "x"), (place(captured, "x =>"), "limit")):
            try:
                await editor.rename(ADDRESS, spot, name)
                assert False, name
            except JsonRpcException as refusal:
                assert "would be meant" in str(refusal), refusal


async def symbols_folds_and_hints():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)
        answers = await editor.ask_everything(ADDRESS, place(PROGRAM, "count"))
        kinds = {symbol.name: symbol.kind for symbol in answers["symbols"]}
        assert kinds["clicks"] == kinds["big"] == lsp.SymbolKind.Event
        assert kinds["area"] == lsp.SymbolKind.Function and kinds["limit"] == lsp.SymbolKind.Constant
        [shape] = [symbol for symbol in answers["symbols"] if symbol.name == "Shape"]
        assert [child.name for child in shape.children] == ["Circle", "Rect"]
        hints = {(hint.position.line, hint.position.character): hint.label for hint in answers["hints"]}
        assert hints[place(PROGRAM, "count", 1, 5)] == ": Behavior<Int>", hints
        assert hints[place(PROGRAM, "area(shape)", 1, 10)] == ": Shape"
        assert hints[place(PROGRAM, "area(shape)", 1, 11)] == ": Float"
        assert any(fold.start_line == place(PROGRAM, "area(")[0] for fold in answers["folds"])
        assert not answers["formatting"], "it is in the one style"
        ugly = PROGRAM.replace("limit = 3.5", "limit   =  3.5")
        editor.change(ADDRESS, ugly)
        edits = await editor.client.text_document_formatting_async(lsp.DocumentFormattingParams(
            lsp.TextDocumentIdentifier(ADDRESS), lsp.FormattingOptions(tab_size=8, insert_spaces=False)))
        assert apply(ugly, edits) == PROGRAM


async def tests_can_be_run():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)
        for text, passes in ((PROGRAM, True), (PROGRAM.replace("== 2", "== 3"), False)):
            editor.change(ADDRESS, text)
            [lens] = (await editor.ask_everything(ADDRESS, (0, 0)))["lenses"]
            assert lens.range.start.line == place(text, "test")[0]
            result = await editor.client.workspace_execute_command_async(
                lsp.ExecuteCommandParams(lens.command.command, lens.command.arguments))
            assert result["passed"] is passes, result
        assert len(editor.messages) == 2 and "FAIL: counts" in editor.messages[1], editor.messages


async def colours_tell_times_apart():
    async with Editor(FRP) as editor:
        legend = editor.answer.capabilities.semantic_tokens_provider.legend
        editor.open(ADDRESS, PROGRAM)
        data = (await editor.ask_everything(ADDRESS, (0, 0)))["tokens"].data
        seen, line, character = {}, 0, 0
        lines = PROGRAM.split("\n")
        for index in range(0, len(data), 5):
            down, across, length, kind, bits = data[index:index + 5]
            line, character = line + down, across if down else character + across
            modifiers = {name for bit, name in enumerate(legend.token_modifiers) if bits >> bit & 1}
            seen.setdefault(lines[line][character:character + length], (legend.token_types[kind], modifiers))
        for word, kind, modifier in [
            ("clicks", "event", None), ("big", "event", None), ("count", "variable", None),
            ("height", "variable", "continuous"), ("limit", "variable", "readonly"), ("area", "function", None),
            ("fold", "function", "defaultLibrary"), ("Circle", "enumMember", None), ("Shape", "type", None),
            ("Float", "type", "defaultLibrary"), ("output", "keyword", None), ("3.5", "number", None),
            ("/// Clicks so far.", "comment", None), ("shape", "parameter", None),
        ]:
            assert seen[word][0] == kind, (word, seen[word])
            assert modifier is None or modifier in seen[word][1], (word, seen[word])
        assert not seen["count"][1] & {"continuous", "readonly"}, seen["count"]


# What may come


async def completion_offers_what_fits():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)

        async def offered(more):
            text, spot = cursor(PROGRAM + more)
            editor.change(ADDRESS, text)
            return await editor.complete(ADDRESS, spot)

        piped = await offered("q = clicks |> ‸\n")
        assert {"fold", "map", "filter", "debounce"} <= set(piped) and "sort" not in piped, piped
        piped = await offered("q = points |> ‸\n")
        assert "sortBy" in piped and "debounce" not in piped, piped
        piped = await offered("q = Circle(1.0) |> ‸\n")
        assert piped[0] == "area", piped
        assert await offered("q = points |> map(p => p.‸)\n") == ["x", "y"]
        assert await offered("q = points |> map(p => p.‸") == ["x", "y"]
        assert await offered("q = points |> map(.‸)\n") == ["x", "y"]
        assert await offered("q = area(‸)\n") and (await offered("q = area(‸)\n"))[:2] == ["Circle", "Rect"]
        assert await offered("q = match Circle(1.0) {\n  ‸\n}\n") == ["Circle", "Rect"]
        assert (await offered("q(n) = n + ‸\n"))[0] == "n"
        assert "atan2" in await offered("q = Math.‸\n") and "get" in await offered("q = Http.‸\n")
        policies = {"Latest", "All", "Queue", "Ignore", "Limit"}
        for more in ("q = clicks |> perform(‸\n", "q = clicks |> perform(‸)\n", "q = clicks |> perform(‸, n => Task.succeed(n))\n"):
            assert set((await offered(more))[:5]) == policies, (more, (await offered(more))[:8])
        assert not policies & set(await offered("q = area(‸)\n"))
        assert "Shape" in await offered("input z: ‸\n")
        assert "fold" not in await offered("input z: Event<‸\n")
        assert "output" in await offered("‸")
        assert "celsius" in await offered('q = "now {ce‸}"\n')
        assert await offered("output ‸\n") == sorted([
            "areas", "big", "celsius", "clicks", "count", "flipped", "height", "label", "limit", "points", "small", "xs"])
        assert await offered('test "more" {\n  given ‸\n}\n') == ["celsius", "clicks"]
        for quiet in ('q = "ab ‸"\n', "q = 1 // a‸\n", "q = 1‸2\n"):
            assert await offered(quiet) == [], quiet
        first = await offered("q(c: Float) = {\n  scaled = c * 2.0\n  sca‸\n}\n")
        assert "scaled" in first and "c" in first


async def signatures_follow_the_commas():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)
        for more, name, active in [
            ("q = clicks |> fold(‸\n", "fold(event: Event<a>", 1), ("q = clicks |> fold(0, ‸)\n", "fold(", 2),
            ("q = area(‸\n", "area(shape: Shape) -> Float", 0), ("q = Rect(1.0, ‸", "Rect(w: Float, h: Float) -> Shape", 1),
            ("q = max(min(1, 2), ‸)\n", "max(", 1),
        ]:
            text, spot = cursor(PROGRAM + more)
            editor.change(ADDRESS, text)
            help = await editor.client.text_document_signature_help_async(
                editor.at(lsp.SignatureHelpParams, ADDRESS, spot))
            assert help and any(s.label.startswith(name) for s in help.signatures), (more, help)
            assert help.active_parameter == active, (more, help.active_parameter)


# Colours without the server


async def pygments_knows_every_example():
    sys.path.insert(0, "editors/pygments")
    from frp_lexer import FrpLexer
    from pygments.token import Error, Keyword, Name
    paths = sorted(glob.glob("examples/**/*.frp", recursive=True))
    assert len(paths) > 40
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        tokens = list(FrpLexer().get_tokens_unprocessed(text))
        assert "".join(piece for _, _, piece in tokens) == text, path
        wrong = [(text.count("\n", 0, offset) + 1, piece) for offset, kind, piece in tokens if kind is Error]
        assert not wrong, (path, wrong)
    kinds = {piece: kind for _, kind, piece in FrpLexer().get_tokens_unprocessed('output a = "{if b then c else d}"\n')}
    assert kinds["if"] is Keyword and kinds["b"] is Name, kinds
    assert [piece for _, kind, piece in FrpLexer().get_tokens_unprocessed('a = "open\nb = 1 ? 2') if kind is Error] == ["\n", "?"]


# While typing


async def what_was_known_is_not_forgotten():
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, PROGRAM)
        await editor.problems(ADDRESS)
        for broken in (PROGRAM + "q = (1 +\n", PROGRAM + "q = 1 + \"a\"\n", PROGRAM.replace("limit = 3.5", "limit = 3.5 *")):
            editor.change(ADDRESS, broken)
            assert await editor.problems(ADDRESS)
            text = await editor.hover(ADDRESS, place(broken, "height"))
            assert "Behavior<Float>" in text and "continuous" in text, text
            text = await editor.hover(ADDRESS, place(broken, "count"))
            assert "count: Behavior<Int>" in text and "Clicks so far." in text, text
            answers = await editor.ask_everything(ADDRESS, place(broken, "count"))
            assert answers["symbols"] and answers["tokens"].data and answers["references"]


async def a_program_is_typed_key_by_key():
    """Keys, slips that are taken back, and every request now and then: no error, and in the end no problem."""
    random.seed(7)
    for name in ("counter", "thermostat", "tic_tac_toe", "world/chat"):
        path = f"examples/{name}.frp"
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            program = file.read()
        async with Editor(FRP) as editor:
            editor.open(ADDRESS, "")
            text = ""

            def put(character):
                nonlocal text
                line = text.count("\n")
                column = len(text.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2
                editor.change(ADDRESS, ((line, column), (line, column), character))
                text += character
                return line, column

            for index, character in enumerate(program):
                if index % 97 == 50:
                    line, column = put(random.choice("({[\"|=)}.x7\u00e4\U0001F600"))
                    await editor.ask_everything(ADDRESS, (line, column))
                    width = len(text[-1].encode("utf-16-le")) // 2
                    editor.change(ADDRESS, ((line, column), (line, column + width), ""))
                    text = text[:-1]
                place_now = put(character)
                if index % 53 == 0:
                    await editor.ask_everything(ADDRESS, place_now)
            assert text == program
            problems = await editor.problems(ADDRESS)
            assert not [p for p in problems if p.severity == lsp.DiagnosticSeverity.Error], (name, problems)


async def every_example_is_understood():
    """Each example: no error, a meaning at every name, and the same text after a rename and its way back."""
    async with Editor(FRP) as editor:
        for path in sorted(glob.glob("examples/*.frp")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            address = "file://" + os.path.abspath(path)
            editor.open(address, text)
            problems = await editor.problems(address)
            assert not [p for p in problems if p.severity == lsp.DiagnosticSeverity.Error], (path, problems)
            answers = await editor.ask_everything(address, (0, 0))
            for symbol in answers["symbols"]:
                if symbol.kind in (lsp.SymbolKind.Method, lsp.SymbolKind.Module):
                    continue
                spot = symbol.selection_range.start
                assert await editor.hover(address, (spot.line, spot.character)), (path, symbol.name)
            values = [s for s in answers["symbols"] if s.kind in (lsp.SymbolKind.Function, lsp.SymbolKind.Variable)]
            if values:
                spot = values[0].selection_range.start
                edit = await editor.rename(address, (spot.line, spot.character), "quiteAnotherName")
                made = apply(text, edit.changes[address])
                assert made != text and len(edit.changes[address]) >= 1
                editor.change(address, made)
                problems = await editor.problems(address)
                assert not [p for p in problems if p.severity == lsp.DiagnosticSeverity.Error], (path, problems)
            editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(address)))


async def a_large_file_is_answered_at_once():
    """2,000 lines: what requests take after a key is printed, and judged by people; the answers are right."""
    lines = ["input clicks: Event<Int>", "input celsius: Behavior<Float> = 20.0"]
    for number in range(330):
        lines += [f"/// The count number {number}.",
                  f"count{number} = clicks |> filter(x => x > {number}) |> fold(0, (n, x) => n + x)",
                  f"temp{number}(c: Float): Float = {{", f"  scaled = c * {number}.5", "  scaled + 32.0", "}"]
    lines += [f"output label{n} = \"{{count{n}}} {{round(temp{n}(celsius))}}\"" for n in range(18)]
    text = "\n".join(lines) + "\n"
    async with Editor(FRP) as editor:
        editor.open(ADDRESS, text)
        await editor.problems(ADDRESS)
        spot = place(text, "{count10}", 1, 3)
        times = {}
        for _ in range(5):
            for kind in ("hover", "completion"):
                editor.change(ADDRESS, ((0, 0), (0, 0), " "), ((0, 0), (0, 1), ""))
                began = time.monotonic()
                answer = await (editor.hover if kind == "hover" else editor.complete)(ADDRESS, spot)
                assert "count10" in answer, answer
                times.setdefault(kind, []).append(time.monotonic() - began)
            began = time.monotonic()
            await editor.ask_everything(ADDRESS, spot)
            times.setdefault("all 13 requests", []).append(time.monotonic() - began)
        said = ", ".join(f"{kind} {1000 * sorted(taken)[2]:.0f} ms" for kind, taken in times.items())
        print(f"      2,000 lines: {said}")


if __name__ == "__main__":
    sys.exit(counted.run(
        [f for name, f in list(globals().items()) if asyncio.iscoroutinefunction(f)], sys.argv[2] if len(sys.argv) > 2 else "",
        of=lambda scenario: asyncio.run(asyncio.wait_for(scenario(), 300))))
