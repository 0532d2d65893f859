"""The compiler on one page: sources → specs → IR → checks → objects → manifests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from trainc.checks.registry import run_checks
from trainc.checks.rule import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, in_order
from trainc.emit.manifest import Manifest
from trainc.emit.render import Planned, render
from trainc.frontend import Input, read_sources
from trainc.ir.job import Job
from trainc.lower.job import lower
from trainc.record import Record
from trainc.schema.raw_values import needs_judgement
from trainc.span import Source
from trainc.spec.job import TrainingJob
from trainc.systems.registry import backend, is_template
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.diagnostics.variant import Variant
    from trainc.duplicate_jobs import Owners
    from trainc.ir.server import InputObjects
    from trainc.project.projects import Projects
    from trainc.source.change import Change
    from trainc.systems.shared.reader.documents import ForeignJob


_MOUNTED = ("ConfigMap", "Secret", "PersistentVolumeClaim")


class Compiled(Record):
    """Job and its objects, in the order in which they are written, and other objects of its file around them.

    `spec` and `target` are what was compiled, `used` the objects of the input that its pods use, also of other jobs.
    """

    spec: TrainingJob
    target: Target
    job: Job
    objects: list[Planned]
    above: list[Manifest] = []
    below: list[Manifest] = []
    used: list[Manifest] = []

    @property
    def name(self) -> str:
        """Name of the job."""
        return self.job.name

    @property
    def namespace(self) -> str | None:
        """Namespace of all objects of the job."""
        return self.job.namespace

    def manifests(self) -> list[Manifest]:
        """Return all objects; those of the job are rendered once."""
        return [*self.above, *self._manifests, *self.below]

    def planned_manifests(self) -> list[Manifest]:
        """Return the job's objects and those of its file that its pods use, but no other workloads."""
        own, manifests = set(map(id, self._manifests)), self.manifests()
        known = {(each.kind, each.name) for each in manifests}
        used = [each for each in self.used if (each.kind, each.name) not in known]
        return [
            *used,
            *(each for each in manifests if id(each) in own or each.kind in _MOUNTED or is_template(each.kind)),
        ]

    def with_manifests(self, above: list[Manifest], own: list[Manifest], below: list[Manifest]) -> Compiled:
        """Return the job with other texts of its manifests."""
        job = self.replace(above=above, below=below)
        vars(job)["_manifests"] = own
        return job

    @cached_property
    def _manifests(self) -> list[Manifest]:
        return list(render(self.objects))


