"""Combinations of the values of a matrix, as in GitHub Actions.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstrategymatrix
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, product
from math import prod
from operator import mul

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error, warning
from trainc.schema.hints import nearest
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings
from trainc.span import Span

MAXIMUM = 256  # jobs, as in GitHub Actions
_MAXIMUM_TRIED = 65_536  # combinations before `exclude`
_MAXIMUM_COMPARED = 2_000_000  # combinations times items of `exclude` and `include`: seconds
RESERVED = ("include", "exclude", "maxParallel")
Combination = dict[str, Node]


def combine(matrix: Mapping, where: Span) -> tuple[list[Combination], list[Diagnostic]]:
    """Return the combinations of a matrix that the schema accepts, in the order of the file, and warnings.

    `where` is the position of the matrix. Raises Rejected for an `exclude` with a name that is no variable, for more
    than 256 combinations, for items whose comparison with all combinations would take minutes, and for none.
    """
    lists = {name: node for name, node in matrix.items() if name not in RESERVED and isinstance(node, Sequence)}
    excluded, included = mappings(matrix.get("exclude")), mappings(matrix.get("include"))
    _check_names(excluded, list(lists))
    tried = prod(len(node.items) for node in lists.values())
    if tried > _MAXIMUM_TRIED:
        raise _too_many(matrix, lists, "more than 65,536")
    if tried * (len(excluded) + len(included)) > _MAXIMUM_COMPARED:
        raise _too_many_items(matrix, tried, len(excluded), len(included))
    combinations = [
        dict(zip(lists, values, strict=True)) for values in product(*(node.items for node in lists.values()))
    ]
    combinations = combinations if lists else []
    matched: set[int] = set()
    originals = [each for each in combinations if not _is_excluded(each, excluded, matched)]
    warnings = [
        warning(codes.UNMATCHED_EXCLUDE, "`exclude` matches no combination", each.span.first, help="remove the item")
        for number, each in enumerate(excluded)
        if number not in matched
    ]
    combinations = _with_included(originals, included, list(lists))
    if len(combinations) > MAXIMUM:
        raise _too_many(matrix, lists, f"{len(combinations):,}")
    if not combinations:
        message = "the matrix has no combination"
        help_ = "remove an item of `exclude`" if excluded else "add a variable: `lr: [0.1, 0.01]`"
        raise Rejected(error(codes.INVALID_MATRIX, message, matrix.where("exclude") if excluded else where, help=help_))
    return combinations, warnings


def equal(left: Node, right: Node) -> bool:
    """Return whether two values of YAML are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        return left.value == right.value and isinstance(left.value, bool) == isinstance(right.value, bool)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left.items) == len(right.items) and all(map(equal, left.items, right.items))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.entries.keys() == right.entries.keys() and all(
            equal(value, right.entries[name].value) for name, value in left.items()
        )
    return False


def _is_excluded(combination: Combination, excluded: list[Mapping], matched: set[int]) -> bool:
    """Return whether an item of `exclude` has only values of the combination; add the numbers of all such items."""
    numbers = [number for number, each in enumerate(excluded) if _agrees(each.items(), combination)]
    matched.update(numbers)
    return bool(numbers)


def _with_included(originals: list[Combination], included: list[Mapping], variables: list[str]) -> list[Combination]:
    """Add each item to the combinations of which it changes no original value; to none of them, it is a further one.

    Added values may be replaced by those of later items, and further combinations are no originals.
    """
    extended = [dict(each) for each in originals]
    further: list[Combination] = []
    for item in included:
        values = dict(item.items())
        own = [(name, value) for name, value in values.items() if name in variables]
        places = [number for number, each in enumerate(originals) if _agrees(own, each)]
        for number in places:
            extended[number] |= {name: value for name, value in values.items() if name not in variables}
        if not places:
            further.append(values)
    return [*extended, *further]


def _agrees(values: Iterator[tuple[str, Node]] | list[tuple[str, Node]], combination: Combination) -> bool:
    return all(name in combination and equal(value, combination[name]) for name, value in values)


def _check_names(excluded: list[Mapping], variables: list[str]) -> None:
    problems = []
    for item in excluded:
        for name, entry in item.entries.items():
            if name not in variables:
                guess = nearest(name, variables)
                help_ = f"did you mean `{guess}`?" if guess else "name only variables that have a list of values"
                message = f"`exclude` names `{name}`, which is no variable of the matrix"
                problems.append(error(codes.INVALID_MATRIX, message, entry.key.span, help=help_))
    if problems:
        raise Rejected(*problems)


def _too_many_items(matrix: Mapping, tried: int, excluded: int, included: int) -> Rejected:
    """Return the error at the longer one of `exclude` and `include`."""
    name, count = ("exclude", excluded) if excluded >= included else ("include", included)
    message = f"`{name}` has {count:,} items for {tried:,} combinations: they take too long to compare"
    help_ = "remove values, or split the matrix into several files"
    return Rejected(error(codes.MATRIX_TOO_LARGE, message, matrix.where(name), help=help_))


def _too_many(matrix: Mapping, lists: dict[str, Sequence], count: str) -> Rejected:
    """Return the error at the first variable with which there are too many combinations."""
    sizes = accumulate((len(node.items) for node in lists.values()), mul)
    name = next((name for name, size in zip(lists, sizes, strict=True) if size > MAXIMUM), "include")
    where = matrix.where(name)
    message = f"the matrix has {count} combinations, but at most {MAXIMUM} jobs can be made of a file"
    help_ = "remove values, or split the matrix into several files"
    return Rejected(error(codes.MATRIX_TOO_LARGE, message, where, help=help_))
