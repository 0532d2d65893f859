"""Uses of the variables of a matrix in a document: variables without a use, and uses that would take all memory."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.sweep.combinations import RESERVED, Combination
from trainc.sweep.expressions import expressions, scalars

_MAXIMUM = 16 * 1024 * 1024  # characters and nodes of all jobs that come from the matrix or are around its values


def unused_variables(template: Mapping, matrix: Mapping) -> Iterator[Diagnostic]:
    """Yield warnings about variables that no field uses: their jobs differ in their names only."""
    used = {path[0] for scalar, _ in scalars(template) for path, _, _ in expressions(scalar) if path}
    for name, entry in matrix.entries.items():
        values = entry.value.items if isinstance(entry.value, Sequence) else []
        if name not in RESERVED and name not in used and len(values) > 1:
            message = f"no field uses `matrix.{name}`: its jobs differ only in their names"
            help_ = f"write `${{{{ matrix.{name} }}}}` where the program takes it"
            yield warning(codes.UNUSED_VARIABLE, message, entry.key.span, help=help_)


def large_texts(template: Mapping, combinations: list[Combination]) -> Iterator[Diagnostic]:
    """Yield an error if values and the texts around them are so long that the jobs would take all memory."""
    total = 0
    sizes: dict[int, int] = {}
    for scalar, _ in scalars(template):
        total += len(scalar.text) * len(combinations)
        for path, _, _ in expressions(scalar):
            values = [each[path[0]] for each in combinations if path and path[0] in each]
            for value in values:
                if id(value) not in sizes:
                    sizes[id(value)] = _size(value)
                total += sizes[id(value)]
        if total > _MAXIMUM:
            message = "the texts with values of the matrix have more than 16 MiB in all jobs"
            yield error(codes.MATRIX_TOO_LARGE, message, scalar.span, help="mount long texts as files")
            return


def _size(node: Node) -> int:
    """Return the number of characters and nodes of a value."""
    size, stack = 0, [node]
    while stack:
        each = stack.pop()
        size += 1 + (len(each.text) if isinstance(each, Scalar) else 0)
        if isinstance(each, Sequence):
            stack += each.items
        elif isinstance(each, Mapping):
            stack += [value for _, value in each.items()]
    return size