class Outcome(Record):
    """Jobs and diagnostics of all inputs; no jobs if a diagnostic is an error. `skipped` are files without a job."""

    jobs: list[Compiled]
    diagnostics: list[Diagnostic]
    skipped: list[str] = []

    @property
    def ok(self) -> bool:
        """Return whether no diagnostic is an error."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)

    def without_other_objects(self) -> Outcome:
        """Return the outcome without the other objects of the files."""
        return self.replace(jobs=[job.replace(above=[], below=[]) for job in self.jobs])


def run(sources: Iterable[Source], target: Target, overrides: Iterable[Change] = ()) -> Outcome:
    """Compile every job of every source. Never raises for an invalid job: its diagnostics are in the outcome."""
    return compile_inputs(read_sources(sources, overrides), target)


def compile_inputs(inputs: list[Input], target: Target, in_own_system: bool = False) -> Outcome:
    """Lower and check every job, and plan its objects; `in_own_system` checks launch commands as they run now."""
    foreign = {id(job.spec): job for item in inputs for job in item.foreign}
    targets = [(item.target_of(job.spec, target), job) for item in inputs for job in item.foreign]
    elsewhere = {id(d) for own, job in targets if job.system.name == own.backend for d in job.elsewhere}
    diagnostics = [each for item in inputs for each in item.diagnostics if id(each) not in elsewhere]
    specs = [(spec, item.target_of(spec, target), foreign.get(id(spec))) for item in inputs for spec in item.specs]
    if foreign:
        from trainc.foreign.api_version import replaced_versions

        diagnostics += replaced_versions(targets)
    typed: dict[int, Target] = {}
    if in_own_system and any(item.script for item in inputs):
        from trainc.foreign.own_system import command_target

        scripts = {id(spec) for item in inputs if item.script for spec in item.specs}
        typed = {id(spec): command_target(spec, own) for spec, own, _ in specs if id(spec) in scripts}
        specs = [(spec, typed.get(id(spec), own), job) for spec, own, job in specs]
    objects = [each for item in inputs for _, each in item.objects]
    companions: InputObjects | None = None
    if objects:
        from trainc.systems.shared.reader.etcd_server import input_objects

        companions = input_objects(objects)
    variants, projects = _variants(inputs), _projects(inputs)
    jobs, problems = _compile_all(specs, variants, companions=companions, typed=typed, projects=projects)
    if objects:
        from trainc.passthrough import check_objects, duplicate_objects, place_objects, used_objects

        owners = {planned.key: job.job.origin for job in jobs for planned in job.objects}
        problems += [*check_objects(inputs, target, [job.job for job in jobs]), *duplicate_objects(inputs, owners)]
        places = place_objects(inputs)
        jobs = [
            job.replace(above=above, below=below, used=used)
            for job, (above, below), used in zip(jobs, places, used_objects(inputs), strict=True)
        ]
    problems += _project_errors(inputs, jobs, target, are_manifests=False)
    return _outcome(inputs, jobs, [*diagnostics, *problems], in_own_system, projects)


def check_inputs(inputs: list[Input], target: Target) -> Outcome:
    """Check every job in its own system: another system's job as it is there, trainc's jobs for the target."""
    if not any(item.foreign for item in inputs):
        outcome = compile_inputs(inputs, target, in_own_system=True)
        if not any(diagnostic.code is codes.NOT_A_TRAINING_JOB for diagnostic in outcome.diagnostics):
            return outcome
    from trainc.foreign.own_system import own_diagnostics, own_jobs
    from trainc.foreign.worlds import planned_worlds, world_diagnostics
    from trainc.judge.api_server import without_repeats

    specs = [job for item in inputs for job in own_jobs(item, target)]
    projects = _projects(inputs)
    jobs, problems = _compile_all(specs, _variants(inputs), in_own_system=True, projects=projects)
    worlds = planned_worlds(inputs)
    diagnostics = without_repeats([*own_diagnostics(inputs, worlds, target), *problems])
    own = [job for job, (_, _, foreign) in zip(jobs, specs, strict=True) if foreign is None]
    diagnostics += _project_errors(inputs, own, target, are_manifests=True)
    all_diagnostics = [*diagnostics, *world_diagnostics(worlds, diagnostics)]
    return _outcome(inputs, jobs, all_diagnostics, in_own_system=True, projects=projects)


Specs = list[tuple[TrainingJob, Target, "ForeignJob | None"]]


def _variants(inputs: list[Input]) -> dict[int, Variant]:
    """Return the variants of jobs that a matrix makes, by the ids of their specs."""
    return {key: variant for item in inputs if item.variants for key, variant in item.variants.items()}


def _compile_all(
    specs: Specs,
    variants: dict[int, Variant],
    in_own_system: bool = False,
    companions: InputObjects | None = None,
    typed: Collection[int] = (),
    projects: Projects | None = None,
) -> tuple[list[Compiled], list[Diagnostic]]:
    """Compile every spec, which may be another system's job, for its target."""
    jobs: list[Compiled] = []
    diagnostics: list[Diagnostic] = []
    owners: Owners = {}
    for spec, target, foreign in specs:
        is_as_run = id(spec) in typed or (in_own_system and foreign is not None)
        packages = () if projects is None else projects.check_packages(spec.node.span.source.name)
        compiled, problems = _compile(spec, target, foreign, is_as_run, companions, packages)
        jobs.append(compiled)
        if projects is not None:
            problems = projects.with_job(problems, compiled.job.origin)
        if len(specs) > 1:
            from trainc.duplicate_jobs import duplicates

            is_manifest = foreign is not None and foreign.is_own
            problems = [*problems, *duplicates(compiled, is_manifest, owners, in_own_system)]
        if variants and id(spec) in variants:
            problems = [each.replace(variant=variants[id(spec)]) for each in problems]
        diagnostics += problems
    if variants:
        from trainc.sweep.limit import limit_diagnostics

        diagnostics = limit_diagnostics(diagnostics, jobs, variants)
    return jobs, diagnostics


