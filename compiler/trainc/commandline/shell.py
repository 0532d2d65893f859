"""Commands that a shell script certainly runs, in order, with the variables that it sets for them.

Commands in if, loops, functions, subshells and after `||` may not run: they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from trainc.commandline.lexer import NEWLINE, Lexer, OpaqueError, Token
from trainc.commandline.shell_variables import ShellVariables
from trainc.commandline.word import UNKNOWN, Word
from trainc.record import Record
from trainc.span import Span
from trainc.well_known import MAX_ARGUMENT

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_ITEM = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\[[^]]*\]\+?=")
_OPENS = {"if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac", "{": "}"}
_CLOSES = frozenset(_OPENS.values())
_GOES_ON = frozenset(("then", "else", "elif", "do", "!"))
_TESTS = frozenset(("[", "[[", "test"))
_SETS = frozenset(("export", "declare", "typeset", "readonly", "local"))
_ENDS = frozenset(("exit", "exec", "return"))
_MAX_VARIABLES = 500

SHELLS = frozenset(("sh", "bash", "dash", "ash", "zsh", "ksh"))
Variables = dict[str, Word | None]


class Command(Record):
    """Simple command with the variables that the script has set; None for one that it has unset.

    `files` are those that its output or input is redirected to; `is_piped` if another command reads its output.
    """

    words: tuple[Word, ...]
    env: Variables
    files: tuple[Word, ...] = ()
    is_piped: bool = False


class Script(Record):
    """Commands that a script certainly runs, and those that it may run."""

    commands: list[Command]
    uncertain: list[Command]


def shell_text(words: Sequence[Word]) -> Word | None:
    """Return the script after -c, -lc or -euo pipefail -c."""
    at, takes_text = 1, False
    while at < len(words):
        option = words[at].text
        if not option.startswith(("-", "+")) or not words[at].known:
            return words[at] if takes_text else None
        if option in ("-", "--"):
            return words[at + 1] if takes_text and at + 1 < len(words) else None
        if not option.startswith("--"):
            takes_text = takes_text or "c" in option[1:]
            at += option[-1:] in ("o", "O")
        elif option in ("--rcfile", "--init-file"):
            at += 1
        at += 1
    return None


def shell_script(words: Sequence[Word]) -> Word | None:
    """Return the script of a shell's command line; None for other commands, and for a script in a file."""
    return shell_text(words) if words and words[0].base_name in SHELLS else None


def commands(text: str, span: Span | None, env: Variables | None = None) -> list[Command]:
    """Return the commands; none for a script that is unfinished, not understood, or longer than an argument may be."""
    script = parse_script(text, span, env)
    return script.commands if script else []


def parse_script(text: str, span: Span | None, env: Variables | None = None) -> Script | None:
    """Return the commands; None for a script that is unfinished, not understood, or longer than an argument may be.

    `env` is the shell's environment, as far as it is known.
    """
    return _parse(text, span, tuple((env or {}).items()))


@lru_cache(maxsize=8)  # every rule about the program reads its script
def _parse(text: str, span: Span | None, env: tuple[tuple[str, Word | None], ...]) -> Script | None:
    if len(text) > MAX_ARGUMENT:
        return None
    reader = _ScriptReader(ShellVariables(text, dict(env)))
    try:
        # A token is read after the commands before it, and with the variables that they set.
        for token in Lexer(text, span, reader.variables.values).tokens():
            for word in reader.variables.split_words(token):
                reader.read(word)
        reader.end_command(NEWLINE)
    except OpaqueError:
        return None
    return None if reader.closers else Script(commands=reader.commands, uncertain=reader.uncertain)


