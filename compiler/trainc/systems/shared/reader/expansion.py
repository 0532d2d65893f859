"""Expand the environment variables of a command line whose values are known before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from trainc.commandline.lexer import NEWLINE, Lexer, OpaqueError
from trainc.commandline.word import Word, words
from trainc.span import Text

# https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
_KUBELET = re.compile(r"\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)")
_REFERENCE = re.compile(r"\$[({]?([A-Za-z_][A-Za-z0-9_]*)")
_GLOB = re.compile(r"[*?\[~]")
# Suffix of a variable's name in braces: the part of the value after its last dash, such as a pod's ordinal.
AFTER_LAST_DASH = "##*-"
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


def expand_arguments(arguments: Iterable[Text], variables: Mapping[str, str]) -> list[Word]:
    """Return the arguments as the kubelet passes them to the container's process."""
    return words([Text(_expand(argument, variables), argument.span) for argument in arguments])


def _expand(text: Text, variables: Mapping[str, str]) -> str:
    if "$$" in text:
        return text
    return _KUBELET.sub(lambda match: variables.get(match[1], match[0]), text)


def parse_single_command(line: list[Word], script: Word, variables: Mapping[str, str]) -> list[Word] | None:
    """Return the words of a shell script that is one command and needs no shell; None for any other script.

    A login shell may change PATH, and words after the script are its $0 and $1. A word that contains a variable is
    marked as one that `splits`: its value is known, but differs from its spelling.
    """
    options = [word.text for word in line[1:] if word is not script]
    if line[-1] is not script or any(option not in ("-c", "-ec", "-e") for option in options):
        return None
    if not script.known or "$$" in script.text or "$(" in script.text:
        return None
    text = script.text
    for name, value in variables.items():
        if name.endswith(AFTER_LAST_DASH):  # pad the value to the length of the reference: later words keep their spans
            text = text.replace(f"${{{name}}}", value * (len(name) + 3))
    try:
        tokens = list(Lexer(text, script.span, variables).tokens())
    except OpaqueError:
        return None
    while tokens and tokens[-1].raw in (NEWLINE, ";"):
        tokens.pop()
    while tokens and tokens[0].raw == NEWLINE:
        tokens.pop(0)
    command = [token.word for token in tokens if token.word and not _GLOB.search(token.raw)]
    if len(command) < len(tokens) or not command or _ASSIGNMENT.match(tokens[0].raw):
        return None
    if any(not word.known or word.splits for word in command):
        return None
    ordinals = {value for name, value in variables.items() if name.endswith(AFTER_LAST_DASH)}
    command = [_unpadded(word, token.raw, ordinals) for word, token in zip(command, tokens, strict=True)]
    return command[1:] if command[0].text == "exec" else command


def _unpadded(word: Word, raw: str, ordinals: set[str]) -> Word:
    text = word.text
    for ordinal in ordinals:
        text = re.sub(f"{ordinal}+", ordinal, text)
    return word.replace(text=text, splits="$" in raw or any(ordinal in raw for ordinal in ordinals))


def referenced_variables(words: Iterable[str]) -> set[str]:
    """Return the names of all variables that words reference, for the kubelet or for a shell."""
    return {name for word in words for name in _REFERENCE.findall(word)}
