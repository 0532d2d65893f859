"""Controllers of a rehearsal's objects: their common base, the generic one of operators, and each object's own."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Literal, Self

from trainc.diagnostics.finding import Finding
from trainc.plan.expand import fill_placeholders
from trainc.plan.fields import Object, number, text
from trainc.plan.models import is_suspended, operator
from trainc.plan.pods import Pod as PodDefinition
from trainc.plan.pods import create_pods
from trainc.plan.sample import EVERY_POD
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.pod import Pod
from trainc.systems.registry import of_kind
from trainc.systems.shared.lifecycle import Effect, PodFailure, Reaction, Retries

# Alphabet of Kubernetes' random suffixes: https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/
# apimachinery/pkg/util/rand/rand.go
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class Controller:
    """Creates and replaces the pods of one object. A system's `rehearsal` module names its class as CONTROLLER."""

    runs_workers = True  # and not a server for the workers
    is_owned = False  # by an object whose controller reports the end

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        self.manifest, self.objects, self.cluster = manifest, objects, cluster
        self.finished: Literal["complete", "failed"] | None = None
        self.reason = self.message = ""
        self.pods: list[Pod] = []
        self.stopped = False
        self.start_time: float | None = None

    @classmethod
    def controllers(cls, manifests: Sequence[Object], objects: list[Object], cluster: Cluster) -> list[Self]:
        """Return a controller for each of the manifests of its kind."""
        return [cls(manifest, objects, cluster) for manifest in manifests]

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the sizes in a spec of its kind."""

    @staticmethod
    def restart_limit(manifest: Object) -> Retries | None:
        """Return the limit of container restarts; None by default."""
        return None

    @classmethod
    def first_failure(cls, manifest: Object, restart_policy: str, failure: PodFailure) -> Effect | None:
        """Return what follows the first failure of a worker's container; None if it is not predicted.

        By default only container restarts are: what the controller does about a failed pod is observed.
        """
        if restart_policy == "Never":
            return None
        limit = cls.restart_limit(manifest)
        return "job fails" if limit and limit.fatal == 1 else "restarted"

    @property
    def name(self) -> str:
        """Name of the object."""
        return text(self.manifest, "metadata", "name")

    def reconcile(self) -> None:
        """Create missing pods and delete surplus ones. Called under the cluster's lock after every change."""
        raise NotImplementedError  # the class of each system defines it

    def scale(self, to: int) -> None:
        """Change the number of pods."""

    def resume(self) -> None:
        """Start if the object is suspended."""

    def stop(self) -> None:
        """Delete the object and its pods."""
        self.stopped = True
        for pod in self.pods:
            self.delete(pod)

    def create(self, definition: PodDefinition, uid: str = "") -> Pod:
        """Create a pod; `uid` is the object's."""
        values = {"random": "".join(secrets.choice(_LETTERS) for _ in range(5)), f"uid of {definition.owner}": uid}
        labels, annotations = (
            {key: fill_placeholders(str(value), values) for key, value in texts.items()}
            for texts in (definition.labels, definition.annotations)
        )
        pod = self.cluster.create(
            definition.replace(
                name=fill_placeholders(definition.name, values),
                hostname=fill_placeholders(definition.hostname, values),
                labels=labels,
                annotations=annotations,
            ),
            server=not self.runs_workers,
        )
        self.pods.append(pod)
        return pod

    def delete(self, pod: Pod) -> None:
        """Delete a pod with its own grace period."""
        if not pod.gone:
            self.cluster.delete(pod, None)

    def finish(self, how: Literal["complete", "failed"], reason: str = "", message: str = "") -> None:
        """Record and report how the object has ended."""
        self.finished, self.reason, self.message = how, reason, message
        if not self.is_owned:
            self.cluster.report(f"job-{how}", text=message or reason, reason=reason, name=self.name)

    def fail_if_overdue(self, policy: Object) -> bool:
        """Finish an object that has run for the activeDeadlineSeconds of its policy; return whether it has."""
        deadline = number(policy, "activeDeadlineSeconds")
        if deadline is None or self.start_time is None or self.cluster.now - self.start_time < deadline:
            return False
        self.finish("failed", "DeadlineExceeded", f"it ran for {deadline} s")
        return True


