"""Strings that make an ambiguous regular expression backtrack, derived from its parse tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.pattern_steps import REPEATS, SINGLE, bounds, characters, parser, sre

ALPHABET = [chr(code) for code in range(32, 127)] + ["\n", "\t", "\r", "é", "字"]
SUFFIXES = ("", "\x00", "\n\x00")


def pumps(pattern: str, flags: int) -> Iterator[tuple[str, str, str]]:
    """Yield prefix, repeated string and suffix: text before a repetition, then text that the repetition takes."""
    tree = parser.parse(pattern, flags)
    classes = [characters(node, tree.state.flags) for node in nodes(list(tree)) if node[0] in SINGLE]
    # One character of each class of characters that the expression distinguishes.
    alphabet = list({tuple(accepts(character) for accepts in classes): character for character in ALPHABET}.values())
    literals = list(_literals(list(tree)))
    seen: set[tuple[str, str, str]] = set()
    for prefix, items in _repeats(list(tree), "", tree.state.flags):
        single = len(items) == 1 and items[0][0] in SINGLE
        accepts = characters(items[0], tree.state.flags) if single else None
        words = [character for character in alphabet if accepts is None or accepts(character)]
        words += [prefix, *literals] if single else [prefix, *literals, *_samples(items, tree.state.flags)]
        for start in {"", prefix}:
            for word in filter(None, words):
                seen.update((start, word, suffix) for suffix in SUFFIXES)
    yield from sorted(seen)


def nodes(items: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the nodes of a parse tree."""
    for item in items:
        yield item
        for part in _parts(item):
            yield from nodes(part)


def _literals(items: list[Any]) -> Iterator[str]:
    """Yield the texts of two characters and more that are the same in all matches."""
    text = ""
    for item in [*items, (None, None)]:
        if item[0] is sre.LITERAL:
            text += chr(item[1])
            continue
        if len(text) > 1:
            yield text
        text = ""
        for part in _parts(item):
            yield from _literals(part)


def _parts(item: tuple[Any, Any]) -> list[list[Any]]:
    """Return the sequences inside a node."""
    operation, argument = item
    if operation is sre.SUBPATTERN:
        return [list(argument[3])]
    if operation is sre.BRANCH:
        return [list(branch) for branch in argument[1]]
    if operation in REPEATS:
        return [list(argument[2])]
    if operation in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(argument[1])]
    if operation is sre.ATOMIC_GROUP:
        return [list(argument)]
    if operation is sre.GROUPREF_EXISTS:
        return [list(part) for part in argument[1:] if part]
    return []


def _repeats(items: list[Any], prefix: str, flags: int) -> Iterator[tuple[str, list[Any]]]:
    """Yield unbounded repetitions, each with a text that matches what is before it."""
    for item in items:
        if item[0] in REPEATS and bounds(*item[1][:2])[1] is None:
            yield prefix, list(item[1][2])
        for part in _parts(item):
            yield from _repeats(part, prefix, flags)
        prefix += _samples([item], flags)[-1]


def _samples(items: list[Any], flags: int) -> list[str]:
    """Return texts that match a sequence of nodes, one for each first branch."""
    texts = [""]
    for item in items:
        operation, argument = item
        if operation in SINGLE:
            accepts = characters(item, flags)
            choices = [next((character for character in reversed(ALPHABET) if accepts(character)), "\x01")]
            if choices[0] > "~":
                choices = [next((character for character in "a0 -/" if accepts(character)), choices[0])]
        elif operation in REPEATS:
            choices = [text * max(1, bounds(*argument[:2])[0]) for text in _samples(list(argument[2]), flags)]
        elif operation in (sre.SUBPATTERN, sre.BRANCH, sre.ATOMIC_GROUP):
            choices = [text for part in _parts(item) for text in _samples(part, flags)]
        else:
            choices = [""]
        texts = [text + choice for text in texts for choice in choices][:4]
    return texts
