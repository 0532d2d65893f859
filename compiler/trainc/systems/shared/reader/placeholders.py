"""Detect templates that are not rendered: `$NAME` of envsubst in place of a value, `{{ }}` of Helm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.source.node import Mapping, Node, Scalar, Sequence, scalar_text
from trainc.span import Source, Span
from trainc.systems.shared.reader.report import TranslationReport

_VARIABLE = re.compile(r"\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)")
_HELM = re.compile(r"\{\{-?\s*[.$A-Za-z][^{}\n]*\}\}")
_VARIABLE_IN_FLOW = re.compile(r"[\[{,][^{}\[\]\"'\n]*(\$\{[A-Za-z_][A-Za-z0-9_]*\})")
_PLACEHOLDER = re.compile(r"<[A-Za-z][A-Za-z0-9_ -]*>")
_MAX_LINE = 1000  # characters of a line that are searched
_MAX_SHOWN = 40
ENVSUBST = "envsubst < FILE"
# A shell, the program or the kubelet may expand variables in these fields.
EXPANDED_LATER = frozenset(("command", "args", "env", "annotations", "data", "stringData", "exec", "message"))


def unfilled_variables(document: Mapping) -> Diagnostic | None:
    """Return one error for all envsubst variables of a document, or None."""
    variables = list(_variables(document))
    return _unrendered(*variables[0], ENVSUBST, others=len(dict(variables)) - 1) if variables else None


def report_unfilled_image(image: Node | None, report: TranslationReport) -> None:
    """Report a placeholder like `<your-registry>` in an image name."""
    if image is not None and (match := _PLACEHOLDER.search(scalar_text(image))):
        message = f"the image name contains the placeholder `{match[0]}`"
        report.diagnostics.append(warning(codes.UNRENDERED_TEMPLATE, message, image.span))


def unfilled_syntax(source: Source, diagnostics: list[Diagnostic], foreign: bool) -> Diagnostic | None:
    """Return an error that replaces the syntax errors of a Helm template, or of a `foreign` job with `{a: ${B}}`."""
    lines = [diagnostic.span.line for diagnostic in diagnostics if diagnostic.code is codes.YAML_SYNTAX]
    helm = _HELM.search(source.text) if lines else None
    if helm is not None:
        start = source.span_at(helm.start())
        span = start.until(start.line, start.column + len(helm[0]))
        return _unrendered(helm[0], span, "helm template CHART")
    for line in lines if foreign else ():
        match = _VARIABLE_IN_FLOW.search(source.line(line)[:_MAX_LINE])
        if match is not None:
            span = Span(source, line, match.start(1) + 1, line, match.end(1) + 1)
            return _unrendered(match[1], span, ENVSUBST)
    return None


def _unrendered(text: str, span: Span, tool: str, others: int = 0) -> Diagnostic:
    shown = text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}…"
    more = f" and {others} more variable{'s' * (others > 1)}" if others else ""
    message = f"unrendered template: `{shown}`{more} in place of a value"
    return error(codes.UNRENDERED_TEMPLATE, message, span, help=f"render it first: {tool} | trainc import -")


def _variables(node: Node) -> Iterator[tuple[str, Span]]:
    if isinstance(node, Scalar):
        match = _VARIABLE.search(node.text) if isinstance(node.value, str) else None
        if match is not None and not any(character.isspace() for character in node.text):
            yield match[0], node.span
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _variables(item)
    else:
        for key, entry in node.entries.items():
            yield from _variables(entry.key)
            if key not in EXPANDED_LATER:
                yield from _variables(entry.value)