def _outcome(
    inputs: list[Input],
    jobs: list[Compiled],
    diagnostics: list[Diagnostic],
    in_own_system: bool,
    projects: Projects | None,
) -> Outcome:
    """Return the jobs, none after an error, and the diagnostics that no comment suppresses."""
    sources = [item.source for item in inputs]
    if any(item.script for item in inputs):
        from trainc.foreign.commands import in_terms_of_commands

        diagnostics = in_terms_of_commands(diagnostics, inputs, in_own_system)
    if any(item.variants for item in inputs) or any(each.variant for each in diagnostics):
        from trainc.diagnostics.variant import merge_variants

        diagnostics = merge_variants(diagnostics)
    sources += inputs[0].values if inputs else []
    commented = [*sources, *(projects.sources if projects is not None else ())]
    if any("trainc:" in source.text for source in commented):  # in every comment that suppresses diagnostics
        from trainc.diagnostics.silence import without_ignored

        if projects is not None:
            projects.record_ignores(diagnostics)
        diagnostics = list(without_ignored(diagnostics, commented))
    if projects is not None:
        diagnostics = projects.without_ignored(diagnostics)
    if diagnostics:  # their excerpts go to logs
        from trainc.secrets.excerpts import redact_excerpts

        for source in sources:
            redact_excerpts(source)
        if projects is not None:
            projects.redact()
    outcome = Outcome(jobs=jobs, diagnostics=in_order(diagnostics))
    return outcome if outcome.ok else outcome.replace(jobs=[])


def _project_errors(inputs: list[Input], jobs: list[Compiled], target: Target, are_manifests: bool) -> list[Diagnostic]:
    """Return the errors of jobs by their project files; a job without one may name a cluster, too."""
    projects = _projects(inputs)
    if projects is None and not any("cluster" in spec.node.entries for item in inputs for spec in item.specs):
        return []
    from trainc.project_errors import project_errors

    return project_errors(projects, inputs, jobs, target, are_manifests)


def _projects(inputs: list[Input]) -> Projects | None:
    """Return the project files of the inputs, which were read together."""
    return next((item.projects for item in inputs if item.projects is not None), None)


def manifests(spec: TrainingJob, target: Target) -> list[Manifest]:
    """Return the manifests of a job, also of one that the checks reject."""
    return list(render(backend(target.backend).objects(lower(spec, target), target)))


def check(spec: TrainingJob, target: Target) -> list[Diagnostic]:
    """Return the diagnostics of a job that has no file."""
    return _compile(spec, target)[1]


def _compile(
    spec: TrainingJob,
    target: Target,
    foreign: ForeignJob | None = None,
    in_own_system: bool = False,
    companions: InputObjects | None = None,
    packages: tuple[str, ...] = (),
) -> tuple[Compiled, list[Diagnostic]]:
    companions = foreign.companions if foreign else companions
    context = rule_context(spec, target, foreign, in_own_system, companions)
    if packages:
        context = context.replace(packages=packages)
    diagnostics = list(run_checks(context))
    if any(diagnostic.advice for diagnostic in diagnostics):
        from trainc.checks.possible_backends import Errors, error_keys, with_possible_backends

        def errors_on(name: str) -> Errors:
            if foreign is not None and name == foreign.system.name:
                return frozenset()  # the job is there already: its errors there are not the back end's
            other = rule_context(spec, target.replace(backend=name), foreign, in_own_system, companions)
            return error_keys(list(run_checks(other)))

        diagnostics = with_possible_backends(diagnostics, errors_on)
    if foreign is not None and diagnostics:
        from trainc.foreign.field_names import in_terms_of_file

        diagnostics = in_terms_of_file(diagnostics, foreign, in_own_system)
    broken = any(diagnostic.severity == "error" for diagnostic in diagnostics)
    objects = [] if broken else list(context.backend.objects(context.job, target))
    compiled = Compiled(spec=spec, target=target, job=context.job, objects=objects)
    if objects and not in_own_system and needs_judgement(spec.node):
        from trainc.judge.emitted import few, rejections

        sample = few(objects, context.backend.traits.kind)
        manifests = compiled.manifests() if len(sample) == len(objects) else list(render(sample))
        diagnostics = [*diagnostics, *rejections(spec, target, manifests, diagnostics)]
    return compiled, diagnostics


def rule_context(
    spec: TrainingJob,
    target: Target,
    foreign: ForeignJob | None = None,
    in_own_system: bool = False,
    companions: InputObjects | None = None,
) -> RuleContext:
    """Return what the rules see of a job, which may be another system's, on a target.

    `companions` are other objects of the input.
    """
    config_maps = companions.config_maps if companions else {}
    job, hosts = lower(spec, target, config_maps), foreign.hosts if foreign is not None and in_own_system else None
    return RuleContext(
        spec=spec,
        job=job if hosts is None else job.replace(hosts=hosts),
        backend=backend(target.backend),
        target=target,
        lower=lower,
        file_system=foreign.system if foreign else None,
        in_own_system=in_own_system,
        is_own=foreign is not None and foreign.is_own,
        has_own_hosts=hosts is not None,
        largest_job=foreign.largest_job if foreign is not None and in_own_system else None,
        servers=companions.servers if companions else (),
        config_maps=config_maps,
    )
