"""Corpora of texts with and without secrets, whose tokens are assembled here: no file contains what looks like one."""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "base64": string.ascii_letters + string.digits + "+/",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "word": string.ascii_lowercase,
}
_RANDOM = re.compile(r"<(\w+):(\d+)>")
_ENCODED = re.compile(r"<b64:((?:[^<>]|<(?!b64:)[^<>]*>)*)>")
_CHOICE = re.compile("⟨([^⟨⟩]*)⟩")
_MARKED = re.compile("⟦([^⟦⟧]*)⟧")


class Case(NamedTuple):
    """A text of a section of a corpus, without the marks, and the secrets in it."""

    section: str
    line: str  # as in the corpus, with its choices made
    text: str
    secrets: tuple[str, ...]


def read(path: Path) -> list[Case]:
    """Return the cases of a corpus; the same at every call."""
    cases, section = [], ""
    for line in path.read_text().splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif line and not line.startswith("#"):
            for number, text in enumerate(_choices(line)):
                filled = _fill(text, random.Random(f"{line} {number}"))
                secrets = tuple(_MARKED.findall(filled))
                cases.append(Case(section, text, _MARKED.sub(r"\1", filled), secrets))
    return cases


def _choices(line: str) -> Iterator[str]:
    """Yield the line for each combination of its choices; equal choices are made equally."""
    match = _CHOICE.search(line)
    if match is None:
        yield line
        return
    for choice in match[1].split("|"):
        yield from _choices(line.replace(match[0], choice))


def _fill(text: str, generator: random.Random) -> str:
    def characters(match: re.Match[str]) -> str:
        if match[1] not in ALPHABETS:
            return match[0]
        drawn = "".join(generator.choices(ALPHABETS[match[1]], k=int(match[2])))
        mixed = match[1] in ("alnum", "base64", "hex") and int(match[2]) > 8
        return f"{drawn[:2]}7{drawn[3:6]}b{drawn[7:]}" if mixed else drawn  # as a random token nearly always is

    text = _RANDOM.sub(characters, text).replace("⏎", "\n")
    while _ENCODED.search(text):
        text = _ENCODED.sub(lambda match: base64.b64encode(match[1].encode()).decode(), text)
    return text
