"""Redaction of variables and arguments that look like secrets, because plans end up in logs."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.expand import OPEN
from trainc.secrets import text
from trainc.secrets.names import is_secret


def redact_value(name: str, value: str) -> str:
    """Redact a variable's value by its name, and secrets in it."""
    if value.startswith(OPEN):
        return value
    return text.HIDDEN if is_secret(name, value) else text.redact(value)


def redact_args(args: Sequence[str]) -> list[str]:
    """Redact a command line's arguments: `--api-key=…`, and the one after `--api-key`."""
    return text.redact_args(args)
