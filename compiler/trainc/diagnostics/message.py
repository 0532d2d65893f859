"""Messages as data: templates with values, back ends and fields, which have other names in other systems' files."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Names = Callable[[str, str], str | None]


def in_job_file(path: str, shown: str) -> str:
    """Return the name of a field in a message about a job file; Names of other files return None for one they lack."""
    return shown


class Field:
    """Field of a job file in a message: its path without `spec.`, of which a job file's messages show the end.

    It is written as the path with a slash before that end: `lifecycle/backoffLimit`.
    """

    __slots__ = ("path", "shown")

    def __init__(self, reference: str) -> None:
        context, _, self.shown = reference.rpartition("/")
        self.path = f"{context}.{self.shown}".removeprefix(".").removeprefix("spec.")

    def __str__(self) -> str:
        return self.shown


class BackEnds(tuple[str, ...]):
    """Back ends that serve, in a message as an option of the command line."""

    __slots__ = ()

    def __str__(self) -> str:
        names = ", ".join(self)
        return f"`--backend {names}`" if len(self) == 1 else f"one of the back ends {names}"


class Pipe(str):
    """End of a shell line that pipes a text to a command of trainc, in a message as it is shown."""

    __slots__ = ()


CHECK_STDIN = Pipe("| trainc check -")


class Message:
    """Template with values, which is written when a diagnostic is printed.

    `{}` stands for the next value, `{lifecycle/backoffLimit}` for a field, `{lifecycle/backoffLimit: 3}` for a field
    with its value. Values that are messages are written with the same names of fields.
    """

    __slots__ = ("names", "template", "values")

    def __init__(self, template: str, *values: object, names: Names = in_job_file) -> None:
        self.template = template
        self.values = values
        self.names = names

    def __str__(self) -> str:
        return self._written()[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def named(self, names: Names) -> Message:
        """Return the message with other names of fields."""
        return Message(self.template, *self.values, names=names)

    @property
    def is_possible(self) -> bool:
        """Return whether the file can have all fields of the message."""
        return self._written()[1]

    @property
    def backends(self) -> BackEnds:
        """Back ends in the message."""
        return next((each for each in self.values if isinstance(each, BackEnds)), BackEnds())

    def has(self, kind: type) -> bool:
        """Return whether a value is of this type."""
        return any(isinstance(each, kind) for each in self.values)

    def with_value(self, value: object) -> Message:
        """Return the message with a value in place of those of its type."""
        values = (value if isinstance(each, type(value)) else each for each in self.values)
        return Message(self.template, *values, names=self.names)

    def _written(self) -> tuple[str, bool]:
        """Return the text, and whether the file can have all fields; other fields have their names in job files."""
        values = [each.named(self.names) if isinstance(each, Message) else each for each in self.values]
        text, is_possible = self._fill(self.template, iter(values))
        return text, is_possible and all(each.is_possible for each in values if isinstance(each, Message))

    def _fill(self, template: str, values: Iterator[object]) -> tuple[str, bool]:
        from string import Formatter

        parts, all_possible = list[str](), True
        for text, reference, field_value, _ in Formatter().parse(template):
            parts.append(text)
            if reference is None:
                continue
            value = Field(reference) if reference else next(values)
            if not isinstance(value, Field):
                parts.append(str(value))
                continue
            stated, is_possible = self._fill(field_value or "", values)
            stated, name = stated.strip(), self.names(value.path, value.shown)
            if name is None or (stated and not _takes_value(name, value)):
                name, is_possible = in_job_file(value.path, value.shown), False
            parts.append(f"{name}{'=' if _is_option(name) else ': '}{stated}" if stated else name)
            all_possible = all_possible and is_possible
        return "".join(parts), all_possible


def _takes_value(name: str, field: Field) -> bool:
    """Return whether the file's field takes the values of the job file's: only an option may have another name."""
    return _is_option(name) or name.endswith(field.path.rpartition(".")[2])


def _is_option(name: str) -> bool:
    return name.startswith("--")


Phrase = str | Message
Help = Phrase | tuple[Phrase, ...]  # as rules write it: one alternative or several


def alternatives(help_: Help | None) -> tuple[Phrase, ...]:
    """Return the alternatives of a help."""
    return help_ if isinstance(help_, tuple) else () if help_ is None else (help_,)
