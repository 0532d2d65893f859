"""Secrets in free text: arguments, shell scripts, headers, JSON, YAML, logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trainc.secrets.formats import find_formats
from trainc.secrets.names import is_random, is_secret, may_be_secret

HIDDEN = "‹hidden›"  # in place of a secret

# A value in quotes, which may be escaped as in JSON in a string, or up to the next separator of a shell, URL or list.
_VALUE = (
    r"""(?:\\?"(?P<double>[^"\\\n]*)\\?"|'(?P<single>[^'\n]*)'|(?P<bare>(?!-)[^\s"'`\\,;&|<>(){}\[\]]++)(?![(\[]))"""
)
_NAME = r"(?P<name>[A-Za-z_][\w.-]*)"
# NAME=value, --name=value, name: value, "name": "value", {name:"value"}.
_ASSIGNMENT = re.compile(
    rf"""(?<![\w$.-])(?:--(?:from-literal|env|set|set-string|build-arg)[= ]|-{{0,2}}){_NAME}"""
    rf"""\\?["']?(?:\s*(?::=|={{1,2}})\s*|:\s+|:(?=["'\\])){_VALUE}"""
)
# --name value, and `aws configure set name value`.
_OPTION = re.compile(rf"""(?:(?<![\w-])--?|\bset\s+){_NAME}["']?,?\s+{_VALUE}""")
# Authorization: scheme value
_HEADER = re.compile(
    r"""(?i)\bauthorization\\?["']?\s*[:=]\s*\\?["']?(?:\w+[ \t]+)?(?P<bare>(?![$<{])[^\s"'\\,$]{4,})"""
)
# A name and a value in a list of variables: {name: NAME, value: VALUE}.
_ITEM = re.compile(rf"""\bname["']?:\s*["']?{_NAME}["']?[\s,-]*["']?value["']?:\s*{_VALUE}""")
# Programs that take a password by a short option, up to the end of the command.
_LOGIN = re.compile(
    r"(?:\b(?:sshpass|mysql|mysqldump|mysqladmin|mariadb"
    r"|(?:docker|podman|nerdctl|helm|oras|skopeo|crane)\s[^;|&\n]{0,80}?login)"
    r"\b[^;|&\n]{0,200}?\s-p\s*|\bredis-cli\b[^;|&\n]{0,200}?\s-a\s+|\bldap\w+\b[^;|&\n]{0,200}?\s-w\s+"
    r"|\bwandb\s+login\s+(?:--(?:host|base-url)[= ]\S+\s+|--(?!host\b|base-url\b)[\w-]+\s+)*+"
    r"|\bswanlab\s+login\s+-k\s+|\blogin\(\s*(?:(?:token|key)\s*=\s*)?(?=[\"'](?![^\"']*://))"
    rf"|\b(?:curl|wget|http)\b[^;|&\n]{{0,200}}?\s(?:-u|--user)[ =][\"']?[^\s:\"']+:){_VALUE}"
)
# A password that a login reads from its standard input.
_PIPED = re.compile(rf"\b(?:echo|printf)\s+(?:-n\s+)?{_VALUE}\s*\|[^;|&\n]{{0,120}}?\slogin(?![^\s\"'])")
_SHORT = re.compile(rf"(?<![\w-])-p\s+{_VALUE}")
# Programs whose -p is no password.
_OTHER_P = frozenset(("mkdir", "ssh", "scp", "nc", "cp", "install", "tar", "unzip", "screen", "pip"))


def find_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each secret; the kind is empty for a secret recognized by its name."""
    yield from find_formats(text)
    for pattern in (_ASSIGNMENT, _OPTION, _ITEM):
        for match in pattern.finditer(text):
            start, end = _value_span(match)
            if is_secret(match["name"], text[start:end]):
                yield start, end, ""
    for pattern in (_LOGIN, _PIPED, _HEADER):
        for match in pattern.finditer(text):
            start, end = _value_span(match)
            if may_be_secret(text[start:end]):
                yield start, end, ""


def redact(text: str, hidden: str = HIDDEN) -> str:
    """Replace each secret of a text, and what may be one after `-p`."""
    spans = sorted([(start, end) for start, end, _ in find_secrets(text)] + list(_passwords_after_p(text)))
    parts, position = [], 0
    for start, end in spans:
        if end > position:
            parts += [text[position : max(start, position)], hidden if start >= position else ""]
            position = end
    return "".join(parts) + text[position:]


def redact_args(args: Sequence[str], hidden: str = HIDDEN) -> list[str]:
    """Redact arguments: each by itself, and the one after `--password` or `-p`."""
    redacted = []
    for previous, arg in zip(("", *args), args, strict=False):
        password = previous == "-p" and is_random(arg, 6) and args[0].rpartition("/")[2] not in _OTHER_P
        redacted.append(hidden if password or is_secret_option(previous, arg) else redact(arg, hidden))
    return redacted


def is_secret_option(option: str, arg: str) -> bool:
    """Return whether an argument is the secret value of the option before it."""
    return option.startswith("-") and "=" not in option and not arg.startswith("-") and is_secret(option, arg)


def _value_span(match: re.Match[str]) -> tuple[int, int]:
    groups = match.re.groupindex
    return next(
        match.span(group) for group in ("double", "single", "bare") if group in groups and match[group] is not None
    )


def _passwords_after_p(text: str) -> Iterator[tuple[int, int]]:
    for match in _SHORT.finditer(text):
        start, end = _value_span(match)
        command = re.split(r"[;|&\n(]", text[max(0, match.start() - 200) : match.start()])[-1].split()
        program = command[0].rpartition("/")[2] if command else ""
        if program not in _OTHER_P and is_random(text[start:end], 6):
            yield start, end
