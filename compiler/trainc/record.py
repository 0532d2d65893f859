"""Frozen keyword-only records, at a twelfth of the start-up cost of frozen dataclasses.

A frozen dataclass costs 4.4 million instructions to *define* (it compiles its methods as source), and the
compiler has dozens of them; docs/adr/0003-records.md has the figures. Type checkers treat both as dataclasses.
"""

from __future__ import annotations

from trainc.typenames import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """Base of value objects. Annotated names are fields; an assigned value is the field's default."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        names = [name for name, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")]
        cls._fields = (*cls._fields, *names)
        cls._names = frozenset(cls._fields)
        cls._defaults = {**cls._defaults, **{name: cls.__dict__[name] for name in names if name in cls.__dict__}}

    def __init__(self, **values: Any) -> None:
        names = self._names
        if values.keys() != names:
            values = {**self._defaults, **values}
            if values.keys() != names:
                wrong = sorted(values.keys() ^ names)
                raise TypeError(f"{type(self).__name__}: missing or unknown fields: {', '.join(wrong)}")
        self.__dict__.update(values)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return type(self)(**{**{name: self.__dict__[name] for name in self._fields}, **changes})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(self.__dict__[name] == other.__dict__[name] for name in self._fields)

    def __hash__(self) -> int:
        return hash((type(self), *map(self.__dict__.__getitem__, self._fields)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._fields)
        return f"{type(self).__name__}({inside})"
