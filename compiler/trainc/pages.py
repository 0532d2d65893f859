"""Pages of diagnostic codes and topics in docs/, as `trainc explain` and SARIF read them.

A code's page is docs/errors/TCnnnn.md: title, text, Wrong, Right, optionally If intended, and Source. A topic is larger
than a field or a code, and has a file in docs/topics.
"""

from __future__ import annotations

import os
import re

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.record import Record
from trainc.resources import folder, read_text

HEADINGS = ("Wrong", "Right", "If intended", "Source")
PROJECT = "# trainc.yaml\n"  # first line of an example that is the project file of the others
_BLOCK = re.compile(r"```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)
_OPTIONS = re.compile(r"^```\w+ ", re.MULTILINE)
_COMMAND = re.compile(r"# trainc (?P<command>check|compile) job\.yaml(?P<options>.*)\n")
_CARETS = re.compile(r"(?P<before>\s*#\s*)(?P<carets>\^+)\s*")


class Mark(Record):
    """Position of the fault in an example: a line, and its columns from 1, the end exclusive."""

    line: int
    column: int
    end_column: int


class Example(Record):
    """A code block: a job (`yaml`), or commands and their output (`console`)."""

    language: str
    text: str

    @property
    def command(self) -> tuple[str, ...]:
        """Command and options of a job, from the comment that is its first line."""
        match = _COMMAND.match(self.text)
        return (match["command"], *match["options"].split()) if match else ("compile",)

    @property
    def mark(self) -> Mark | None:
        """Position above the first comment that holds only carets."""
        for number, line in enumerate(self.text.split("\n")):
            match = _CARETS.fullmatch(line)
            if match:
                start, end = match.span("carets")
                return Mark(line=number, column=start + 1, end_column=end + 1)
        return None


class Page(Record):
    """Page of one code; `sections` maps headings to texts, `body` is everything below the title."""

    code: Code
    title: str
    why: str
    sections: dict[str, str]
    body: str

    def example(self, heading: str) -> Example | None:
        """Return the code block under a heading, if any, but for the project file of the job."""
        blocks = _BLOCK.finditer(self.sections.get(heading, ""))
        return next((Example(**each.groupdict()) for each in blocks if not each["text"].startswith(PROJECT)), None)

    @property
    def project(self) -> str:
        """Project file of the page's jobs; empty if they have none."""
        texts = (each["text"] for each in _BLOCK.finditer(self.body))
        return next((text for text in texts if text.startswith(PROJECT)), "")


def all_codes() -> list[Code]:
    """Return every code, ordered by id."""
    return [code for code in vars(codes).values() if isinstance(code, Code)]


def page(code: Code) -> Page:
    """Return the page of a code. Raises ValueError for a malformed page."""
    first, _, body = read_text("docs", "errors", f"{code.id}.md").partition("\n")
    why, *rest = re.split(r"^## (.*)\n", body, flags=re.MULTILINE)
    sections = dict(zip(rest[::2], (part.strip("\n") for part in rest[1::2]), strict=True))
    prefix = f"# {code.id} {code.name}: "
    if not first.startswith(prefix) or not why.strip() or [name for name in HEADINGS if name in sections] != rest[::2]:
        raise ValueError(f"{code.id}.md is malformed")
    if _OPTIONS.search(body):
        raise ValueError(f"{code.id}.md: begin the example with `# trainc compile job.yaml OPTIONS`, which readers see")
    return Page(code=code, title=first.removeprefix(prefix), why=why.strip("\n"), sections=sections, body=body)


def topics() -> list[str]:
    """Return the names of all topics."""
    return sorted(name.removesuffix(".md") for name in os.listdir(os.path.join(folder("docs"), "topics")))


def topic(name: str) -> str:
    """Return the text of a topic, in Markdown."""
    return read_text("docs", "topics", f"{name}.md")
