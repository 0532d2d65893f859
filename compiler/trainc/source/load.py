"""Load YAML text into documents: the only loader of trainc.

It uses the parser's events instead of its composer: they take a third of the time, don't recurse (a hundred thousand
`[` can't overflow a stack) and keep both positions of a duplicate key.
"""

from __future__ import annotations

import errno
import os

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.builder import BeyondLibyaml, Builder
from trainc.source.node import Mapping, Node
from trainc.source.parser import events
from trainc.source.subset import read_subset
from trainc.span import Source, Span

MEBIBYTE = 1024 * 1024
# A job is a page of text: keeps a mistake (a checkpoint instead of a job) from costing minutes and memory.
MAXIMUM_BYTES = 5 * MEBIBYTE
MANIFESTS_BYTES = 16 * MEBIBYTE  # 10,000 Pods in JSON
MAXIMUM_CHARACTERS_SLOWLY = 256 * 1024
# Each syntax error requires another pass over the text.
MAXIMUM_PROBLEMS = 20


def decode(name: str, data: bytes, limit: int = MAXIMUM_BYTES) -> Source:
    """Decode UTF-8, with or without a byte order mark.

    Raises Rejected for bytes that are not UTF-8, and for more bytes than the limit.
    """
    if len(data) > limit:
        raise Rejected(_too_large(name, limit))
    try:
        return Source(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        before = problem.object[: problem.start].decode()  # without a byte order mark
        span = Source(name, before).span_at(len(before))
        message, help_ = f"byte 0x{problem.object[problem.start]:02x} is not UTF-8 text", None
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            message, help_ = "the file is UTF-16", "save it as UTF-8"
        raise Rejected(error(codes.INVALID_CHARACTERS, message, span, help=help_)) from None


def read_regular(path: str) -> Source:
    """Return the text of a regular file, as a pipe may have no end.

    Raises Rejected like `decode`, and OSError for any other file and for one that can't be read.
    """
    if not os.path.isfile(path) and os.path.exists(path) and not os.path.isdir(path):
        raise OSError(errno.EINVAL, "is not a regular file", path)
    with open(path, "rb") as file:
        return decode(path, file.read(MAXIMUM_BYTES + 1))


def load(source: Source, limit: int = MAXIMUM_BYTES) -> tuple[list[Node], list[Diagnostic]]:
    """Return all documents of a text but empty ones, and diagnostics.

    A document with duplicate keys or unknown aliases is still returned. After a syntax error, loading continues with
    the next document.
    """
    if len(source.text) > limit:
        return [], [_too_large(source.name, limit)]
    invalid = surrogate_error(source)
    if invalid:
        return [], [invalid]
    document = read_subset(source)
    return parse(source) if document is None else ([document], [])


def parse(source: Source) -> tuple[list[Node], list[Diagnostic]]:
    """Return the result of `load` by the full parser."""
    text: str | None = source.text
    documents: list[Node] = []
    problems: list[Diagnostic] = []
    while text is not None and len(problems) < MAXIMUM_PROBLEMS:
        builder, fatal = _build(source, text)
        documents += builder.documents
        problems += builder.problems
        if fatal is None:
            break
        from trainc.source.syntax import after_error

        text = after_error(text, fatal)
    return documents, problems


def _too_large(name: str, limit: int) -> Diagnostic:
    message = f"the input is larger than {limit // MEBIBYTE} MiB"
    return error(codes.FILE_TOO_LARGE, message, Span(Source(name, ""), 1, 1, 1, 2))


def _build(source: Source, text: str, pure: bool = False) -> tuple[Builder, Diagnostic | None]:
    """Return the builder of a text's documents, and the error that ended it."""
    builder = Builder(source)
    try:
        builder.run(events(text, pure))
    except Rejected as rejected:
        # The parser in Python is twenty times slower and knows more of YAML 1.2.
        if isinstance(rejected, BeyondLibyaml) and not pure and len(text) <= MAXIMUM_CHARACTERS_SLOWLY:
            return _build(source, text, pure=True)
        builder.problems.extend(rejected.diagnostics)
        return builder, rejected.diagnostics[0]
    return builder, None


def surrogate_error(source: Source) -> Diagnostic | None:
    """Return an error for a surrogate, which Python makes of an argument's byte that is not UTF-8."""
    try:
        source.text.encode()
    except UnicodeEncodeError as problem:
        message = "half of a surrogate pair is not valid text"
        return error(codes.INVALID_CHARACTERS, message, source.span_at(problem.start))
    return None


def load_mapping(name: str, text: str) -> Mapping | None:
    """Return the fields of a YAML text with this name; None if it is no single mapping."""
    documents = load(Source(name, str(text)))[0]  # without the position that a text of a ConfigMap has
    return documents[0] if len(documents) == 1 and isinstance(documents[0], Mapping) else None


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
