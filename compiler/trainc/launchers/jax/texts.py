"""Texts of a job's program that the input has: scripts on the command line, local files, and ConfigMaps."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import RuleContext
from trainc.checks.shared.program_command import program_command
from trainc.record import Record
from trainc.source.node import Mapping, Scalar, mappings, scalar_text
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
    for config_map in context.config_maps:
        if scalar_text(inside(config_map, "metadata").get("name")) in mounted:
            data = config_map.get("data")
            for name, entry in data.entries.items() if isinstance(data, Mapping) else ():
                if name.endswith(".py") and isinstance(entry.value, Scalar):
                    yield ProgramText(text=entry.value.text, where=entry.value.span)
