"""Judge objects by a policy: objects as they are in files, and objects that trainc emits for a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.emit.manifest import Manifest
from trainc.frontend import Input
from trainc.judge.emitted import job_document
from trainc.judge.origins import Origins
from trainc.policy import job_rules, pod_rules
from trainc.policy.policy import Policy
from trainc.policy.violation import Violation, diagnostic
from trainc.policy.workload import workloads
from trainc.source.node import Mapping
from trainc.spec.job import TrainingJob
from trainc.systems.shared.reader.documents import objects_of
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.driver import Compiled


def judge_files(policy: Policy, inputs: Iterable[Input]) -> Iterator[Diagnostic]:
    """Yield the violations of all objects in files, as they are there."""
    documents = [each for item in inputs for each in objects_of(item.documents)]
    yield from (diagnostic(each, policy, is_manifest=True) for each in _violations(policy, documents))


def judge_jobs(policy: Policy, jobs: Iterable[Compiled]) -> Iterator[Diagnostic]:
    """Yield the violations of what is applied for each job, at the positions in its file; a job with an error has no
    objects."""
    for job in jobs:
        if job.objects:
            yield from _judge_emitted(policy, job.spec, job.manifests())


def _judge_emitted(policy: Policy, spec: TrainingJob, manifests: list[Manifest]) -> Iterator[Diagnostic]:
    """Yield the violations of a job's objects.

    Objects that differ only in their number have the same violations: one of each is reported.
    """
    trees = [each.tree for each in manifests]
    unique = {(each.code.id, each.message, each.path): each for each in reversed([*_violations(policy, trees)])}
    if unique:
        origins = Origins(job_document(spec), spec.metadata.where("name"))
        trees = [tree for tree in trees if any(each.document is tree for each in unique.values())]
        traced = {id(tree): origins.trace(tree) for tree in trees}
        yield from (diagnostic(each.replace(document=traced[id(each.document)]), policy) for each in unique.values())


def _violations(policy: Policy, documents: list[Mapping]) -> Iterator[Violation]:
    for document in documents:
        yield from pod_rules.violations(policy, document)
    for workload in workloads(documents):
        yield from job_rules.violations(policy, workload)
