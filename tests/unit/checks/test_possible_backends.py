"""Helps name only back ends that compile the job."""

from __future__ import annotations

import pytest

from trainc.checks.possible_backends import with_possible_backends
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, warning
from trainc.diagnostics.message import BackEnds, Help, Message
from trainc.span import Source, Span

SPAN = Span(Source("job.yaml", "a: b"), 1, 1, 1, 2)
OTHER = Span(Source("job.yaml", "a: b"), 1, 4, 1, 5)


def use(*backends: str, more: str = "") -> Message:
    return Message("use {}{}", BackEnds(backends), more)


@pytest.mark.parametrize(
    ("help_", "expected"),
    [
        (use("job"), "use `--backend job`"),
        (use("pods"), None),
        (("remove it", use("pods")), "remove it"),
        ((use("pods", more=", which waits"), "remove it"), "remove it"),
        (("remove it", use("pods", "job", "statefulset")), "remove it, or use `--backend job`"),
        (use("pods", "job", "pytorchjob"), "use one of the back ends job, pytorchjob"),
        (("remove it", use("job", more=" (its UID)")), "remove it, or use `--backend job` (its UID)"),
        ("rename it, or remove it", "rename it, or remove it"),
        (None, None),
    ],
)
def test_back_ends_with_other_errors_are_left_out(help_: Help | None, expected: str | None) -> None:
    here = error(codes.NAME_TOO_LONG, "long", OTHER)
    elsewhere = {"job": [here], "pytorchjob": [], "pods": [error(codes.NAME_TOO_LONG, "long", SPAN)]}

    def errors_on(name: str) -> frozenset[tuple[str, tuple[object, ...]]]:
        errors = elsewhere.get(name, [error(codes.UNNAMED_PORT, "port", SPAN)])
        return frozenset((each.code.id, each.span.place) for each in errors)

    given = [here, warning(codes.UNSUPPORTED_BY_BACKEND, "no effect", SPAN, help=help_)]
    [_, found] = with_possible_backends(given, errors_on)
    assert found.help == expected
