"""Words of a command line, with the variables in them that can be known before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from trainc.commandline.lexer import NEWLINE, Lexer, OpaqueError
from trainc.commandline.word import Word, words
from trainc.span import Text

# https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
_KUBELET = re.compile(r"\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)")
_MENTIONED = re.compile(r"\$[({]?([A-Za-z_][A-Za-z0-9_]*)")
# What the shell makes file names of, and words that only look like a command's.
_SHELLS_OWN = re.compile(r"[*?\[~]")
# Behind a variable's name in braces: what stands after the last dash, as a pod's number does in its name.
AFTER_LAST_DASH = "##*-"
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


def expand_arguments(given: Iterable[Text], variables: Mapping[str, str]) -> list[Word]:
    """The words as the container's first program gets them."""
    return words([Text(_expanded(one, variables), one.span) for one in given])


def _expanded(text: Text, variables: Mapping[str, str]) -> str:
    if "$$" in text:
        return text
    return _KUBELET.sub(lambda found: variables.get(found[1], found[0]), text)


def parse_single_command(line: list[Word], text: Word, variables: Mapping[str, str]) -> list[Word] | None:
    """The words of a shell's text that is one command and needs no shell; None of any other.

    A login shell may change PATH, and words behind the text are its $0 and $1. A word that a variable is in is
    marked as one that `splits`: it is known, but not as it was typed.
    """
    options = [word.text for word in line[1:] if word is not text]
    if line[-1] is not text or any(option not in ("-c", "-ec", "-e") for option in options):
        return None
    if not text.known or "$$" in text.text or "$(" in text.text:
        return None
    shown = text.text
    for name, value in variables.items():
        if name.endswith(AFTER_LAST_DASH):  # as long as what was typed, for the places of the words behind it
            shown = shown.replace(f"${{{name}}}", value * (len(name) + 3))
    try:
        tokens = list(Lexer(shown, text.span, variables).tokens())
    except OpaqueError:
        return None
    while tokens and tokens[-1].raw in (NEWLINE, ";"):
        tokens.pop()
    while tokens and tokens[0].raw == NEWLINE:
        tokens.pop(0)
    found = [token.word for token in tokens if token.word and not _SHELLS_OWN.search(token.raw)]
    if len(found) < len(tokens) or not found or _ASSIGNMENT.match(tokens[0].raw):
        return None
    if any(not word.known or word.splits for word in found):
        return None
    numbers = {value for name, value in variables.items() if name.endswith(AFTER_LAST_DASH)}
    found = [_known(word, token.raw, numbers) for word, token in zip(found, tokens, strict=True)]
    return found[1:] if found[0].text == "exec" else found


def _known(word: Word, raw: str, numbers: set[str]) -> Word:
    text = word.text
    for number in numbers:
        text = re.sub(f"{number}+", number, text)
    return word.replace(text=text, splits="$" in raw or any(number in raw for number in numbers))


def referenced_variables(given: Iterable[str]) -> set[str]:
    """The names of all variables that words use, be it for the kubelet or for a shell."""
    return {name for word in given for name in _MENTIONED.findall(word)}
