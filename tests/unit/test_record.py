"""Records behave like frozen keyword-only dataclasses."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from trainc.record import Record


class Point(Record):
    kind: ClassVar[str] = "point"
    x: int
    y: int = 0


class Named(Point):
    name: str
    notes: tuple[str, ...] = ()


class Container(Record):
    items: list[int]


def make(kind: type[Record], /, **values: Any) -> Record:
    """Create a record without type checking, which would reject invalid calls."""
    return kind(**values)


def test_fields_have_defaults() -> None:
    assert (Point(x=1).x, Point(x=1).y) == (1, 0)


def test_fields_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        Point(1, 2)  # type: ignore[call-arg]  # mypy rejects it, too


def test_fields_cannot_be_set_or_deleted() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match="Point is frozen: cannot set x"):
        point.x = 2  # type: ignore[misc]  # mypy rejects it, too
    with pytest.raises(AttributeError, match="Point is frozen: cannot delete y"):
        del point.y
    with pytest.raises(AttributeError, match="frozen"):
        point.z = 3
    assert point == Point(x=1)


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({}, ["x"]),
        ({"y": 1}, ["x"]),
        ({"x": 1, "z": 2}, ["z"]),
        # The right number of fields, but other ones.
        ({"z": 2}, ["x", "z"]),
    ],
)
def test_missing_and_unknown_fields_are_errors(values: dict[str, int], fields: list[str]) -> None:
    with pytest.raises(TypeError, match="Point") as caught:
        make(Point, **values)
    assert str(caught.value).partition("fields: ")[2].split(", ") == fields


def test_class_variables_are_not_fields() -> None:
    with pytest.raises(TypeError):
        make(Point, x=1, kind="second")
    assert repr(Point(x=1)) == "Point(x=1, y=0)"


def test_records_are_equal_by_class_and_fields() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Named(x=1, name="a")
    assert Point(x=1) != {"x": 1, "y": 0}


def test_the_order_of_keyword_arguments_does_not_affect_equality_and_hash() -> None:
    """https://docs.python.org/3/reference/datamodel.html#object.__hash__"""
    first, second = Named(x=1, y=2, name="a"), Named(name="a", y=2, x=1)
    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1


def test_different_records_are_different_members_of_a_set() -> None:
    assert len({Point(x=1), Point(x=2), Point(x=1, y=1), Named(x=1, name="a")}) == 4


def test_records_with_a_list_are_unhashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Container(items=[1]))


def test_replace_returns_a_new_record_of_the_same_class() -> None:
    first = Named(x=1, name="a", notes=("n",))
    second = first.replace(name="b")
    assert second == Named(x=1, name="b", notes=("n",))
    assert type(second) is Named
    assert first.name == "a"


def test_replace_rejects_unknown_fields() -> None:
    with pytest.raises(TypeError, match="z"):
        Point(x=1).replace(z=1)


def test_subclasses_inherit_fields_and_defaults() -> None:
    assert repr(Named(name="a", x=1)) == "Named(x=1, y=0, name='a', notes=())"


def test_records_do_not_share_attributes() -> None:
    first, second = Named(x=1, name="a"), Named(x=2, name="b", notes=("n",))
    assert first.notes == ()
    assert second.notes == ("n",)
    assert Named(x=3, name="c").notes == ()
