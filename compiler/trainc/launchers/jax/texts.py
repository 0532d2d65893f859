"""Texts of a job's program that the input has: scripts on the command line, local files, and ConfigMaps."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import RuleContext
from trainc.checks.shared.program_command import program_command
from trainc.record import Record
from trainc.source.node import mappings, scalar_text
from trainc.span import Span
from trainc.spec.section import inside


class ProgramText(Record):
    """Text at a position; a local file has a name, and the position of the field that names it."""

    text: str
    where: Span
    file: str = ""


def program_texts(context: RuleContext) -> Iterator[ProgramText]:
    """Yield the arguments that may be scripts, and the Python files that the training container mounts."""
    for word in program_command(context).argv:
        if word.known and word.span is not None and "(" in word.text:
            yield ProgramText(text=word.text, where=word.span)
    for files in context.job.file_maps:
        for name, content in files.contents.items():
            if name.endswith(".py"):
                yield ProgramText(text=content.decode(errors="replace"), where=files.origin, file=name)
    volumes = mappings(context.pod.spec.get("volumes"))
    mounted = {scalar_text(inside(volume, "configMap").get("name")) for volume in volumes}
    for name, texts in context.config_maps.items():
        for key, text in texts.items() if name in mounted else ():
            if key.endswith(".py"):
                yield ProgramText(text=text, where=text.span)
