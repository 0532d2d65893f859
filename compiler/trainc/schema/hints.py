"""Guesses of the name that was intended."""

from __future__ import annotations

from collections.abc import Iterable

# Booleans of YAML 1.1, which are strings in YAML 1.2.
SWITCHES = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}

_LISTED, _LONGEST = 10, 63  # names in a message, and characters of each


def listing(names: Iterable[str]) -> str:
    """Return names of the user's for a message, of which it has at most ten, shortened."""
    known = list(names)
    shown = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in known[:_LISTED]]
    more = f" and {len(known) - _LISTED:,} more" if len(known) > _LISTED else ""
    return ", ".join(shown) + more


def folded(name: str) -> str:
    """Return a name without the differences between camelCase, snake_case and kebab-case."""
    return name.lower().replace("_", "").replace("-", "")


def nearest(word: str, known: list[str]) -> str | None:
    """Return the known word that was probably intended, if any."""
    same = {folded(name): name for name in known}.get(folded(word))
    if same:
        return same
    longer = [name for name in known if len(word) > 2 and name.lower().startswith(word.lower())]
    if len(longer) == 1:
        return longer[0]
    return similar(word, known, 0.7)


def similar(word: str, known: Iterable[str], cutoff: float) -> str | None:
    """Return the most similar word if its similarity reaches the cutoff."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, 1, cutoff)), None)
