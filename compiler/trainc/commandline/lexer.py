"""Lexer of shell scripts: words and operators by the grammar of POSIX and bash's additions.

https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html. The standard library's shlex has no
here-documents, substitutions and positions, and bashlex's license is incompatible with ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trainc.commandline.arithmetic import evaluate
from trainc.commandline.word import UNKNOWN, Places, Word
from trainc.record import Record
from trainc.span import Span

NEWLINE = "\n"
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||\|&|[;&|<>()]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_REFERENCE = re.compile(r"\{?([A-Za-z_][A-Za-z0-9_]*)(?:(?::?[-?][^{}$`'\"\\]*)?\})?")  # also ${NAME:-default}
FILES = re.compile(r"[*?\[]")  # characters of file name patterns
_BRACES = re.compile(r"\{[^{}\s'\"]*\}")
_DEEPEST = 50  # substitutions in substitutions
_ENDS = frozenset(" \t\n;&|<>()")


class OpaqueError(Exception):
    """Script whose effect only the shell itself knows."""


class Token(Record):
    """Word or operator; `raw` is its source text, `start` its index."""

    raw: str
    start: int
    word: Word | None = None


class Lexer:
    """Lexer of one script; here-documents are skipped. The values of some variables may be known."""

    def __init__(self, text: str, span: Span | None, variables: Mapping[str, str] | None = None) -> None:
        self.text = text
        self.variables = {} if variables is None else variables
        self.places = Places(text, span)
        self.at = 0
        self.depth = 0
        self.documents: list[tuple[str, bool]] = []

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens. Raises OpaqueError at an unfinished quotation or substitution."""
        text, delimiter = self.text, ""
        while self.at < len(text):
            start, char = self.at, text[self.at]
            if char in " \t" or text.startswith("\\\n", start):
                self.at += 1 if char != "\\" else 2
            elif char == "#":
                self.at = self._until(NEWLINE, start)
            elif char == NEWLINE:
                self.at += 1
                self._pass_documents()
                yield Token(raw=NEWLINE, start=start)
            elif (match := _OPERATOR.match(text, start)) and not text.startswith(("<(", ">("), start):
                self.at, delimiter = match.end(), match[0]
                yield Token(raw=match[0], start=start)
            else:
                word = self._word()
                if delimiter in ("<<", "<<-"):
                    if not word.known:
                        raise OpaqueError
                    self.documents.append((word.text, delimiter == "<<-"))
                delimiter = ""
                yield Token(raw=text[start : self.at], start=start, word=word)

    def _word(self) -> Word:
        start, out, splits = self.at, "", False
        while self.at < len(self.text) and self.text[self.at] not in _ENDS:
            piece, may_split = self._piece()
            out += piece
            splits = splits or may_split
        if self.at == start:  # <(…) and >(…)
            self.at = self._closing(start + 2)
            out = UNKNOWN
        return Word(text=out, span=self.places.part(start, self.at), splits=splits)

    def _piece(self) -> tuple[str, bool]:
        """Return the next part of a word, and whether it may become several words."""
        text, start = self.text, self.at
        char = text[start]
        if char == "\\":
            self.at += 2
            return text[start + 1 : start + 2].replace(NEWLINE, "") or ("" if start + 1 < len(text) else "\\"), False
        if char == "'":
            self.at = self._until("'", start + 1, needed=True) + 1
            return text[start + 1 : self.at - 1], False
        if char == '"':
            self.at += 1
            return self._quoted()
        if char == "$":
            return self._expansion(quoted=False)
        if char == "`":
            self.at = self._quotation(self.at)
            return UNKNOWN, True
        braces = _BRACES.match(text, start) if char == "{" else None
        several = braces is not None and ("," in braces[0] or ".." in braces[0])
        self.at = braces.end() if braces and several else start + 1
        return (UNKNOWN, True) if several else (char, False)

    def _quoted(self) -> tuple[str, bool]:
        out, splits = "", False
        while self.at < len(self.text):
            start, char = self.at, self.text[self.at]
            if char == '"':
                self.at += 1
                return out, splits
            if char == "\\":
                after = self.text[start + 1 : start + 2]
                self.at += 2
                out += "" if after == NEWLINE else after if after in '$`"\\' else char + after
            elif char == "$":
                piece, every = self._expansion(quoted=True)
                out, splits = out + piece, splits or every
            elif char == "`":
                self.at = self._quotation(self.at)
                out += UNKNOWN
            else:
                self.at += 1
                out += char
        raise OpaqueError

    def _expansion(self, quoted: bool) -> tuple[str, bool]:
        text, start = self.text, self.at
        after = text[start + 1 : start + 2]
        if after == "(":
            self.at = self._closing(start + 2)
        elif after == "{":
            self.at = self._closing(start + 2, "{", "}")
        elif after and after in "'\"" and not quoted:  # $'…' of bash, whose escapes are many
            self.at = self._quotation(start + 1)
            return UNKNOWN, False
        elif match := _NAME.match(text, start + 1):
            self.at = match.end()
        else:
            self.at += 1
            return "$", False
        inside = text[start + 1 : self.at]
        if inside.startswith("((") and inside.endswith("))"):
            number = evaluate(inside[2:-2], self.variables)
            if number is not None:
                return number, False
        name = _REFERENCE.fullmatch(inside)
        known = self.variables.get(name[1]) if name else None
        if known and not known.isspace() and (quoted or (len(known.split()) == 1 and not FILES.search(known))):
            return known, UNKNOWN in known and not quoted
        return UNKNOWN, not quoted or inside == "@" or inside.endswith(("@}", "@]}")) or "[@]" in inside

    def _closing(self, at: int, opens: str = "(", closes: str = ")") -> int:
        """Return the index after the bracket that closes the one before `at`."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise OpaqueError
        depth = 1
        while at < len(self.text) and depth:
            char = self.text[at]
            if char in "'\"`":
                at = self._quotation(at)
            else:
                depth += (char == opens) - (char == closes)
                at += 2 if char == "\\" else 1
        if depth:
            raise OpaqueError
        self.depth -= 1
        return at

    def _quotation(self, at: int) -> int:
        """Return the index after the quotation that starts at `at`."""
        mark = self.text[at]
        escapes = mark != "'" or self.text[at - 1 : at] == "$"  # '…' has none, $'…' of bash has
        at += 1
        while at < len(self.text) and self.text[at] != mark:
            if mark == '"' and self.text.startswith(("$(", "${"), at):
                at = self._closing(at + 2, *("()" if self.text[at + 1] == "(" else "{}"))
            else:
                at += 2 if escapes and self.text[at] == "\\" else 1
        if at >= len(self.text):
            raise OpaqueError
        return at + 1

    def _until(self, mark: str, start: int, needed: bool = False) -> int:
        index = self.text.find(mark, start)
        if index < 0 and needed:
            raise OpaqueError
        return len(self.text) if index < 0 else index

    def _pass_documents(self) -> None:
        """Skip the here-documents that the line before starts."""
        for mark, tabs in self.documents:
            while self.at < len(self.text):
                end = self._until(NEWLINE, self.at)
                line = self.text[self.at : end]
                self.at = end + 1
                if (line.lstrip("\t") if tabs else line) == mark:
                    break
        self.documents = []
        self.at = min(self.at, len(self.text))
