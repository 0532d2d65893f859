"""Follow the help of a diagnostic to the letter: edit the document as the words say."""

from __future__ import annotations

import re
from typing import Any

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source

_UNKNOWN = re.compile(r"(?:unknown fields?|invalid name) (?P<names>`.+`) in (?:`(?P<path>[^`]+)`|the job)")
_INVALID = re.compile(r"`(?P<path>[^`]+)` (?:cannot be|is not a Kubernetes quantity)")
_WRITE = re.compile(
    r"write `(?P<snippet>.+?)`(?: in `(?P<path>[^`]+)`| in place of `(?P<other>\w+)`|(?P<top> at the top of the file))?"
    r"(?:, .*)?"
)
_USE = re.compile(r"(?:use|did you mean) `(?P<name>[\w.-]+(?:/[\w.-]+)?)`\??")
_GUESS = re.compile(r"did you mean (?P<value>[^`].*)\?")
_STEP = re.compile(r"\[(\d+)\]|([^.\[]+)")


def parse(text: str) -> Any:
    """Return the value of a YAML text, as trainc reads it."""
    (document,), problems = load(Source("text", text))
    assert not problems
    return plain(document)


def follow(document: Any, diagnostic: Diagnostic) -> None:
    """Edit a document in place. Raises AssertionError for a help that is no edit."""
    unknown, help_ = _UNKNOWN.match(diagnostic.message), diagnostic.help or ""
    if unknown:
        path = _steps(unknown["path"] or "")
        _follow_name(document, path, re.findall("`([^`]+)`", unknown["names"]), help_)
        return
    invalid = _INVALID.match(diagnostic.message)
    assert invalid, diagnostic.message
    *path, key = _steps(invalid["path"])
    _follow_value(document, path, key, help_)


def _follow_name(document: Any, path: list[Any], names: list[str], help_: str) -> None:
    section = _at(document, path)
    values = [section.pop(name) for name in names]
    if help_.startswith("remove it"):
        return
    use = _USE.fullmatch(help_)
    if use and ("." not in use["name"] or "/" in use["name"]):  # a field beside; a resource has dots, too
        section[use["name"]] = values[0]
        return
    write = _WRITE.fullmatch(help_)
    assert write, help_
    if write["other"]:
        path = path[:-1]
        del _at(document, path)[write["other"]]
    elif write["path"]:
        path = _steps(write["path"])
    elif write["top"]:
        path = []
    _write(document, path, write["snippet"])


def _follow_value(document: Any, path: list[Any], key: Any, help_: str) -> None:
    section, write = _at(document, path), _WRITE.fullmatch(help_)
    guess, use = _GUESS.fullmatch(help_), _USE.fullmatch(help_)
    if help_ == "remove the quotes":
        section[key] = int(section[key])
    elif help_ == "write {} for an empty mapping":
        section[key] = {}
    elif use or guess:
        section[key] = parse(use["name"] if use else guess["value"] if guess else "")
    else:
        assert write, help_
        snippet = parse(write["snippet"])
        if isinstance(key, int):
            section[key] = snippet
        else:
            del section[key]
            _write(document, _steps(write["path"]) if write["path"] else path, write["snippet"])


def _write(document: Any, path: list[Any], snippet: str) -> None:
    """Replace a list item, or set the fields of a mapping."""
    value = parse(snippet)
    if snippet.startswith("{"):
        *path, key = path
        _at(document, path)[key] = value
    else:
        section = _at(document, path)
        for name, inner in value.items():  # in place of the value that is there
            section[name] = inner


def _steps(path: str) -> list[Any]:
    return [int(index) if index else name for index, name in _STEP.findall(path)]


def _at(document: Any, path: list[Any]) -> Any:
    for step in path:
        document = document[step]
    return document
