"""Trees of foreign jobs with one wrong field, and their compilation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from tests.support.trees import Path, field_paths, with_value
from trainc.compiled import Outcome
from trainc.driver import run
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


def invalid_variants(tree: Any, start: int = 0, step: int = 1) -> Iterator[tuple[Path, Any, str]]:
    """Yield every path with every invalid value, or every `step`-th of these pairs, and the resulting text."""
    for path, value in islice(product(((), *field_paths(tree)), INVALID_VALUES), start, None, step):
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
