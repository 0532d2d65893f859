"""Controller of an operator's custom resource, whose pods are recreated under their names."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object
from trainc.plan.models import operator
from trainc.plan.pods import Pod as PodDefinition
from trainc.plan.pods import create_pods
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.controller import Controller
from trainc.rehearse.pod import Pod


class OperatorController(Controller):
    """Recreates deleted pods and completes when all have succeeded, which suits operators whose rules aren't known."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        model = operator(manifest)
        output = model.operator_output(manifest, objects) if model else None
        self.errors: Sequence[str] = output.errors if output else ()
        self.suspended = bool(output and output.suspended)
        self.definitions = list(create_pods(list(output.objects))) if output else []
        self.size = sum(not definition.on_scale_up for definition in self.definitions)
        self.start_time: float | None = None

    def reconcile(self) -> None:
        """Evaluate finished pods first, then create missing ones, as operators do."""
        if self.stopped or self.finished or self.suspended:
            return
        if self.errors:
            self.finish("failed", "Invalid", "; ".join(self.errors))
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

    def evaluate(self, pods: list[Pod]) -> None:
        """Finish the job if its pods have decided it."""
        failed = [pod.name for pod in pods if pod.phase == "Failed" and not pod.deleting]
        if failed:
            self.finish("failed", "PodFailed", f"{failed[0]} failed")
        elif len(pods) == len(self.desired()) and all(pod.phase == "Succeeded" for pod in pods):
            self.finish("complete", "Succeeded")

    def clean_up(self, pods: list[Pod]) -> None:
        """Delete pods of a finished job; by default none."""

    def scale(self, to: int) -> None:
        """Set the number of pods, at most that of the largest world."""
        self.size = min(to, len(self.definitions))

    def resume(self) -> None:
        """Set `suspend: false`."""
        self.suspended = False
