"""Secrets in free text: arguments, shell scripts, headers, JSON, YAML, logs; also in base64."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator, Sequence
from functools import lru_cache

from trainc.secrets.formats import SHORTEST_ENCODED, compile_once, find_formats
from trainc.secrets.names import is_random, is_secret, may_be_secret
from trainc.secrets.patterns import NAMED, PAIR, PLACES, QUOTE, REST, SETTERS, SHORT, USER

HIDDEN = "‹hidden›"  # in place of a secret

# Programs whose -p is no password.
_OTHER_P = frozenset(("mkdir", "ssh", "scp", "nc", "cp", "install", "tar", "unzip", "screen", "pip", "ls"))
_ENCODED = re.compile(rf"(?<![\w+/-])[A-Za-z0-9+/]{{{SHORTEST_ENCODED},}}={{0,2}}(?![\w+/-])")
_LOGIN = re.compile(r"[\w.@-]+:\S+")
_SHORT_TEXT, _LONG_TEXT = 256, 65_536  # characters; the secrets of longer texts are not remembered
_QUOTES = str.maketrans("", "", "\"'\\")


def find_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each secret; the kind is empty for a secret recognized by its name."""
    if len(text) > _LONG_TEXT:
        return _search(text)
    return iter(_short_text(text) if len(text) <= _SHORT_TEXT else _long_text(text))


def _secrets(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(_search(text))


_short_text = lru_cache(maxsize=4096)(_secrets)  # names, images and variables are the same in many pods and jobs
_long_text = lru_cache(maxsize=32)(_secrets)  # all pods of a job have the same script


def _search(text: str) -> Iterator[tuple[int, int, str]]:
    yield from find_formats(text)
    for start, end in (*_named(text), *_settings(text), *_placed(text)):
        yield start, end, ""
    if "://" in text:
        for match in compile_once(USER).finditer(text):
            if is_random(match["bare"], 16):
                yield *match.span("bare"), "a token"
    for start, end, decoded in _encoded_texts(text):
        if any(True for _ in find_secrets(decoded)):
            yield start, end, ""


def redact(text: str, hidden: str = HIDDEN) -> str:
    """Replace each secret of a text, and what may be one after `-p`."""
    is_repeated = _SHORT_TEXT < len(text) <= _LONG_TEXT
    return _redact_long_text(text, hidden) if is_repeated else _redact(text, hidden)


@lru_cache(maxsize=32)
def _redact_long_text(text: str, hidden: str) -> str:
    return _redact(text, hidden)


def _redact(text: str, hidden: str) -> str:
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


def _named(text: str) -> Iterator[tuple[int, int]]:
    for pattern in _needed(NAMED, text):
        for match in _named_values(pattern, text):
            start, end = _value_span(match)
            name, value = match["name"].translate(_QUOTES), text[start:end]
            if is_secret(name, value) or (name == "auth" and _is_login(value)):
                yield start, end


def _placed(text: str) -> Iterator[tuple[int, int]]:
    for pattern in _needed(PLACES, text):
        for match in pattern.finditer(text):
            start, end = _value_span(match)
            if may_be_secret(text[start:end]):
                yield start, end


def _needed(patterns: tuple[tuple[tuple[str, ...], str], ...], text: str) -> Iterator[re.Pattern[str]]:
    return (compile_once(pattern) for marks, pattern in patterns if any(map(text.__contains__, marks)))


def _named_values(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern, also those at the start of another's bare value: --env HF_TOKEN=value."""
    position = nested = 0
    while match := pattern.search(text, position):
        yield match
        position = match.end()
        start = match.start("bare")
        if start > nested:
            position, nested = start, match.end()


def _settings(text: str) -> Iterator[tuple[int, int]]:
    if "modify" not in text and "config" not in text:
        return
    for command in compile_once(SETTERS).finditer(text):
        for match in compile_once(PAIR).finditer(text, *command.span()):
            start, end = _value_span(match)
            if is_secret(match["name"], text[start:end]):
                yield start, end


def _value_span(match: re.Match[str]) -> tuple[int, int]:
    """Return where the value of a match is, with all that a shell joins to it."""
    groups = match.re.groupindex
    name = next(name for name in ("double", "single", "bare") if name in groups and match[name] is not None)
    start, end = match.span(name)
    quote = compile_once(QUOTE).match(match.string, end) if name != "bare" else None
    rest = compile_once(REST).match(match.string, quote.end() if quote else end)
    return start, rest.end() if rest else end


def _passwords_after_p(text: str) -> Iterator[tuple[int, int]]:
    for match in compile_once(SHORT).finditer(text):
        start, end = _value_span(match)
        command = re.split(r"[;|&\n(]", text[max(0, match.start() - 200) : match.start()])[-1].split()
        program = command[0].rpartition("/")[2] if command else ""
        if program not in _OTHER_P and is_random(text[start:end], 6):
            yield start, end


def _encoded_texts(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and decoded text of each word that is text in base64."""
    for match in _ENCODED.finditer(text):
        decoded = _decode(match[0])
        if decoded:
            yield *match.span(), decoded


def _is_login(value: str) -> bool:
    """Return whether a value is `user:password` in base64, as `auth` of docker's configuration."""
    return bool(_LOGIN.fullmatch(_decode(value)))


def _decode(value: str) -> str:
    """Return the text that base64 encodes, an empty one if it encodes none."""
    if len(value) % 4:
        return ""
    try:
        text = a2b_base64(value, strict_mode=True).decode()
    except (Error, ValueError):
        return ""
    return text if all(character.isprintable() or character in "\r\n\t" for character in text) else ""
