"""Reads a code's page. Its form: title, text, then Wrong and Right with a job each, perhaps Meant, and Source."""

from __future__ import annotations

import os
import re

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.record import Record

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEADINGS = ("Wrong", "Right", "Meant", "Source")
_BLOCK = re.compile(r"```(?P<language>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)```", re.DOTALL)
_CARETS = re.compile(r"(?P<before>\s*#\s*)(?P<carets>\^+)\s*")


class Mark(Record):
    """Where a page says that the fault is: a line, and its columns from 1, the end exclusive."""

    line: int
    column: int
    end_column: int


class Example(Record):
    """A code block: a job (`yaml`) with options of the command line, or commands with what they print (`console`)."""

    language: str
    options: tuple[str, ...]
    text: str

    @property
    def mark(self) -> Mark | None:
        """What the first comment of nothing but carets stands under."""
        for number, line in enumerate(self.text.split("\n")):
            match = _CARETS.fullmatch(line)
            if match:
                start, end = match.span("carets")
                return Mark(line=number, column=start + 1, end_column=end + 1)
        return None


class Page(Record):
    """One page; `sections` are the texts under the headings, by name."""

    code: Code
    title: str
    why: str
    sections: dict[str, str]
    text: str

    def example(self, heading: str) -> Example | None:
        """The code block under a heading, if there is one."""
        match = _BLOCK.search(self.sections.get(heading, ""))
        if match is None:
            return None
        return Example(language=match["language"], options=tuple(match["options"].split()), text=match["text"])


def all_codes() -> list[Code]:
    """Every code, in the order of ids."""
    return [code for code in vars(codes).values() if isinstance(code, Code)]


def page(code: Code) -> Page:
    """The page of a code. Raises ValueError when it has another form than it should have."""
    with open(os.path.join(FOLDER, f"{code.id}.md"), encoding="utf-8") as file:
        text = file.read()
    head, *rest = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    title, _, why = head.partition("\n")
    sections = dict(zip(rest[::2], (part.strip("\n") for part in rest[1::2]), strict=True))
    if not title.startswith("# ") or not why.strip() or [name for name in HEADINGS if name in sections] != rest[::2]:
        raise ValueError(f"{code.id}.md has not the form of a page")
    return Page(code=code, title=title.removeprefix("# "), why=why.strip("\n"), sections=sections, text=text)
