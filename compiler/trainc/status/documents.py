"""Objects in the output of kubectl: JSON documents one after the other, or YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.plan.fields import Object, listed, text
from trainc.source.load import MEBIBYTE, load
from trainc.source.node import plain
from trainc.span import Source, Span

MAXIMUM_BYTES = 64 * MEBIBYTE  # 5,000 pods with their events
_SOURCE = "pipe in the output of the commands that `trainc status --command JOB` prints"
_MAX_DEPTH = 5  # of nested Lists
_SPACE = re.compile(r"\s*")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def parse_objects(
    source: Source, source_help: str = _SOURCE, allows_empty: bool = False
) -> tuple[list[Object], list[Diagnostic]]:
    """Return the objects of a text, with those inside Lists, and its errors. Values that are no objects are dropped.

    `source_help` says where objects come from; with `allows_empty` Lists may have none.
    """
    if source.text.lstrip()[:1] in ("{", "["):
        documents, problems = _json_documents(source)
    else:
        nodes, problems = load(source, MAXIMUM_BYTES)
        documents = list(map(plain, nodes))
    if problems:
        return [], problems
    objects = [each for document in documents for each in _objects(document)]
    if not objects and not (allows_empty and documents and all(map(_is_list, documents))):
        start = Span(source, 1, 1, 1, 2)
        return [], [error(codes.EMPTY_INPUT, "the input contains no Kubernetes object", start, help=source_help)]
    return objects, []


def latest(objects: list[Object]) -> list[Object]:
    """Return the last version of each object, as `kubectl get --watch` prints several."""
    versions = {}
    for each in objects:
        names = (text(each, "metadata", field) for field in ("namespace", "name", "uid"))
        versions[(text(each, "apiVersion"), text(each, "kind"), *names)] = each
    return list(versions.values())


def _json_documents(source: Source) -> tuple[list[Any], list[Diagnostic]]:
    decoder, documents = json.JSONDecoder(), []
    position = _skip_space(source.text, 0)
    try:
        while position < len(source.text):
            document, end = decoder.raw_decode(source.text, position)
            documents.append(_without_surrogates(document) if "\\u" in source.text[position:end] else document)
            position = _skip_space(source.text, end)
    except RecursionError:
        return [], [error(codes.NESTING_TOO_DEEP, "the JSON is nested too deeply", source.span_at(position))]
    except ValueError as problem:
        message = f"the input is not JSON: {getattr(problem, 'msg', problem)}"
        at = getattr(problem, "pos", position)
        return [], [error(codes.YAML_SYNTAX, message, source.span_at(at))]
    return documents, []


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _without_surrogates(value: Any) -> Any:
    """Replace halves of surrogate pairs, which JSON can contain and UTF-8 can't."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return list(map(_without_surrogates, value))
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
    return value


def _is_list(document: Any) -> bool:
    return isinstance(document, dict) and text(document, "kind").endswith("List")


def _objects(document: Any, depth: int = 0) -> Iterator[Object]:
    if isinstance(document, list) and depth < _MAX_DEPTH:
        for each in document:
            yield from _objects(each, depth + 1)
    elif not isinstance(document, dict):
        return
    elif _is_list(document) and depth < _MAX_DEPTH:
        yield from _objects(listed(document, "items"), depth + 1)
    elif text(document, "kind") and text(document, "metadata", "name"):
        yield document
