"""The server: open documents, debounced checks, and the requests of editors.

Slow work runs in a thread, while the server reads further messages. Compilations run one at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from trainc.lsp.analysis import Analysis, FindProjects, analyse, is_own_file
from trainc.lsp.cluster_help import cluster_completions, cluster_hover, completes_clusters
from trainc.lsp.context import path_at
from trainc.lsp.diagnostics import actions, to_protocol
from trainc.lsp.navigation import Line, job_lines, manifest_folders, manifest_lines
from trainc.lsp.positions import Positions
from trainc.lsp.schema_help import completions, hover
from trainc.lsp.symbols import symbols
from trainc.source.formatting import format_edits
from trainc.span import Source

DEBOUNCE = 0.15  # seconds after the last change
Result = TypeVar("Result")
_END = 2**31 - 1  # largest character of the protocol, which means the end of the line


class Server(LanguageServer):
    """Language server whose documents are checked one at a time."""

    def __init__(self, find_projects: FindProjects) -> None:
        full = types.TextDocumentSyncKind.Full
        super().__init__("trainc", version("trainc"), text_document_sync_kind=full)
        self._find_projects = find_projects
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._lock = asyncio.Lock()
        self._analyses: dict[str, Analysis] = {}
        self.is_shut_down = False

    @property
    def encoding(self) -> str:
        """Unit of columns: UTF-16 unless the client chose another."""
        return self.workspace.position_encoding or types.PositionEncodingKind.Utf16

    def text(self, uri: str) -> str:
        """Return the text of an open document; empty for another, whose file is not read."""
        document = self.workspace.text_documents.get(uri)
        return document.source if document is not None else ""

    def positions(self, text: str) -> Positions:
        """Return the positions of a text in the encoding of the client."""
        return Positions(text, self.encoding)

    def check_soon(self, uri: str, delay: float = DEBOUNCE) -> None:
        """Check a document after a delay; a check that still waits is dropped."""
        self.drop(uri)
        self._waiting[uri] = asyncio.get_running_loop().create_task(self._check(uri, delay))

    def drop(self, uri: str) -> None:
        """Drop a check: one that runs ends without a server."""
        task = self._waiting.pop(uri, None)
        if task is not None:
            task.cancel()

    def forget(self, uri: str) -> None:
        """Forget a closed document, and remove its diagnostics from the editor."""
        self.drop(uri)
        self._analyses.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def actions(self, uri: str, wanted: types.Range) -> list[types.CodeAction]:
        """Return the fixes in a range; none while the text is newer than its check."""
        analysis = self.analysis(uri)
        return actions(analysis.diagnostics, uri, file_name(uri), self.positions(analysis.text), wanted)

    def analysis(self, uri: str) -> Analysis:
        """Return the analysis of a document; an empty one while the text is newer than its check."""
        text, analysis = self.text(uri), self._analyses.get(uri)
        return analysis if analysis is not None and analysis.text == text else Analysis(text=text, diagnostics=[])

    async def definition(self, uri: str, position: types.Position) -> list[types.Location]:
        """Return the lines of the manifests that a job's field decides, or the fields that decide a manifest's line."""
        analysis, name = self.analysis(uri), file_name(uri)
        path = path_at(analysis.text, self.positions(analysis.text).offset(position))
        others = [job for each in self._analyses.values() if each is not analysis for job in each.jobs]
        async with self._lock:
            if analysis.jobs and path:
                folders = await _in_thread(manifest_folders, name, self._find_projects)
                lines = await _in_thread(manifest_lines, name, path, folders, analysis.jobs)
            else:
                lines = await _in_thread(job_lines, name, analysis.text, position.line + 1, others)
        return [_location(each) for each in lines]

    async def hover(self, uri: str, position: types.Position) -> str | None:
        """Return what a field is and becomes, as Markdown; None if the text changed before the server came to it."""
        text = self.text(uri)
        offset = self.positions(text).offset(position)
        async with self._lock:
            if self.text(uri) != text:
                return None
            file, jobs = file_name(uri), self.analysis(uri).jobs
            own = await _in_thread(hover, text, offset, jobs, file)
            clusters = await _in_thread(cluster_hover, file, text, offset, self._find_projects) if own else ""
        return f"{own}\n\n{clusters}" if own and clusters else own

    async def complete(self, uri: str, position: types.Position) -> list[types.CompletionItem]:
        """Return the completions at a position."""
        text, file = self.text(uri), file_name(uri)
        offset = self.positions(text).offset(position)
        if not completes_clusters(text, offset):
            return completions(text, offset, file)
        async with self._lock:  # it reads the files of the clusters
            return await _in_thread(cluster_completions, file, self._find_projects)

    async def format(self, uri: str) -> list[types.TextEdit]:
        """Return the edits that format a file of trainc; none for another file. It waits for no check."""
        source = Source(file_name(uri), self.text(uri))
        is_own = await _in_thread(is_own_file, source)
        edits = await _in_thread(format_edits, source) if is_own else []
        return self.positions(source.text).edits(edits)

    async def _check(self, uri: str, delay: float) -> None:
        await asyncio.sleep(delay)
        async with self._lock:
            document = self.workspace.text_documents[uri]
            text, number, name = document.source, document.version, file_name(uri)
            analysis = await _in_thread(analyse, name, text, self._find_projects)
            self._analyses[uri] = analysis
        positions = self.positions(text)
        shown = [to_protocol(each, uri, name, positions) for each in analysis.diagnostics]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=shown, version=number)
        )


async def _in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return the result of a call in a thread, which can't be ended: a cancelled request waits for it."""
    running = asyncio.ensure_future(asyncio.to_thread(function, *arguments))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


def file_name(uri: str) -> str:
    """Return the path of a document, or its address if it has none."""
    return to_fs_path(uri) or uri


def _location(line: Line) -> types.Location:
    start = types.Position(line=line.line - 1, character=0)
    end = types.Position(line=line.line - 1, character=_END)
    return types.Location(uri=from_fs_path(line.file) or line.file, range=types.Range(start=start, end=end))


def create_server(find_projects: FindProjects) -> Server:
    """Return a server with all features; `find_projects` reads the project file of a job file."""
    server = Server(find_projects)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.check_soon(params.text_document.uri, delay=0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.check_soon(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def fixes(params: types.CodeActionParams) -> list[types.CodeAction]:
        return server.actions(params.text_document.uri, params.range)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    async def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        return await server.complete(params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def describe(params: types.HoverParams) -> types.Hover | None:
        markdown = await server.hover(params.text_document.uri, params.position)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, markdown)) if markdown else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def go_to(params: types.DefinitionParams) -> list[types.Location]:
        return await server.definition(params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def format(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        return await server.format(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        uri = params.text_document.uri
        return symbols(file_name(uri), server.text(uri), server.encoding)

    @server.feature(types.SHUTDOWN)
    def shut_down(_: None) -> None:
        server.is_shut_down = True

    return server
