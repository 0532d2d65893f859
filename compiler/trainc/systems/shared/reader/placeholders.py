"""Templates that something else has to fill in first: envsubst's `$NAME` where a value has to be, Helm's `{{ }}`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Source, Span

_VARIABLE = re.compile(r"\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)")
_BRACES = re.compile(r"\{\{-?\s*[.$A-Za-z][^{}\n]*\}\}")
_IN_BRACES = re.compile(r"[\[{,][^{}\[\]\"'\n]*(\$\{[A-Za-z_][A-Za-z0-9_]*\})")
_PLACEHOLDER = re.compile(r"<[A-Za-z][A-Za-z0-9_ -]*>")
_LONGEST = 1000  # of a line that is searched
SHELL = "envsubst < FILE"
# Here a shell, a program or a reader may be meant to read them.
FREE = frozenset(("command", "args", "env", "annotations", "data", "stringData", "exec", "message"))


def unfilled_variables(document: Mapping) -> Diagnostic | None:
    """One error for all variables of a document."""
    found = list(_variables(document))
    if not found:
        return None
    name, span = found[0]
    names = len({name for name, _ in found})
    others = f", and {names - 1} more variable{'s' * (names > 2)}" if names > 1 else ""
    return _template(span, name, SHELL, others)


def unfilled_image(image: Node | None) -> Diagnostic | None:
    """`<your-registry>` in an image's name: the job is understood, and the name still to be given."""
    found = _PLACEHOLDER.search(image.text) if isinstance(image, Scalar) else None
    if found is None or image is None:
        return None
    message = f"`{found[0]}` in the image's name is to be filled in"
    return warning(codes.UNRENDERED_TEMPLATE, message, image.span)


def unfilled_syntax(source: Source, said: list[Diagnostic], others: bool) -> Diagnostic | None:
    """What has to read a text first that is no YAML: Helm, or of `others` a shell where `{a: ${B}}` stands."""
    broken = [one.span.line for one in said if one.code is codes.YAML_SYNTAX]
    braces = _BRACES.search(source.text) if broken else None
    if braces is not None:
        start = source.span_at(braces.start())
        return _template(start.until(start.line, start.column + len(braces[0])), braces[0], "helm template CHART")
    for line in broken if others else ():
        found = _IN_BRACES.search(source.line(line)[:_LONGEST])
        if found is not None:
            span = Span(source, line, found.start(1) + 1, line, found.end(1) + 1)
            return _template(span, found[1], SHELL)
    return None


def _template(span: Span, text: str, tool: str, more: str = "") -> Diagnostic:
    shown = text if len(text) <= 40 else f"{text[:37]}…"
    message = f"this is a template: `{shown}` stands where a value has to be{more}"
    return error(codes.UNRENDERED_TEMPLATE, message, span, help=f"fill it in first: {tool} | trainc import -")


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
            yield from _variables(entry.key)
            if key not in FREE:
                yield from _variables(entry.value)
