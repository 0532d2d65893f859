"""Load YAML text into documents: the only loader of trainc.

It uses the parser's events instead of its composer: they take a third of the time, don't recurse (a hundred thousand
`[` can't overflow a stack) and keep both positions of a duplicate key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.builder import BeyondLibyaml, Builder
from trainc.source.node import Node
from trainc.span import Source, Span

MEBIBYTE = 1024 * 1024
# A job is a page of text: keeps a mistake (a checkpoint instead of a job) from costing minutes and memory.
MAXIMUM_BYTES = 5 * MEBIBYTE
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
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        # The codec counts from behind a byte order mark.
        mark = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        at = problem.start + mark if len(problem.object) < len(data) else problem.start
        before = data[mark:at].decode()
        source = Source(name, before)
        span = source.span_at(len(before))
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise Rejected(
                error(codes.INVALID_CHARACTERS, "the file is UTF-16", span, help="save it as UTF-8")
            ) from None
        byte = data[at]
        raise Rejected(error(codes.INVALID_CHARACTERS, f"byte 0x{byte:02x} is not UTF-8 text", span)) from None
    return Source(name, text)


def load(source: Source, limit: int = MAXIMUM_BYTES) -> tuple[list[Node], list[Diagnostic]]:
    """Return all documents of a text but empty ones, and diagnostics.

    A document with duplicate keys or unknown aliases is still returned. After a syntax error, loading continues with
    the next document.
    """
    text = source.text
    if len(text) > limit:
        return [], [_too_large(source.name, limit)]
    half = find_surrogate(text)
    if half is not None:
        return [], [error(codes.INVALID_CHARACTERS, "half of a surrogate pair is not valid text", source.span_at(half))]
    builder, broken = _build(source, text)
    documents, problems = builder.documents, builder.problems
    while broken and len(problems) < MAXIMUM_PROBLEMS:
        from trainc.source.syntax import after_error

        rest = after_error(text, broken)
        if rest is None:
            break
        text = rest
        builder, broken = _build(source, text)
        documents += builder.documents
        problems += builder.problems
    return documents, problems


def _too_large(name: str, limit: int) -> Diagnostic:
    message = f"the input is larger than {limit // MEBIBYTE} MiB"
    return error(codes.FILE_TOO_LARGE, message, Span(Source(name, ""), 1, 1, 1, 2))


def _build(source: Source, text: str) -> tuple[Builder, Diagnostic | None]:
    """Return the builder of a text's documents, and the error that ended it."""
    builder = Builder(source)
    try:
        try:
            builder.run(_events(text))
        except BeyondLibyaml:
            # The parser in Python is twenty times slower and knows more of YAML 1.2.
            if len(text) > MAXIMUM_CHARACTERS_SLOWLY:
                raise
            builder = Builder(source)
            builder.run(_events(text, pure=True))
    except Rejected as rejected:
        builder.problems.extend(rejected.diagnostics)
        return builder, rejected.diagnostics[0]
    return builder, None


def find_surrogate(text: str) -> int | None:
    """Return the index of a surrogate, which Python makes of an argument's byte that is not UTF-8."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        return problem.start
    return None


def _events(text: str, pure: bool = False) -> Iterator[Any]:
    events: Iterator[Any] = (YAML(typ="safe", pure=True) if pure else YAML(typ="safe")).parse(text)
    return events
