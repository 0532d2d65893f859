"""Secrets, by the name of a variable or by their form; redaction of excerpts."""

from __future__ import annotations

import re
from itertools import pairwise

from trainc.span import Source, Span

# Formats of secrets, as secret scanning knows them:
# https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
# Every match contains one of the texts, which are cheaper to search than the pattern is to compile.
KINDS = (
    ("a Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    ("an AWS access key", ("AKIA", "ASIA"), r"\b(AKIA|ASIA)[A-Z0-9]{16}\b"),
    (
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})",
    ),
    ("a GitLab token", ("glpat-",), r"\bglpat-[\w-]{20,}"),
    (
        "an API key",
        ("sk-", "AIza"),
        r"(?<![\w-])(sk-(proj-|svcacct-|or-v1-|ant-\w+-)[\w-]{20,}|sk-[A-Za-z0-9]{32,}|AIza[\w-]{35})",
    ),
    ("a Slack token", ("xox",), r"\bxox[abeoprs]-[\w-]{10,}"),
    ("a private key", ("-----BEGIN",), r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("a password", ("://",), r"://[^/\s:@$]+:[^/\s@$]+@"),
)

# Words of a secret's name. TOKEN and KEY alone are ambiguous: tokenizers and tables have them, too.
ALONE = frozenset(("SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "APIKEY"))
BEFORE_KEY = frozenset(("API", "ACCESS", "SECRET", "PRIVATE", "ENCRYPTION", "SIGNING", "ACCOUNT", "STORAGE", "LICENSE"))
# `PAD_TOKEN` is a word of a vocabulary, `MAX_TOKEN` a number.
NO_TOKEN_AFTER = frozenset(
    ("BOS", "CLS", "END", "EOS", "IMAGE", "MASK", "MAX", "MIN", "NUM", "PAD", "PER", "SEP", "SPECIAL", "START")
) | frozenset(("STOP", "UNK", "NEXT", "AUDIO", "VIDEO", "THINK", "PROMPT", "CACHE", "MULTI", "SINGLE"))
# `SECRET_NAME` and `PASSWORD_FILE` refer to a secret.
REFERS = frozenset(("PATH", "FILE", "DIR", "FOLDER", "NAME", "NAMESPACE", "ARN", "URL", "URI", "ENDPOINT", "HOST"))
OTHER = frozenset(("LENGTH", "SIZE", "COUNT", "TYPE", "ENABLED", "REQUIRED", "PROVIDER", "STORE", "MANAGER", "TTL"))

# A key and its value, in a line of a block or in braces.
_ASSIGNMENT = r"""(?P<name>\b\w+)["']?\s*:\s+(?P<value>"[^"]*"|'[^']*'|(?![{\[&*|>])[^\s,#}\]]+)"""


def is_secret_name(name: str) -> bool:
    """Return whether a variable of this name holds a secret."""
    words = name.upper().replace("-", "_").replace(".", "_").split("_")
    if words[-1] in REFERS | OTHER:
        return False
    if ALONE & set(words):
        return True
    if words[-1] == "TOKEN":
        return len(words) > 1 and words[-2] not in NO_TOKEN_AFTER
    return any(after == "KEY" and before in BEFORE_KEY for before, after in pairwise(words))


def may_be_secret(value: str) -> bool:
    """Return whether a value may be a secret: not a path, a placeholder or a switch."""
    text = value.strip()
    if not text or text.startswith(("/", "./", "file:", "$(", "${", "{{", "<", "[")):
        return False
    return text.lower() not in ("true", "false", "yes", "no", "on", "off", "none", "null")


def secret_kind(value: str) -> str | None:
    """Return the kind of secret that a value is by its form, or None."""
    return next((kind for kind, form in _possible_kinds(value) if re.search(form, value)), None)


def _possible_kinds(text: str) -> list[tuple[str, str]]:
    return [(kind, form) for kind, marks, form in KINDS if any(mark in text for mark in marks)]


def redact_secrets(source: Source) -> None:
    """Hide secrets from excerpts, line by line, also in a text that isn't YAML.

    An excerpt shows whole lines, and ends up in the logs of a CI system.
    """
    variable = ""
    kinds = _possible_kinds(source.text)
    for number, line in enumerate(source.lines(), 1):
        secrets = [match.span() for _, form in kinds for match in re.finditer(form, line)]
        variable = "" if "valueFrom" in line else variable
        for match in re.finditer(_ASSIGNMENT, line):
            name, value = match["name"], match["value"].strip("\"'")
            if name == "value":
                name = variable
            elif name == "name":
                variable = value
            if is_secret_name(name) and may_be_secret(value):
                secrets.append(match.span("value"))
        for start, end in secrets:
            source.hide(Span(source, number, start + 1, number, end + 1))
