"""Lines of templates that write the fields of an object."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.emit.skeleton import key_of, parse, render
from trainc.record import Record
from trainc.schema.paths import Path
from trainc.source.node import Mapping, Node, Scalar


class TemplateLine(Record):
    """Line of a template, and the comment above it, empty if there is none."""

    template: str
    line: int
    reason: str


class TemplateLines:
    """Lines of templates by the fields of an object that they write."""

    def __init__(self, planned: Planned) -> None:
        skeleton, self._values = parse(render(planned.template, planned.context))
        self._lines: dict[Path, TemplateLine] = {}
        for path, leaf in self._leaves(skeleton.tree, ()):
            template, line, reason = skeleton.marks[leaf.span.line - 1]
            written = TemplateLine(template=template, line=int(line), reason=reason)
            for depth in range(len(path) + 1):
                self._lines.setdefault(path[:depth], written)

    def line_of(self, path: Path) -> TemplateLine:
        """Return the line for a field, or for the innermost field around it that the templates write."""
        return next(self._lines[path[:depth]] for depth in range(len(path), -1, -1) if path[:depth] in self._lines)

    def _leaves(self, node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
        if isinstance(node, Scalar):
            yield path, node
        elif isinstance(node, Mapping):
            for name, entry in node.entries.items():
                yield from self._leaves(entry.value, (*path, key_of(name, self._values)))
        else:
            for index, item in enumerate(node.items):
                yield from self._leaves(item, (*path, index))
