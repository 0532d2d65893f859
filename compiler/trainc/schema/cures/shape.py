"""Parts of shapes: functions that return a value in the form that a field requires."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
QUANTITY = re.compile(r"\d+(\.\d+)?([KMGTPE]i?)?")


class Replacement(Record):
    """Value, its field if that is another one (`.` and a name for one beside), and what else to do.

    One that isn't `certain` is a guess, or an example.
    """

    value: Any
    field: str = ""
    note: str = ""
    certain: bool = True


# From a value and the job's `spec` to a Replacement, or to its value: a mix of plain values and the user's nodes. None
# for a value that the shape doesn't know.
Shape = Callable[[Node, Mapping], Any]


def text_of(node: Node | None) -> str:
    """Return the text of a scalar that isn't null or a boolean; otherwise an empty string."""
    return "" if not isinstance(node, Scalar) or isinstance(node.value, bool | None) else node.text.strip()


def count_of(node: Node | None) -> int:
    """Return a positive whole number, else 0."""
    return node.value if isinstance(node, Scalar) and type(node.value) is int and node.value > 0 else 0


def is_true(node: Node) -> bool:
    """Return whether a value is `true`, or a word for it."""
    return isinstance(node, Scalar) and (node.value is True or node.text.lower() in ("true", "yes", "on"))


def wrap(field: str) -> Shape:
    """Return the shape of a mapping with one field, whose value is in place of the mapping."""
    return lambda node, spec: {field: node} if text_of(node) else None


def slug(text: str) -> str:
    """Return a DNS label: mnist-v1-0 for MNIST_v1.0."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
