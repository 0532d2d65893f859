"""`--set path=value`: changes to the tree, reported at the command-line option. The value `null` removes a field."""

from __future__ import annotations

import re
import shlex

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.secrets.text import redact
from trainc.source.load import load, surrogate_error
from trainc.source.node import Change, Entry, Mapping, Node, Scalar, Sequence
from trainc.span import OPTION, Source, Span

# A step is a name, with `\.` for a dot, or an index in brackets.
_STEP = re.compile(r"\.?(?P<name>(?:\\.|[^.\[\]=\\])+)|\[(?P<index>[0-9]{1,9})\]")


class Override(Change):
    """One parsed `path=value`."""

    def __init__(self, text: str) -> None:
        """Parse the text. Raises Rejected unless it is `path=value` with a YAML value."""
        self.source = Source(f"{OPTION} {text}", text)
        self.steps: list[tuple[str | int, Span]] = []
        invalid = surrogate_error(self.source)
        if invalid:
            raise Rejected(invalid)
        at = 0
        while at < len(text) and text[at] != "=":
            step = _STEP.match(text, at)
            if not step:
                break
            name = step["name"]
            if name and name[0] in "'\"":
                problem = self._error("a path has no quotes", step.start("name"))
                raise Rejected(
                    problem.replace(advice=(r"write a dot of a key as `\.`: metadata.labels.example\.com/team",))
                )
            start = step.start("name") if name else at
            span = Span(self.source, 1, start + 1, 1, step.end() + 1)
            self.steps.append((re.sub(r"\\(.)", r"\1", name) if name else int(step["index"]), span))
            at = step.end()
        if at >= len(text) or text[at] != "=" or not self.steps:
            problem = self._error("not of the form path=value", at)
            if at >= len(text) and text.endswith("-"):  # as `kubectl label` removes
                problem = problem.replace(advice=(f"remove a field by `--set {text.rstrip('-')}=null`",))
            raise Rejected(problem)
        self.value = self._value(at + 1)
        # As in Helm. No field of the language is null: https://helm.sh/docs/chart_template_guide/values_files/
        self.removes = isinstance(self.value, Scalar) and self.value.value is None and bool(text[at + 1 :].strip())

    def _value(self, at: int) -> Node:
        # Spaces in place of the path preserve the columns of the value.
        text = self.source.text
        documents, problems = load(Source(self.source.name, " " * at + text[at:], shown=text))
        if problems:
            raise Rejected(*problems)
        if len(documents) > 1:
            raise Rejected(self._error("the value has several YAML documents", at))
        if not documents:
            return Scalar(None, "", Span(self.source, 1, at + 1, 1, at + 1))
        return documents[0]

    def apply(self, node: Node, number: int = 0) -> Node:
        """Return the changed document, or the changed node before step `number`; missing mappings are created.

        Removing a missing field changes nothing. Nodes on the path are copied, because aliases may share them. Raises
        Rejected for a path through a value that is neither a mapping nor a list.
        """
        if number == len(self.steps):
            return self.value
        step, span = self.steps[number]
        if isinstance(step, int):
            if not isinstance(node, Sequence):
                raise Rejected(self._error(f"{self._path(number)} is not a list", span.column - 1))
            if step >= len(node.items):
                message = f"{self._path(number)} has {len(node.items)} items, counted from 0"
                raise Rejected(self._error(message, span.column - 1))
            items = list(node.items)
            if self._removes_at(number):
                del items[step]
            else:
                items[step] = self.apply(items[step], number + 1)
            return Sequence(items, node.span)
        if isinstance(node, Scalar) and node.value is None:
            node = Mapping({}, span)
        if not isinstance(node, Mapping):
            help_ = "write the index of a list item in brackets, like [0]"
            problem = self._error(f"{self._path(number)} is not a mapping", span.column - 1)
            raise Rejected(problem.replace(advice=(help_,)) if isinstance(node, Sequence) else problem)
        old = node.entries.get(step)
        if self.removes and old is None:
            return node
        if self._removes_at(number):
            return Mapping({name: entry for name, entry in node.entries.items() if name != step}, node.span)
        value = self.apply(old.value if old else Scalar(None, "", span), number + 1)
        return Mapping({**node.entries, step: Entry(Scalar(step, step, span), value)}, node.span)

    def _removes_at(self, number: int) -> bool:
        return self.removes and number == len(self.steps) - 1

    @property
    def field(self) -> str:
        """Path of the field as `trainc explain` takes it."""
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step, _ in self.steps).lstrip(".")

    def unknown_field_error(self, suggestion: str | None) -> Diagnostic:
        """Return the error for removing a field that the language doesn't have."""
        return self._unknown_field(f"did you mean `{suggestion}`?" if suggestion else None)

    def missing_section_error(self, section: str) -> Diagnostic:
        """Return the error for a path that lacks the section of its field."""
        whole = shlex.quote(f"{section}.{self.source.text}")
        is_secret = redact(whole) != whole
        return self._unknown_field(f"write `--set {f'{section}.{self.field}=VALUE' if is_secret else whole}`")

    def _unknown_field(self, help_: str | None) -> Diagnostic:
        return error(codes.INVALID_OVERRIDE, f"unknown field `{self.field}`", self.steps[-1][1], help=help_)

    def _path(self, number: int) -> str:
        return f"`{self.source.text[: self.steps[number - 1][1].end_column - 1]}`" if number else "the document"

    def _error(self, message: str, at: int) -> Diagnostic:
        span = Span(self.source, 1, at + 1, 1, at + 2)
        return error(codes.INVALID_OVERRIDE, message, span, help="write it like `--set spec.workers=8`")
