"""Document of a report: what every printer formats. Its texts are plain: printers wrap, color and escape them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from trainc.record import Record

Style = Literal["", "good", "waits", "bad", "soft"]


class Head(Record):
    """Name of a job, its state, a summary, and a line about it."""

    name: str
    state: str = ""
    style: Style = ""
    text: str = ""
    about: str = ""

    @property
    def line(self) -> str:
        """Name, state and summary."""
        after = ", ".join(filter(None, (self.state, self.text)))
        return f"{self.name}: {after}" if after else self.name


class Row(Record):
    """Cells of a row, its details, and the state of what it stands for."""

    cells: tuple[str, ...]
    details: tuple[str, ...] = ()
    style: Style = ""


class Table(Record):
    """Rows below their heads. Columns with a head in `numbers` are aligned to the right and never wrapped."""

    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    numbers: Collection[str] = ()
    title: str = ""


class Change(Record):
    """Changed field with its values as text; one is empty if the field is missing."""

    field: str
    old: str
    new: str


class Fact(Record):
    """Name and text, a command and lines of YAML to copy, details and changed fields."""

    name: str = ""
    text: str = ""
    style: Style = ""
    command: str = ""
    yaml: str = ""
    details: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


class Items(Record):
    """Facts as sentences after their names: a list, or a paragraph if none has a name."""

    items: tuple[Fact, ...]


class Facts(Record):
    """Names with texts, which are prose or code. Markdown has `heads` above names, code and details."""

    facts: tuple[Fact, ...]
    heads: tuple[str, str, str] = ("", "", "")
    is_code: bool = False
    title: str = ""


class Document(Record):
    """Head and blocks. A document among the blocks is a part: a terminal shows it without empty lines."""

    head: Head | None = None
    blocks: tuple[Block, ...]
    is_indented: bool = False


Block = Items | Table | Facts | Document
