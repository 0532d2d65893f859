"""Command lines of trainc's own pods: of launchers that it starts without their own command, and of mode debug.

In mode debug the pods wait, and an annotation has the command that starts the program.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

from trainc.launchers.registry import OWN_COMMANDS, part
from trainc.lower.mode import WAIT
from trainc.source.node import Mapping, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child
from trainc.well_known import DEBUG

# A quoted word, a quoted quote, and a variable for the shell: see `lower_debug_command`.
_QUOTED = re.compile(r"""('[^']*'|"'")|"\$(\w+)\"""")


def read_own_command(words: list[Text]) -> tuple[str, dict[str, Any], str, list[Text]] | None:
    """Parse a command line that trainc writes: launcher, its fields, kind and words of the program; None for others."""
    for name in OWN_COMMANDS:
        own = part(name, "own_command").read_own_command(words)
        if own is not None:
            return name, *own
    return None


def is_idle(words: list[Text]) -> bool:
    """Return whether a command line of trainc only waits, in mode debug, for a program that is started by hand."""
    modules = (part(name, "own_command") for name in OWN_COMMANDS)
    return any(module.is_idle(words) for module in modules if hasattr(module, "is_idle"))


def debug_annotation(document: Mapping) -> Text | None:
    """Return the annotation with the command that starts the program; None without one."""
    note = child(document, "metadata", "annotations", DEBUG)
    return Text(scalar_text(note), note.span.first) if note is not None else None


def read_debug_mode(
    report: TranslationReport, where: str, command: list[Text], args: list[Text], wrapper: tuple[str, ...] = ()
) -> tuple[list[Text], list[Text], Any]:
    """Return command and arguments of the program, and the field `mode`, which is None if the pods don't wait.

    `where` are the words for these pods in the annotation. `wrapper` are the arguments that the back end puts before
    every command except those of launchers.
    """
    words = [*command, *args]
    waiting = words[len(wrapper) :] if tuple(words[: len(wrapper)]) == wrapper else words
    if report.is_own and is_idle(waiting):
        return waiting, [], "debug"
    program = _training_command(report.debug_annotation, where)
    if program:
        return program, [], "debug" if tuple(waiting) == WAIT else {"debug": {"command": waiting}}
    return command, args, None


def report_unread_annotation(report: TranslationReport) -> None:
    """Report an annotation that can't be read: the job then has the command that waits as its program."""
    if report.debug_annotation is not None and report.job is not None and child(report.job, "spec", "mode") is None:
        help_ = "set `mode`, `launch` and `run` by hand"
        path, where = f"metadata.annotations['{DEBUG}']", report.debug_annotation.span
        report.add_dropped(path, where, "trainc can't read the program of `mode: debug` from it", help=help_)


def _training_command(note: Text | None, where: str) -> list[Text]:
    """Return the command for these pods in an annotation, in the syntax of a container's command; empty without one."""
    place, _, text = (note or "").partition(": ")
    if note is None or place.partition(",")[0] != where:
        return []
    try:
        return [Text(word, note.span.first) for word in shlex.split(_QUOTED.sub(_as_argument, text))]
    except ValueError:
        return []


def _as_argument(match: re.Match[str]) -> str:
    """Return a quoted word in the syntax of a container's command, where `$(NAME)` is a variable and `$$` is `$`."""
    literal, variable = match.groups()
    return f"$({variable})" if variable else re.sub(r"\$(?=[$(])", "$$", literal)
