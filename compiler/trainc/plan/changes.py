"""Differences between the facts of two manifests of one job, as sentences: each in one line, with where it belongs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from trainc.plan.facts import OBJECTS, Fact, Facts

_SHOWN = 100  # characters of a value
_METADATA = ("labels", "annotations")


class Change(NamedTuple):
    """Sentence, and the facts that it is about.

    They are those of the first manifest, or else of the second, whose paths then end before the number of an item.
    """

    message: str
    facts: list[Fact]


def changes(before: Facts, after: Facts) -> Iterator[Change]:
    """Yield the differences; those of several facts with the same two values are one."""
    groups: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for key in dict.fromkeys([*before, *after]):
        old, new = (facts[key].value if key in facts else None for facts in (before, after))
        if old == new:
            continue
        is_of_one = key[0] in _METADATA or (key[0] in OBJECTS and not _has_kind(key[0], before, after))
        if is_of_one and old is None:
            group: tuple[str, ...] = (key[0], "added")
        elif is_of_one and new is None:
            group = (key[0], "removed")
        else:
            group = (_kind(key), repr(old), repr(new))
        groups.setdefault(group, []).append(key)
    for keys in groups.values():
        yield Change(_sentence(keys, before, after), [before.get(key) or _outside_lists(after[key]) for key in keys])


def _outside_lists(fact: Fact) -> Fact:
    names = takewhile(lambda step: isinstance(step, str), fact.path)
    return fact._replace(path=tuple(names))


def _kind(key: tuple[str, ...]) -> str:
    return key[0] if key[0] in ("failure", *OBJECTS) else ""


def _has_kind(kind: str, before: Facts, after: Facts) -> bool:
    """Return whether both manifests have an object of a kind."""
    return all(any(key[0] == kind for key in facts) for facts in (before, after))


def _sentence(keys: list[tuple[str, ...]], before: Facts, after: Facts) -> str:
    key = keys[0]
    old, new = (" ".join(facts[key].value.split()) if key in facts else None for facts in (before, after))
    if key[0] in _METADATA and (old is None or new is None):
        names = ", ".join(sorted(key[-1] for key in keys))
        return f"the pods {'get' if old is None else 'lose'} the {key[0]} {names}"
    if key[0] in OBJECTS and not _has_kind(key[0], before, after):
        return f"{'a' if old is None else 'no'} {key[0]} is created"
    subject = _listed([(before.get(key) or after[key]).what for key in keys])
    if key[0] == "failure":
        then = "" if old is None else f"; before: {old}"
        return f"{subject}: {'no such case' if new is None else new}{then}"
    if old is None:
        return f"{subject}: `{_shown(new or '')}`, which was not set"
    return f"{subject}: {'not set' if new is None else f'`{_shown(new)}`'} instead of `{_shown(old)}`"


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _listed(words: list[str]) -> str:
    unique = list(dict.fromkeys(words))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}"
