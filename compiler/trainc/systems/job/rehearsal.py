"""Controller of a Job: a pod per index until it has succeeded, and all the ways in which a Job fails.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from trainc.plan.fields import Object, at, count, items, mapping, number, text
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import Controller
from trainc.rehearse.pod import Pod
from trainc.systems.job import lifecycle
from trainc.systems.job.model import job_pod
from trainc.systems.shared.lifecycle import Effect, PodFailure


class Job(Controller):
    """Controller with a copy of the `spec`, which can be patched while it runs."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        self.spec = dict(mapping(manifest, "spec"))
        self.uid = str(uuid.uuid4())
        self.succeeded: set[int] = set()
        self.failed: set[int] = set()
        self.failures: Counter[int] = Counter()
        self.not_before: dict[int, float] = {}

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit `parallelism`, `completions` and the indexes of the success policy."""
        size.limit_fields(spec, "parallelism", "completions")
        policy = mapping(spec, "successPolicy")
        rules = [dict(rule) for rule in items(policy, "rules")]
        for rule in rules:
            low, dash, high = text(rule, "succeededIndexes").partition("-")
            if dash and high.isdecimal():
                rule["succeededIndexes"] = f"{low}-{size.limit(int(high) + 1) - 1}"
        if rules:
            spec["successPolicy"] = {**policy, "rules": rules}

    @classmethod
    def first_failure(cls, manifest: Object, restart_policy: str, failure: PodFailure) -> Effect:
        """Return what the Job's policies decide."""
        return lifecycle.first_failure(manifest, failure)

    @property
    def job(self) -> Object:
        """Job with the current spec."""
        return {**self.manifest, "spec": self.spec}

    @property
    def completions(self) -> int:
        """Number of pods that must succeed; by default the parallelism."""
        completions = number(self.spec, "completions")
        return self.parallelism if completions is None else completions

    @property
    def parallelism(self) -> int:
        """Number of pods that may run at once."""
        return count(self.spec, "parallelism")

    def scale(self, to: int) -> None:
        """Set `parallelism`, and `completions` of an elastic Indexed Job, whose two numbers are equal."""
        equal = self.completions == self.parallelism
        self.spec["parallelism"] = to
        if equal and text(self.spec, "completionMode") == "Indexed":
            self.spec["completions"] = to

    def resume(self) -> None:
        """Set `suspend: false`."""
        self.spec["suspend"] = False

    def reconcile(self) -> None:
        """Evaluate finished pods, check for completion, then create missing pods."""
        if self.stopped or self.finished:
            return
        if at(self.spec, "suspend") is True:
            for pod in self.pods:
                self._remove(pod)
            self.start_time = None
            return
        if self.start_time is None:
            self.start_time = self.cluster.now
        for pod in self.pods:
            if not pod.counted and self._is_over(pod):
                pod.counted = True
                self._evaluate(pod)
                if self.finished:
                    return
        if not self._check_completion():
            self._create_pods()

    def _is_over(self, pod: Pod) -> bool:
        """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-replacement-policy"""
        has_failure_policy = bool(mapping(self.spec, "podFailurePolicy"))
        replaces_deleting = not has_failure_policy and text(self.spec, "podReplacementPolicy") != "Failed"
        return pod.is_finished or (pod.deleting and replaces_deleting)

    def _remove(self, pod: Pod) -> None:
        """Delete a pod that doesn't count as failed."""
        if not pod.is_finished and not pod.counted:
            pod.counted = True
            self.delete(pod)

    def _evaluate(self, pod: Pod) -> None:
        index = pod.definition.index
        if index >= self.completions:
            return  # its index was scaled away
        if pod.phase == "Succeeded":
            self.succeeded.add(index)
            return
        reaction, retries = lifecycle.reaction(self.job, pod.failure), lifecycle.retries(self.job)
        if reaction.effect == "job fails":
            self.finish("failed", "PodFailurePolicy", f"{pod.name} failed with exit code {pod.exit_code}")
        if reaction.effect == "job fails" or not reaction.counts:
            return
        self.failures[index] += 1
        failures = self.failures[index] if retries.per_worker else sum(self.failures.values())
        self.not_before[index] = self.cluster.now + lifecycle.backoff(failures) / self.cluster.settings.pace
        if reaction.effect == "worker fails" or (retries.per_worker and failures >= retries.fatal):
            self.failed.add(index)

    def _check_completion(self) -> bool:
        for rule in items(self.spec, "successPolicy", "rules"):
            if self._satisfies(rule):
                self.finish("complete", "SuccessPolicy")
                return True
        succeeded = {index for index in self.succeeded if index < self.completions}
        if len(succeeded) >= self.completions:
            self.finish("complete", "CompletionsReached")
            return True
        restarts = sum(status.restarts for pod in self.pods if not pod.counted for status in pod.statuses)
        per_worker, max_failed = lifecycle.retries(self.job).per_worker, number(self.spec, "maxFailedIndexes")
        if self.fail_if_overdue(self.spec):
            return True
        if per_worker and max_failed is not None and len(self.failed) > max_failed:
            self.finish("failed", "MaxFailedIndexesExceeded", f"{_format_indexes(self.failed)} failed")
        elif per_worker and self.failed and len(succeeded | self.failed) >= self.completions:
            self.finish("failed", "FailedIndexes", f"{_format_indexes(self.failed)} failed")
        elif exceeded := lifecycle.exceeded_limit(self.job, sum(self.failures.values()), restarts):
            self.finish("failed", "BackoffLimitExceeded", f"its limit is {exceeded.limit} {exceeded.counted}")
        return self.finished is not None

    def _satisfies(self, rule: Object) -> bool:
        """https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy"""
        indexes = set(_parse_indexes(text(rule, "succeededIndexes"))) if "succeededIndexes" in rule else None
        succeeded = self.succeeded if indexes is None else self.succeeded & indexes
        least = number(rule, "succeededCount")
        return len(succeeded) >= (least if least is not None else len(indexes or ()) or 1)

    def finish(self, how: Literal["complete", "failed"], reason: str = "", message: str = "") -> None:
        """Record how the Job has ended, and delete the pods that still run."""
        super().finish(how, reason, message)
        for pod in self.pods:
            if not pod.is_finished:
                self.delete(pod)

    def _create_pods(self) -> None:
        active = {pod.definition.index: pod for pod in self.pods if not self._is_over(pod)}
        surplus = len(active) - self.parallelism
        for position, index in enumerate(sorted(active, reverse=True)):
            if index >= self.completions or position < surplus:
                self._remove(active[index])
        for index in range(self.completions):
            if len(active) >= self.parallelism:
                return
            is_due = self.not_before.get(index, 0.0) <= self.cluster.now
            if is_due and index not in self.succeeded | self.failed | active.keys():
                active[index] = self.create(job_pod(self.job, index), self.uid)


def _parse_indexes(ranges: str) -> Iterator[int]:
    """Yield the indexes of ranges such as `0,2-4`."""
    for part in filter(None, ranges.split(",")):
        low, _, high = part.partition("-")
        yield from range(int(low), int(high or low) + 1)


def _format_indexes(indexes: set[int]) -> str:
    return ("index " if len(indexes) == 1 else "indexes ") + ", ".join(map(str, sorted(indexes)))


CONTROLLER = Job
