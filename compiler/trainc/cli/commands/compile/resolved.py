"""`trainc compile --resolved`: whole job files, with the values that jobs get from elsewhere and where these are."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from trainc.cli.compilation import Values, compile_files
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.invocation import target_options
from trainc.cli.messages import Messages
from trainc.cli.output import is_folder, write_text
from trainc.cli.parameters import InvalidParameter
from trainc.driver import Compiled
from trainc.emit.jobfile import job_file
from trainc.schema.paths import Path
from trainc.source.node import Mapping, Node, plain
from trainc.span import Source, Span
from trainc.spec.job import TrainingJob
from trainc.target import Target
from trainc.well_known import API_VERSION, KIND

_OPTION = "--resolved"


def print_resolved(
    files: list[str], values: Values, target: Target, output: str, messages: Messages, options: dict[str, object]
) -> int:
    """Write the jobs as documents of one file; return the exit code.

    Raises InvalidParameter if one of `options`, which concern manifests, is set, and OSError if the file can't be
    written.
    """
    _check_options(output, options)
    outcome = compile_files(files, values, target)
    if not messages.report(outcome, files, "; nothing was written"):
        return WRONG_INPUT
    write_text("---\n".join(map(_text, outcome.jobs)), output, files)
    return OK


def _check_options(output: str, options: dict[str, object]) -> None:
    for option, value in options.items():
        if value:
            raise InvalidParameter(f"conflicts with {_OPTION}, which writes no manifests", option)
    if is_folder(output):
        raise InvalidParameter(f"{_OPTION} requires a file", "--output")


def _text(job: Compiled) -> str:
    spec = job.spec
    sections: dict[str, Node] = {"metadata": spec.metadata.node, "spec": spec.paused_spec or spec.node}
    document = {"apiVersion": API_VERSION, "kind": KIND, **{name: plain(node) for name, node in sections.items()}}
    command = shlex.join(["trainc", "compile", "--no-config", *target_options(job.target), "FILE"])
    comments = {path: [f"from {place}"] for path, place in _places(sections, _source(spec))}
    return job_file(document, {(): [command], **comments})


def _source(spec: TrainingJob) -> Source:
    """Return the job file: that of the name, which no project file has."""
    return spec.metadata.where("name").source


def _places(sections: dict[str, Node], own: Source) -> Iterator[tuple[Path, str]]:
    for name, node in sections.items():
        yield from _inside(node, (name,), own)


def _inside(node: Node, path: Path, own: Source) -> Iterator[tuple[Path, str]]:
    """Yield the outermost fields that are not in the job file, with their places."""
    for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
        where = entry.key.span
        if where.source is not own and where.source.name != own.name:
            yield (*path, name), _place(where)
        else:
            yield from _inside(entry.value, (*path, name), own)


def _place(where: Span) -> str:
    """Return the position of a field; the name of an option has its value, which may be secret."""
    source = where.source
    return f"{source.name}:{where.line}" if source.is_file else source.name.partition(" ")[0]
