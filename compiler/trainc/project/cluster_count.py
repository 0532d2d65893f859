"""Number of clusters of a large project file, counted in its lines: to parse 5 MiB takes seconds."""

from __future__ import annotations

import re

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.schema.documents import PROJECT, document
from trainc.span import Source, Span

_SECTION = re.compile(r"^clusters:[ \t]*(?:#.*)?\n(?P<entries>(?:[ \t#].*\n|\n)*)", re.MULTILINE)
_FIRST = re.compile(r"^(?P<indent> +)[\w\"'].*:", re.MULTILINE)


def too_many_clusters(source: Source) -> Diagnostic | None:
    """Return the error of a text with too many clusters, one below the other; None for any other text."""
    section = _SECTION.search(source.text)
    first = _FIRST.search(section["entries"]) if section else None
    if section is None or first is None:
        return None
    count = len(re.findall(rf"^{first['indent']}[\w\"'].*:", section["entries"], re.MULTILINE))
    limit = document(PROJECT)["properties"]["clusters"]["maxProperties"]
    if count <= limit:
        return None
    shown = Source(source.name, source.text[: section.start("entries")])  # an excerpt without the cost of all lines
    line = shown.span_at(section.start()).line
    where = Span(shown, line, 1, line, len("clusters") + 1)
    return error(codes.INVALID_VALUE, f"`clusters` has {count:,} entries, but at most {limit:,} are possible", where)
