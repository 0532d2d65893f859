"""Names that secrets have, and values that can't be one."""

from __future__ import annotations

import re

from trainc.secrets.words import (
    ALWAYS,
    DOUBTFUL,
    DOUBTFUL_ENDINGS,
    ENDINGS,
    LAST,
    NOUNS,
    OBJECTS,
    REFERS,
    VARIANTS,
    to_words,
)

_WORD = re.compile(r"[A-Za-z]\d(?![A-Za-z\d])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # S3, HF, Token; no other digits
_NUMBER = re.compile(r"\d[\d_,.]*(?:[eE]\d+|[kKmMbBgGtT])?")
# `$NAME`, an attribute, the name of a file, one character repeated.
_REFERENCE = re.compile(
    r"\$[A-Z_][A-Z0-9_]*$|(?:args|cfg|conf|config|opts|os|self|settings)\.[\w.]+$|[\w./-]+\.(?:pem|key|json|ya?ml|txt|crt|cfg|ini|conf|env|pub|py)$|(.)\1*$"
)
_PLACES = ("/", "./", "../", "~/", "file:", "$(", "${", "{", "<", "[", "%(", "...", "…", "‹")
_NO_SECRETS = to_words(
    "true false yes no on off none null nil str string int bool bytes optional required redacted hidden "
    "placeholder basic bearer auto default"
)


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable, option or field holds a secret: by name and, where that leaves doubt, by value."""
    words = [word.upper() for word in _WORD.findall(name)]
    nouns = [_noun(word) for word in words]
    last = max((index for index, (noun, _) in enumerate(nouns) if noun), default=-1)
    if last < 0 or not may_be_secret(value) or any(_refers(word) for word in words[last + 1 :]):
        return False
    (noun, prefix), before, after = nouns[last], words[last - 1] if last else "", words[last + 1 :]
    if any(each in ALWAYS for each, _ in nouns):
        # The ID of a secret is a name in a store, or random and a part of the credentials of Vault.
        is_other = _is_count(value) if after[:1] != ["ID"] else not _has_random(value, 12)
        return not (before in OBJECTS and noun == "SECRET") and not (after and is_other)
    services = DOUBTFUL["KEY"]
    if any(word in services and key == "KEY" for word, (key, _) in zip(words, nouns[1:], strict=False)):
        return not _is_count(value)
    if prefix or (after and after[0] in services):  # HFTOKEN is HF_TOKEN, and TOKEN_HF, too
        before, after = prefix or after[0], after[not prefix :]
    plural = words[last] == f"{nouns[last][1]}{noun}S"
    if before in LAST[noun] or words == ["PWD"] or _is_count(value, plural):
        return False
    least = 6 if before else 16
    is_unknown = (prefix and prefix not in services) or not services.union(VARIANTS).issuperset(after)
    if is_unknown or (plural and before not in services):
        return _has_random(value, max(least, 12))
    is_doubtful = noun in DOUBTFUL and before not in DOUBTFUL[noun]
    return not is_doubtful or _has_random(value, least)


def _noun(word: str) -> tuple[str, str]:
    """Return the noun of a secret that a word is, or ends with, in the singular, and what precedes it."""
    for singular in (word, word.removesuffix("S")):
        if singular in NOUNS:
            return singular, ""
        for end in (*ENDINGS, *DOUBTFUL_ENDINGS):
            if singular.endswith(end):
                return end, singular.removesuffix(end)
    return "", ""


def _refers(word: str) -> bool:
    return word in REFERS or word.removesuffix("S") in REFERS


def _is_count(value: str, plural: bool = False) -> bool:
    """Return whether a value is a number, and none that may be a password: such have at least six digits."""
    return bool(_NUMBER.fullmatch(value)) and (plural or not value.isdigit() or len(value) < 6)


def _has_random(value: str, least: int) -> bool:
    return any(is_random(item, least) for item in re.split(r"[,;\s]+", value))


def may_be_secret(value: str) -> bool:
    """Return whether a value may be a secret: not a path, a reference, a placeholder or a switch."""
    text = value.strip()
    return bool(text) and not (text.startswith(_PLACES) or text.lower() in _NO_SECRETS or _REFERENCE.match(text))


def is_random(value: str, least: int) -> bool:
    """Return whether a value of at least so many characters mixes letters and digits within a word."""
    if len(value) < (20 if "/" in value else least) or not re.fullmatch(r"[\w+=~!@#%^*/-]+", value):
        return False
    parts = re.split(r"[-_/]", value)
    return any(re.search("[A-Za-z]", part) and re.search("[0-9]", part) and len(part) > 3 for part in parts)
