"""Variables of a shell whose values are certain, command by command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trainc.commandline.lexer import FILES, Token
from trainc.commandline.word import UNKNOWN, Word

# Variables that the shell sets by itself: https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html
_OWN = """
_ BASHPID COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD HOSTNAME IFS LINENO OLDPWD
OPTARG OPTIND PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHLVL SRANDOM UID
"""
_WRITES = frozenset(("for", "select", "read", "mapfile", "readarray", "getopts", "let", "wait"))
_MAY_DO_ANYTHING = frozenset(("eval", "source", "."))
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ALONE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_LONGEST = 2000  # characters of a value, since repeated doubling has no end
_CHANGES = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--|<<=|>>=")


class Known:
    """Known variables: `values` by name, without unset, empty and uncertain ones. Parts of a value may be UNKNOWN."""

    def __init__(self, text: str, given: Mapping[str, Word | None]) -> None:
        self.never = set(_OWN.split())
        for inside in _arithmetic(text):
            if _CHANGES.search(inside):
                self.never.update(_NAME.findall(inside))
        self.values: dict[str, str] = {}
        for name, value in given.items():
            self.set(name, value)

    def set(self, name: str, value: Word | None, for_good: bool = False) -> None:
        """Set a value, None for an unknown one; `for_good` if it may change again unnoticed."""
        if name == "IFS":
            self.forget()
        if for_good:
            self.never.add(name)
        if value is None or not 0 < len(value.text) <= _LONGEST or name in self.never:
            self.values.pop(name, None)
        else:
            self.values[name] = value.text

    def changed(self, command: str, words: Sequence[Word]) -> None:
        """Forget the variables that a command writes to, if it takes names of variables."""
        if command in _MAY_DO_ANYTHING:
            self.forget()
        elif command in _WRITES or (command == "printf" and any(word.text.startswith("-v") for word in words)):
            for word in words:
                for name in _NAME.findall(word.text):
                    self.set(name, None, for_good=True)

    def forget(self) -> None:
        """Forget all variables; the lexer holds a reference to the same mapping."""
        self.values.clear()

    def parted(self, token: Token) -> Iterator[Token]:
        """Yield the words of a variable that is a whole unquoted word: as many as its value has."""
        parts = self._parts(token)
        if parts is None or token.word is None:
            yield token
            return
        for part in parts:
            yield token.replace(word=Word(text=part, span=token.word.span, splits=UNKNOWN in part))

    def _parts(self, token: Token) -> Sequence[str] | None:
        found = _ALONE.fullmatch(token.raw)
        value = self.values.get(found[1] or found[2], "") if found else ""
        return value.split() if value.strip() and not FILES.search(value) else None


def _arithmetic(text: str) -> Iterator[str]:
    """Yield the contents of arithmetic brackets, `((…))`."""
    start = text.find("((")
    while start >= 0 and (end := text.find("))", start)) >= 0:
        yield text[start + 2 : end]
        start = text.find("((", end)