class OperatorController(Controller):
    """Recreates deleted pods and completes when all have succeeded, which suits operators whose rules aren't known."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        model = operator(manifest)
        output = model.operator_output(manifest, objects, EVERY_POD) if model else None
        self.errors: Sequence[Finding] = output.faults if output else ()
        self.suspended = is_suspended(manifest)
        self.definitions = list(create_pods(list(output.objects))) if output else []
        self.size = sum(not definition.on_scale_up for definition in self.definitions)

    def reconcile(self) -> None:
        """Evaluate finished pods first, then create missing ones, as operators do."""
        if self.stopped or self.finished or self.suspended:
            return
        if self.errors:
            self.finish("failed", "Invalid", "; ".join(each.message for each in self.errors))
            return
        self.start_time = self.cluster.now if self.start_time is None else self.start_time
        existing = {pod.name: pod for pod in self.pods if not pod.gone}
        desired = {definition.name: definition for definition in self.desired()}
        self.evaluate([existing[name] for name in desired if name in existing])
        if self.finished:
            self.clean_up(list(existing.values()))
            return
        for name, pod in existing.items():
            if name not in desired:
                self.delete(pod)
        for name, definition in desired.items():
            if name not in existing:
                self.create(definition)

    def desired(self) -> list[PodDefinition]:
        """Return the pods of the current size."""
        return self.definitions[: self.size]

    def reaction(self, pod: Pod) -> Reaction:
        """Return what follows when a pod has failed: by default the job fails."""
        return Reaction(effect="job fails")

    def handle_failures(self, pods: list[Pod]) -> None:
        """Finish the job if containers restart too often, or a pod has failed that is not replaced."""
        restarts = sum(status.restarts for pod in pods if not pod.is_finished for status in pod.statuses)
        limit = self.restart_limit(self.manifest)
        if limit and restarts >= limit.fatal:
            self.finish("failed", "BackoffLimitExceeded", f"{restarts} restarts, of {limit.limit} at most")
        for pod in pods:
            if pod.phase != "Failed" or pod.deleting or self.finished:
                continue
            effect = self.reaction(pod).effect
            if effect == "replaced":
                self.delete(pod)
            elif effect == "job fails":
                self.finish("failed", "PodFailed", f"{pod.name} failed with exit code {pod.exit_code or 0}")

    def evaluate(self, pods: list[Pod]) -> None:
        """Finish the job if its pods have decided it."""
        self.handle_failures(pods)
        if not self.finished and len(pods) == len(self.desired()) and all(pod.phase == "Succeeded" for pod in pods):
            self.finish("complete", "Succeeded")

    def clean_up(self, pods: list[Pod]) -> None:
        """Delete pods of a finished job; by default none."""

    def scale(self, to: int) -> None:
        """Set the number of pods, at most that of the largest world."""
        self.size = min(to, len(self.definitions))

    def resume(self) -> None:
        self.suspended = False


def controller_class(manifest: Object) -> type[Controller] | None:
    """Return the controller of a kind; None for objects that don't run pods."""
    system = of_kind(text(manifest, "kind"), text(manifest, "apiVersion"))
    if system is None or "model" not in system.parts:
        return None
    return system.part("rehearsal").CONTROLLER if "rehearsal" in system.parts else OperatorController


def controllers(objects: list[Object], cluster: Cluster) -> list[Controller]:
    """Return the controllers of all objects that run pods."""
    manifests: dict[type[Controller], list[Object]] = {}
    for manifest in objects:
        controller = controller_class(manifest)
        if controller is not None:
            manifests.setdefault(controller, []).append(manifest)
    return [each for cls, of_class in manifests.items() for each in cls.controllers(of_class, objects, cluster)]
