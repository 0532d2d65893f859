"""JSON-like values as block-style YAML, like hand-written Kubernetes manifests."""

from __future__ import annotations

from trainc.emit.scalar import SPELLINGS, Fragment, quoted, scalar, unprintable
from trainc.span import Text, Traced
from trainc.typenames import Any

# A reader looks for the colon after a key no further than 1024 characters (YAML 1.1 and 1.2, 'simple keys').
MAX_KEY_LENGTH = 1000
COLLECTIONS = (dict, list, tuple)


def block(value: object, indent: int = 0) -> str:
    """Return a value as YAML without a final newline; every line but the first is indented by `indent` more spaces.

    Raises ValueError for a Fragment of several lines inside a value, TypeError for a key that isn't a string, the
    errors of `scalar`, and RecursionError beyond a nesting of about 900, also for a value that contains itself.
    """
    lines: list[str] = []
    pad = " " * indent
    if isinstance(value, dict) and value:
        _mapping(lines, value, "", pad)
    elif isinstance(value, (list, tuple)) and value:
        _sequence(lines, value, "", pad)
    else:
        lines.append(leaf(value, pad))
    if lines[-1].endswith("\n"):
        # Editors and hooks trim blank lines at the end of a file.
        lines[-1] = lines[-1].partition("\n")[0].removesuffix("|+") + quoted(_last(value))
    return "\n".join(lines)


def document(value: object) -> str:
    """Return a value as a YAML document with a final newline. Raises the errors of `block`."""
    return block(value) + "\n"


def _mapping(lines: list[str], value: dict[str, Any], lead: str, pad: str) -> None:
    """Append the lines of a mapping. `lead` starts the first line: after a dash it differs from `pad`."""
    for key, item in value.items():
        name, kind = SPELLINGS[key], type(item)
        if len(name) > MAX_KEY_LENGTH:
            lines.append(f"{lead}? {name}")
            name, lead = "", pad
        # First what most values are.
        if (kind is str or kind is Text) and "\n" not in item:
            lines.append(f"{lead}{name}: {SPELLINGS[item]}")
        elif kind is dict and item:
            lines.append(f"{lead}{name}:")
            inner = pad + "  "
            _mapping(lines, item, inner, inner)
        elif not item or not isinstance(item, COLLECTIONS):
            lines.append(f"{lead}{name}: {leaf(item, pad)}")
        elif isinstance(item, dict):
            lines.append(f"{lead}{name}:")
            _mapping(lines, item, pad + "  ", pad + "  ")
        else:
            lines.append(f"{lead}{name}:")
            _sequence(lines, item, pad, pad)
        lead = pad


def _sequence(lines: list[str], value: list[Any] | tuple[Any, ...], lead: str, pad: str) -> None:
    for item in value:
        kind = type(item)
        if (kind is str or kind is Text) and "\n" not in item:
            lines.append(f"{lead}- {SPELLINGS[item]}")
        elif (kind is dict or kind is Traced) and item:
            _mapping(lines, item, lead + "- ", pad + "  ")
        elif not item or not isinstance(item, COLLECTIONS):
            lines.append(f"{lead}- {leaf(item, pad)}")
        elif isinstance(item, dict):
            _mapping(lines, item, lead + "- ", pad + "  ")
        else:
            _sequence(lines, item, lead + "- ", pad + "  ")
        lead = pad


def leaf(value: object, pad: str = "") -> str:
    """Return a scalar or an empty collection after a key or a dash; several lines for a literal block."""
    if type(value) is int or type(value) is bool:
        return scalar(value)
    if isinstance(value, COLLECTIONS):
        return "{}" if isinstance(value, dict) else "[]"
    if not isinstance(value, str) or "\n" not in value:
        return scalar(value)
    if isinstance(value, Fragment):
        raise ValueError(f"a fragment of several lines cannot be indented inside a value: {value[:80]!r}")
    value.encode()
    if not _fits_literal(value):
        return quoted(value)
    body = value.removesuffix("\n")
    mark = "|-" if body == value else "|+" if body.endswith("\n") else "|"
    return "\n".join((mark, *(f"{pad}  {line}" if line else "" for line in body.split("\n"))))


def _fits_literal(text: str) -> bool:
    """Return whether a literal block preserves a text, for parsers and in git."""
    return (
        # Blanks before the first line would need an indentation indicator, which nobody writes by hand.
        text.lstrip("\n")[:1] not in ("", " ", "\t")
        # Editors and hooks trim spaces at the end of a line.
        and not (text.endswith((" ", "\t")) or " \n" in text or "\t\n" in text)
        and unprintable().isdisjoint(text)
    )


def _last(value: object) -> str:
    while isinstance(value, dict | list | tuple):
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    return str(value)
