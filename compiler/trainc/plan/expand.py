"""`$(VAR)` in variables, commands and arguments, exactly as the kubelet replaces it.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/third_party/forked/golang/expansion/expand.go
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# What can't be known before the pod runs, as a plan shows it.
OPEN, CLOSE = "‹", "›"
_UNSEEN = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
# Named like a variable: `$(hostname)` is meant for a shell.
_LEFT = re.compile(r"\$\(([A-Z_][A-Z0-9_]*)\)")

# No process starts with a longer one: MAX_ARG_STRLEN, https://man7.org/linux/man-pages/man2/execve.2.html
_LONGEST = 131072


def placeholder(what: str) -> str:
    """A placeholder for a value that only the running pod has."""
    return f"{OPEN}{what}{CLOSE}"


def is_resolved(text: str) -> bool:
    """Whether all of a text is known."""
    return not _UNSEEN.search(text)


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """The text with those placeholders replaced whose value is known by now."""
    return _UNSEEN.sub(lambda found: values.get(found[0][1:-1], found[0]), text)


def mask_placeholders(text: str, mark: str) -> str:
    """The text with a mark for each placeholder."""
    return _UNSEEN.sub(mark, text)


def expand(text: str, values: Mapping[str, str]) -> str:
    """The text with known variables replaced; `$$` is a dollar sign, and what isn't known stays as it is.

    A text that becomes too long for any process does, too."""
    done, at = "", 0
    while at < len(text):
        if len(done) > _LONGEST:
            return text
        dollar = text.find("$", at)
        if dollar < 0 or dollar + 1 == len(text):
            break
        done += text[at:dollar]
        after = text[dollar + 1]
        close = text.find(")", dollar + 2) if after == "(" else -1
        if close >= 0:
            name = text[dollar + 2 : close]
            done += values.get(name, f"$({name})")
            at = close + 1
        else:
            done += "$" if after == "$" else "$" + after
            at = dollar + 2
    return done + text[at:]


def undefined_references(given: str, values: Mapping[str, str]) -> list[str]:
    """The variables that a text refers to and that there are not."""
    names = [found[1] for found in _LEFT.finditer(given.replace("$$", ""))]
    return [name for name in dict.fromkeys(names) if name not in values]
