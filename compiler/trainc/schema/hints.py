"""Guesses of what the user intended, for helps."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Iterable

from trainc.source.node import Node, Scalar
from trainc.source.resolve import resolve

# Booleans of YAML 1.1, which are strings in YAML 1.2.
SWITCHES = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
# Common misspellings of binary units: GB, Gb, gi, GiB, "16 Gi", Gigabyte.
_UNIT = re.compile(r"\s*([0-9.]+)\s*([kKmMgGtTpP])(?:i?[bB]?|ig|igabytes?|egabytes?|era(?:bytes?)?)\s*")


def folded(name: str) -> str:
    """Return a name without the differences between camelCase, snake_case and kebab-case."""
    return name.lower().replace("_", "").replace("-", "")


def nearest(word: str, known: list[str]) -> str | None:
    """Return the known word that was probably intended, if any."""
    same = {folded(name): name for name in known}.get(folded(word))
    if same:
        return same
    longer = [name for name in known if len(word) > 2 and name.lower().startswith(word.lower())]
    if len(longer) == 1:
        return longer[0]
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.7)
    return close[0] if close else None


def intended_value(node: Node, expected: str, fields: Iterable[str] = ()) -> str | None:
    """Return a help for a value of the wrong type; `fields` are those of the expected mapping."""
    if not isinstance(node, Scalar):
        return None
    if expected == "a mapping":
        return _intended_mapping(node, fields)
    if node.value is None:
        return None
    if expected.startswith("a list"):
        items = _list_of_words(node.text) if isinstance(node.value, str) else f"[{node.text}]"
        return f"did you mean {items}?"
    if isinstance(node.value, str):
        return _intended_by_text(node.text, expected)
    return f'did you mean "{node.text}"?' if expected.startswith(("a string", "a label value", "a version")) else None


def _intended_by_text(text: str, expected: str) -> str | None:
    word = text.lower()
    if "true or false" in expected and word in SWITCHES:
        return f"did you mean {SWITCHES[word]}?"
    if "number" in expected and re.fullmatch("0[0-7]+", text):
        return f"did you mean 0o{text.lstrip('0')}, as kubectl reads it, or {int(text)}?"
    # A number that is too large is a string even without quotes.
    return "remove the quotes" if "number" in expected and type(resolve(word.strip())) is int else None


def _intended_mapping(node: Scalar, fields: Iterable[str]) -> str | None:
    if node.value is None:
        return "write {} for an empty mapping"
    if node.text in fields:
        return f"did you mean {{{node.text}: {{}}}}?"
    name, equals, value = node.text.partition("=")
    if equals and "value" in fields:
        return f"did you mean {{name: {name}, value: {json.dumps(value, ensure_ascii=False)}}}?"
    return f"did you mean {{name: {node.text}}}?" if "name" in fields else None


def _list_of_words(text: str) -> str:
    """Format a command line as a YAML list, quoting words that are not plain strings."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    plain = re.compile(r"(--?|\.?/)?[A-Za-z_][\w./=-]*")
    return "[" + ", ".join(word if plain.fullmatch(word) else json.dumps(word) for word in words) + "]"


def quantity_hint(text: str) -> str | None:
    """Return a help for a misspelled quantity: 16Gi for `16GB`."""
    match = _UNIT.fullmatch(text)
    return f"did you mean {match[1]}{match[2].upper()}i?" if match else None
