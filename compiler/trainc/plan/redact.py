"""Variables and words as they may be shown: what looks like a secret is hidden, for a plan ends up in a log."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.diagnostics.secrets import named, possible, shape
from trainc.plan.expand import OPEN, placeholder

HIDDEN = placeholder("hidden")


def redact_value(name: str, given: str) -> str:
    """A variable's value."""
    if given.startswith(OPEN):
        return given
    return HIDDEN if (named(name) and possible(given)) or shape(given) else given


def redact_args(given: Sequence[str]) -> list[str]:
    """A command line's words: `--api-key=…` and what follows `--api-key`, too."""
    shown: list[str] = []
    for word in given:
        name, equals, text = word.partition("=")
        before = given[len(shown) - 1] if shown else ""
        if word.startswith("-") and equals and named(name.lstrip("-")) and possible(text):
            shown.append(f"{name}={HIDDEN}")
        elif before.startswith("--") and "=" not in before and named(before[2:]) and possible(word):
            shown.append(HIDDEN)
        else:
            shown.append(HIDDEN if shape(word) else word)
    return shown
