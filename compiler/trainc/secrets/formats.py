"""Formats of secrets: tokens with a prefix, private keys, passwords in URLs.

Sources: https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns, and the
documentation of each service. token_formats.py has those of further services.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from trainc.secrets.token_formats import TOKEN_FORMATS

# Kind; texts of which every match contains one, cheaper to search than the pattern is to compile; pattern. A group is
# the secret, otherwise the whole match.
FORMATS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("a Hugging Face token", ("hf_", "api_org_"), r"\b(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("an AWS access key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    (
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})",
    ),
    ("a GitLab token", ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"), r"\bgl(?:pat|dt|rt|ptt|cbt)-[\w-]{20,}"),
    (
        "an API key",
        ("sk-", "AIza", "gsk_", "nvapi-", "r8_", "pcsk_", "tgp_v1_", "xai-"),
        r"(?<![\w-])(?:sk-(?:proj-|svcacct-|admin-|or-v1-|ant-\w+-)[\w-]{20,}|sk-[A-Za-z0-9]{32,}|AIza[\w-]{35}"
        r"|gsk_\w{40,}|nvapi-[\w-]{40,}|r8_\w{30,}|pcsk_\w{40,}|tgp_v1_[\w-]{30,}|xai-\w{40,})",
    ),
    ("a Slack token", ("xox", "xapp-"), r"\bxox[abeoprs]-[\w-]{10,}|\bxapp-\d-[\w-]{20,}"),
    (
        "a webhook",
        ("hooks.slack.com/", "discord.com/api/webhooks/"),
        r"hooks\.slack\.com/(?:services|workflows)/(\w[\w/]{15,})|discord\.com/api/webhooks/(\d{10,}/[\w-]{20,})",
    ),
    ("a Google token", ("ya29.", "GOCSPX-"), r"\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"),
    ("a Stripe key", ("_live_", "_test_"), r"\b[rs]k_(?:live|test)_\w{16,}"),
    ("an npm token", ("npm_", "_authToken"), r"\bnpm_[A-Za-z0-9]{36}\b|:_authToken=\s*([\w-]{20,})"),
    ("a PyPI token", ("pypi-",), r"\bpypi-[\w-]{50,}"),
    ("a Docker token", ("dckr_pat_", "dckr_oat_"), r"\bdckr_[po]at_[\w-]{20,}"),
    ("a DigitalOcean token", ("dop_v1_", "doo_v1_"), r"\bdo[op]_v1_[a-f0-9]{40,}"),
    ("a SendGrid key", ("SG.",), r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    ("a Telegram token", (":AA",), r"\b\d{8,10}:AA[\w-]{32,}"),
    ("a Databricks token", ("dapi",), r"\bdapi[a-f0-9]{32}\b"),
    ("a Vault token", ("hvs.", "hvb."), r"\bhv[sb]\.[\w-]{24,}"),
    ("an Azure key", ("AccountKey=", "SharedAccessKey="), r"\b(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{32,}={0,2})"),
    ("a signature", ("sig=", "Signature="), r"[?&](?:sig|X-Amz-Signature|Signature)=([\w%+/=-]{16,})"),
    ("a JSON Web Token", ("eyJ",), r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"),
    ("a bearer token", ("earer ",), r"\b[Bb]earer\s+((?![$<{])[\w.~+/-]{8,}=*)"),
    (
        "a private key",
        ("-----BEGIN",),
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-\"']|-(?!----))*(?:-----END [A-Z ]{0,40}-----)?",
    ),
    ("a Doppler token", ("dp.",), r"\bdp\.(?:ct|pt|sa|st|scim|audit)\.[\w.-]{40,}"),
    ("a Figma token", ("figd_",), r"\bfigd_[\w-]{20,}"),
    ("a Fireworks key", ("fw_",), r"\bfw_[A-Za-z0-9]{22,}"),
    ("a Linear token", ("lin_oauth_",), r"\blin_oauth_\w{32,}"),
    ("a Notion token", ("secret_",), r"\bsecret_[A-Za-z0-9]{43}\b"),
    (
        "a password",
        ("://",),
        # Not a port, a placeholder or the tag of an image, a path; a quote that isn't the end of a string.
        r"://[^/\s:@$\"'<>\[]{0,256}:((?!/|\$[\w({]|\{+ ?[\w.]+ ?\}+[@/]|<[\w -]+>@|\d{1,5}/)"
        r"(?:[^\s@\"']|[\"'](?![\s,:;})|&>\]]|$)){1,256})@(?!sha256:)",
    ),
)
# Every text with a secret that is recognized by name contains one of these: parts of names, programs with passwords.
NAME_MARKS = (
    *("token", "secret", "pass", "pw", "psw", "cred", "key", "jwt", "auth", "cookie", "pat", "bearer", "sas"),
    *(
        "curl",
        "wget",
        "login",
        "mysql",
        "maria",
        "redis",
        "ldap",
        "smbclient",
        "unzip",
        "7z",
        "mc alias",
        "keygen",
        "kinit",
    ),
    *("sqlplus", "http "),
)
_MARKS = tuple(mark for _, marks, _ in FORMATS for mark in marks)
# "pat" is also a part of names, so it needs no second search.
_TOKEN_MARKS = tuple(mark for _, marks, _ in TOKEN_FORMATS for mark in marks if mark not in NAME_MARKS)
WORD_START = "(?<![A-Za-z0-9])"
SHORTEST_TOKEN = 18  # characters of a token of TOKEN_FORMATS
SHORTEST_ENCODED = 24  # characters of base64 that are worth decoding


def may_contain_secret(text: str) -> bool:
    """Return False if a text has no secret; cheap, to decide whether to look closer."""
    lower = text.lower().replace("tokeniz", "").replace("path", "")
    if any(map(lower.__contains__, NAME_MARKS)) or any(map(text.__contains__, _MARKS)):
        return True
    words = [word for word in text.split() if len(word) >= SHORTEST_TOKEN]
    if not words:
        return False
    return any(map("\n".join(words).__contains__, _TOKEN_MARKS)) or any(map(_may_be_encoded, words))


def _may_be_encoded(word: str) -> bool:
    """Return whether a word may be base64, which encodes any text as a mix of letters of both cases."""
    letters = word.strip("\"'=").replace("+", "").replace("/", "")
    return len(word) >= SHORTEST_ENCODED and letters.isalnum() and letters.lower() != letters != letters.upper()


def find_formats(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each secret that has the format of one."""
    for kind, marks, pattern in FORMATS:
        if any(map(text.__contains__, marks)):
            for match in compile_once(pattern).finditer(text):
                yield *match.span(match.lastindex or 0), kind
    for kind, marks, pattern in TOKEN_FORMATS:
        if any(map(text.__contains__, marks)):
            for match in compile_once(WORD_START + pattern).finditer(text):
                yield *match.span(), kind


@cache
def compile_once(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when a text needs it: most texts need few of them."""
    return re.compile(pattern)
