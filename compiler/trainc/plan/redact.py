"""Redaction of variables that look like secrets, because plans end up in logs."""

from __future__ import annotations

from trainc.plan.expand import OPEN
from trainc.secrets.names import is_secret
from trainc.secrets.text import HIDDEN, redact


def redact_value(name: str, value: str) -> str:
    """Redact a variable's value by its name, and secrets in it."""
    if value.startswith(OPEN):
        return value
    return HIDDEN if is_secret(name, value) else redact(value)
