"""Expected behavior of a job, from its manifests: sizes, and what follows a failure or the end."""

from __future__ import annotations

from trainc.launchers.registry import launcher_traits
from trainc.launchers.traits import Traits as LauncherTraits
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.plan.models import controller_traits, controls_workers
from trainc.plan.plan import Plan
from trainc.plan.world import Worker
from trainc.record import Record
from trainc.systems.traits import Traits
from trainc.well_known import GRACE_PERIOD


class Expectations(Record):
    """Expectations of one job.

    `controller` are the traits of the workers' system, None for bare Pods. `nodes` are the launcher's bounds, `pods` is
    the initial number; `grace` and `last_call` are in seconds. `retries` of a failed worker and `failure_rules`
    (podFailurePolicy) are a Job's.
    """

    plan: Plan
    controller: Traits | None
    pods: int
    nodes: tuple[int, int]
    restart_policy: str
    grace: int
    last_call: int
    worker_0_completes_job: bool
    scales_set_to_zero: bool
    retries: int | None
    failure_rules: tuple[Object, ...]

    @property
    def workers(self) -> tuple[Worker, ...]:
        """Workers of the largest world."""
        return self.plan.workers

    @property
    def first(self) -> Worker:
        """Worker 0."""
        return self.plan.workers[0]

    @property
    def launcher(self) -> LauncherTraits | None:
        """Traits of the launcher; None if the pods start none."""
        return launcher_traits(self.first.launch.launcher)

    @property
    def backend(self) -> str:
        """Rendezvous backend of an elastic launcher; empty for other launchers."""
        return self.first.launch.backend

    @property
    def has_operator(self) -> bool:
        """Return whether an operator creates the pods."""
        return self.controller is not None and bool(self.controller.operator)

    @property
    def ends(self) -> bool:
        """Return whether the job ends when its programs do."""
        return self.controller is None or self.controller.ends

    @property
    def is_elastic(self) -> bool:
        """Return whether the launcher accepts more than one number of pods."""
        return self.nodes[0] < self.nodes[1]

    @property
    def is_independent(self) -> bool:
        """Return whether no pod communicates with another one."""
        return len(self.workers) < 2 or self.first.launch.is_standalone or self.launcher is None

    @property
    def worker_0_hosts_rendezvous(self) -> bool:
        """Return whether the rendezvous is on worker 0, so that no worker survives its loss."""
        return not self.backend.startswith("etcd")

    def indexes(self, first: int = 0, last: int | None = None) -> list[int]:
        """Return the pod indexes of a slice of the workers."""
        return [worker.pod.index for worker in self.workers[first:last]]

    def world_size(self, pods: int) -> int | None:
        """Return the number of ranks of so many pods; None if it is unknown, 0 if the pods are too few."""
        count = min(pods, self.nodes[1])
        if count < self.nodes[0]:
            return 0
        if self.is_independent:
            count = min(count, 1)
        processes = [worker.launch.processes for worker in self.workers[:count]]
        return None if None in processes else sum(number or 0 for number in processes)


def expect(plan: Plan, objects: list[Object]) -> Expectations:
    """Return the expectations of manifests; `plan` is their plan and has workers."""
    first = plan.workers[0]
    owner, controller = next(filter(controls_workers, objects), {}), controller_traits(objects)
    pods = sum(not worker.pod.on_scale_up for worker in plan.workers)
    launcher = launcher_traits(first.launch.launcher)
    bounds = first.launch.nodes if launcher and launcher.is_elastic else None
    grace = number(first.pod.spec, "terminationGracePeriodSeconds")
    rules = items(owner, "spec", "successPolicy", "rules")
    return Expectations(
        plan=plan,
        controller=controller,
        pods=pods,
        nodes=bounds or (pods, pods),
        restart_policy=text(first.pod.spec, "restartPolicy") or "Always",
        grace=GRACE_PERIOD if grace is None else grace,
        last_call=first.launch.last_call,
        worker_0_completes_job=any(text(rule, "succeededIndexes") == "0" for rule in rules),
        scales_set_to_zero=first.launch.scales_to_zero,
        retries=_retries(owner, controller.default_backoff_limit) if controller else None,
        failure_rules=tuple(items(owner, "spec", "podFailurePolicy", "rules")),
    )


def _retries(resource: Object, default: int | None) -> int | None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy"""
    if default is None:
        return None
    spec = mapping(resource, "spec")
    per_index, total = number(spec, "backoffLimitPerIndex"), number(spec, "backoffLimit")
    return per_index if per_index is not None else default if total is None else total
