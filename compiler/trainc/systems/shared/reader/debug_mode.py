"""Mode debug in trainc's own output: pods that wait, and an annotation with the command that starts the program."""

from __future__ import annotations

import re
import shlex
from typing import Any

from trainc.lower.mode import WAIT
from trainc.source.node import Mapping, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.own_command import is_idle
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child
from trainc.well_known import DEBUG

# A quoted word, a quoted quote, and a variable for the shell: see `lower_debug_command`.
_QUOTED = re.compile(r"""('[^']*'|"'")|"\$(\w+)\"""")


def debug_note(document: Mapping) -> Text | None:
    """Return the annotation of an object; None without one."""
    note = child(document, "metadata", "annotations", DEBUG)
    return Text(scalar_text(note), note.span.first) if note is not None else None


def read_debug_mode(
    report: TranslationReport, where: str, command: list[Text], args: list[Text], wrapper: tuple[str, ...] = ()
) -> tuple[list[Text], list[Text], Any]:
    """Return command and arguments that train, and the field `mode`; `where` names the pods that have the command.

    `wrapper` is what precedes every command that isn't a launcher's.
    """
    words = [*command, *args]
    waits = words[len(wrapper) :] if tuple(words[: len(wrapper)]) == wrapper else words
    if report.is_own and is_idle(waits):
        return waits, [], "debug"
    training = _training_command(report.debug_note, where)
    if training:
        return training, [], "debug" if tuple(waits) == WAIT else {"debug": {"command": waits}}
    return command, args, None


def report_unread(report: TranslationReport) -> None:
    """Report the annotation of a job without the mode: what its pods do while they wait is read as the program."""
    if report.debug_note is not None and report.job is not None and child(report.job, "spec", "mode") is None:
        help_ = "set `mode`, `launch` and `run` by hand"
        path, where = f"metadata.annotations['{DEBUG}']", report.debug_note.span
        report.add_dropped(path, where, "trainc can't read the program of `mode: debug` from it", help=help_)


def _training_command(note: Text | None, where: str) -> list[Text]:
    """Return the words of the command for these pods, as their container would have them; else none."""
    place, _, text = (note or "").partition(": ")
    if note is None or place.partition(",")[0] != where:
        return []
    try:
        return [Text(word, note.span.first) for word in shlex.split(_QUOTED.sub(_as_argument, text))]
    except ValueError:
        return []


def _as_argument(match: re.Match[str]) -> str:
    """Return a quoted word as Kubernetes reads it, which expands `$(NAME)` and reads `$$` as `$`."""
    literal, variable = match.groups()
    return f"$({variable})" if variable else re.sub(r"\$(?=[$(])", "$$", literal)
