"""Errors of jsonschema as violations at places of the user's document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.record import Record
from trainc.schema.cures.cure import Cure
from trainc.schema.documents import JOB
from trainc.schema.fields import field_at
from trainc.schema.paths import Path, dotted, node_at
from trainc.secrets.names import is_secret
from trainc.secrets.text import HIDDEN, redact
from trainc.source.node import Mapping, Node, Scalar, Sequence, scalar_text
from trainc.span import Span

Named = Callable[[Span, Span], str | None]  # name of a place in its original file, by the span of its value or key


class Violation(Record):
    """Diagnostic with its cure, and the fields that are missing. `value` is the field whose value is rejected."""

    diagnostic: Diagnostic
    place: Path
    cure: Cure | None = None
    missing: tuple[Path, ...] = ()
    value: Path | None = None

    @property
    def moves(self) -> bool:
        """Return whether the cure sets another value than that of the violation."""
        return self.cure is not None and self.cure.put is not None and self.cure.put[0] != self.place


class Problem:
    """Error of jsonschema and its position in the user's tree; `owner` is the span to report."""

    def __init__(self, error: Any, root: Node, named: Named | None = None) -> None:
        self.error = error
        self.root = root
        self.named = named
        self.keyword: str = error.validator
        self.argument: Any = error.validator_value
        self.schema: dict[str, Any] = error.schema
        self.place: Path = tuple(error.absolute_path)
        self.node, self.owner = _at(root, self.place)
        # jsonschema reports the name as the instance, at the path of the mapping
        self.of_name = list(error.schema_path)[-2:-1] == ["propertyNames"]

    @property
    def path(self) -> str:
        """Path as a user writes it: `spec.volumes[0].name`, or its name in another system's file."""
        original = self.named(self.node.span, self.owner) if self.named else None
        if original:
            return original
        return dotted(self.place) or "the job"

    def violation(
        self,
        code: Code,
        message: str,
        where: Span | None = None,
        expected: str | None = None,
        cure: Cure | None = None,
        help: str | None = None,
    ) -> Violation:
        """Return an error about this problem, by default at its owner; a cure has a help of its own."""
        message = self._redact(message.replace("`the job`", "the job"))
        help_ = self._redact(cure.help) if cure else help
        diagnostic = error(code, message, where or self.owner, expected=expected or None, help=help_)
        return Violation(diagnostic=diagnostic.replace(field=self._documented_field()), place=self.place, cure=cure)

    def _documented_field(self) -> str | None:
        """Return the field inside `spec` or `metadata` whose page describes the place, if it is of this language."""
        names = tuple(step for step in self.place if isinstance(step, str))
        item = field_at(names) if len(names) > 1 and not self.named else None
        return item.path if item is not None and item.base == JOB else None

    def _redact(self, text: str) -> str:
        """Return a text without secrets; the value of a variable in Kubernetes' list has its name beside it."""
        around = node_at(self.root, self.place[:-1]) if self.place[-1:] == ("value",) else None
        name = scalar_text(around.get("name")) if isinstance(around, Mapping) else ""
        value = scalar_text(self.node)
        return redact(text.replace(value, HIDDEN) if value and is_secret(name, value) else text)

    def missing(self, violation: Violation, *names: str) -> Violation:
        """Return a violation about fields that the mapping lacks."""
        return violation.replace(missing=tuple((*self.place, name) for name in names))


def span_at(root: Node, path: Path) -> Span:
    """Return the span to report for the value at a path, which exists."""
    return _at(root, path)[1]


def _at(root: Node, path: Path) -> tuple[Node, Span]:
    """Return the node at a path, and the span to report: a scalar itself, a collection's key, an item's first key."""
    node, span = root, root.span.first
    for step in path:
        if isinstance(node, Mapping):
            entry = node.entries[str(step)]
            node, span = entry.value, entry.key.span
            if isinstance(node, Scalar) and not node.span.empty:
                span = node.span
        elif isinstance(node, Sequence):
            node = node.items[int(step)]
            if isinstance(node, Mapping) and node.entries:
                span = next(iter(node.entries.values())).key.span
            else:
                span = node.span if isinstance(node, Scalar) else node.span.first
    return node, span
