"""`${{ matrix.NAME }}` in the values of a job document.

Expressions are read in parsed scalars, never in the text of the file, and once: a value is not read again. Therefore no
value of the matrix can add a field. `$(VAR)` and `${VAR}` are not expressions; `$${{` is a literal `${{`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from trainc.commandline.word import Places
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.schema.hints import nearest
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span

START = "${{"
_EXPRESSION = re.compile(r"(\$?)\$\{\{(.*?)(\}\}|\Z)", re.DOTALL)
_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_PATH = re.compile(rf"\s*matrix((?:\.{_NAME})+)\s*")
Path = tuple[str, ...]  # variable, and keys of mappings inside
Lookup = Callable[[Path], Node | None]
Spell = Callable[[str], str]


class MissingValue(Exception):
    """Variable without a value in a combination; `span` is the expression's position."""

    def __init__(self, path: Path, span: Span) -> None:
        super().__init__(".".join(path))
        self.path = path
        self.span = span


class NotText(Exception):
    """List or mapping in the middle of a text; `span` is the expression's position."""

    def __init__(self, path: Path, span: Span) -> None:
        super().__init__(".".join(path))
        self.path = path
        self.span = span


def scalars(node: Node) -> Iterator[tuple[Scalar, bool]]:
    """Yield the scalars that may have expressions, and whether each is a key; those of aliases once."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, Scalar):
            if isinstance(node.value, str) and START in node.value:
                yield node, False
        elif id(node) not in seen:
            seen.add(id(node))
            if isinstance(node, Sequence):
                stack += reversed(node.items)
            else:
                for name, entry in node.entries.items():
                    if START in name:
                        yield entry.key, True
                stack += [entry.value for entry in reversed(node.entries.values())]


def expressions(scalar: Scalar) -> Iterator[tuple[Path | None, str, Span]]:
    """Yield the variable's path, None for an invalid one, the text and the position of each expression."""
    text = str(scalar.value)
    places = Places(text, scalar.span)
    for match in _uses(text):
        path = _PATH.fullmatch(match[2]) if match[3] else None
        span = places.part(match.start(), match.end()) or scalar.span
        yield tuple(path[1].split(".")[1:]) if path else None, match[0], span


def invalid_expressions(document: Node, names: list[str]) -> Iterator[Diagnostic]:
    """Yield errors of expressions that are invalid whatever the combination; `names` are the variables."""
    for scalar, is_key in scalars(document):
        for path, text, span in expressions(scalar):
            if is_key:
                message = f"expression `{_short(text)}` is part of a key"
                yield _error(message, scalar.span, "use it in a value")
            elif path is None:
                is_closed = text.endswith("}}")
                message = f"`{_short(text)}` is not `${{{{ matrix.NAME }}}}`" if is_closed else "`${{` is not closed"
                yield _error(message, span, f"write a variable of the matrix, or `${START}` for a literal `{START}`")
            elif path[0] not in names:
                guess = nearest(path[0], names)
                known = f"did you mean `matrix.{guess}`?" if guess else f"use one of {', '.join(names)}"
                yield _error(f"unknown variable `matrix.{path[0]}`", span, known)


def without_matrix(document: Node) -> Iterator[Diagnostic]:
    """Yield errors of variables in a document that has no matrix."""
    for scalar, _ in scalars(document):
        for path, _, span in expressions(scalar):
            if path is not None:
                message = f"`matrix.{'.'.join(path)}` is used, but the job has no `matrix`"
                yield _error(message, span, f"add `matrix: {{{path[0]}: [VALUE, …]}}`")


def fill(node: Node, look_up: Lookup, unchanged: set[int], spell: Spell | None = None) -> Node:
    """Return a node with the values of its expressions; `unchanged` collects the ids of nodes that have none.

    A scalar that is an expression becomes the value, with its type and position; with `spell`, and in a longer text,
    the value is part of the text, as it is written in the matrix. Raises MissingValue and NotText.
    """
    if isinstance(node, Scalar):
        return _filled(node, look_up, spell) if isinstance(node.value, str) and START in node.value else node
    if id(node) in unchanged:
        return node
    if isinstance(node, Sequence):
        items = [fill(item, look_up, unchanged, spell) for item in node.items]
        if any(new is not old for new, old in zip(items, node.items, strict=True)):
            return Sequence(items, node.span)
    else:
        values = {name: fill(entry.value, look_up, unchanged, spell) for name, entry in node.entries.items()}
        changed = {name for name, value in values.items() if value is not node.entries[name].value}
        if changed:
            entries = node.entries
            return Mapping(
                {name: Entry(each.key, values[name]) if name in changed else each for name, each in entries.items()},
                node.span,
            )
    unchanged.add(id(node))
    return node


def _filled(scalar: Scalar, look_up: Lookup, spell: Spell | None) -> Node:
    text = str(scalar.value)
    uses = list(zip(_uses(text), expressions(scalar), strict=True))
    if spell is None and len(uses) == 1 and uses[0][0].span() == (0, len(text)):
        path, _, span = uses[0][1]
        return _value(look_up, path, span)
    parts: list[str] = []
    at = 0
    for match, (path, _, span) in uses:
        value = _value(look_up, path, span)
        if not isinstance(value, Scalar):
            raise NotText(path or (), span)
        word = "" if value.value is None else value.text
        parts += [_unescaped(text[at : match.start()]), spell(word) if spell else word]
        at = match.end()
    filled = "".join([*parts, _unescaped(text[at:])])
    return Scalar(filled, filled, scalar.span)


def _uses(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of expressions that aren't escaped."""
    return (match for match in _EXPRESSION.finditer(text) if not match[1])


def _unescaped(text: str) -> str:
    return text.replace(f"${START}", START)


def _value(look_up: Lookup, path: Path | None, span: Span) -> Node:
    value = look_up(path) if path else None
    if value is None:
        raise MissingValue(path or (), span)
    return value


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"


def _error(message: str, span: Span, help_: str) -> Diagnostic:
    return error(codes.INVALID_EXPRESSION, message, span, help=help_)
