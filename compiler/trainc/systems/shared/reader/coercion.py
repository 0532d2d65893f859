"""Accept scalars of the wrong YAML type where the intent is clear, with a warning for each.

kubectl reads YAML 1.1: https://github.com/kubernetes-sigs/yaml/blob/v1.4.0/goyaml.v2/resolve.go
"""

from __future__ import annotations

import re

from trainc.schema.hints import SWITCHES
from trainc.source.node import Entry, Mapping, Node, Scalar
from trainc.systems.shared.reader.report import TranslationReport, parse_count

# Numbers in YAML 1.1 that are strings in YAML 1.2.
_YAML11_NUMBERS = re.compile(r"0[0-7]+|0b[01]+|[-+]?[0-9][0-9_]*_[0-9_]*")


def is_plain(node: Scalar) -> bool:
    """Return whether a string is written without quotes and on one line."""
    same_line = node.span.line == node.span.end_line
    return same_line and node.span.end_column - node.span.column == len(node.text)


def yaml11_boolean(node: Scalar) -> bool | None:
    """Return the boolean that kubectl reads for `yes`, `off` and the like; None for any other scalar.

    `yes`, `Yes` and `YES` are booleans in YAML 1.1, `yEs` is a string.
    """
    text = node.text
    if not isinstance(node.value, str) or not is_plain(node) or text not in (text.lower(), text.title(), text.upper()):
        return None
    boolean = SWITCHES.get(text.lower())
    return boolean == "true" if boolean else None


def coerce_string(node: Node, path: str, report: TranslationReport) -> Node:
    """Return a scalar as the string that was typed, with a warning if the API server reads another type."""
    if not isinstance(node, Scalar) or node.value is None:
        return node
    kubectl_reads = ""
    if isinstance(node.value, str):
        boolean = yaml11_boolean(node)
        if boolean is not None:
            kubectl_reads = f", but kubectl reads {str(boolean).lower()}"
        elif is_plain(node) and _YAML11_NUMBERS.fullmatch(node.text):
            kubectl_reads = ", but kubectl reads a number"
        else:
            return node
    report.add_correction(f"`{path}` must be a string{kubectl_reads}", node.span, f'write "{node.text}"')
    return Scalar(node.text, node.text, node.span)


def coerce_string_values(node: Node | None, path: str, report: TranslationReport) -> Node | None:
    """Return a mapping of labels, annotations or selectors with string values."""
    if not isinstance(node, Mapping):
        return node
    entries = {
        key: Entry(entry.key, coerce_string(entry.value, f"{path}.{key}", report))
        for key, entry in node.entries.items()
    }
    return Mapping(entries, node.span)


def coerce_integer(node: Scalar, path: str, report: TranslationReport) -> int | None:
    """Return the whole number in a string; None if the string holds none."""
    number = parse_count(node.text) if isinstance(node.value, str) else None
    if number is not None:
        report.add_correction(f"`{path}` must be a whole number", node.span, f"write {number}")
    return number


def coerce_boolean(node: Scalar, path: str, report: TranslationReport) -> bool | None:
    """Return the boolean that kubectl reads or that a quoted true or false means; None for any other string."""
    boolean = yaml11_boolean(node)
    if boolean is not None:
        return boolean
    if not isinstance(node.value, str) or node.text.lower() not in ("true", "false"):
        return None
    report.add_correction(f"`{path}` must be true or false", node.span, f"write {node.text.lower()}")
    return node.text.lower() == "true"
