"""Rows of the options table that each launcher has in launchers/<name>/options.py."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

from trainc.record import Record
from trainc.typenames import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

MOST_PROCESSES = 1024  # of a pod
# switch: no value on the command line, 0 or 1 in a variable. count: an integer of 0 or more. names, numbers, filters:
# separated by commas, of which a filter's own are doubled. streams: 0 to 3, or a list by local rank. other: as `schema`
# says.
Kind = Literal[
    "switch", "count", "decimal", "text", "choice", "names", "numbers", "filters", "streams", "port", "other"
]

KINDS: dict[str, dict[str, Any]] = {
    "switch": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 0},
    "decimal": {"type": "number", "exclusiveMinimum": 0},
    "text": {"type": "string", "minLength": 1},
    "names": {"type": "array", "minItems": 1},
    "numbers": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}},
    "filters": {"$ref": "#/definitions/Filters"},
    "streams": {"$ref": "#/definitions/Streams"},
    "port": {"$ref": "#/definitions/Port"},
}


class Field(Record):
    """Field of a job file that sets something of the launcher.

    `field` is the path below `spec`; the generated schema has the fields below `launch`. `schema` adds keywords to
    those of the kind. The first version that has an option is added to the first sentence of `description`.
    """

    field: str = ""
    kind: Kind = "text"
    description: str = ""
    default: Any = None
    examples: tuple[Any, ...] = ()
    schema: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """The field's own name: `maxRestarts` of `launch.torchrun.maxRestarts`."""
        return self.field.rpartition(".")[2]


class Option(Field):
    """Option of a launcher, and the field that sets it, if there is one.

    `name` is what the launcher's parser calls it: `max_restarts` of --max-restarts. `aliases` are further spellings
    besides `--name`. `variable` is the environment variable that the launcher reads when the option is missing.
    `since` is the first version that has it; empty: all. `in_pod` is false for an option that has no use in a pod.
    `instead` is what sets it in a job file if trainc passes it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    variable: str | None = None
    since: str = ""
    in_pod: bool = True
    instead: str = ""

    @property
    def flags(self) -> tuple[str, ...]:
        """All spellings with underscores, the short one first."""
        return (*self.aliases, f"--{self.name}")


def text_schema(pattern: str, message: str) -> dict[str, Any]:
    """Return the schema of texts that match a pattern; `message` describes them."""
    return {"type": "string", "pattern": pattern, "patternErrorMessage": message}


# Schema of the name of a Secret with a key for ssh.
SSH_SECRET: dict[str, Any] = {
    **text_schema("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "lower-case letters, digits, dashes and dots"),
    "maxLength": 253,
}


def grammar(options: Iterable[Option], dashes: bool = False) -> Table:
    """Return the options as the argv parser reads them. With `dashes`, every underscore may be a dash."""
    from trainc.commandline.argparse import Table  # only where a command line is parsed

    options = list(options)
    variables = {option.name: option.variable for option in options if option.variable}
    return Table(options=spellings(options, dashes), variables=variables)


def spellings(options: Iterable[Option], dashes: bool = False) -> dict[str, tuple[str, int]]:
    """Return name and number of values of each option, by every way to spell it."""
    arities: dict[str, tuple[str, int]] = {}
    for option in options:
        for flag in option.flags:
            for spelling in (flag, f"--{flag[2:].replace('_', '-')}" if dashes and flag.startswith("--") else flag):
                arities[spelling] = option.name, 0 if option.kind == "switch" else 1
    return arities


def definition(path: str, description: str, fields: Iterable[Field], product: str = "") -> dict[str, Any]:
    """Return the JSON Schema of the section at a path below `spec`; `product` is what the options' versions are of."""
    rows = [row for row in fields if row.field.rpartition(".")[0] == path]
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": {row.key: _schema(row, product) for row in rows},
    }


def _schema(row: Field, product: str) -> dict[str, Any]:
    since = f" ({product} {row.since} or newer)" if isinstance(row, Option) and row.since else ""
    schema: dict[str, Any] = {}
    if row.description:
        schema["description"] = re.sub(r"(?=\.(?: |$))", since, row.description, count=1)
    schema |= row.schema if "$ref" in row.schema else {**KINDS.get(row.kind, {}), **row.schema}
    if row.default is not None:
        schema["default"] = row.default
    if row.examples:
        schema["examples"] = list(row.examples)
    return schema


def camel_case(name: str) -> str:
    """Return the field's name of an attribute or option: `maxRestarts` of `max_restarts`."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def version(text: str) -> tuple[int, ...]:
    """Return a version's leading numbers: (0, 16, 4) of `0.16.4+cu124`, (2, 10) of `2.10`."""
    return tuple(map(int, takewhile(str.isdecimal, re.split(r"[.+-]", text))))
