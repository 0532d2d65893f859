"""Secrets in base64: configurations of docker, kubeconfigs, private keys."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator

from trainc.secrets.formats import SHORTEST_ENCODED

_ENCODED = re.compile(rf"(?<![\w+/-])[A-Za-z0-9+/]{{{SHORTEST_ENCODED},}}={{0,2}}(?![\w+/-])")
_LOGIN = re.compile(r"[\w.@-]+:\S+")


def encoded_texts(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and decoded text of each word that is text in base64."""
    for match in _ENCODED.finditer(text):
        decoded = decode(match[0])
        if decoded:
            yield *match.span(), decoded


def is_login(value: str) -> bool:
    """Return whether a value is `user:password` in base64, as `auth` of docker's configuration."""
    return bool(_LOGIN.fullmatch(decode(value)))


def decode(value: str) -> str:
    """Return the text that base64 encodes, an empty one if it encodes none."""
    if len(value) % 4:
        return ""
    try:
        text = a2b_base64(value, strict_mode=True).decode()
    except (Error, ValueError):
        return ""
    return text if all(character.isprintable() or character in "\r\n\t" for character in text) else ""
