"""Back end: a TrainJob of Kubeflow Trainer, and before it a TrainingRuntime of its own with the pods.

The runtime has no policy: trainc sets the launchers' variables itself, so that elastic jobs and restarts have a
rendezvous that can form anew. https://github.com/kubeflow/trainer/tree/v2.3.0
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Gang, Job
from trainc.systems.job.traits import INDEX_LABEL, RUN_LABEL
from trainc.systems.jobset.spec_fields import job_set_fields
from trainc.systems.shared.fields import written
from trainc.systems.shared.objects.base import Backend
from trainc.systems.shared.objects.labels import earlier_wave, metadata, queue_labels
from trainc.systems.shared.objects.placement import placement
from trainc.systems.shared.objects.pod import present
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.fields import (
    FIELDS,
    OF_CONTAINER,
    PATCHES,
    RESOURCES,
    TRAINER,
    container_fields,
    pod_fields,
)
from trainc.systems.trainjob.runtime_patch import supported_patch
from trainc.systems.trainjob.traits import TRAITS
from trainc.target import Target
from trainc.typenames import Any

_MANAGER = "trainc.dev/compile"
# Pods in the TrainJob, to which `podTemplate` applies.
_PATCHED = ("spec", PATCHES[0], 0, "trainingRuntimeSpec", "template", "spec", "replicatedJobs", 0, "template")
_OVERRIDDEN = ("spec", PATCHES[1], 0)
_POD = ("spec", "template", "spec", "replicatedJobs", 0, "template", "spec", "template")


class TrainJob(Backend):
    """The webhook rejects a TrainJob whose runtime does not exist: the runtime comes first."""

    traits = TRAITS
    index_label = INDEX_LABEL
    run_label = RUN_LABEL  # each restart makes a new Job, with a uid of its own
    gang_schedulers = facts.GANG_SCHEDULERS

    def own_gang(self, job: Job) -> Gang | None:
        """Return the gang if the runtime's policy requests it: the operator's group has all pods as its minimum."""
        gang = super().own_gang(job)
        return gang if gang and gang.minimum == job.replicas.initial else None

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        if job.runtime is not None:
            job = job.replace(gang=None)  # the runtime's podGroupPolicy decides, and its group has the same name
        yield from self.shared(job)
        has_deadline = target.controller_version in facts.WITH_PATCHES
        patched: tuple[tuple[str | int, ...], ...] = ()
        absent = [] if has_deadline else [FIELDS["lifecycle.activeDeadlineSeconds"].path]
        absent += [] if job.runtime else [FIELDS["launch.torchrun.nprocPerNode"].path]
        spec = written(FIELDS, job, *absent)["spec"]
        if job.runtime is None:
            yield self._runtime(job, has_deadline)
        else:
            pod, release = self.pod(job), target.controller_version
            spec[TRAINER] |= _trainer(pod)
            spec |= _patches(pod, release)
            patched = (_pods_at(release),)
            if job.pod.patch is not None:
                job = job.replace(pod=job.pod.replace(patch=supported_patch(job.pod.patch, release)))
        yield self.workers(
            job,
            *patched,
            # https://kueue.sigs.k8s.io/docs/tasks/run/trainjobs/
            more=({} if job.paused else queue_labels(job), {}),
            spec=spec,
        )

    def _runtime(self, job: Job, has_deadline: bool) -> Planned:
        """Return the runtime; the TrainJob has the number of nodes and, since Trainer 2.2, the time limit."""
        failure = job.failure.replace(active_deadline_seconds=None) if has_deadline else job.failure
        fields = job_set_fields(job.replace(failure=failure), self.container)
        return Planned(
            kind=facts.RUNTIME,
            template="trainjob/trainingruntime.yaml.j2",
            context={
                **metadata(job, job.name, ({}, earlier_wave(job))),
                **fields,
                "replicated_job": facts.NODE,
                "replicas": 1,
                "coordinator": False,
                "job_labels": {facts.ANCESTOR_LABEL: facts.TRAINER},
                "completions": None,
                **_group(self.own_gang(job)),
                # The operator makes the pods members of the group, but doesn't set their scheduler.
                "pod": self.pod(
                    job, restartPolicy=fields["restart_policy"], schedulerName=placement(job)["schedulerName"]
                ),
            },
            pods_at=(_POD,),
            patch=job.pod.patch,
            container=self.container,
        )


def _group(gang: Gang | None) -> dict[str, Any]:
    """Return the runtime's podGroupPolicy, with which the operator creates the group, and the annotations of the
    template, of which one names Volcano's queue."""
    if gang is None:
        return {"pod_group_policy": None, "template_annotations": {}}
    queue = {facts.QUEUE_ANNOTATION: gang.queue} if gang.queue else {}
    return {"pod_group_policy": {gang.scheduler: {}}, "template_annotations": queue}


def _pods_at(version: str) -> tuple[str | int, ...]:
    """Return the path of the pods in a TrainJob with patches."""
    return (*_PATCHED, "spec", "template") if version in facts.WITH_PATCHES else _OVERRIDDEN


def _trainer(pod: dict[str, Any]) -> dict[str, Any]:
    """Return fields of `spec.trainer`: the container's, without the variables that the runtime's policy sets."""
    (container,) = pod["spec"]["containers"]
    fields = {**{name: container.get(name) for name in OF_CONTAINER}, RESOURCES: container.get("resources")}
    fields["env"] = [each for each in container.get("env", ()) if each["name"] not in facts.TORCH_VARIABLES]
    return present(fields)


def _patches(pod: dict[str, Any], version: str) -> dict[str, Any]:
    """Return the patch of the runtime's pods."""
    (main,) = pod["spec"]["containers"]
    container = {name: main[name] for name in container_fields(version) if name in main}
    spec = {name: pod["spec"].get(name) for name in pod_fields(version)}
    if container:
        spec["containers"] = [{"name": facts.NODE, **container}]
    metadata = {name: pod[name] for name in ("labels", "annotations")}
    template = present({"metadata": present(metadata), "spec": present(spec)})
    if version not in facts.WITH_PATCHES:
        return {PATCHES[1]: [{"targetJobs": [{"name": facts.NODE}], **template}]}
    jobs = [{"name": facts.NODE, "template": {"spec": {"template": template}}}]
    changes = {"template": {"spec": {"replicatedJobs": jobs}}}
    return {PATCHES[0]: [{"manager": _MANAGER, "trainingRuntimeSpec": changes}]}


BACKEND = TrainJob
