"""Other systems' jobs: their trees with one field made wrong, and what trainc makes of a tree."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from trainc.driver import Outcome, run
from trainc.source.load import load
from trainc.span import Source
from trainc.target import Target

WRONG: tuple[Any, ...] = (
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
    """Of everything in a tree."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*path, key))


def with_value(tree: Any, path: Path, value: Any) -> Any:
    """A copy with another value at a place."""
    if not path:
        return value
    changed = copy.deepcopy(tree)
    here = changed
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return changed


def wrongs(tree: Any) -> Iterator[tuple[Path, Any, str]]:
    """Each place with each wrong value, as text."""
    for path in paths(tree):
        for wrong in WRONG:
            yield path, wrong, json.dumps(with_value(tree, path, wrong))


def outcome(text: str, backend: str = "job") -> Outcome:
    """What the compiler says and makes, down to the manifests' text."""
    result = run([Source("job.yaml", text)], Target(backend=backend))
    for compiled in result.jobs:
        compiled.manifests()
    return result


def documents(text: str) -> int:
    """How many documents a text has."""
    return len(load(Source("job.yaml", text))[0])
