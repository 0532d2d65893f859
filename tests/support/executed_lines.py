"""Number of lines of Python that a call executes, which is the same on every machine, as run times are not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def executed_lines(function: Callable[..., Any], *arguments: Any) -> int:
    """Return how many lines a call executes, with repetitions; loops in C, such as those of `sorted`, do not count."""
    count, original = 0, sys.gettrace()

    def trace(_: FrameType, event: str, __: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(original)
    return count
