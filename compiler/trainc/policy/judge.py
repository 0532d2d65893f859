"""Judge objects by a policy: objects as they are in files, and objects that trainc emits for a job."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.emit.manifest import Manifest
from trainc.judge.emitted import job_document
from trainc.judge.origins import Origins
from trainc.policy import job_rules, pod_rules
from trainc.policy.policy import Policy
from trainc.policy.violation import Violation, diagnostic
from trainc.policy.workload import workloads
from trainc.source.node import Mapping
from trainc.spec.job import TrainingJob


def judge(policy: Policy, documents: list[Mapping]) -> Iterator[Diagnostic]:
    """Yield the violations of objects, at the positions of their values."""
    yield from (diagnostic(each, policy) for each in _violations(policy, documents))


def judge_emitted(policy: Policy, spec: TrainingJob, manifests: list[Manifest]) -> Iterator[Diagnostic]:
    """Yield the violations of the objects that trainc emits for a job, at the positions in the job's file."""
    trees = [each.tree for each in manifests]
    if next(_violations(policy, trees), None) is not None:
        origins = Origins(job_document(spec), spec.metadata.where("name"))
        own = spec.node.span.source
        traced = [each if each.span.source is own else origins.trace(each) for each in trees]
        yield from judge(policy, traced)


def _violations(policy: Policy, documents: list[Mapping]) -> Iterator[Violation]:
    for document in documents:
        yield from pod_rules.violations(policy, document)
    for workload in workloads(documents):
        yield from job_rules.violations(policy, workload)
