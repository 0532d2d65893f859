"""Options and files of a command, made ready for the driver."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.load import decode
from trainc.span import STDIN, Source, Span
from trainc.systems.registry import DEFAULT
from trainc.target import Target, WrongTarget
from trainc.target import target as named

if TYPE_CHECKING:
    from trainc.source.overrides import Override


def target(options: dict[str, str | None]) -> Target:
    """The target that the options name. Ends with a usage error when they name none that can be."""
    try:
        return named(
            options["--backend"] or DEFAULT,
            options["--kubernetes-version"],
            options["--namespace"],
            options["--cluster-domain"],
        )
    except WrongTarget as problem:
        raise typer.BadParameter(str(problem), param_hint=problem.option) from None


def overrides(given: list[str]) -> list[Override]:
    """The parsed --set options; raises Rejected for the first that is none."""
    if not given:
        return []
    from trainc.source.overrides import Override

    return [Override(text) for text in given]


def names(files: list[str]) -> list[str]:
    """The files as diagnostics name them, each once."""
    return [STDIN if name == "-" else name for name in dict.fromkeys(files)]


def sources(files: list[str]) -> tuple[list[Source], list[Diagnostic]]:
    """The files' texts, and what could not be read. A file that is named twice is read once."""
    read, unread = [], []
    for name in dict.fromkeys(files):
        try:
            if name == "-":
                if sys.stdin is None:
                    raise OSError("standard input is closed")
                read.append(decode(STDIN, sys.stdin.buffer.read()))
            else:
                with open(name, "rb") as file:
                    read.append(decode(name, file.read()))
        except OSError as problem:
            start = Span(Source(name, ""), 1, 1, 1, 2)
            message = f"can't read the file: {(problem.strerror or str(problem)).lower()}"
            unread.append(error(codes.UNREADABLE_FILE, message, start))
        except Rejected as rejected:
            unread += rejected.diagnostics
    return read, unread
