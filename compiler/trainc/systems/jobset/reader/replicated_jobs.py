"""Replicated jobs that run the same program become the workers of one job."""

from __future__ import annotations

from itertools import product

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.plan.sample import MAX_PODS
from trainc.record import Record
from trainc.source.node import Mapping, Scalar, plain, scalar_text
from trainc.span import Span
from trainc.systems.jobset.facts import GROUP
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.replicas import launcher_nodes
from trainc.systems.shared.reader.role_differences import report_differences
from trainc.systems.shared.reader.tpu import requests_tpus
from trainc.systems.shared.reader.training import trains

# Fields of a Job that are read for each, or that the controller overwrites.
OWN_FIELDS = ("template", "completions", "parallelism", "suspend")


class Workers(Record):
    """Workers of a JobSet: all names, and the Job's spec and the pod template of the first replicated job.

    `jobs` is the number of Jobs, `total` that of pods, at the position `where`, `largest` that of the largest Job's
    pods, `hosts` the host names without the JobSet's name.
    """

    names: tuple[str, ...]
    job: ForeignMapping
    pods: ForeignMapping
    jobs: int
    total: int
    largest: int
    where: Span
    hosts: tuple[str, ...] = ()
    template: ForeignMapping | None = None  # the Job with its metadata

    @property
    def name(self) -> str:
        """Name of the first replicated job."""
        return self.names[0]

    @property
    def count(self) -> Scalar:
        """Number of pods."""
        return Scalar(self.total, str(self.total), self.where)


def merge_jobs(spec: ForeignMapping) -> Workers | None:
    """Return the workers; None without a replicated job, or if an error was reported."""
    first: Workers | None = None
    replicated_jobs = spec.sections("replicatedJobs")
    # Those that start a launcher or have the variables of a world come first.
    for replicated in sorted(replicated_jobs, key=lambda each: not trains(_template(each), completes=False)):
        other = _workers(replicated)
        if other is None:
            return None
        if first is None:
            first = other
            continue
        known = len(spec.report.diagnostics)
        report_differences(first.pods, other.pods, (f"`{first.name}`", f"`{other.name}`"))
        if any(each.code is codes.ROLE_PROGRAMS_DIFFER for each in spec.report.diagnostics[known:]):
            continue  # its pods are no workers
        _report_other_fields(first, other.job)
        first = first.replace(
            names=first.names + other.names,
            jobs=first.jobs + other.jobs,
            total=first.total + other.total,
            largest=max(first.largest, other.largest),
            hosts=first.hosts + other.hosts,
        )
    if first is not None and first.total < 1:
        spec.report.add_error("the job has no pods", first.where)
        return None
    if first is not None and first.jobs > 1 and not requests_tpus(first.pods.node):  # whose slices are Jobs
        message = f"the pods of {first.jobs} Jobs become the workers of one job: {first.total}"
        spec.report.add_change(message, spec.where("replicatedJobs"), elsewhere=True)
    return first


def _workers(replicated: ForeignMapping) -> Workers | None:
    """Return the workers of one replicated job; None with an error without a pod template."""
    name, replicas = str(replicated.string("name") or ""), replicated.integer("replicas")
    template = replicated.section("template")
    job = template.section("spec") if template is not None else None
    pods = job.section("template") if job is not None else None
    if template is None or job is None or pods is None:
        replicated.report.add_error(f"`{replicated.path}` has no pod template", replicated.node.span.first)
        return None
    if replicated.string("groupName") in (None, GROUP):
        replicated.ignore("groupName")
    jobs, size = 1 if replicas is None else replicas, _size(job)
    numbers = product(range(jobs), range(size)) if jobs * size < MAX_PODS else ()
    return Workers(
        names=(name,),
        template=template,
        job=job,
        pods=pods,
        jobs=jobs,
        total=jobs * size,
        largest=size,
        where=job.position("completions" if "completions" in job else "parallelism"),
        hosts=tuple(f"{name}-{index}-{pod}" for index, pod in numbers),
    )


def _template(replicated: ForeignMapping) -> Mapping:
    template = replicated.node.get("template")
    return template if isinstance(template, Mapping) else replicated.node


def _report_other_fields(first: Workers, job: ForeignMapping) -> None:
    """Report where a Job, without its pods, differs from the first, whose fields hold for all workers."""
    job.ignore_all()
    mine, other = ({field: plain(value) for field, value in each.node.items()} for each in (first.job, job))
    for field in dict.fromkeys([*mine, *other]):
        if field in OWN_FIELDS or mine.get(field) == other.get(field):
            continue
        if other.get(field) is not None:
            job.drop(field, f"all workers have what `{first.name}` has")
        else:
            message = f"`{field}` is set for `{first.name}` only; all workers get it"
            job.report.add_change(message, first.job.where(field))


def _size(job: ForeignMapping) -> int:
    """Return the number of pods of a Job."""
    completions, parallelism = job.integer("completions"), job.integer("parallelism")
    at_once = 1 if parallelism is None else parallelism
    if completions is None:
        return at_once
    if at_once < completions:
        message = f"all {completions} workers run at once; the Job runs {at_once} at a time"
        job.report.add_change(message, _parallelism(job))
    return completions


def report_waves(workers: Workers, main: TranslatedPod) -> None:
    """Report workers that wait for others of their Job, which starts these only after the first have ended."""
    job = workers.job
    completions, parallelism = (parse_count(scalar_text(job.node.get(name))) for name in ("completions", "parallelism"))
    at_once, nodes = 1 if parallelism is None else parallelism, launcher_nodes(main)
    if completions is None or at_once >= completions or workers.template is None:
        return
    if nodes.fewest > at_once if nodes is not None else trains(workers.template.node, completes=False):
        message = f"the Job runs {at_once} of its {completions} pods at a time: they never train together"
        help_ = f"set `parallelism: {completions}`"
        job.report.faults.append(error(codes.NO_COMMON_WORLD, message, _parallelism(job), help=help_))


def _parallelism(job: ForeignMapping) -> Span:
    return job.where("parallelism" if "parallelism" in job else "completions")
