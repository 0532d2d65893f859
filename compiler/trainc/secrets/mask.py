"""Redaction of the secrets of inputs: wherever a text repeats those of manifests, and in excerpts of diagnostics."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator

from trainc.secrets.names import is_secret
from trainc.secrets.text import HIDDEN, find_secrets, is_secret_option, redact
from trainc.span import LINE_BREAKS, Source, Span

# Characters; a shorter value or line of a value would be replaced inside words.
_SHORTEST, _SHORTEST_LINE = 4, 8


class Mask:
    """Function that redacts the secrets of manifests (texts or parsed) in a text, and all that look like one."""

    def __init__(self, *manifests: object) -> None:
        secrets = (secret for manifest in manifests for secret in _secrets(manifest))
        texts = {text for secret in secrets for text in _spellings(secret) if len(text) >= _SHORTEST}
        self._secrets = sorted(texts, key=lambda text: (-len(text), text))

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return redact(text)


def _spellings(secret: str) -> Iterator[str]:
    """Yield the secret, its lines, and both as YAML and JSON write them in quotes."""
    lines = [line.strip() for line in secret.splitlines()]
    for text in (secret, *(line for line in lines if len(line) >= _SHORTEST_LINE)):
        yield from (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], text.replace("'", "''"))


def _secrets(value: object, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if is_secret(name, value):
            yield value
        yield from (value[start:end] for start, end, _ in find_secrets(value))
    elif isinstance(value, dict):
        item = value.get("name")
        for key, part in value.items():
            yield from _secrets(part, item if key == "value" and isinstance(item, str) else "")
    elif isinstance(value, list | tuple):
        for option, part in zip(("", *value), value, strict=False):
            if isinstance(option, str) and isinstance(part, str) and is_secret_option(option, part):
                yield part
            yield from _secrets(part)


def redact_excerpts(source: Source) -> None:
    """Hide secrets of an input from excerpts, which end up in the logs of CI; also of a text that isn't YAML."""
    starts = [0, *(match.end() for match in re.finditer("|".join(LINE_BREAKS), source.text))]
    for start, end, _ in find_secrets(source.text):
        first, last = bisect_right(starts, start), bisect_right(starts, end)
        source.hide(Span(source, first, start - starts[first - 1] + 1, last, end - starts[last - 1] + 1))


def hide_secret(secret: str, where: Span) -> None:
    """Hide a secret wherever a span has it; all of the span, if it is written otherwise there, with escapes."""
    source, is_literal = where.source, False
    for number in range(where.line, where.end_line + 1):
        for match in re.finditer(re.escape(secret), source.line(number)):
            source.hide(Span(source, number, match.start() + 1, number, match.end() + 1))
            is_literal = True
    if not is_literal:
        source.hide(where)
