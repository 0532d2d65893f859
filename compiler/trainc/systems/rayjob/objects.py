"""Back end: a RayJob of KubeRay, whose head is worker 0 and runs the program.

https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import shell_text
from trainc.ir.job import Job, LauncherCommand
from trainc.systems.rayjob import facts
from trainc.systems.rayjob.fields import CLUSTER, ENTRYPOINT, FIELDS, GROUPS, HEAD
from trainc.systems.rayjob.parameters import labels, parameters
from trainc.systems.rayjob.traits import TRAITS
from trainc.systems.shared.fields import written
from trainc.systems.shared.objects.base import Backend
from trainc.systems.shared.objects.labels import queue_labels
from trainc.target import Target
from trainc.typenames import Any


class RayJob(Backend):
    """KubeRay starts Ray in all pods, and submits the program to the head over HTTP, without a pod for it.

    A submitter's pod (K8sJobMode) would pass the program through two more shells, and takes resources; the cluster is
    deleted with the job, since it would otherwise keep its GPUs.
    """

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        command, count = job.launcher_command, job.replicas.initial
        head, workers = self._group(job, command, is_head=True), self._group(job, command, is_head=False)
        pods_at = ("spec", CLUSTER, HEAD, "template"), ("spec", CLUSTER, GROUPS, 0, "template")
        yield self.workers(
            job,
            *pods_at[: 1 if count == 1 else 2],
            more=({} if job.paused else queue_labels(job), {}),
            spec=_job_fields(job, command),
            head=head,
            replicas=count - 1,
            group=facts.GROUP,
            workers=[workers["pod"]] if count > 1 else [],
            worker_params=workers["params"],
            worker_labels=workers["labels"],
        )

    def _group(self, job: Job, command: LauncherCommand | None, is_head: bool) -> dict[str, Any]:
        """Return the parameters, labels and pod of worker 0 or of the others, without a command."""
        flags = (*command.flags, *(command.head_flags if is_head else command.worker_flags)) if command else ()
        params = parameters(flags)
        token = None if job.account else False  # only Ray's autoscaler needs it
        policy = job.failure.restart_policy or "Never"
        pod = self.pod(job, restartPolicy=policy, automountServiceAccountToken=token)
        if facts.NAME_LABEL not in job.labels:  # KubeRay's own, by which the Service of the RayJob selects the head
            del pod["labels"][facts.NAME_LABEL]
        main = {name: value for name, value in pod["spec"]["containers"][0].items() if name not in ("command", "args")}
        if is_head:
            port = params.get("port", "")
            main["ports"] = [
                {"name": facts.GCS_PORT_NAME, "containerPort": int(port) if port.isdecimal() else facts.GCS_PORT},
                {"name": facts.DASHBOARD_PORT_NAME, "containerPort": facts.DASHBOARD_PORT},
            ]
        pod["spec"]["containers"] = [main, *pod["spec"]["containers"][1:]]
        return {"params": params, "labels": labels(flags), "pod": pod}


def _job_fields(job: Job, command: LauncherCommand | None) -> dict[str, Any]:
    """Return the fields of the spec before the cluster. In mode debug KubeRay starts the cluster and no program."""
    names = {variable.name for variable in job.pod.env}
    is_debug = job.debug is not None
    fields: dict[str, Any] = {
        "suspend": True if job.paused else None,
        ENTRYPOINT: shell_text(command.words, names) if command and not is_debug else None,
        "submissionMode": facts.INTERACTIVE if is_debug else facts.HTTP,
        "shutdownAfterJobFinishes": True,
        **written(FIELDS, job).get("spec", {}),
    }
    return {name: value for name, value in fields.items() if value is not None}


BACKEND = RayJob
