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


class Holder(Record):
    items: list[int]


def make(kind: type[Record], /, **values: Any) -> Record:
    """Past the type checker, which sees what is wrong with these calls."""
    return kind(**values)


def test_a_field_without_a_value_takes_its_default() -> None:
    assert (Point(x=1).x, Point(x=1).y) == (1, 0)


def test_values_are_given_by_keyword_only() -> None:
    with pytest.raises(TypeError):
        Point(1, 2)  # type: ignore[call-arg]


def test_a_field_cannot_be_set_or_deleted() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match="Point is frozen: cannot set x"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="Point is frozen: cannot delete y"):
        del point.y
    with pytest.raises(AttributeError, match="frozen"):
        point.z = 3
    assert point == Point(x=1)


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({}, ["x"]),
        ({"y": 1}, ["x"]),
        ({"x": 1, "z": 2}, ["z"]),
        # As many fields as there are, and yet the wrong ones.
        ({"z": 2}, ["x", "z"]),
    ],
)
def test_missing_and_unknown_fields_are_named(values: dict[str, int], wrong: list[str]) -> None:
    with pytest.raises(TypeError, match="Point") as caught:
        make(Point, **values)
    assert str(caught.value).partition("fields: ")[2].split(", ") == wrong


def test_a_class_variable_is_no_field() -> None:
    with pytest.raises(TypeError):
        make(Point, x=1, kind="other")
    assert repr(Point(x=1)) == "Point(x=1, y=0)"


def test_records_are_equal_by_class_and_fields() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Named(x=1, name="a")
    assert Point(x=1) != {"x": 1, "y": 0}


def test_equal_records_have_equal_hashes_in_whichever_order_their_fields_were_given() -> None:
    """The data model demands it: https://docs.python.org/3/reference/datamodel.html#object.__hash__"""
    one, other = Named(x=1, y=2, name="a"), Named(name="a", y=2, x=1)
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1


def test_records_with_other_fields_are_different_members_of_a_set() -> None:
    assert len({Point(x=1), Point(x=2), Point(x=1, y=1), Named(x=1, name="a")}) == 4


def test_a_record_that_holds_a_list_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Holder(items=[1]))


def test_replace_makes_another_record_of_the_same_class() -> None:
    first = Named(x=1, name="a", notes=("n",))
    second = first.replace(name="b")
    assert second == Named(x=1, name="b", notes=("n",))
    assert type(second) is Named
    assert first.name == "a"


def test_replace_refuses_a_field_that_there_is_not() -> None:
    with pytest.raises(TypeError, match="z"):
        Point(x=1).replace(z=1)


def test_a_subclass_has_the_fields_and_defaults_of_its_base_first() -> None:
    assert repr(Named(name="a", x=1)) == "Named(x=1, y=0, name='a', notes=())"


def test_a_default_is_the_same_object_for_all_records_and_no_attribute_is_shared() -> None:
    one, other = Named(x=1, name="a"), Named(x=2, name="b", notes=("n",))
    assert one.notes == ()
    assert other.notes == ("n",)
    assert Named(x=3, name="c").notes == ()
