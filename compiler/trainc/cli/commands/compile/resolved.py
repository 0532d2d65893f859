"""`trainc compile --resolved`: whole job files, with the values that jobs get from elsewhere and where these are."""

from __future__ import annotations

import shlex

from trainc.cli.commands.compile import Options
from trainc.cli.compilation import compile_files
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.inherited_values import inherited_fields, inherited_options, job_sections
from trainc.cli.invocation import target_options
from trainc.cli.output import is_folder, write_text
from trainc.cli.parameters import InvalidParameter
from trainc.compiled import Compiled
from trainc.emit.jobfile import job_file
from trainc.source.node import plain
from trainc.target import Target
from trainc.well_known import API_VERSION, KIND

_OPTION = "--resolved"
_OF_MANIFESTS = ("check", "prune", "verify", "source_map", "comments", "format", "summary", "changed_since")


def print_resolved(options: Options, files: list[str], target: Target, output: str) -> int:
    """Write the jobs as documents of one file; return the exit code.

    Raises InvalidParameter for an option that concerns manifests, and OSError if the file can't be written.
    """
    for name in _OF_MANIFESTS:
        if getattr(options, name):
            message = f"conflicts with {_OPTION}, which writes no manifests"
            raise InvalidParameter(message, f"--{name.replace('_', '-')}")
    if is_folder(output):
        raise InvalidParameter(f"{_OPTION} requires a file", "--output")
    outcome = compile_files(files, options.values, target)
    if not options.messages.report(outcome, files, "; nothing was written"):
        return WRONG_INPUT
    write_text("---\n".join(_text(job) for job in outcome.jobs), output, files)
    return OK


def _text(job: Compiled) -> str:
    sections = {name: plain(node) for name, node in job_sections(job).items()}
    sections["spec"].pop("cluster", None)  # an entry of the project file, whose values are options
    document = {"apiVersion": API_VERSION, "kind": KIND, **sections}
    command = shlex.join(["trainc", "compile", "--no-config", *target_options(job.target), "FILE"])
    options = [f"{option}: from {place}" for option, place in inherited_options(job).items()]
    places = inherited_fields(job).items()
    comments = {path: [f"from {place}"] for path, place in places if path != ("spec", "cluster")}
    return f"# {command}\n{job_file(document, {(): options, **comments})}"
