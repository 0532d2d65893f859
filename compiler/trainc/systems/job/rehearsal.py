"""A Job: one pod an index until it has succeeded, and all the ways in which it may fail.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator

from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.controller import Controller
from trainc.rehearse.downscale_container import ContainerSize
from trainc.rehearse.pod import Pod
from trainc.systems.job.model.pods import job_pod

# https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/job_controller.go
_FIRST_WAIT, _LONGEST_WAIT = 10.0, 600.0
_LIMIT = 6


class Job(Controller):
    """Its `spec` may be patched while it runs."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        self.spec = dict(mapping(manifest, "spec"))
        self.uid = str(uuid.uuid4())
        self.succeeded: set[int] = set()
        self.failed: set[int] = set()
        self.failures: Counter[int] = Counter()
        self.not_before: dict[int, float] = {}
        self.began: float | None = None
        self.indexed = text(self.spec, "completionMode") == "Indexed"

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

    @property
    def completions(self) -> int:
        """How many pods must succeed; of a Job that doesn't say, all that run at once."""
        most = number(self.spec, "completions")
        return self.parallelism if most is None else most

    @property
    def parallelism(self) -> int:
        """How many pods may run at once."""
        wide = number(self.spec, "parallelism")
        return 1 if wide is None else wide

    def scale(self, to: int) -> None:
        """`spec.parallelism`; of an Indexed Job `completions` too if they were equal, which makes it elastic."""
        equal = self.completions == self.parallelism
        self.spec["parallelism"] = to
        if equal and self.indexed:
            self.spec["completions"] = to

    def resume(self) -> None:
        """`spec.suspend: false`."""
        self.spec["suspend"] = False

    def reconcile(self) -> None:
        """Count what has ended, decide, and make what is missing."""
        if self.stopped or self.finished:
            return
        if at(self.spec, "suspend") is True:
            for pod in self.pods:
                self._take_away(pod)
            self.began = None
            return
        if self.began is None:
            self.began = self.cluster.now
        for pod in self.pods:
            if not pod.counted and self._has_ended(pod):
                pod.counted = True
                self._count(pod)
                if self.finished:
                    return
        if not self._ends():
            self._make()

    def _has_ended(self, pod: Pod) -> bool:
        """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-replacement-policy"""
        waits = mapping(self.spec, "podFailurePolicy") or text(self.spec, "podReplacementPolicy") == "Failed"
        return pod.is_finished or (pod.deleting and not waits)

    def _take_away(self, pod: Pod) -> None:
        """Not a failure."""
        if not pod.is_finished and not pod.counted:
            pod.counted = True
            self.delete(pod)

    def _count(self, pod: Pod) -> None:
        index = pod.definition.index
        if index >= self.completions:
            return  # scaled away
        if pod.phase == "Succeeded":
            self.succeeded.add(index)
            return
        action = self._action(pod)
        if action == "FailJob":
            self._fail("PodFailurePolicy", f"{pod.name} failed with exit code {pod.exit_code}")
            return
        if action == "Ignore":
            return
        self.failures[index] += 1
        times = self.failures[index] if self._limit_of_index is not None else sum(self.failures.values())
        wait = min(_FIRST_WAIT * 2 ** (times - 1), _LONGEST_WAIT) / self.cluster.settings.pace
        self.not_before[index] = self.cluster.now + wait
        if action == "FailIndex" or (self._limit_of_index is not None and self.failures[index] > self._limit_of_index):
            self.failed.add(index)

    @property
    def _limit_of_index(self) -> int | None:
        return number(self.spec, "backoffLimitPerIndex")

    def _action(self, pod: Pod) -> str:
        """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy"""
        for rule in items(self.spec, "podFailurePolicy", "rules"):
            codes = mapping(rule, "onExitCodes")
            if codes and any(_matches(codes, name, code) for name, code in _exits(pod)):
                return text(rule, "action")
            types = [text(one, "type") for one in items(rule, "onPodConditions")]
            if pod.disrupted and "DisruptionTarget" in types:
                return text(rule, "action")
        return "Count"

    def _ends(self) -> bool:
        for rule in items(self.spec, "successPolicy", "rules"):
            if self._satisfies(rule):
                self._end("complete", "SuccessPolicy")
                return True
        within = {index for index in self.succeeded if index < self.completions}
        if len(within) >= self.completions:
            self._end("complete", "CompletionsReached")
            return True
        restarts = sum(one.restarts for pod in self.pods if not pod.counted for one in pod.statuses)
        limit = number(self.spec, "backoffLimit")
        most = number(self.spec, "maxFailedIndexes")
        deadline = number(self.spec, "activeDeadlineSeconds")
        if deadline is not None and self.began is not None and self.cluster.now - self.began >= deadline:
            self._fail("DeadlineExceeded", f"it ran for {deadline} s")
        elif self._limit_of_index is not None and most is not None and len(self.failed) > most:
            self._fail("MaxFailedIndexesExceeded", f"{_indexes(self.failed)} failed")
        elif self._limit_of_index is not None and self.failed and len(within | self.failed) >= self.completions:
            self._fail("FailedIndexes", f"{_indexes(self.failed)} failed")
        elif self._limit_of_index is None or limit is not None:
            limit = _LIMIT if limit is None else limit
            if sum(self.failures.values()) + restarts > limit:
                self._fail("BackoffLimitExceeded", f"more than {limit} pods failed")
        return self.finished is not None

    def _satisfies(self, rule: Object) -> bool:
        """https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy"""
        wanted = set(_numbers(text(rule, "succeededIndexes"))) if "succeededIndexes" in rule else None
        there = self.succeeded if wanted is None else self.succeeded & wanted
        count = number(rule, "succeededCount")
        return len(there) >= (count if count is not None else len(wanted or ()) or 1)

    def _fail(self, reason: str, message: str) -> None:
        self._end("failed", reason, message)

    def _end(self, how: str, reason: str, message: str = "") -> None:
        self.finish("complete" if how == "complete" else "failed", reason, message)
        for pod in self.pods:
            if not pod.is_finished:
                self.delete(pod)

    def _make(self) -> None:
        active = {pod.definition.index: pod for pod in self.pods if not self._has_ended(pod)}
        more = len(active) - self.parallelism
        for place, index in enumerate(sorted(active, reverse=True)):
            if index >= self.completions or place < more:
                self._take_away(active[index])
        for index in range(self.completions):
            if len(active) >= self.parallelism:
                return
            if index in self.succeeded | self.failed | active.keys():
                continue
            if self.not_before.get(index, 0.0) > self.cluster.now:
                continue
            active[index] = self.create(job_pod({**self.manifest, "spec": self.spec}, index), self.uid)


def _exits(pod: Pod) -> Iterator[tuple[str, int]]:
    for one in pod.statuses:
        if one.exit_code:
            yield one.name, one.exit_code


def _matches(rule: Object, name: str, code: int) -> bool:
    if text(rule, "containerName") not in ("", name):
        return False
    return (code in listed(rule, "values")) == (text(rule, "operator") == "In")


def _numbers(given: str) -> Iterator[int]:
    """`0,2-4`"""
    for part in filter(None, given.split(",")):
        low, _, high = part.partition("-")
        yield from range(int(low), int(high or low) + 1)


def _indexes(given: set[int]) -> str:
    return ("index " if len(given) == 1 else "indexes ") + ", ".join(map(str, sorted(given)))


CONTROLLER = Job
