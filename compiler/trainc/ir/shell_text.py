"""Words of a command line as text for a shell in the container, which expands variables in place of Kubernetes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from trainc.ir.env import Arg, FactArg

_PLAIN = r"[A-Za-z0-9_@%+=:,./-]*"
_REFERENCE = r"(?<!\$)\$\((\w+)\)"


def shell_text(words: Iterable[Arg], names: Collection[str] | None = None) -> str:
    """Return the text. Only references to the variables in `names` are expanded, by default all.

    https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/
    """
    return " ".join(_shell_word(word, names) for word in words)


def _shell_word(word: Arg, names: Collection[str] | None) -> str:
    if isinstance(word, FactArg):
        return f'{word.before}"${word.variable}"'
    parts = re.split(_REFERENCE, word)
    return (
        "".join(
            _quote(part.replace("$$", "$"))
            if index % 2 == 0
            else f'"${part}"'
            if names is None or part in names
            else _quote(f"$({part})")
            for index, part in enumerate(parts)
        )
        or "''"
    )


def _quote(text: str) -> str:
    """As shlex.quote, which takes longer to import."""
    return text if re.fullmatch(_PLAIN, text) else "'" + text.replace("'", "'\"'\"'") + "'"
