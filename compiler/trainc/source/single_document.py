"""Files with one YAML document: project files and the entries of clusters."""

from __future__ import annotations

from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Rejected, error
from trainc.source.load import load
from trainc.source.node import Node
from trainc.span import Source, Span


def load_document(source: Source, code: Code, empty: str, several: str, help: str | None = None) -> Node:
    """Return the only document of a text. Raises Rejected with all syntax errors.

    `empty`, with its `help`, and `several` are the messages for a text with no document and with more than one.
    """
    documents, problems = load(source)
    if problems:
        raise Rejected(*problems)
    if not documents:
        raise Rejected(error(code, empty, Span(source, 1, 1, 1, 2), help=help))
    if len(documents) > 1:
        raise Rejected(error(code, several, documents[1].span.first))
    return documents[0]
