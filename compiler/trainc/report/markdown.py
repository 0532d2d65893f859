"""Documents in GitHub's Markdown, for a pull request. Texts are escaped and can't be markup."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence

from trainc.diagnostics.cells import visible
from trainc.report.document import Document, Fact, Facts, Head, Items, Style, Table
from trainc.report.terminal import excerpts

_VALUE = 120  # characters of a changed value
_SIGNS: dict[Style, str] = {"": "", "good": "🟢 ", "waits": "🟡 ", "bad": "🔴 ", "soft": "⚪ "}


def markdown(documents: Sequence[Document]) -> str:
    """Format documents as headings, tables and lists."""
    return "\n\n".join(part for document in documents for part in _document(document, "##")) + "\n"


def _document(document: Document, level: str) -> Iterator[str]:
    if document.head:
        yield from _head(document.head, level)
    for block in document.blocks:
        yield from _document(block, f"{level}#") if isinstance(block, Document) else _PRINTERS[type(block)](block)


def _head(head: Head, level: str) -> Iterator[str]:
    yield f"{level} {_SIGNS[head.style]}{_prose(head.line)}"
    if head.about:
        yield _prose(head.about)


def _items(items: Items) -> Iterator[str]:
    yield _list(items.items)


def _table(table: Table) -> Iterator[str]:
    rows = ([_SIGNS[row.style] + _prose(row.cells[0]), *map(_prose, row.cells[1:])] for row in table.rows)
    details = (map(_prose, row.details) for row in table.rows)
    yield _rows(
        table.heads, (["<br>".join((row[0], *more)), *row[1:]] for row, more in zip(rows, details, strict=True))
    )


def _facts(facts: Facts) -> Iterator[str]:
    """Yield the texts, as a table if they are code, the changed fields, which are folded, commands and YAML."""
    texts = [fact for fact in facts.facts if fact.text]
    if texts:
        yield _code_table(facts.heads, texts) if facts.is_code else _list(texts)
    changes = [
        [_code(fact.text), _code(change.field), *map(_code, excerpts(change.old, change.new, _VALUE))]
        for fact in texts
        for change in fact.changes
    ]
    if changes:
        yield "<details><summary>Fields</summary>"
        yield _rows((facts.heads[1], "field", "old", "new"), changes)
        yield "</details>"
    commands = [f"{visible(fact.command)}  # {visible(fact.name)}" for fact in facts.facts if fact.command]
    if commands:
        yield "\n".join(("```sh", *commands, "```"))
    for lines in (fact.yaml.splitlines() for fact in facts.facts if fact.yaml):
        yield "\n".join(("```yaml", *map(visible, lines), "```"))


def _code_table(heads: Sequence[str], facts: Sequence[Fact]) -> str:
    width = 3 if any(fact.details for fact in facts) else 2
    rows = (
        (_SIGNS[fact.style] + _prose(fact.name), _code(fact.text), "; ".join(map(_prose, fact.details)))
        for fact in facts
    )
    return _rows(heads[:width], (row[:width] for row in rows))


def _list(facts: Sequence[Fact]) -> str:
    if not any(fact.name for fact in facts):
        return _prose(" ".join(fact.text for fact in facts))
    return "\n".join(f"- {f'**{_prose(fact.name)}**: ' if fact.name else ''}{_prose(fact.text)}" for fact in facts)


def _rows(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


def _prose(text: str) -> str:
    """Escape a text; what is between backticks is code."""
    parts = visible(text).split("`")
    if len(parts) % 2 == 0:
        return _escape("`".join(parts))
    return "".join(_code(part) if number % 2 else _escape(part) for number, part in enumerate(parts))


def _escape(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_[]|~#" else char for char in html.escape(text, quote=False))


def _code(text: str) -> str:
    """Format code as an HTML tag: a code span can't hold backticks, nor a table's cell a bar."""
    shown = html.escape(visible(text), quote=False)
    escaped = "".join(f"&#{ord(char)};" if char in "\\`*_[]|~#:@" else char for char in shown)
    return f"<code>{escaped}</code>" if text else ""


_PRINTERS: dict[type, Callable[..., Iterator[str]]] = {
    Items: _items,
    Table: _table,
    Facts: _facts,
}
