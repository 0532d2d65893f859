"""Objects that Volcano 1.15 creates from a Job: pods, those of its plugins, and the PodGroup.

The model follows the source; no controller was run. Docstrings name the functions that the code follows, of
https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.systems.shared.model import OperatorOutput, owned_object, pod_from_template
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.model.failures import failure_cases
from trainc.systems.vcjob.model.plugins import add_to_pod, plugin_objects
from trainc.systems.vcjob.model.spec import BY, Job, Task, pod_name, read_job
from trainc.systems.vcjob.model.validation import validation_errors

__all__ = ["failure_cases", "operator_output"]


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a Job: syncJob and initiateJob of job_controller_actions.go. The master's pod is first."""
    errors = validation_errors(resource)
    if errors:
        return OperatorOutput(errors=tuple(errors))
    job = read_job(resource)
    objects: list[Object] = []
    for task in sorted(job.tasks, key=lambda task: not job.leads(task)):
        for index, multiplicity in sample.indexes(0, task.replicas):
            objects.append({**_pod(job, task, index), "multiplicity": multiplicity})
    objects += plugin_objects(job)
    objects.append(_pod_group(job))
    return OperatorOutput(objects=tuple(objects))


def _pod(job: Job, task: Task, index: int) -> Object:
    """Return a pod of a task: createJobPod of job_controller_util.go, then OnPodCreate of the plugins."""
    labels = {
        facts.INDEX_LABEL: str(index),
        facts.JOB_LABEL: job.name,
        facts.TASK_LABEL: task.name,
        facts.NAMESPACE_LABEL: job.namespace,
        facts.QUEUE_LABEL: job.queue,
    }
    head = owned_object(job.resource, BY, "Pod", pod_name(job, task, index), labels)
    first = next(iter(items(task.template, "spec", "containers")), {})
    pod = pod_from_template(head, task.template, text(first, "name"), False)
    pod["metadata"]["annotations"] = {
        **pod["metadata"]["annotations"],
        facts.INDEX_LABEL: str(index),
        facts.TASK_LABEL: task.name,
        facts.GROUP_ANNOTATION: f"{job.name}-{placeholder(f'uid of Job/{job.name}')}",
        facts.JOB_LABEL: job.name,
        facts.QUEUE_LABEL: job.queue,
        facts.VERSION_ANNOTATION: "0",
        f"{facts.PREFIX}template-uid": f"{job.name}-{task.name}",
        facts.RETRY_ANNOTATION: "0",
    }
    spec = dict(pod["spec"])
    spec.setdefault("schedulerName", text(job.spec, "schedulerName") or facts.SCHEDULER)
    if text(job.spec, "priorityClassName"):
        spec.setdefault("priorityClassName", text(job.spec, "priorityClassName"))
    if spec.get("hostNetwork") is True:
        spec.setdefault("dnsPolicy", "ClusterFirstWithHostNet")  # mutateSpec of the webhook
    for name, claim, path in _claims(job):
        volume = {"name": name, "persistentVolumeClaim": {"claimName": claim}, "createdBy": BY}
        mount = {"name": name, "mountPath": path, "createdBy": BY}
        spec["volumes"] = [*items(spec, "volumes"), volume]
        spec["containers"] = [
            {**each, "volumeMounts": [*items(each, "volumeMounts"), mount]} for each in items(spec, "containers")
        ]
    return {**pod, "spec": add_to_pod(job, task, index, spec)}


def _claims(job: Job) -> Iterator[tuple[str, str, str]]:
    """Yield volume name, claim and path of `volumes`: a claim's name that is not set is random."""
    known = set()
    for number, volume in enumerate(items(job.spec, "volumes")):
        claim = text(volume, "volumeClaimName") or f"{job.name}-pvc-{placeholder(f'random {number}')}"
        if claim not in known:
            known.add(claim)
            yield f"{job.name}-{placeholder(f'random {number}')}", claim, text(volume, "mountPath")


def _pod_group(job: Job) -> Object:
    """Return the group: createOrUpdatePodGroup, without minResources."""
    name = f"{job.name}-{placeholder(f'uid of Job/{job.name}')}"
    head = owned_object(job.resource, BY, "PodGroup", name, {}, "scheduling.volcano.sh/v1beta1")
    spec: Object = {
        "minMember": job.min_available,
        "minTaskMember": {task.name: task.min_available for task in job.tasks},
        "queue": job.queue,
    }
    if text(job.spec, "priorityClassName"):
        spec["priorityClassName"] = text(job.spec, "priorityClassName")
    if mapping(job.spec, "networkTopology"):
        spec["networkTopology"] = mapping(job.spec, "networkTopology")
    return {**head, "spec": spec}
