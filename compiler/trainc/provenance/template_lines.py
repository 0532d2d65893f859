"""Lines of templates that write the fields of a manifest, by rendering the templates with a mark in each line."""

from __future__ import annotations

from trainc.emit.render import Planned
from trainc.emit.runtime import MARK, marked_environment
from trainc.provenance.lines import leaves, read_tree
from trainc.record import Record
from trainc.schema.paths import Path


class TemplateLine(Record):
    """Line of a template, and the comment above it, empty if there is none."""

    template: str
    line: int
    reason: str


class TemplateLines:
    """Lines of templates by the fields of an object that they write."""

    def __init__(self, planned: Planned) -> None:
        texts: list[str] = []
        written: list[TemplateLine] = []  # by the numbers of the texts
        for line in marked_environment.get_template(planned.template).render(planned.context).split("\n"):
            text, *mark = line.split(MARK)
            texts.append(text)
            if mark:  # without one, a value of several lines goes on
                template, number, reason = mark
                place = TemplateLine(template=template, line=int(number), reason=reason)
                written += [place] * (len(texts) - len(written))
        self._lines: dict[Path, TemplateLine] = {}
        for path, leaf in leaves(read_tree("\n".join(texts))):
            for depth in range(len(path) + 1):
                self._lines.setdefault(path[:depth], written[leaf.line - 1])

    def line_of(self, path: Path) -> TemplateLine:
        """Return the line for a field, or for the innermost field around it that the templates write."""
        return next(self._lines[path[:depth]] for depth in range(len(path), -1, -1) if path[:depth] in self._lines)
