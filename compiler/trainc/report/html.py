"""Documents as sections of an HTML page for light and dark mode, which runs no script and loads nothing."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence

from trainc.diagnostics.cells import visible
from trainc.report.document import Document, Facts, Head, Items, Table
from trainc.report.style_sheet import style_sheet

# No text of a document can make the page load anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, sections: Iterable[str]) -> str:
    """Return a page with these sections, which are HTML."""
    body = "".join(f"<section>{section}</section>" for section in sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style_sheet()}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def section(document: Document, picture: str = "") -> str:
    """Return a document as HTML below a picture, which has its name and summary, but no state."""
    head = [_head(document.head)] if document.head and (document.head.state or not picture) else []
    figure = [f"<figure>{picture}</figure>"] if picture else []
    return "".join((*head, *figure, *(part for block in document.blocks for part in _PRINTERS[type(block)](block))))


def escape(text: str) -> str:
    """Escape text for XML and HTML."""
    return html.escape(visible(text))


def escape_lines(text: str) -> str:
    """Escape text of several lines."""
    return "\n".join(map(escape, text.splitlines()))


def _head(head: Head) -> str:
    state = f' <span class="state {head.style}">{escape(head.state)}</span>' if head.state else ""
    about = " ".join(f"{each}." for each in (head.text, head.about) if each)
    return f"<h1>{escape(head.name)}{state}</h1><p>{escape(about)}</p>"


def _items(items: Items) -> Iterator[str]:
    if not any(item.name for item in items.items):
        yield f"<p>{escape(' '.join(item.text for item in items.items))}</p>"
        return
    style = ' class="bad"' if any(item.style == "bad" for item in items.items) else ""
    names = (f"<b>{escape(item.name)}</b>: " if item.name else "" for item in items.items)
    lines = (f"<li>{name}{escape(item.text)}</li>" for name, item in zip(names, items.items, strict=True))
    yield f"<ul{style}>{''.join(lines)}</ul>"


def _table(table: Table) -> Iterator[str]:
    classes = [' class="n"' if head in table.numbers else "" for head in table.heads]
    heads = "".join(f"<th{each}>{escape(head)}</th>" for each, head in zip(classes, table.heads, strict=True))
    yield _title(table.title)
    yield f"<table><tr>{heads}</tr>"
    for row in table.rows:
        first, *others = map(escape, row.cells)
        dot = f'<span class="{row.style}">●</span> ' if row.style else ""
        cells = (dot + first + _details(row.details), *others)
        yield f"<tr>{''.join(f'<td{each}>{cell}</td>' for each, cell in zip(classes, cells, strict=True))}</tr>"
    yield "</table>"


def _facts(facts: Facts) -> Iterator[str]:
    yield _title(facts.title)
    yield "<table>"
    for fact in facts.facts:
        text = _code(fact.text) if facts.is_code else escape(fact.text)
        command = f"{'<br>' if text else ''}{_code(fact.command)}" if fact.command else ""
        yaml = f"<pre>{escape_lines(fact.yaml)}</pre>" if fact.yaml else ""
        changes = (f"{each.field}: {each.old or '–'} → {each.new or '–'}" for each in fact.changes)
        value = text + command + yaml + _details((*fact.details, *changes))
        yield f'<tr><td class="k">{escape(fact.name)}</td><td>{value}</td></tr>'
    yield "</table>"


def _title(title: str) -> str:
    return f"<h2>{escape(title)}</h2>" if title else ""


def _details(details: Sequence[str]) -> str:
    return "".join(f"<small>{escape(detail)}</small>" for detail in details)


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


_PRINTERS: dict[type, Callable[..., Iterator[str]]] = {
    Items: _items,
    Table: _table,
    Facts: _facts,
}
