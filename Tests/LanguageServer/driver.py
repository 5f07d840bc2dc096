"""A language server, and an editor's side of it: the client of pygls, and texts with a cursor in them."""

import asyncio
import lsprotocol.types as lsp
from pygls.lsp.client import BaseLanguageClient


class Editor:
    """One server process and the documents that are open in it."""

    def __init__(self, frp, encodings=("utf-16",), flags=(), folders=()):
        self.frp = frp
        self.folders = [lsp.WorkspaceFolder(uri=uri, name="folder") for uri in folders]
        self.flags = flags
        self.encodings = list(encodings)
        self.client = BaseLanguageClient("editor", "1")
        self.published = {}
        self.waiting = {}
        self.messages = []
        self.versions = {}

        @self.client.feature("textDocument/publishDiagnostics")
        def published(params):
            self.published[params.uri] = params
            for future in self.waiting.pop((params.uri, params.version), []):
                if not future.done():
                    future.set_result(params.diagnostics)

        @self.client.feature("window/showMessage")
        def shown(params):
            self.messages.append(params.message)

    async def __aenter__(self):
        await self.client.start_io(self.frp, "lsp", *self.flags)
        general = lsp.GeneralClientCapabilities(
            position_encodings=[lsp.PositionEncodingKind(name) for name in self.encodings])
        self.answer = await self.client.initialize_async(
            lsp.InitializeParams(capabilities=lsp.ClientCapabilities(general=general), process_id=None, root_uri=None,
                                 workspace_folders=self.folders or None))
        self.client.initialized(lsp.InitializedParams())
        return self

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            await self.client.shutdown_async(None)
            self.client.exit(None)
            await asyncio.wait_for(self.process.wait(), 20)
        await self.client.stop()

    @property
    def process(self):
        return self.client._server

    def open(self, uri, text):
        self.versions[uri] = 1
        self.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri=uri, language_id="frp", version=1, text=text)))

    def change(self, uri, *changes):
        """Changes are whole texts, or ((line, character), (line, character), text)."""
        self.versions[uri] += 1
        events = [
            lsp.TextDocumentContentChangeWholeDocument(text=change) if isinstance(change, str)
            else lsp.TextDocumentContentChangePartial(range=area(change[0], change[1]), text=change[2])
            for change in changes]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri]), events))

    async def problems(self, uri):
        """What is said of the present text; waits until it is."""
        version = self.versions[uri]
        known = self.published.get(uri)
        if known is not None and known.version == version:
            return known.diagnostics
        future = asyncio.get_running_loop().create_future()
        self.waiting.setdefault((uri, version), []).append(future)
        return await asyncio.wait_for(future, 60)

    def at(self, kind, uri, place, **more):
        return kind(text_document=lsp.TextDocumentIdentifier(uri), position=lsp.Position(*place), **more)

    async def hover(self, uri, place):
        answer = await self.client.text_document_hover_async(self.at(lsp.HoverParams, uri, place))
        return answer.contents.value if answer else None

    async def complete(self, uri, place):
        answer = await self.client.text_document_completion_async(self.at(lsp.CompletionParams, uri, place))
        return [item.label for item in sorted(answer.items, key=lambda item: item.sort_text or item.label)]

    async def rename(self, uri, place, name):
        return await self.client.text_document_rename_async(self.at(lsp.RenameParams, uri, place, new_name=name))

    async def ask_everything(self, uri, place):
        """Each request once, at one place; the answers by name."""
        client, here = self.client, lsp.TextDocumentIdentifier(uri)
        whole = area((0, 0), (10**6, 0))
        requests = {
            "hover": client.text_document_hover_async(self.at(lsp.HoverParams, uri, place)),
            "definition": client.text_document_definition_async(self.at(lsp.DefinitionParams, uri, place)),
            "references": client.text_document_references_async(
                self.at(lsp.ReferenceParams, uri, place, context=lsp.ReferenceContext(include_declaration=True))),
            "highlights": client.text_document_document_highlight_async(
                self.at(lsp.DocumentHighlightParams, uri, place)),
            "symbols": client.text_document_document_symbol_async(lsp.DocumentSymbolParams(here)),
            "formatting": client.text_document_formatting_async(lsp.DocumentFormattingParams(
                here, lsp.FormattingOptions(tab_size=2, insert_spaces=True))),
            "completion": client.text_document_completion_async(self.at(lsp.CompletionParams, uri, place)),
            "signatures": client.text_document_signature_help_async(self.at(lsp.SignatureHelpParams, uri, place)),
            "tokens": client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(here)),
            "hints": client.text_document_inlay_hint_async(lsp.InlayHintParams(here, whole)),
            "folds": client.text_document_folding_range_async(lsp.FoldingRangeParams(here)),
            "lenses": client.text_document_code_lens_async(lsp.CodeLensParams(here)),
            "actions": client.text_document_code_action_async(
                lsp.CodeActionParams(here, whole, lsp.CodeActionContext(diagnostics=[]))),
        }
        return dict(zip(requests, await asyncio.gather(*requests.values())))


def area(start, end):
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def cursor(text):
    """A text without its `‸`, and where that stood, in units of UTF-16."""
    before, after = text.split("‸")
    line = before.count("\n")
    return before + after, (line, len(before.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2)


def apply(text, edits):
    """A text with edits; lines and characters are units of UTF-16."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-16-le")) + 2)
    data = text.encode("utf-16-le")

    def offset(place):
        if place.line >= len(lines):
            return len(data)
        return min(starts[place.line] + 2 * place.character, len(data))

    for edit in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
        data = data[:offset(edit.range.start)] + edit.new_text.encode("utf-16-le") + data[offset(edit.range.end):]
    return data.decode("utf-16-le")
