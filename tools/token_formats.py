"""Generate compiler/trainc/secrets/token_formats.py: `python -m tools.token_formats gitleaks.toml VERSION`.

The file is config/gitleaks.toml of a release of gitleaks, with its rules. Only formats that a token has by itself are
converted, not rules that look for any characters next to the name of a service: secrets/names.py decides about names.
A format that secrets/formats.py has is left out. Every pattern starts with a literal or a fixed number of characters
and repeats single characters only, up to a bound, so that a search takes linear time.
"""

from __future__ import annotations

import itertools
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.go_patterns import Part, parse
from trainc.secrets.formats import FORMATS

TABLE = Path(__file__).parent.parent / "compiler" / "trainc" / "secrets" / "token_formats.py"
HEAD = '''\
"""Formats of the tokens of services, converted by tools/token_formats.py from the rules of gitleaks {version}.

Copyright (c) 2019 Zachary Rice, MIT license: LICENSE.gitleaks. Each format has its kind, texts of which every match
contains one, and its pattern, which starts at the start of a word.
"""

from __future__ import annotations

# fmt: off
# ruff: noqa: E501  # a format each line
TOKEN_FORMATS: tuple[tuple[str, tuple[str, ...], str], ...] = (
'''
# Between the name of a service and the value in gitleaks' rules; what precedes it is not part of the format.
OPERATOR = r"""(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
STARTS = (r"""(?:^|[\\'"\x60\s>=:(,)])""", r"\b")
ENDS = (
    r"""(?:[\x60'"\s;]|\\[nr]|$)""",
    r"""(?:[\x60'"\s;]|\\[nr]|$|\b)""",
    r"(?:[^\w-]|\z)",
    r"(?:[^a-zA-Z0-9+/]|\z)",
    r"""(?:$|[\\'"\x60\s<),])""",
    r"\b",
)
# Parts of the names of rules that are about other things than a token, or about a public one.
LEFT_OUT = (
    *("curl-", "jwt", "kubernetes-", "generic-", "private-key", "nuget-", "freemius-", "facebook-access", "-webhook"),
    *("-pub", "-client-id", "sidekiq-", "twilio-", "plaid-", "hashicorp-tf-password"),
)
LONGEST = 4096  # characters of the last part of a token
SHORTEST_MARK = 3
# Words of the names of rules as messages spell them.
WORDS = {
    "1password": "1Password",
    "ad": "AD",
    "age": "age",
    "api": "API",
    "aws": "AWS",
    "ca": "CA",
    "digitalocean": "DigitalOcean",
    "gitlab": "GitLab",
    "hashicorp": "HashiCorp",
    "id": "ID",
    "oauth": "OAuth",
    "openai": "OpenAI",
    "pat": "token",
    "personnal": "personal",
    "planetscale": "PlanetScale",
    "relic": "Relic",
    "rrt": "runner token",
    "rubygems": "RubyGems",
    "scim": "SCIM",
    "sendinblue": "Brevo",
    "tf": "Terraform",
}


def formats(rules: Sequence[dict[str, Any]]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield kind, marks and pattern of each format."""
    # `eyJ` and `secret_` are the starts of other formats, too.
    own = tuple(mark for _, marks, _ in FORMATS for mark in marks if mark not in ("eyJ", "secret_"))
    for rule in rules:
        name, regex = rule["id"], rule.get("regex")
        if regex is None or any(part in name for part in LEFT_OUT):
            continue
        try:
            choices = parse(token_pattern(regex))
        except ValueError:
            continue
        choices = [each for each in choices if is_format(mark_of(each)) and not start_of(each).startswith(own)]
        if choices:
            patterns = list(dict.fromkeys(map(pattern_of, choices)))
            pattern = patterns[0] if len(patterns) == 1 else f"(?:{'|'.join(patterns)})"
            yield kind_of(name), tuple(dict.fromkeys(map(mark_of, choices))), pattern


def token_pattern(regex: str) -> str:
    """Return the part of a rule's pattern that matches the token."""
    flags, pattern = ("(?i)", regex[4:]) if regex.startswith("(?i)") else ("", regex)
    pattern = pattern.rpartition(OPERATOR)[2]
    for start in STARTS:
        pattern = pattern.removeprefix(start)
    for end in ENDS:
        pattern = pattern.removesuffix(end)
    return flags + pattern


def is_format(mark: str) -> bool:
    """Return whether a literal text is rare enough to make a format of characters around it."""
    return len(mark) >= SHORTEST_MARK or "~" in mark


def mark_of(parts: Sequence[Part]) -> str:
    """Return the longest literal text of a format."""
    runs = itertools.groupby(parts, lambda part: part[0])
    return max(("".join(text for _, text in run) for name, run in runs if name == "literal"), key=len, default="")


def start_of(parts: Sequence[Part]) -> str:
    """Return the literal text at the start of a format."""
    return "".join(text for _, text in itertools.takewhile(lambda part: part[0] == "literal", parts))


def pattern_of(parts: Sequence[Part]) -> str:
    """Return the pattern of a format, up to the end of the token if a separator makes its start unique."""
    pattern = "".join(re.escape(text).replace(r"\-", "-") if name == "literal" else text for name, text in parts)
    end = re.search(r"(?<!=)\{(\d+)(?:,\d+)?\}$", pattern)
    if end and re.search(r"[^A-Za-z0-9]", start_of(parts)):
        return f"{pattern[: end.start()]}{{{end[1]},{LONGEST}}}"
    return pattern + r"(?![A-Za-z0-9])"


def kind_of(name: str) -> str:
    """Return the kind of a rule's secrets, for messages."""
    words = [WORDS.get(word, word) for word in name.removesuffix("-v2").split("-")]
    first = words[0] if words[0] in WORDS.values() else words[0].capitalize()
    return " ".join(("an" if first[0] in "AEIOae" else "a", first, *words[1:]))


def main() -> int:
    """Write the table."""
    source, version = sys.argv[1:]
    rows = []
    for kind, marks, pattern in formats(tomllib.loads(Path(source).read_text())["rules"]):
        texts = ", ".join(f'"{mark}"' for mark in marks) + ("," if len(marks) == 1 else "")
        rows.append(f'    ("{kind}", ({texts}), r"{pattern}"),\n')
    TABLE.write_text(HEAD.format(version=version) + "".join(rows) + ")\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