class _ScriptReader:
    def __init__(self, variables: ShellVariables) -> None:
        self.variables = variables
        self.commands: list[Command] = []
        self.uncertain: list[Command] = []
        self.env: Variables = {}
        self.unexported: Variables = {}
        self.words: list[Token] = []
        self.assignments: Variables = {}  # of the current command
        self.closers: list[str] = []
        self.is_conditional = False  # after `||` or a test
        self.in_subshell = False  # like every part of a pipeline
        self.has_exited = False
        self.redirects = False
        self.files: list[Word] = []
        self.array: str | None = None  # name of a variable whose list in brackets is read
        self.items: list[Word] = []  # of the list
        self.in_function = False
        self.in_test = False

    def read(self, token: Token) -> None:
        if self.array is not None:
            if token.raw == ")":
                self._set(self.array, Word(text=UNKNOWN))
                if not self._is_uncertain():
                    self.variables.lists[self.array] = self.items
                self.array = None
            elif token.word is not None:
                self.items.append(token.word)
        elif self.in_test:
            self.in_test = token.raw != "]]"
        elif token.word is None:
            self._operator(token)
        elif self.redirects:
            self.redirects = False
            self.files.append(token.word)
        else:
            self._word(token, token.word)

    def _operator(self, token: Token) -> None:
        operator = token.raw
        if self.redirects:
            raise OpaqueError
        if operator == "(":
            self._open()
        elif operator == ")":
            if self.closers[-1:] == ["esac"]:  # a pattern
                self.words = []
                return
            self.end_command(NEWLINE)
            self._close(")")
            self.in_function = False
        elif operator[0] in "<>" or operator in ("&>", "&>>"):
            last = self.words[-1] if self.words else None
            if last and last.raw.isdecimal() and last.start + len(last.raw) == token.start:
                self.words.pop()
            self.redirects = True
        else:
            self.end_command(operator)

    def _open(self) -> None:
        last = self.words[-1] if self.words else None
        if not self.words and self.assignments and not self.in_function:
            self.array, value = self.assignments.popitem()
            is_longer = value is not None and not value.known  # +=
            self.items = [*self.variables.lists.pop(self.array, ())] if is_longer else []
        elif last is None or self.closers:
            self.closers.append(")")
        elif len(self.words) == 1:
            self.words, self.in_function = [], True
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
                self.in_test = True
            elif token.raw in ("function", "coproc"):
                raise OpaqueError
            match = _ASSIGNMENT.match(token.raw)
            if match:
                before = "" if "+" not in match[0] else self.variables.values.get(match[1], UNKNOWN)
                self.assignments[match[1]] = Word(text=before + word.text[match.end() :], span=word.span)
                return
            if item := _ITEM.match(token.raw):
                self._set(item[1], Word(text=UNKNOWN))
                return
        self.words.append(token)

    def end_command(self, operator: str) -> None:
        """Finish a command."""
        words = [token.word for token in self.words if token.word]
        name = words[0].text if words else ""
        assignments, self.assignments, self.words = self.assignments, {}, []
        files, self.files = tuple(self.files), []
        runs = not (self.closers or self.is_conditional or self.has_exited)
        piped = operator in ("|", "|&")
        self.in_subshell = self.in_subshell or piped or operator == "&"
        self.variables.forget_written(name, words[1:])
        if not words:
            for variable, value in assignments.items():
                self.unexported[variable] = value
                self._set(variable, Word(text=UNKNOWN), value)
        elif name in _SETS or name == "unset":
            self._builtin(name, words[1:])
        else:
            if len(self.env) > _MAX_VARIABLES:  # each command has them all
                raise OpaqueError
            env = {**self.env, **assignments}
            command = Command(words=tuple(words), env=env, files=files, is_piped=piped)
            (self.commands if runs else self.uncertain).append(command)
        if runs and not self.in_subshell and name in _ENDS and (name != "exec" or len(words) > 1):
            self.has_exited = True
        self.in_subshell = piped
        if operator in (NEWLINE, ";", "&"):
            self.is_conditional = self.is_conditional and bool(self.closers)
        elif operator == "||" or (operator == "&&" and name in _TESTS):
            self.is_conditional = True

    def _builtin(self, name: str, words: list[Word]) -> None:
        for word in words:
            variable, equals, value = word.text.partition("=")
            if name == "unset":
                self._set(word.text, None)
            elif equals:
                plain = not any(option.text.startswith(("-", "+")) for option in words)  # -i, -u and -l change it
                self._set(variable, word.replace(text=value), word.replace(text=value) if plain else None)
            elif word.text in self.unexported:
                self._set(word.text, self.unexported[word.text], self.unexported[word.text])

    def _set(self, name: str, exported: Word | None, value: Word | None = None) -> None:
        is_uncertain = self._is_uncertain()
        self.variables.lists.pop(name, None)
        self.env[name] = Word(text=UNKNOWN) if is_uncertain else exported
        self.variables.set(name, None if is_uncertain else value, forever=bool(self.closers))

    def _is_uncertain(self) -> bool:
        return bool(self.closers or self.is_conditional or self.in_subshell)
