"""What a job's manifests promise of its run: sizes, and what follows a failure or the end."""

from __future__ import annotations

from typing import Literal

from trainc.plan.fields import Object, items, mapping, number, text
from trainc.plan.operators import operator
from trainc.plan.plan import Plan
from trainc.plan.world import Worker
from trainc.record import Record

# https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
_GRACE = 30
# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py,
# RendezvousTimeout
_LAST_CALL = 30


class Expectations(Record):
    """Of one job. `nodes` are the launcher's bounds, `pods` those at first; seconds for `grace` and `last_call`."""

    plan: Plan
    kind: Literal["Job", "StatefulSet", "Pods", "operator"]
    pods: int
    nodes: tuple[int, int]
    restart_policy: str
    grace: int
    last_call: int
    leader_ends_it: bool
    stops_set: bool
    again: int | None
    rules: tuple[Object, ...]

    @property
    def members(self) -> tuple[Worker, ...]:
        """The workers of the largest world."""
        return self.plan.workers

    @property
    def first(self) -> Worker:
        """Worker 0."""
        return self.plan.workers[0]

    @property
    def launcher(self) -> str:
        """torchrun, deepspeed, basic or none."""
        return self.first.launch.launcher

    @property
    def backend(self) -> str:
        """torchrun's rendezvous; empty for other launchers."""
        return self.first.launch.backend

    @property
    def elastic(self) -> bool:
        """Whether the launcher takes several numbers of pods."""
        return self.nodes[0] < self.nodes[1]

    @property
    def alone(self) -> bool:
        """Whether no pod meets another."""
        return len(self.members) < 2 or self.first.launch.is_standalone or self.launcher == "none"

    @property
    def hosted(self) -> bool:
        """Whether worker 0 is where all meet, so that nobody goes on without it."""
        return not self.backend.startswith("etcd")

    def world(self, pods: int) -> int | None:
        """The ranks of so many pods together; None where nobody knows, 0 where they are too few."""
        there = min(pods, self.nodes[1])
        if there < self.nodes[0]:
            return 0
        if self.alone:
            there = min(there, 1)
        counts = [one.launch.processes for one in self.members[:there]]
        return None if None in counts else sum(count or 0 for count in counts)


def expect(plan: Plan, objects: list[Object]) -> Expectations:
    """What the manifests promise; `plan` is theirs, and has members."""
    first = plan.workers[0]
    thing = next((one for one in objects if text(one, "kind") in ("Job", "StatefulSet") or operator(one)), {})
    kind: Literal["Job", "StatefulSet", "Pods", "operator"] = "Pods"
    if text(thing, "kind") == "Job":
        kind = "Job"
    elif thing:
        kind = "StatefulSet" if text(thing, "kind") == "StatefulSet" else "operator"
    now = sum(not one.pod.on_scale_up for one in plan.workers)
    bounds = first.launch.nodes if first.launch.launcher == "torchrun" else None
    grace = number(first.pod.spec, "terminationGracePeriodSeconds")
    policy = text(first.pod.spec, "restartPolicy") or "Always"
    rules = items(thing, "spec", "successPolicy", "rules")
    return Expectations(
        plan=plan,
        kind=kind,
        pods=now,
        nodes=bounds or (now, now),
        restart_policy=policy,
        grace=_GRACE if grace is None else grace,
        last_call=_last_call(first),
        leader_ends_it=any(text(one, "succeededIndexes") == "0" for one in rules),
        stops_set=first.launch.scales_to_zero,
        again=_again(thing) if kind == "Job" else None,
        rules=tuple(items(thing, "spec", "podFailurePolicy", "rules")),
    )


def _again(job: Object) -> int:
    """How often a failed worker of a Job is tried again: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""
    spec = mapping(job, "spec")
    each, total = number(spec, "backoffLimitPerIndex"), number(spec, "backoffLimit")
    return each if each is not None else 6 if total is None else total


def _last_call(first: Worker) -> int:
    pairs = [part.split("=", 1) for part in (first.container.value("PET_RDZV_CONF") or "").split(",") if "=" in part]
    given = dict(pairs).get("last_call_timeout", "")
    return int(given) if given.isdecimal() else _LAST_CALL
