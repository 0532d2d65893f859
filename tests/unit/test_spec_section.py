"""Sections of the spec read themselves from their annotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest

from trainc.source.load import load
from trainc.source.node import Mapping, Scalar
from trainc.span import Source
from trainc.spec.job import TrainingJob
from trainc.spec.section import Quantity, Section, field, only_key

Color = Literal["red", "green"]


class Item(Section):
    name: str
    size: Quantity | None


class Short(Section):
    key: str
    required: bool = True

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Any:
        value = node.get(name)
        return cls(node=node, key=value.text) if isinstance(value, Scalar) else super().read_field(node, name)


class Everything(Section):
    text: str
    optional_text: str | None
    count: int = 3
    enabled: bool = True
    number_or_text: int | str | None
    color: Color = "red"
    arguments: tuple[str, ...]
    labels: dict[str, str]
    optional_labels: dict[str, str] | None
    raw: list[dict[str, Any]]
    item: Item
    optional_item: Item | None
    items: tuple[Item, ...]
    short: Short | None
    first: str = field(only_key)


class Inherited(Item):
    color: Color | None


def read(text: str, section: type[Section] = Everything) -> Any:
    """Read a section from YAML."""
    documents, diagnostics = load(Source("test", text))
    assert not diagnostics
    node = documents[0]
    assert isinstance(node, Mapping)
    return section.read(node)


def test_missing_fields_have_their_default_or_are_empty() -> None:
    section = read("text: a\n")
    assert (section.optional_text, section.count, section.enabled, section.number_or_text) == (None, 3, True, None)
    assert (section.color, section.arguments, section.labels, section.optional_labels) == ("red", (), {}, None)
    assert (section.raw, section.optional_item, section.items, section.short) == ([], None, (), None)


def test_fields_are_read_by_their_annotation() -> None:
    section = read(
        "{text: 1.50, optionalText: b, count: 4, enabled: false, numberOrText: auto, color: green, arguments: [x, 2],\n"
        " labels: {a: b}, optionalLabels: {c: d}, raw: [{e: 1}], item: {name: n, size: 0x10}, items: [{name: m}],\n"
        " short: {key: k, required: false}}"
    )
    assert (section.text, section.optional_text, section.count, section.enabled) == ("1.50", "b", 4, False)
    assert (section.number_or_text, section.color, section.arguments) == ("auto", "green", ("x", "2"))
    assert (section.labels, section.optional_labels, section.raw) == ({"a": "b"}, {"c": "d"}, [{"e": 1}])
    assert (section.item.name, section.item.size, [item.name for item in section.items]) == ("n", "16", ["m"])
    assert (section.short.key, section.short.required) == ("k", False)
    assert section.first == "text"


def test_null_is_a_missing_field() -> None:
    assert read("{text: , count: , labels: }").count == 3


def test_a_missing_section_has_the_span_of_its_parent() -> None:
    section = read("text: a\n")
    assert (section.item.name, section.item.where("name")) == ("", section.node.span)
    assert not section.item.has("name")


def test_strings_have_spans() -> None:
    section = read("text: a\nitem: {name: n}\n")
    assert str(section.item.name.span) == str(section.item.where("name")) == "test:2:14"


def test_sections_can_override_read_field() -> None:
    assert read("{text: a, short: x}").short.key == "x"


def test_sections_inherit_fields() -> None:
    section = read("{name: a, size: 1Gi, color: green}", Inherited)
    assert (section.name, section.size, section.color) == ("a", "1Gi", "green")


def _sections(base: type[Section] = Section) -> Iterator[type[Section]]:
    for section in base.__subclasses__():
        yield section
        yield from _sections(section)


SECTIONS = [TrainingJob, *(section for section in _sections() if section.__module__ != __name__)]


@pytest.mark.parametrize("section", SECTIONS)
def test_required_numbers_and_flags_have_a_default(section: type[Section]) -> None:
    for name, annotation in section.__annotations__.items():
        if annotation in ("int", "bool") and name not in section._special:
            assert name in section._defaults, name
