"""Strings, numbers and switches that are written as something else, as the API server refuses to read them.

kubectl reads YAML 1.1: https://github.com/kubernetes-sigs/yaml/blob/v1.4.0/goyaml.v2/resolve.go
"""

from __future__ import annotations

import re

from trainc.schema.hints import SWITCHES
from trainc.source.node import Entry, Mapping, Node, Scalar
from trainc.systems.shared.reader.report import Report, whole

# `yes` and `Yes` and `YES`, but not `yEs`; and what is a number there and none in YAML 1.2.
_NUMBERS = re.compile(r"0[0-7]+|0b[01]+|[-+]?[0-9][0-9_]*_[0-9_]*")


def is_plain(node: Scalar) -> bool:
    """Whether a string stands there without quotes, on one line."""
    same_line = node.span.line == node.span.end_line
    return same_line and node.span.end_column - node.span.column == len(node.text)


def switch(node: Scalar) -> bool | None:
    """What kubectl takes `yes`, `off` and their like for; None for anything else."""
    text = node.text
    if not isinstance(node.value, str) or not is_plain(node) or text not in (text.lower(), text.title(), text.upper()):
        return None
    meant = SWITCHES.get(text.lower())
    return meant == "true" if meant else None


def string(node: Node, path: str, report: Report) -> Node:
    """A scalar as the string that it was typed as, with a line where it was none to the API server."""
    if not isinstance(node, Scalar) or node.value is None:
        return node
    read = None
    if isinstance(node.value, str):
        on = switch(node)
        read = str(on).lower() if on is not None else "a number" if _is_a_number(node) else None
        if read is None:
            return node
    message = f"`{path}` must be a string" + (f", and kubectl reads {read}" if read else "")
    report.slip(message, node.span, f'did you mean "{node.text}"?')
    return Scalar(node.text, node.text, node.span)


def strings(node: Node | None, path: str, report: Report) -> Node | None:
    """The values of labels, annotations and selectors."""
    if not isinstance(node, Mapping):
        return node
    entries = {key: Entry(one.key, string(one.value, f"{path}.{key}", report)) for key, one in node.entries.items()}
    return Mapping(entries, node.span)


def number(node: Scalar, path: str, report: Report) -> int | None:
    """The whole number that a text says, None where it says none."""
    found = whole(node.text) if isinstance(node.value, str) else None
    if found is not None:
        report.slip(f"`{path}` must be a whole number", node.span, f"did you mean {found}?")
    return found


def flag(node: Scalar, path: str, report: Report) -> bool | None:
    """What a text says that is true or false to kubectl, or to its writer; None for any other."""
    read = switch(node)
    if read is not None:
        return read
    if not isinstance(node.value, str) or node.text.lower() not in ("true", "false"):
        return None
    report.slip(f"`{path}` must be true or false", node.span, f"did you mean {node.text.lower()}?")
    return node.text.lower() == "true"


def _is_a_number(node: Scalar) -> bool:
    return is_plain(node) and _NUMBERS.fullmatch(node.text) is not None
