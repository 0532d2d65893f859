"""Strings, numbers and switches that are written as something else, as the API server refuses to read them.

kubectl reads YAML 1.1: https://github.com/kubernetes-sigs/yaml/blob/v1.4.0/goyaml.v2/resolve.go
"""

from __future__ import annotations

import re

from trainc.schema.hints import SWITCHES
from trainc.source.node import Entry, Mapping, Node, Scalar
from trainc.systems.shared.reader.report import TranslationReport, parse_count

# `yes` and `Yes` and `YES`, but not `yEs`; and what is a number there and none in YAML 1.2.
_NUMBERS = re.compile(r"0[0-7]+|0b[01]+|[-+]?[0-9][0-9_]*_[0-9_]*")


def is_plain(node: Scalar) -> bool:
    """Whether a string stands there without quotes, on one line."""
    same_line = node.span.line == node.span.end_line
    return same_line and node.span.end_column - node.span.column == len(node.text)


def yaml11_boolean(node: Scalar) -> bool | None:
    """What kubectl takes `yes`, `off` and their like for; None for anything else."""
    text = node.text
    if not isinstance(node.value, str) or not is_plain(node) or text not in (text.lower(), text.title(), text.upper()):
        return None
    meant = SWITCHES.get(text.lower())
    return meant == "true" if meant else None


def coerce_string(node: Node, path: str, report: TranslationReport) -> Node:
    """A scalar as the string that it was typed as, with a line where it was none to the API server."""
    if not isinstance(node, Scalar) or node.value is None:
        return node
    read = None
    if isinstance(node.value, str):
        on = yaml11_boolean(node)
        read = str(on).lower() if on is not None else "a number" if _is_a_number(node) else None
        if read is None:
            return node
    message = f"`{path}` must be a string" + (f", and kubectl reads {read}" if read else "")
    report.add_correction(message, node.span, f'did you mean "{node.text}"?')
    return Scalar(node.text, node.text, node.span)


def coerce_string_values(node: Node | None, path: str, report: TranslationReport) -> Node | None:
    """The values of labels, annotations and selectors."""
    if not isinstance(node, Mapping):
        return node
    entries = {
        key: Entry(one.key, coerce_string(one.value, f"{path}.{key}", report)) for key, one in node.entries.items()
    }
    return Mapping(entries, node.span)


def coerce_integer(node: Scalar, path: str, report: TranslationReport) -> int | None:
    """The whole number that a text says, None where it says none."""
    found = parse_count(node.text) if isinstance(node.value, str) else None
    if found is not None:
        report.add_correction(f"`{path}` must be a whole number", node.span, f"did you mean {found}?")
    return found


def coerce_boolean(node: Scalar, path: str, report: TranslationReport) -> bool | None:
    """What a text says that is true or false to kubectl, or to its writer; None for any other."""
    read = yaml11_boolean(node)
    if read is not None:
        return read
    if not isinstance(node.value, str) or node.text.lower() not in ("true", "false"):
        return None
    report.add_correction(f"`{path}` must be true or false", node.span, f"did you mean {node.text.lower()}?")
    return node.text.lower() == "true"


def _is_a_number(node: Scalar) -> bool:
    return is_plain(node) and _NUMBERS.fullmatch(node.text) is not None
