"""Number of instructions of Python's virtual machine, which is the same on every machine, as run times are not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def opcodes(function: Callable[..., Any], *arguments: Any) -> int:
    """Return how many instructions a call takes; those of loops in C, such as `sorted`, are not included."""
    count, original = 0, sys.gettrace()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return trace

    # In Python 3.12 a frame must ask for them before settrace: https://github.com/python/cpython/issues/103615
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(original)
    return count
