"""Translated jobs without trainc's defaults, and their diagnostics for a target and in terms of a launch command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.compiled import Input
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, note
from trainc.foreign.field_names import in_terms_of, names_of
from trainc.foreign.own_system import OF_TRANSLATION
from trainc.schema.fields import paths
from trainc.source.node import Node, scalar_text
from trainc.spec.document import read
from trainc.spec.job import TrainingJob
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.systems.shared.reader.simplify import simplify
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

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


if TYPE_CHECKING:
    from trainc.source.node import Change


def without_defaults(inputs: list[Input]) -> list[Input]:
    """Return the inputs with the jobs of trainc's own manifests as short as a user writes them.

    A manifest states all defaults of its system, of which another system rejects some.
    """
    return [_without_defaults(item) if any(job.own_objects for job in item.foreign) else item for item in inputs]


def _without_defaults(item: Input) -> Input:
    foreign = [_simplified(job, item.overrides) for job in item.foreign]
    pairs = list(zip(item.foreign, foreign, strict=True))
    jobs = {id(old.translation): new.translation for old, new in pairs if new.translation is not None}
    specs = {id(old.spec): new.spec for old, new in pairs if new.spec is not None}
    return item.replace(
        jobs=[jobs.get(id(each), each) for each in item.jobs],
        specs=[specs.get(id(each), each) for each in item.specs],
        foreign=foreign,
    )


def _simplified(job: ForeignJob, overrides: list[Change]) -> ForeignJob:
    """Return a job without defaults, with the overrides applied; as it is if it is invalid or not trainc's."""
    if not job.own_objects or job.translation is None or job.spec is None:
        return job
    target = Target().for_resource(job.system.traits, scalar_text(job.document.get("apiVersion")))
    changed: Node = simplify(job.translation, job.own_objects, target)
    short = job.replace(translation=changed, own_objects=[])
    try:
        for override in overrides:
            changed = override.apply(changed)
    except Rejected:  # of a field that only a default has
        return job
    spec = read(changed)
    return short.replace(job=changed, spec=spec) if isinstance(spec, TrainingJob) else job
