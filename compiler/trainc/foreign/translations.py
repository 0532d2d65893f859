"""Diagnostics of translated jobs: those that depend on the target, and all in the terms of a launch command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.compiled import Input
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note
from trainc.foreign.field_names import in_terms_of, names_of
from trainc.foreign.own_manifests import without_defaults
from trainc.foreign.own_system import OF_TRANSLATION
from trainc.schema.fields import paths
from trainc.source.node import scalar_text
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.target import Target

# Findings about a job, not its command: the shell has variables that the job lacks, and creates no objects.
_OF_JOB = (*OF_TRANSLATION, codes.UNDEFINED_REFERENCE, codes.DUPLICATE_OBJECT)


def adapt_to_target(
    target: Target, inputs: list[Input], diagnostics: list[Diagnostic]
) -> tuple[list[Input], list[Diagnostic]]:
    """Return inputs and their diagnostics for a compilation to a target.

    The inputs have no defaults of trainc's own manifests. The diagnostics include notes about replaced API versions.
    For a job whose system is the target, they exclude those about a translation to another system.
    """
    inputs = without_defaults(inputs)
    jobs = [(item.target_of(job.spec, target), job) for item in inputs for job in item.foreign]
    elsewhere = {id(each) for own, job in jobs if job.system.name == own.backend for each in job.report.elsewhere}
    return inputs, [*(each for each in diagnostics if id(each) not in elsewhere), *_replaced_versions(jobs)]


def _replaced_versions(jobs: Iterable[tuple[Target, ForeignJob]]) -> Iterator[Diagnostic]:
    """Yield a note for each job whose own back end, its target, writes another API version than the job's."""
    for target, job in jobs:
        value, system = job.document.get("apiVersion"), target.system
        version = scalar_text(value)
        if (
            value is not None
            and job.system.name == system.name
            and version in system.versions
            and version != target.controller_version
        ):
            message = f"the manifest has `{target.controller_version}`, not `{version}`"
            help_ = f"compile with `--target {system.version_name}={version}`"
            yield note(codes.IMPORT_CHANGED_FIELD, message, value.span, help=help_)


def in_terms_of_commands(diagnostics: list[Diagnostic], inputs: list[Input], in_own_system: bool) -> list[Diagnostic]:
    """Return diagnostics with the options of the commands in place of fields, and what a job must say in addition.

    A check of the command as it runs now reports its own faults instead, and no differences to its job.
    """
    scripts = {item.source.name: item.script for item in inputs if item.script}
    reworded = []
    for diagnostic in diagnostics:
        script = scripts.get(diagnostic.span.source.name)
        if script is None or diagnostic.code is codes.NO_LAUNCH_COMMAND:
            reworded.append(diagnostic)
        elif not (in_own_system and diagnostic.code in _OF_JOB):
            # No edit of a job file fits a command.
            reworded.append(in_terms_of(diagnostic, names_of(_names(script.names))).replace(remedy=None))
    for script in scripts.values():
        reworded += script.faults if in_own_system else script.unspecified
    return reworded


def _names(options: dict[str, str]) -> dict[str, str]:
    """Return the names of all fields: options, and the fields themselves, which `--set` sets, of one launcher."""
    launchers = {".".join(path.split(".")[:2]) for path in options if path.startswith("launch.")}
    fields = (path.removeprefix("spec.").replace("[]", "") for path in paths())
    own = {
        path: path
        for path in fields
        if path.partition(".")[0] != "launch" or ".".join(path.split(".")[:2]) in launchers
    }
    return {**own, **options}
