"""Base of all sections of the spec: a record that reads itself from a mapping by its annotations."""

from __future__ import annotations

import sys
from collections.abc import Callable

from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, plain
from trainc.span import Number, Span, Text, Traced
from trainc.typenames import Any, ClassVar, Self

Quantity = str  # a Kubernetes quantity
Reader = Callable[[Mapping, str], Any]


class Section(Record):
    """Part of the job. `node` is the mapping it was read from.

    An attribute is the field of the same name in camelCase. Its annotation selects the reader: a key of READERS, a
    Section, a tuple of Sections, or a Literal; its value is the default. A field of another form has `field(reader)`.
    """

    short_form: ClassVar[str] = ""  # attribute that a value in place of the section sets

    node: Mapping
    _special: ClassVar[dict[str, Field]] = {}
    _plan: ClassVar[list[tuple[str, str, Reader, Any, bool]]] = []

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if type(value) is Field}
        for name in own:
            delattr(cls, name)
        cls._special, cls._plan = {**cls._special, **own}, []
        super().__init_subclass__()

    @classmethod
    def read(cls, node: Mapping, **values: Any) -> Self:
        """Read a mapping that the schema accepts; `values` are attributes that it doesn't hold."""
        if not cls._plan:
            cls._plan = list(_readers(cls))
        entries = node.entries
        for name, key, reader, default, none_if_missing in cls._plan:
            if name not in values:
                value = None if none_if_missing and key not in entries else reader(node, key)
                values[name] = default if value is None else value
        section = cls.__new__(cls)
        section.__dict__.update(values, node=node)  # all fields of the record
        return section

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self | None:
        """Read a field that holds the section, or its short form."""
        value = node.get(name)
        if isinstance(value, Scalar) and value.value is not None and cls.short_form:
            value = Mapping({cls.short_form: node.entries[name]}, node.span)
        return cls.read(value) if isinstance(value, Mapping) else None

    def where(self, *names: str) -> Span:
        """Return the span of the first of these fields in the file, else of the section."""
        for name in names:
            if name in self.node.entries:
                return self.node.where(name)
        return self.node.span

    def span_of(self, name: str) -> Span | None:
        """Return the span of a field; None if the file doesn't have it."""
        return self.node.where(name) if self.has(name) else None

    def has(self, name: str) -> bool:
        """Return whether the file has this field."""
        return name in self.node.entries


class Field(Record):
    """Explicit reader of an attribute, and the field's name where it isn't the attribute's."""

    reader: Reader
    key: str
    default: Any


def field(reader: Reader, key: str = "", default: Any = None) -> Any:
    """Declare an attribute that its annotation doesn't describe."""
    return Field(reader=reader, key=key, default=default)


def _readers(cls: type[Section]) -> Any:
    """Yield attribute, field, reader, default and whether the reader needs the field, for each attribute of a class."""
    for base in cls.__mro__[-4::-1]:  # without object, Record and Section
        for name, annotation in base.__annotations__.items():
            if annotation.startswith("ClassVar"):
                continue
            head, *rest = name.split("_")
            key = head + "".join(map(str.capitalize, rest))
            kind = annotation.removesuffix(" | None")
            default = cls._defaults.get(name, "" if annotation in ("str", "Quantity") else None)
            special = cls._special.get(name)
            if special and special.default is not None:
                default = special.default
            reader = special.reader if special else READERS.get(annotation) or READERS.get(kind)
            reader = reader or _section_reader(base, kind, optional=kind != annotation)
            yield name, (special and special.key) or key, reader, default, reader in _NONE_IF_MISSING


def _section_reader(cls: type[Section], kind: str, optional: bool) -> Reader:
    """Return the reader for a Section, a tuple of Sections or a Literal that the class's module names."""
    scope = vars(sys.modules[cls.__module__])
    if kind.startswith("tuple["):
        item: type[Section] = scope[kind[6:-6]]
        return lambda node, name: tuple(map(item.read, mappings(node.get(name))))
    section = scope.get(kind)
    if not isinstance(section, type) or not issubclass(section, Section):
        return text  # a Literal
    if optional:
        return section.read_field
    return lambda node, name: section.read_field(node, name) or section.read(inside(node, name))


