"""Arguments of the training program with their names: `--output_dir=a`, `--output-dir a`, `trainer.output_dir=a`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from trainc.checks.rule import RuleContext
from trainc.checks.shared.program_command import known_variables, program_command
from trainc.commandline.shell import commands, shell_script
from trainc.commandline.word import Word
from trainc.record import Record

_NAME = re.compile(r"-{0,2}\+{0,2}([A-Za-z_][\w.-]*)", re.ASCII)


class Argument(Record):
    """Argument: the last part of its name in snake case, its text as written, the value, and where the program starts.

    `folder` is the working directory: None for the image's, empty if it is unknown.
    """

    name: str
    text: str
    value: Word
    where: Word
    folder: str | None


def program_arguments(context: RuleContext) -> Iterator[Argument]:
    """Yield the arguments that have a value, also of the commands of a script that certainly run."""
    argv, folder = program_command(context).argv, context.spec.working_dir
    script = shell_script(argv)
    if script is None:
        yield from _named(argv, folder)
        return
    for command in commands(script.text, script.span, known_variables(context)) if script.known else ():
        if command.words[0].text in ("cd", "pushd"):
            folder = _after_cd(command.words[1:], folder)
        yield from _named(command.words, folder)


def _named(words: Sequence[Word], folder: str | None) -> Iterator[Argument]:
    for word, after in pairwise((*words, Word(text="-"))):
        flag, equals, value = word.text.partition("=")
        match = _NAME.fullmatch(flag)
        if match is None:
            continue
        name = match[1].rpartition(".")[2].replace("-", "_").lower()
        if equals:
            yield Argument(name=name, text=word.text, value=word.replace(text=value), where=word, folder=folder)
        elif flag.startswith("-") and not after.text.startswith("-"):
            yield Argument(name=name, text=f"{flag} {after.text}", value=after, where=after, folder=folder)


def _after_cd(words: Sequence[Word], folder: str | None) -> str | None:
    """Return the working directory after `cd`."""
    if len(words) != 1 or not words[0].known or words[0].text.startswith(("-", "~")):
        return ""
    path = words[0].text
    return path if path.startswith("/") else "" if folder == "" else f"{folder}/{path}" if folder else None
