"""Documents for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from trainc.diagnostics.cells import visible
from trainc.report.document import Document, Fact, Facts, Head, Items, Table
from trainc.report.terminal import Colors, columns, excerpts, fit, pad, wrap

_INDENT = "  "
_GAP = 2  # columns between those of a table
_NAMES = 11  # least columns of the names of facts, with the gap
_CELL = 12  # least columns of cells with long words
_CHANGES = 12  # changed fields of a fact; the others are counted


def text(documents: Sequence[Document], width: int, color: bool = False) -> str:
    """Format documents in lines of at most `width` columns, which are 80 or more, but for commands."""
    colors = Colors(enabled=color)
    blocks = (block for document in documents for block in (document.head, *document.blocks) if block)
    parts = ("\n".join(_PRINTERS[type(block)](block, width, colors)) for block in blocks)
    return "\n\n".join(filter(None, parts)) + "\n"


def _head(head: Head, width: int, colors: Colors, indent: str = "") -> Iterator[str]:
    first, *rest = wrap(head.line, width, _INDENT)
    name, state = visible(head.name), visible(head.state)
    if first.startswith(plain := f"{name}: {state}" if state else name):
        painted = colors.paint(name, "strong") + (f": {colors.paint(state, head.style)}" if state else "")
        first = painted + first.removeprefix(plain)
    yield from (first, *rest)
    if head.about:
        yield from (indent + colors.paint(line, "soft") for line in wrap(head.about, width - len(indent)))


def _items(items: Items, width: int, colors: Colors) -> Iterator[str]:
    """Yield lines that show what is bad also without colors."""
    for item in items.items:
        line = ("! " if item.style == "bad" else "") + (f"{item.name}: " if item.name else "") + item.text
        yield from (colors.paint(part, item.style) for part in wrap(line, width, _INDENT))


def _table(table: Table, width: int, _: Colors) -> Iterator[str]:
    """Yield a line for each row, or several if a cell is wrapped, with its details below."""
    widths = _widths(table, width)
    yield from _lines(table, table.heads, widths)
    yield "─" * min(width, sum(widths) + _GAP * (len(widths) - 1))
    for row in table.rows:
        yield from _lines(table, row.cells, widths)
        yield from (_INDENT + line for each in row.details for line in wrap(each, width - len(_INDENT), _INDENT))


def _lines(table: Table, cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    hanging = (_INDENT, *[""] * (len(cells) - 1))
    right = [head in table.numbers for head in table.heads]
    for parts in zip_longest(*map(wrap, cells, widths, hanging), fillvalue=""):
        yield (" " * _GAP).join(map(pad, parts, widths, right)).rstrip()


def _widths(table: Table, width: int) -> list[int]:
    """Return the columns' widths: as they need, else texts are wrapped, between words if that is enough."""
    rows = [[visible(cell) for cell in cells] for cells in (table.heads, *(row.cells for row in table.rows))]
    widths = [max(map(columns, cells)) for cells in zip(*rows, strict=True)]
    words = [max(columns(word) for cell in cells for word in cell.split(" ")) for cells in zip(*rows, strict=True)]
    texts = [column for column, head in enumerate(table.heads) if head not in table.numbers]
    steps = [(column, max(words[column], width * 2 // 5)) for column in texts[:-1]]
    steps += [(column, words[column]) for column in reversed(texts)]
    for column, least in (*steps, *((column, _CELL) for column in reversed(texts))):
        excess = sum(widths) + _GAP * (len(widths) - 1) - width
        if excess > 0:
            widths[column] = max(min(least, widths[column]), widths[column] - excess)
    return widths


def _facts(facts: Facts, width: int, colors: Colors) -> Iterator[str]:
    """Yield the names with the texts beside them."""
    names = max([_NAMES, *(columns(visible(fact.name)) + _GAP for fact in facts.facts)])
    for fact in facts.facts:
        name = visible(fact.name)
        before = colors.paint(name, fact.style) + " " * (names - columns(name))
        for line in _fact(fact, width - names, colors):
            yield f"{before}{line}".rstrip()
            before = " " * names


def _fact(fact: Fact, width: int, colors: Colors) -> Iterator[str]:
    if fact.text or not fact.command:
        yield from wrap(fact.text, width)
    if fact.command:
        yield f"$ {visible(fact.command)}"  # on one line, to be copied
    yield from (_INDENT + visible(line) for line in fact.yaml.splitlines())  # not wrapped, to be copied
    style = "soft" if fact.style == "good" else ""
    yield from (colors.paint(line, style) for detail in fact.details for line in wrap(detail, width, _INDENT))
    for change in fact.changes[:_CHANGES]:
        yield fit(visible(change.field)[::-1], width)[::-1]  # the end names the field
        old, new = excerpts(change.old, change.new, width - 2)
        if old:
            yield colors.paint(f"- {old}", "bad")
        if new:
            yield colors.paint(f"+ {new}", "good")
    if len(fact.changes) > _CHANGES:
        yield f"and {len(fact.changes) - _CHANGES} more"


def _part(part: Document, width: int, colors: Colors) -> Iterator[str]:
    indent = _INDENT if part.is_indented else ""
    if part.head:
        yield from _head(part.head, width, colors, indent)
    for block in part.blocks:
        yield from (indent + line for line in _PRINTERS[type(block)](block, width - len(indent), colors))


_PRINTERS: dict[type, Callable[..., Iterator[str]]] = {
    Head: _head,
    Items: _items,
    Table: _table,
    Facts: _facts,
    Document: _part,
}
