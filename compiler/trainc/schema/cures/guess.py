"""Guesses of the value that was intended, by the type that a field requires."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any

from trainc.record import Record
from trainc.schema.hints import SWITCHES, nearest
from trainc.schema.wording import accepts_quantity, flow, types_of
from trainc.source.node import Node, Scalar, build_tree, resolve

# Common misspellings of binary units: GB, Gb, gi, GiB, "16 Gi", Gigabyte.
_UNIT = re.compile(r"\s*([0-9.]+)\s*([kKmMgGtTpP])(?:i?[bB]?|ig|igabytes?|egabytes?|era(?:bytes?)?)\s*")


class Guess(Record):
    """Value that was probably intended, None for one of several, and the help."""

    value: Any
    help: str


def guess(node: Node, schema: dict[str, Any]) -> Guess | None:
    """Return a guess for a value that a schema rejects."""
    if not isinstance(node, Scalar):
        return None
    if accepts_quantity(schema) and node.value is not None:
        return _intended_quantity(node.text)
    choices = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    near = nearest(node.text, [str(choice) for choice in choices])
    if near:
        return Guess(value=next(choice for choice in choices if str(choice) == near), help=f"did you mean `{near}`?")
    if node.value is None and (names := schema.get("required")):
        *others, last = [f"`{name}`" for name in names]
        fields = f"{', '.join(others)} and {last}" if others else last
        return Guess(value=None, help=f"set {fields}")
    return intended_value(node, types_of(schema), schema.get("properties", ()))


def intended_value(node: Scalar, types: list[str], fields: Iterable[str] = ()) -> Guess | None:
    """Return a guess for a value of another type than one of JSON Schema's; `fields` are those of a mapping."""
    first = next((each for each in types if each != "null"), "")
    if first == "object":
        return _intended_mapping(node, fields)
    if node.value is None:
        return None
    if first == "array":
        items = _words(node.text) if isinstance(node.value, str) else [node]
        return Guess(value=items, help=f"did you mean {flow(build_tree(items, node.span))}?")
    if isinstance(node.value, str):
        return _intended_by_text(node.text, types)
    if first == "string":
        return Guess(value=node.text, help=f'did you mean "{node.text}"?')
    return None


def _intended_by_text(text: str, types: list[str]) -> Guess | None:
    word, is_number = text.lower(), not {"integer", "number"}.isdisjoint(types)
    if "boolean" in types and word in SWITCHES:
        return Guess(value=SWITCHES[word] == "true", help=f"did you mean {SWITCHES[word]}?")
    if is_number and re.fullmatch("0[0-7]+", text):
        return Guess(value=None, help=f"did you mean 0o{text.lstrip('0')}, as kubectl reads it, or {int(text)}?")
    # A number that is too large is a string even without quotes.
    number = resolve(word.strip()) if is_number else None
    return Guess(value=number, help="remove the quotes") if type(number) is int else None


def _intended_mapping(node: Scalar, fields: Iterable[str]) -> Guess | None:
    if node.value is None:
        return Guess(value={}, help="write {} for an empty mapping")
    name, equals, text = node.text.partition("=")
    value: dict[str, Any] = {}
    if node.text in fields:
        value = {node.text: {}}
    elif equals and "value" in fields:
        value = {"name": name, "value": text}
    elif "name" in fields and re.fullmatch(r"[\w.-]+", node.text):
        value = {"name": node}
    return Guess(value=value, help=f"did you mean {flow(build_tree(value, node.span))}?") if value else None


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def _intended_quantity(text: str) -> Guess | None:
    """Return 16Gi for `16GB`."""
    match = _UNIT.fullmatch(text)
    quantity = f"{match[1]}{match[2].upper()}i" if match else ""
    return Guess(value=quantity, help=f"did you mean {quantity}?") if quantity else None
