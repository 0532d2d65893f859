"""Judge objects by a policy: objects as they are in files, and objects that trainc emits for a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.compiled import Compiled, Input
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.emit.manifest import Manifest
from trainc.judge.objects import in_job_file
from trainc.policy import job_rules, pod_rules
from trainc.policy.policy import Policy, Violation, diagnostic, read_policy
from trainc.policy.workload import workloads
from trainc.project.project import Project
from trainc.project.projects import Projects
from trainc.source.node import Mapping
from trainc.spec.job import TrainingJob
from trainc.systems.shared.reader.documents import objects_of


def judge_jobs(projects: Projects, jobs: Iterable[Compiled]) -> Iterator[Diagnostic]:
    """Yield the violations of what is applied for each job, at the positions in its file; a job with an error has no
    objects."""
    for job in jobs:
        origin = job.job.origin
        policy = _policy(projects.of(origin.source.name)) if job.objects else None
        if policy is not None:
            yield from projects.with_job(_judge_emitted(policy, job.spec, job.manifests()), origin)


def judge_files(projects: Projects, inputs: Iterable[Input]) -> Iterator[Diagnostic]:
    """Yield the violations of all objects in files, as they are there. Files of one project are judged together."""
    documents: dict[int, list[Mapping]] = {}
    owners: dict[int, Project | None] = {}
    for item in inputs:
        owner = projects.of(item.source.name)
        owners[id(owner)] = owner
        documents.setdefault(id(owner), []).extend(objects_of(item.documents))
    for key, objects in documents.items():
        policy = _policy(owners[key])
        if policy is not None:
            yield from (diagnostic(each, policy, is_manifest=True) for each in _violations(policy, objects))


def _policy(project: Project | None) -> Policy | None:
    section = project.section("policy") if project is not None else None
    return None if section is None else read_policy(section)


def _judge_emitted(policy: Policy, spec: TrainingJob, manifests: list[Manifest]) -> Iterator[Diagnostic]:
    """Yield the violations of a job's objects.

    Objects that differ only in their number have the same violations: one of each is reported.
    """
    violations = [*_violations(policy, [each.tree for each in manifests])]
    unique = {(each.code.id, each.message, each.path): each for each in reversed(violations)}
    yield from (in_job_file(diagnostic(each, policy), spec) for each in unique.values())


def _violations(policy: Policy, documents: list[Mapping]) -> Iterator[Violation]:
    for document in documents:
        yield from pod_rules.violations(policy, document)
    for workload in workloads(documents):
        yield from job_rules.violations(policy, workload)
