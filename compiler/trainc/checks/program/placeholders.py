"""Placeholders of a documentation that nobody replaced: `<your-registry>/train`, `--token=<HF_token>`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.commandline.word import Places
from trainc.systems.shared.reader.templates import strings

TRIGGERS = ("mentions_placeholder()",)

PLACEHOLDER = re.compile(r"<([A-Za-z](?:[\w .-]{0,60}\w)?)>", re.ASCII)
# An argument or a variable, or a part of a path, is the placeholder. In a script it is the value of an option.
BEFORE, AFTER = re.compile(r"(?:^|[=/:@,\"'])$"), re.compile(r"$|[/:@.,\"']")
BEFORE_IN_SCRIPT = re.compile(r"(?:(?:^|\s)--?[A-Za-z][\w-]*[ =]|\b[A-Za-z_]\w*=|[/:@])[\"']?$")
SCRIPT_OPTION = re.compile(r"-[a-z]*c")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Arguments may be a model's special tokens, which are written alike: <pad>, <image>, <repo_name>, <tool_call>.
VERBS = frozenset(("your", "my", "insert", "enter", "replace", "change", "fill", "put", "todo", "changeme"))
NOUNS = frozenset(
    (
        *("account", "address", "api", "aws", "azure", "bucket", "claim", "cluster", "dir", "domain", "email"),
        *("endpoint", "folder", "gcp", "hf", "host", "hostname", "huggingface", "id", "ip", "key", "name", "namespace"),
        *("org", "organization", "password", "path", "port", "project", "pvc", "queue", "region", "registry"),
        *("repository", "secret", "server", "subscription", "team", "tenant", "token", "uri", "url", "username"),
        *("version", "wandb", "zone"),
    )
)
ALONE = NOUNS - {"address", "api", "dir", "folder", "host", "id", "ip", "key", "name", "path", "port", "queue", "url"}
SPECIAL = frozenset(
    (
        *("audio", "begin", "bos", "call", "cls", "end", "eos", "file", "fim", "im", "image", "img", "mask", "object"),
        *("pad", "patch", "repo", "response", "sep", "sentence", "start", "think", "tool", "unk", "user", "video"),
    )
)


def check(context: RuleContext) -> Diagnostics:
    previous = ""
    for use, scalar in (*strings(context.spec.metadata.node), *strings(context.spec.node)):
        text = scalar.text
        match = next(_placeholders(use, text, is_script=bool(SCRIPT_OPTION.fullmatch(previous))), None)
        previous = text
        if match is not None:
            where = Places(text, scalar.span).part(*match.span()) or scalar.span
            message = f"`{match[0]}` is a placeholder"
            severity = error if text == context.spec.image else warning  # no image has such a name
            yield severity(codes.UNFILLED_PLACEHOLDER, message, where, help="replace it by a value")


def _placeholders(use: str, text: str, *, is_script: bool) -> Iterator[re.Match[str]]:
    for match in PLACEHOLDER.finditer(text) if use != "text" else ():
        before, after = text[: match.start()], text[match.end() :]
        if use == "value":
            yield match
        elif _names_a_value(match[1]):
            is_text = any(character.isspace() for character in before + after)
            is_value = BEFORE.search(before[-1:]) and AFTER.match(after[:1]) and not is_text
            if BEFORE_IN_SCRIPT.search(before[-80:]) if is_script else is_value:
                yield match


def _names_a_value(text: str) -> bool:
    """Return whether a placeholder names what to fill in."""
    words = {word.lower() for word in WORD.findall(text)}
    if words & VERBS:
        return True
    return not words & SPECIAL and bool(words & NOUNS if len(words) > 1 else words & ALONE)
