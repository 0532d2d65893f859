"""`--set path=value`: a change to the tree, whose place is the command line option itself."""

from __future__ import annotations

import re

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.load import load
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Source, Span

# A step is a name, in which a dot is written `\.`, or an index in brackets.
_STEP = re.compile(r"\.?(?P<name>(?:\\.|[^.\[\]=\\])+)|\[(?P<index>[0-9]+)\]")


class Override:
    """One parsed `path=value`."""

    def __init__(self, text: str) -> None:
        """Parse; raises Rejected when the text is no `path=value` or its value no YAML."""
        self.source = Source(f"--set {text}", text)
        self.steps: list[tuple[str | int, Span]] = []
        at = 0
        while at < len(text) and text[at] != "=":
            step = _STEP.match(text, at)
            if not step:
                break
            span = Span(self.source, 1, at + 1, 1, step.end() + 1)
            name = step["name"]
            self.steps.append((re.sub(r"\\(.)", r"\1", name) if name else int(step["index"]), span))
            at = step.end()
        if at >= len(text) or text[at] != "=" or not self.steps:
            raise Rejected(self._error("not of the form path=value", at))
        self.value = self._value(at + 1)

    def _value(self, at: int) -> Node:
        # Blanks in place of the path keep the columns of the value right.
        documents, problems = load(Source(self.source.name, " " * at + self.source.text[at:]))
        if problems:
            raise Rejected(*problems)
        if not documents:
            return Scalar(None, "", Span(self.source, 1, at + 1, 1, at + 1))
        return documents[0]

    def apply(self, document: Node) -> Diagnostic | None:
        """Change the document in place; what is missing on the way is made. Returns what went wrong."""
        here = document
        for number, (step, span) in enumerate(self.steps):
            last = number + 1 == len(self.steps)
            if isinstance(step, int):
                if not isinstance(here, Sequence):
                    return self._error(f"{self._path(number)} is not a list", span.column - 1)
                if step >= len(here.items):
                    return self._error(f"{self._path(number)} has {len(here.items)} items", span.column - 1)
                if last:
                    here.items[step] = self.value
                here = here.items[step]
                continue
            if not isinstance(here, Mapping):
                return self._error(f"{self._path(number)} is not a mapping", span.column - 1)
            entry = here.entries.get(step)
            if last or entry is None or (isinstance(entry.value, Scalar) and entry.value.value is None):
                value = self.value if last else Mapping({}, span)
                entry = here.entries[step] = Entry(Scalar(step, step, span), value)
            here = entry.value
        return None

    def _path(self, number: int) -> str:
        return f"`{self.source.text[: self.steps[number - 1][1].end_column - 1]}`" if number else "the document"

    def _error(self, message: str, at: int) -> Diagnostic:
        span = Span(self.source, 1, at + 1, 1, at + 2)
        return error(codes.BAD_OVERRIDE, message, span, help="for example --set spec.workers=8")
