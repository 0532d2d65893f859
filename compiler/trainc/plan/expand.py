"""Expansion of `$(VAR)` as the kubelet does it, and placeholders for unknown values.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/third_party/forked/golang/expansion/expand.go
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from trainc.well_known import MAX_ARGUMENT

OPEN, CLOSE = "‹", "›"
PLACEHOLDER = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
# Upper case only: `$(hostname)` is meant for a shell.
_REFERENCE = re.compile(r"\$\(([A-Z_][A-Z0-9_]*)\)")


def placeholder(name: str) -> str:
    """Return the placeholder of a value that only the running pod has."""
    return f"{OPEN}{name}{CLOSE}"


def is_resolved(text: str) -> bool:
    """Return whether a text has no placeholder."""
    return not PLACEHOLDER.search(text)


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders whose values are known by now."""
    return PLACEHOLDER.sub(lambda match: values.get(match[0][1:-1], match[0]), text)


def mask_placeholders(text: str, mark: str) -> str:
    """Replace each placeholder with a mark."""
    return PLACEHOLDER.sub(mark, text)


def expand(text: str, values: Mapping[str, str]) -> str:
    """Replace references to known variables, and `$$` with `$`. A reference to an unknown variable stays.

    A text that expands beyond any process's limit stays as it is, too.
    """
    expanded, at = "", 0
    while at < len(text):
        if len(expanded) > MAX_ARGUMENT:
            return text
        dollar = text.find("$", at)
        if dollar < 0 or dollar + 1 == len(text):
            break
        expanded += text[at:dollar]
        after = text[dollar + 1]
        close = text.find(")", dollar + 2) if after == "(" else -1
        if close >= 0:
            name = text[dollar + 2 : close]
            expanded += values.get(name, f"$({name})")
            at = close + 1
        else:
            expanded += "$" if after == "$" else "$" + after
            at = dollar + 2
    return expanded + text[at:]


def undefined_references(text: str, values: Mapping[str, str]) -> list[str]:
    """Return the names of variables that a text refers to and that are not defined."""
    names = [match[1] for match in _REFERENCE.finditer(text.replace("$$", ""))]
    return [name for name in dict.fromkeys(names) if name not in values]
