"""Trees of foreign jobs with one wrong field, and their compilation."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from trainc.driver import Outcome, run
from trainc.source.load import load
from trainc.span import Source
from trainc.target import Target

INVALID_VALUES: tuple[Any, ...] = (
    None,
    [],
    {},
    "",
    "x",
    0,
    -1,
    1.5,
    True,
    [None],
    [[]],
    [{}],
    {"": None},
    "\u2028",
    10**30,
    "9" * 5000,
)
Path = tuple[str | int, ...]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all nodes of a tree."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*path, key))


def with_value(tree: Any, path: Path, value: Any) -> Any:
    """Return a copy with another value at a path."""
    if not path:
        return value
    changed = copy.deepcopy(tree)
    here = changed
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return changed


def invalid_variants(tree: Any) -> Iterator[tuple[Path, Any, str]]:
    """Yield every path with every wrong value and the resulting text."""
    for path in paths(tree):
        for wrong in INVALID_VALUES:
            yield path, wrong, json.dumps(with_value(tree, path, wrong))


def compile_text(text: str, backend: str = "job") -> Outcome:
    """Return the outcome of a compilation whose manifests were rendered."""
    result = run([Source("job.yaml", text)], Target(backend=backend))
    for compiled in result.jobs:
        compiled.manifests()
    return result


def documents(text: str) -> int:
    """Return the number of documents in a text."""
    return len(load(Source("job.yaml", text))[0])
