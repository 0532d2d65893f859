"""What is a secret, by the name of a variable or by its own form; and excerpts that don't show it."""

from __future__ import annotations

import re
from itertools import pairwise

from trainc.span import Source, Span

# The makers' own forms, as secret scanning knows them:
# https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
# Each with texts of which one occurs in every match: a search for them is cheaper than to compile the pattern.
SHAPES = (
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

# Whole words; TOKEN and KEY are also what a tokenizer counts and a table has, so they say it only together with others.
ALONE = frozenset(("SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "APIKEY"))
BEFORE_KEY = frozenset(("API", "ACCESS", "SECRET", "PRIVATE", "ENCRYPTION", "SIGNING", "ACCOUNT", "STORAGE", "LICENSE"))
# `PAD_TOKEN` is a word of a vocabulary, `MAX_TOKEN` a number.
NO_TOKEN_AFTER = frozenset(
    ("BOS", "CLS", "END", "EOS", "IMAGE", "MASK", "MAX", "MIN", "NUM", "PAD", "PER", "SEP", "SPECIAL", "START")
) | frozenset(("STOP", "UNK", "NEXT", "AUDIO", "VIDEO", "THINK", "PROMPT", "CACHE", "MULTI", "SINGLE"))
# `SECRET_NAME` and `PASSWORD_FILE` tell where a secret is.
TELLS = frozenset(("PATH", "FILE", "DIR", "FOLDER", "NAME", "NAMESPACE", "ARN", "URL", "URI", "ENDPOINT", "HOST"))
OTHER = frozenset(("LENGTH", "SIZE", "COUNT", "TYPE", "ENABLED", "REQUIRED", "PROVIDER", "STORE", "MANAGER", "TTL"))

# A key and its value, in a line of a block or in braces.
_GIVEN = r"""(?P<name>\b\w+)["']?\s*:\s+(?P<value>"[^"]*"|'[^']*'|(?![{\[&*|>])[^\s,#}\]]+)"""


def named(name: str) -> bool:
    """Whether the name says that the value is a secret."""
    words = name.upper().replace("-", "_").replace(".", "_").split("_")
    if words[-1] in TELLS | OTHER:
        return False
    if ALONE & set(words):
        return True
    if words[-1] == "TOKEN":
        return len(words) > 1 and words[-2] not in NO_TOKEN_AFTER
    return any(after == "KEY" and before in BEFORE_KEY for before, after in pairwise(words))


def possible(value: str) -> bool:
    """Whether a value may be a secret: not a path, not a placeholder, not a word of a vocabulary, no switch."""
    text = value.strip()
    if not text or text.startswith(("/", "./", "file:", "$(", "${", "{{", "<", "[")):
        return False
    return text.lower() not in ("true", "false", "yes", "no", "on", "off", "none", "null")


def shape(value: str) -> str | None:
    """What kind of secret a value is by its form; None when it looks like none."""
    return next((what for what, form in _possible_shapes(value) if re.search(form, value)), None)


def _possible_shapes(text: str) -> list[tuple[str, str]]:
    return [(what, form) for what, marks, form in SHAPES if any(mark in text for mark in marks)]


def hide_in(source: Source) -> None:
    """Hide from excerpts what looks like a secret, line by line: also in a text that is no YAML, or no job.

    An excerpt shows the whole line in which a mistake stands, and ends up in the log of a CI.
    """
    of = ""
    for number, line in enumerate(source.lines(), 1):
        found = [match.span() for _, form in _possible_shapes(line) for match in re.finditer(form, line)]
        of = "" if "valueFrom" in line else of
        for match in re.finditer(_GIVEN, line):
            name, value = match["name"], match["value"].strip("\"'")
            if name == "value":
                name = of
            elif name == "name":
                of = value
            if named(name) and possible(value):
                found.append(match.span("value"))
        for start, end in found:
            source.hide(Span(source, number, start + 1, number, end + 1))
