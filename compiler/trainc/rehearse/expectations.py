"""Expected behavior of a job, from its manifests: sizes, and what follows a failure or the end."""

from __future__ import annotations

from trainc.launchers.registry import WITH_PROBES, launcher_traits
from trainc.plan.fields import Object, items, number, text
from trainc.plan.models import controller_traits, controls_workers
from trainc.plan.plan import Plan
from trainc.rehearse.controllers import Controller, controller_class
from trainc.systems.shared.lifecycle import Effect, PodFailure
from trainc.well_known import GRACE_PERIOD


class Expectations:
    """Expectations of one job, from its manifests and their plan, which has workers. Times are in seconds."""

    def __init__(self, plan: Plan, objects: list[Object]) -> None:
        self.plan, self.workers, self.first = plan, plan.workers, plan.workers[0]
        launch, pod = self.first.launch, self.first.pod.spec
        self.launcher = launcher_traits(launch.launcher)  # None if the pods start none
        self.controller = controller_traits(objects)  # of the system that runs the workers; None for bare Pods
        self.has_launcher_pod = self.controller is not None and self.controller.has_launcher_pod
        # Whether worker 0 starts the processes of all, and the others run sshd, which no failure ends.
        self.has_ssh_workers = launch.uses_ssh and not self.has_launcher_pod
        self.has_operator = self.controller is not None and bool(self.controller.operator)
        self.pods = sum(not worker.pod.on_scale_up for worker in self.workers)  # initially
        bounds = launch.nodes if self.launcher and self.launcher.is_elastic else None
        self.nodes = bounds or (self.pods, self.pods)
        self.is_elastic = self.nodes[0] < self.nodes[1]
        self.is_independent = len(self.workers) < 2 or launch.is_standalone or self.launcher is None
        self.backend = launch.backend  # of an elastic launcher's rendezvous; empty for other launchers
        self.worker_0_hosts_rendezvous = not self.backend.startswith("etcd")  # so that no worker survives its loss
        self.last_call = launch.last_call
        self.restart_policy = text(pod, "restartPolicy") or "Always"
        grace = number(pod, "terminationGracePeriodSeconds")
        self.grace = GRACE_PERIOD if grace is None else grace
        self.owner: Object = next(filter(controls_workers, objects), {})
        self.ends = self.controller is None or self.controller.ends  # when its programs do
        success_rules = items(self.owner, "spec", "successPolicy", "rules")
        self.worker_0_completes_job = any(text(rule, "succeededIndexes") == "0" for rule in success_rules)
        self.scales_set_to_zero = launch.scales_to_zero

    def first_failure(self, failure: PodFailure) -> Effect | None:
        """Return what follows the first failure of a worker's container; None if it is not predicted."""
        if self.controller is None and self.restart_policy == "Never":
            return "stays"
        controller = controller_class(self.owner) or Controller
        return controller.first_failure(self.owner, self.restart_policy, failure)

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
        # The probe has one rank on each worker of a cluster whose processes the program starts.
        own = 1 if self.launcher and self.launcher.name in WITH_PROBES else None
        processes = [worker.launch.processes or own for worker in self.workers[:count]]
        return None if None in processes else sum(number or 0 for number in processes)
