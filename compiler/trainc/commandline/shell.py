"""Commands that a shell script certainly runs, in order, with the variables that it sets for them.

Commands in if, loops, functions, subshells and after `||` may not run: they are left out.
"""

from __future__ import annotations

import re

from trainc.commandline.lexer import NEWLINE, Lexer, OpaqueError, Token
from trainc.commandline.shell_variables import Known
from trainc.commandline.word import UNKNOWN, Word
from trainc.record import Record
from trainc.span import Span
from trainc.well_known import MAX_ARGUMENT

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_OPENS = {"if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac", "{": "}"}
_CLOSES = frozenset(_OPENS.values())
_GOES_ON = frozenset(("then", "else", "elif", "do", "!"))
_TESTS = frozenset(("[", "[[", "test"))
_SETS = frozenset(("export", "declare", "typeset", "readonly", "local"))
_ENDS = frozenset(("exit", "exec", "return"))
_MOST = 500

Variables = dict[str, Word | None]


class Command(Record):
    """Simple command with the variables that the script has set; None for one that it has unset."""

    words: tuple[Word, ...]
    env: Variables


def commands(text: str, span: Span | None, given: Variables | None = None) -> list[Command]:
    """Return the commands; none for a script that is unfinished, not understood, or longer than an argument may be.

    `given` are the variables in the shell's environment, as far as they are known.
    """
    if len(text) > MAX_ARGUMENT:
        return []
    reader = _Reader(Known(text, given or {}))
    try:
        # A token is read when the commands before it are, and with the variables that they set.
        for token in Lexer(text, span, reader.known.values).tokens():
            for part in reader.known.parted(token):
                reader.take(part)
        reader.end(NEWLINE)
    except OpaqueError:
        return []
    return [] if reader.closers else reader.found


class _Reader:
    def __init__(self, known: Known) -> None:
        self.known = known
        self.found: list[Command] = []
        self.env: Variables = {}
        self.hidden: Variables = {}  # set, but perhaps not exported to the commands
        self.words: list[Token] = []
        self.own: Variables = {}
        self.closers: list[str] = []
        self.perhaps = False  # after `||` or a test
        self.apart = False  # in a subshell, like every part of a pipeline
        self.over = False
        self.redirects = False
        self.list: str | None = None  # the name of a variable whose list in brackets is passed over
        self.function = False
        self.test = False

    def take(self, token: Token) -> None:
        if self.list is not None:
            if token.raw == ")":
                self._set(self.list, Word(text=UNKNOWN))
                self.list = None
        elif self.test:
            self.test = token.raw != "]]"
        elif token.word is None:
            self._operator(token)
        elif self.redirects:
            self.redirects = False
        else:
            self._word(token, token.word)

    def _operator(self, token: Token) -> None:
        operator = token.raw
        if self.redirects:
            raise OpaqueError
        if operator == "(":
            self._open(token)
        elif operator == ")":
            if self.closers[-1:] == ["esac"]:  # a pattern
                self.words = []
                return
            self.end(NEWLINE)
            self._close(")")
            self.function = False
        elif operator[0] in "<>" or operator in ("&>", "&>>"):
            last = self.words[-1] if self.words else None
            if last and last.raw.isdecimal() and last.start + len(last.raw) == token.start:
                self.words.pop()
            self.redirects = True
        else:
            self.end(operator)

    def _open(self, token: Token) -> None:
        last = self.words[-1] if self.words else None
        if not self.words and self.own and not self.function:
            name = list(self.own)[-1]
            self.own.pop(name)
            self.list = name
        elif last is None or self.closers:
            self.closers.append(")")
        elif len(self.words) == 1:
            self.words, self.function = [], True
            self.closers.append(")")
        else:
            raise OpaqueError

    def _close(self, closer: str) -> None:
        if self.closers[-1:] != [closer]:
            raise OpaqueError
        self.closers.pop()

    def _word(self, token: Token, word: Word) -> None:
        if not self.words:
            if token.raw in _OPENS:
                self.closers.append(_OPENS[token.raw])
                if token.raw in ("case", "for", "select"):
                    self.words.append(token)
                return
            if token.raw in _CLOSES:
                self._close(token.raw)
                return
            if token.raw in _GOES_ON:
                return
            if token.raw == "[[":
                self.test = True
            elif token.raw in ("function", "coproc"):
                raise OpaqueError
            match = _ASSIGNMENT.match(token.raw)
            if match:
                text = word.text[match.end() :] if "+" not in match[0] else UNKNOWN
                self.own[match[1]] = Word(text=text, span=word.span)
                return
        self.words.append(token)

    def end(self, operator: str) -> None:
        """Finish a command."""
        words = [token.word for token in self.words if token.word]
        name = words[0].text if words else ""
        own, self.own, self.words = self.own, {}, []
        surely = not (self.closers or self.perhaps or self.over)
        piped = operator in ("|", "|&")
        self.apart = self.apart or piped or operator == "&"
        self.known.changed(name, words[1:])
        if not words:
            for variable, value in own.items():
                self.hidden[variable] = value
                self._set(variable, Word(text=UNKNOWN), value)
        elif name in _SETS or name == "unset":
            self._builtin(name, words[1:])
        elif surely:
            if len(self.env) > _MOST:  # each command has them all
                raise OpaqueError
            self.found.append(Command(words=tuple(words), env={**self.env, **own}))
        if surely and not self.apart and name in _ENDS and (name != "exec" or len(words) > 1):
            self.over = True
        self.apart = piped
        if operator in (NEWLINE, ";", "&"):
            self.perhaps = False if not self.closers else self.perhaps
        elif operator == "||" or (operator == "&&" and name in _TESTS):
            self.perhaps = True

    def _builtin(self, name: str, words: list[Word]) -> None:
        for word in words:
            variable, equals, value = word.text.partition("=")
            if name == "unset":
                self._set(word.text, None)
            elif equals:
                plain = not any(option.text.startswith(("-", "+")) for option in words)  # -i, -u and -l change it
                self._set(variable, word.replace(text=value), word.replace(text=value) if plain else None)
            elif word.text in self.hidden:
                self._set(word.text, self.hidden[word.text], self.hidden[word.text])

    def _set(self, name: str, exported: Word | None, value: Word | None = None) -> None:
        perhaps = bool(self.closers or self.perhaps or self.apart)
        self.env[name] = Word(text=UNKNOWN) if perhaps else exported
        self.known.set(name, None if perhaps else value, for_good=bool(self.closers))
