"""Templates that something else has to fill in first: envsubst's `$NAME` where a value has to be, Helm's `{{ }}`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Source, Span

_VARIABLE = re.compile(r"\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)")
_BRACES = re.compile(r"(\{\{-?\s*[.$A-Za-z][^{}\n]*\}\})")
_IN_BRACES = re.compile(r"\{[^{}\"'\n]*:\s*(\$\{[A-Za-z_][A-Za-z0-9_]*\})")
_PLACEHOLDER = re.compile(r"<[A-Za-z][A-Za-z0-9_ -]*>")
# Here a shell, a program or a reader may be meant to read them.
FREE = frozenset(("command", "args", "env", "annotations", "data", "stringData", "exec", "message"))


def variables(document: Mapping) -> Diagnostic | None:
    """One error for all variables of a document."""
    found = list(_variables(document))
    if not found:
        return None
    name, span = found[0]
    names = len({name for name, _ in found})
    others = f", and {names - 1} more variable{'s' * (names > 2)}" if names > 1 else ""
    message = f"this is a template: `{name}` stands where a value has to be{others}"
    return error(codes.TEMPLATE, message, span, help="fill it in first: envsubst < FILE | trainc import -")


def placeholders(image: Node | None) -> Diagnostic | None:
    """`<your-registry>` in an image's name: the job is understood, and the name still to be given."""
    found = _PLACEHOLDER.search(image.text) if isinstance(image, Scalar) else None
    if found is None or image is None:
        return None
    message = f"`{found[0]}` in the image's name is to be filled in"
    return warning(codes.TEMPLATE, message, image.span)


def unreadable(source: Source, said: list[Diagnostic]) -> Diagnostic | None:
    """What has to read a text first that is no YAML: Helm, or a shell where `{a: ${B}}` stands."""
    broken = [one.span.line for one in said if one.code is codes.SYNTAX]
    for pattern, tool in ((_BRACES, "helm template CHART"), (_IN_BRACES, "envsubst < FILE")):
        found = pattern.search(source.text) if broken else None
        if found is not None:
            start = source.span_at(found.start(1))
            span = Span(source, start.line, start.column, start.line, start.column + len(found[1]))
            if pattern is _BRACES or span.line in broken:
                message = f"this is a template: `{_short(found[1])}` stands where a value has to be"
                return error(codes.TEMPLATE, message, span, help=f"fill it in first: {tool} | trainc import -")
    return None


def _variables(node: Node) -> Iterator[tuple[str, Span]]:
    if isinstance(node, Scalar):
        found = _VARIABLE.search(node.text) if isinstance(node.value, str) else None
        if found is not None and not any(character.isspace() for character in node.text):
            yield found[0], node.span
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _variables(item)
    else:
        for key, entry in node.entries.items():
            if key not in FREE:
                yield from _variables(entry.value)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}…"
