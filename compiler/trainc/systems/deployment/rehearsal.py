"""Controller of a Deployment, such as etcd's, whose pods serve the workers."""

from __future__ import annotations

from trainc.plan.pods import create_pods
from trainc.rehearse.controllers import Controller


class Deployment(Controller):
    """Replaces pods that are deleted or finished."""

    runs_workers = False

    def reconcile(self) -> None:
        if self.stopped:
            return
        running = [pod for pod in self.pods if not pod.gone and not pod.deleting and not pod.is_finished]
        for definition in list(create_pods([self.manifest]))[len(running) :]:
            self.create(definition)


CONTROLLER = Deployment
