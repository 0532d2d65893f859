"""Records, amounts and times as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from trainc.record import Record
from trainc.report.json import to_json


class Claim(Record):
    name: str
    is_read_only: bool
    size: Fraction | None


def test_records_are_objects_with_the_names_of_their_fields() -> None:
    assert to_json([Claim(name="ü", is_read_only=True, size=None)]) == (
        '[\n  {\n    "name": "ü",\n    "isReadOnly": true,\n    "size": null\n  }\n]\n'
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(3), "3"),
        (Fraction(1, 2), "0.5"),
        (datetime(2026, 11, 22, 11, 38, 54, 7, UTC), '"2026-11-22T11:38:54Z"'),
        ((1, 2), "[\n    1,\n    2\n  ]"),
    ],
)
def test_values(value: object, expected: str) -> None:
    assert to_json([value]) == f"[\n  {expected}\n]\n"


def test_other_values_are_errors() -> None:
    with pytest.raises(TypeError, match="set has no form in JSON"):
        to_json([set()])
