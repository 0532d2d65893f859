"""Regular expressions: their steps grow linearly with the text, and they match alike on every Python.

Users' files may have any length. Texts are derived from the expressions, steps are counted on their parse trees.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.support.pattern_pumps import nodes, pumps
from tests.support.pattern_steps import Steps, TooManySteps, parser, sre
from tests.support.patterns import Pattern, patterns

LENGTH = 16
SHARES = 20


@pytest.fixture(autouse=True)
def _deep_recursion() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    yield
    sys.setrecursionlimit(limit)


def growth(pattern: str, flags: int, method: str) -> tuple[float, str]:
    """Return the second difference of the steps for 1, 2 and 3 times a text, 0 if they grow linearly, and the text."""
    worst = (0.0, "")
    steps = Steps(pattern, flags)
    for prefix, word, suffix in pumps(pattern, flags):
        try:
            short, middle, long = (steps.of(method, prefix + word * LENGTH * times + suffix) for times in (1, 2, 3))
            difference = (long - 2 * middle + short) / len(word)
        except TooManySteps:
            difference = float("inf")
        worst = max(worst, (difference, f"{prefix!r} + {word!r} * n + {suffix!r}"))
    return worst


def excessive(pattern: Pattern) -> str | None:
    """Return how an expression grows too fast."""
    for method in pattern.methods:
        difference, text = growth(pattern.text, pattern.flags, method)
        if difference > 2 * LENGTH:
            return f"{pattern.place}: {method} of {pattern.text!r} on {text}"
    return None


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("method", "pattern"),
    [
        ("fullmatch", r"(a+)+b"),
        ("fullmatch", r"(a|aa)*"),
        ("match", r"\s*\s*x"),
        ("match", r"(?:/\w*)+\w*x"),
        ("match", r"a*?.*?b"),
        ("match", r"(\w+\s?)*$"),
        ("search", r"\s+$"),
        ("search", r"<[^>]*>"),
        ("search", r"(?=\w*\d)x"),
    ],
)
def test_ambiguous_expressions_grow(method: str, pattern: str) -> None:
    assert growth(pattern, 0, method)[0] > 2 * LENGTH


@pytest.mark.parametrize(
    ("method", "pattern"),
    [
        ("fullmatch", r"a+b+"),
        ("fullmatch", r"[a-z0-9]+(?:[._-][a-z0-9]+)*"),
        ("match", r"\s+$"),
        ("match", r'"(?:[^"\\]|\\.)*"'),
        ("search", r"(?<!\s)\s+$"),
        ("search", r"<[^<>]*>"),
        ("search", r"\b\w{1,40}="),
    ],
)
def test_unambiguous_expressions_are_linear(method: str, pattern: str) -> None:
    assert growth(pattern, 0, method)[0] <= 2 * LENGTH


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_expressions_are_linear(share: int) -> None:
    assert len(patterns()) > 300
    assert list(filter(None, map(excessive, patterns()[share::SHARES]))) == []


@pytest.mark.slow
def test_no_expression_is_possessive_or_atomic() -> None:
    """Python 3.11.0 to 3.11.4 resets groups in them wrongly: https://github.com/python/cpython/issues/106052."""
    wrong = {sre.POSSESSIVE_REPEAT, sre.ATOMIC_GROUP}
    assert {node for node, _ in nodes(list(parser.parse(r"(?:a(?>b|c++))", 0)))} >= wrong
    trees = {pattern: list(parser.parse(pattern.text, pattern.flags)) for pattern in patterns()}
    assert [pattern for pattern, tree in trees.items() if wrong & {node for node, _ in nodes(tree)}] == []