# Readers of valid documents: the schema has already rejected every other type.


_NUMBERS = (int, float)


def mapping(node: Mapping, name: str) -> Mapping | None:
    """Return a field that holds a mapping."""
    value = node.get(name)
    return value if isinstance(value, Mapping) else None


def inside(node: Mapping, name: str) -> Mapping:
    """Return a field that holds a mapping; an empty mapping with the parent's span when it is missing."""
    return mapping(node, name) or Mapping({}, node.span)


def text(node: Mapping, name: str) -> Text | None:
    """Return a field that holds a string; a number or boolean as it is typed."""
    value = node.get(name)
    return Text(value.text, value.span) if isinstance(value, Scalar) and value.value is not None else None


def quantity(node: Mapping, name: str) -> Text | None:
    """Return a field that holds a Kubernetes quantity; `0x10` is 16 to YAML, and must be to Kubernetes."""
    value = node.get(name)
    if isinstance(value, Scalar) and isinstance(value.value, int):
        return Text(str(value.value), value.span)
    return text(node, name)


def quantities(node: Mapping, name: str) -> dict[str, str]:
    """Return a mapping of quantities, without those that are null."""
    inner = inside(node, name)
    values = {key: quantity(inner, key) for key in inner.entries}
    return {key: value for key, value in values.items() if value is not None}


def number(node: Mapping, name: str) -> int | None:
    """Return a field that holds a whole number (YAML's 3.0 is also an integer)."""
    value = node.get(name)
    if isinstance(value, Scalar) and isinstance(value.value, _NUMBERS):
        return Number.at(value.value, value.span)
    return None


def number_or_text(node: Mapping, name: str) -> int | str | None:
    """Return a field that holds a whole number or a word."""
    value = node.get(name)
    return text(node, name) if isinstance(value, Scalar) and isinstance(value.value, str) else number(node, name)


def flag(node: Mapping, name: str) -> bool | None:
    """Return a field that holds true or false."""
    value = node.get(name)
    return value.value if isinstance(value, Scalar) and isinstance(value.value, bool) else None


def sequence(node: Mapping, name: str) -> list[Node]:
    """Return the items of a field that holds a list; an empty list when it is missing."""
    value = node.get(name)
    return value.items if isinstance(value, Sequence) else []


def words(node: Mapping, name: str) -> tuple[Text, ...]:
    """Return a list of strings; numbers as they are typed."""
    return tuple(Text(item.text, item.span) for item in sequence(node, name) if isinstance(item, Scalar))


def numbers(node: Mapping, name: str) -> tuple[int, ...]:
    """Return a list of whole numbers."""
    items = [item for item in sequence(node, name) if isinstance(item, Scalar)]
    return tuple(Number.at(item.value, item.span) for item in items if isinstance(item.value, _NUMBERS))


def texts(node: Mapping, name: str) -> dict[str, str]:
    """Return a mapping of strings; an empty one when it is missing."""
    inner = inside(node, name)
    return {key: "" if (value := text(inner, key)) is None else value for key in inner.entries}


def only_key(node: Mapping, name: str = "") -> Any:
    """Return the key of a mapping for which the schema leaves one of several."""
    return next(iter(node.entries))


def anything(node: Mapping, name: str) -> Any:
    """Return a field in Kubernetes' form, with the span of its key if it is a mapping; None when it is missing."""
    entry = node.entries.get(name)
    if entry is None:
        return None
    value = plain(entry.value)
    if type(value) is Traced:
        value.span = entry.key.span
    return value


# Readers that return None for a missing field, and need not be called for one.
_NONE_IF_MISSING = {text, quantity, number, number_or_text, flag, mapping, anything}
# By annotation; without ` | None` unless the reader is another then.
READERS: dict[str, Reader] = {
    "str": text,
    "Text": text,
    "Quantity": quantity,
    "int": number,
    "int | str": number_or_text,
    "bool": flag,
    "tuple[str, ...]": words,
    "dict[str, str]": texts,
    "dict[str, str] | None": anything,
    "dict[str, Any]": anything,
    "list[dict[str, Any]]": lambda node, name: [plain(item) for item in sequence(node, name)],
    "list[dict[str, Any]] | None": anything,
    "Mapping": mapping,
}
