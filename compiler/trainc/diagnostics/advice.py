"""Help as data: alternatives, of which each may name the back ends that serve."""

from __future__ import annotations

from trainc.record import Record


class Advice(Record):
    """Alternative of a help, an imperative clause. `{}` in its text stands for its back ends, if it has any."""

    text: str
    backends: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.backends:
            return self.text
        names = ", ".join(self.backends)
        named = f"`--backend {names}`" if len(self.backends) == 1 else f"one of the back ends {names}"
        return self.text.replace("{}", named, 1)


Help = str | Advice | tuple[str | Advice, ...]  # as rules write it


def alternatives(help_: Help | None) -> tuple[Advice, ...]:
    """Return the alternatives of a help."""
    parts = help_ if isinstance(help_, tuple) else () if help_ is None else (help_,)
    return tuple(Advice(text=each) if isinstance(each, str) else each for each in parts)


def text_of(advice: tuple[Advice, ...]) -> str | None:
    """Return the sentence of all alternatives; None without any."""
    return ", or ".join(map(str, advice)) or None
