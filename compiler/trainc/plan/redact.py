"""Redaction of variables and arguments that look like secrets, because plans end up in logs."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.diagnostics.secrets import is_secret_name, may_be_secret, secret_kind
from trainc.plan.expand import OPEN, placeholder

HIDDEN = placeholder("hidden")


def redact_value(name: str, value: str) -> str:
    """Redact a variable's value by its name and shape."""
    if value.startswith(OPEN):
        return value
    return HIDDEN if (is_secret_name(name) and may_be_secret(value)) or secret_kind(value) else value


def redact_args(args: Sequence[str]) -> list[str]:
    """Redact a command line's arguments: `--api-key=…`, and the one after `--api-key`."""
    redacted: list[str] = []
    for previous, arg in zip(("", *args), args, strict=False):
        name, equals, value = arg.partition("=")
        if arg.startswith("-") and equals and is_secret_name(name.lstrip("-")) and may_be_secret(value):
            redacted.append(f"{name}={HIDDEN}")
        elif previous.startswith("--") and "=" not in previous and is_secret_name(previous[2:]) and may_be_secret(arg):
            redacted.append(HIDDEN)
        else:
            redacted.append(HIDDEN if secret_kind(arg) else arg)
    return redacted
