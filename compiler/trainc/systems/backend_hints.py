"""Back ends that a word means: a kind, an API group, an operator. Imported for an unknown name only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

from trainc.systems import registry
from trainc.systems.traits import Traits

_KUBERNETES = ("kubernetes", "k8s")  # the controllers of systems without an operator
_ABBREVIATION = range(2, 5)  # letters
_CUTOFF = 0.7


def meant_backends(word: str) -> list[str]:
    """Return the back ends that a word names: by name or kind, else by API group or operator; none if it doesn't."""
    return _first(word, registry.backend_names(), _names, _stems, _parts)


def unknown_backend(word: str) -> str:
    """Return the end of a message about a word that is no back end: what it means, else the names of all."""
    names = registry.backend_names()
    other = [name for name in registry.SYSTEM_NAMES if name not in names]
    read_only = _first(word, other, _names, _stems)
    similar = meant_backends(word)
    if not similar and not read_only:
        similar = get_close_matches(_key(word), names, 1, _CUTOFF) or _abbreviated(word, names)
        read_only = [] if similar else _abbreviated(word, other)
    if similar:
        return f": did you mean {_either(similar)}? `trainc explain backends` describes all"
    if not read_only:
        return f"; available: {', '.join(names)}"
    system = registry.traits(read_only[0])
    return f": trainc writes no {system.kind}; available: {', '.join(names)}"


def _first(word: str, names: Iterable[str], *spellings: Callable[[Traits], Iterator[str]]) -> list[str]:
    """Return the systems that have a word, also in the plural, by the first kind of spelling that any has."""
    key, systems = _key(word), list(map(registry.traits, names))
    keys = {key, key.removesuffix("s"), re.sub("jobs?$", "", key)} - {""}
    for spelling in spellings:
        if matching := [system.name for system in systems if not keys.isdisjoint(map(_key, spelling(system)))]:
            return matching
    return []


def _names(system: Traits) -> Iterator[str]:
    yield from (system.name, system.kind)
    yield from (f"{kind}{group}" for kind in (system.kind, f"{system.kind}s") for group in _groups(system))


def _stems(system: Traits) -> Iterator[str]:
    yield re.sub("(Job|Set)$", "", system.kind) or system.name


def _parts(system: Traits) -> Iterator[str]:
    """Yield words of the kind, API groups and their labels without the top-level domain, the operator and its words."""
    yield from re.findall("[A-Z][a-z]{2,}", system.kind)[:-1]
    operator = re.sub("^the | (operator|controller)$", "", system.operator)
    yield from (system.operator.removeprefix("the "), operator, *re.findall(r"\w{3,}", operator))
    yield from _KUBERNETES if not operator else ()
    for group in _groups(system):
        yield group
        yield from group.split(".")[: -1 if "." in group else None]


def _groups(system: Traits) -> set[str]:
    return {version.partition("/")[0] for version in system.api_versions if "/" in version}


def _key(text: str) -> str:
    """Return a text without case, separators and the version after an API group."""
    return re.sub(r"/v\d\w*$|[^a-z0-9/]", "", text.lower())


def _abbreviated(word: str, names: Iterable[str]) -> list[str]:
    """Return the systems whose kinds or names have the letters of a short word in order, like kubectl's short names."""
    if len(word) not in _ABBREVIATION or not word.isalpha():
        return []
    pattern = re.compile(".*".join(word.lower()))
    return [name for name in names if pattern.match(registry.traits(name).kind.lower()) or pattern.match(name)]


def _either(names: list[str]) -> str:
    *others, last = [f"`{name}`" for name in names]
    return f"{', '.join(others)} or {last}" if others else last
