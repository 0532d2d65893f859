"""Redaction of the secrets of manifests wherever a text repeats them: logs, differences, verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.secrets.names import is_secret
from trainc.secrets.text import HIDDEN, find_secrets, is_secret_option, redact

_SHORTEST = 4  # characters; a shorter value would be replaced inside words


class Mask:
    """Function that redacts the secrets of manifests (texts or parsed) in a text, and all that look like one."""

    def __init__(self, *manifests: object) -> None:
        secrets = {secret for manifest in manifests for secret in _secrets(manifest) if len(secret) >= _SHORTEST}
        self._secrets = sorted(secrets, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return redact(text)


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
