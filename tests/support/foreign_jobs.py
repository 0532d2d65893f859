"""Trees of foreign jobs with one wrong field, and their compilation."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import islice, product
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
    changed = copy.copy(tree)
    changed[path[0]] = with_value(tree[path[0]], path[1:], value)
    return changed


def invalid_variants(tree: Any, step: int = 1) -> Iterator[tuple[Path, Any, str]]:
    """Yield every path with every invalid value, or every `step`-th of these pairs, and the resulting text."""
    for path, value in islice(product(paths(tree), INVALID_VALUES), 0, None, step):
        yield path, value, json.dumps(with_value(tree, path, value))


def compile_text(text: str, backend: str = "job") -> Outcome:
    """Return the outcome of a compilation whose manifests were rendered."""
    result = run([Source("job.yaml", text)], Target(backend=backend))
    for compiled in result.jobs:
        compiled.manifests()
    return result


def manifest_texts(outcome: Outcome) -> list[str]:
    """Return the texts of all manifests."""
    return [manifest.text for job in outcome.jobs for manifest in job.manifests()]


def documents(text: str) -> int:
    """Return the number of documents in a text."""
    return len(load(Source("job.yaml", text))[0])
