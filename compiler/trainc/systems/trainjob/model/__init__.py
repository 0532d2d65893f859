"""Objects that Kubeflow Trainer 2.3 creates from a TrainJob, and failure cases.

Docstrings name the functions that the code follows, of https://github.com/kubeflow/trainer/tree/v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import FailureCase, duration, suspended_case
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.sample import EVERY_POD, MAX_PODS, Sample
from trainc.plan.world import Worker
from trainc.systems.registry import find
from trainc.systems.shared.lifecycle import managed_case
from trainc.systems.shared.model import OperatorOutput, owned_object
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.model.jobset import BY, job_set, node_count, patched_template
from trainc.systems.trainjob.model.policies import HOSTFILE, SSH, slots
from trainc.systems.trainjob.model.runtime import find_runtime, reference, replicated_jobs
from trainc.systems.trainjob.model.validation import errors, errors_without_runtime, missing_runtime

_TIMEOUT = {"scheduleTimeoutSeconds": 60}  # default of the CRD


def operator_output(resource: Object, objects: list[Object], _: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a TrainJob: the JobSet, which has the pods, a copy of the runtime, and those of its
    policies: NewObjects of pkg/runtime/core/trainingruntime.go."""
    runtime = find_runtime(resource, objects)
    if runtime is None:
        missing, own = missing_runtime(resource), tuple(errors_without_runtime(resource))
        if reference(resource)[0] not in facts.RUNTIME_KINDS:
            return OperatorOutput(errors=(missing, *own))
        return OperatorOutput(errors=own, conditions=(missing,))
    rejections = tuple(errors(resource, runtime))
    if rejections:
        return OperatorOutput(errors=rejections)
    created = [_owned(resource, "ConfigMap", facts.SNAPSHOT_SUFFIX), *_of_mpi(resource, runtime)]
    created += _pod_group(resource, runtime)
    return OperatorOutput(objects=(*created, job_set(resource, runtime)))


def _owned(resource: Object, kind: str, suffix: str) -> Object:
    return owned_object(resource, BY, kind, f"{text(resource, 'metadata', 'name')}{suffix}", {})


def _of_mpi(resource: Object, runtime: Object) -> list[Object]:
    """Return the keys and the hostfile of a runtime with mpirun: Build of framework/plugins/mpi/mpi.go."""
    policy = at(runtime, "spec", "mlPolicy", "mpi")
    if policy is None:
        return []
    name, hosts = text(resource, "metadata", "name"), []
    for job in replicated_jobs(runtime):
        is_node = text(job, "name") == facts.NODE
        if is_node or (text(job, "name") == facts.LAUNCHER and at(policy, "runLauncherAsNode") is True):
            stem, count = f"{name}-{text(job, 'name')}-0", min(node_count(resource, runtime, job), MAX_PODS)
            hosts += [f"{stem}-{index}.{name} slots={slots(resource, runtime)}\n" for index in range(count)]
    hostfile = {**_owned(resource, "ConfigMap", f"-{HOSTFILE}"), "data": {"hostfile": "".join(hosts)}}
    return [{**_owned(resource, "Secret", f"-{SSH}"), "type": "kubernetes.io/ssh-auth"}, hostfile]


def _pod_group(resource: Object, runtime: Object) -> list[Object]:
    """Return the group of a gang, of all pods, without minResources: framework/plugins/coscheduling and volcano."""
    policy = mapping(runtime, "spec", "podGroupPolicy")
    members = sum(node_count(resource, runtime, job) for job in replicated_jobs(runtime))
    versions = {"coscheduling": "scheduling.x-k8s.io/v1alpha1", "volcano": "scheduling.volcano.sh/v1beta1"}
    for scheduler, version in versions.items():
        if at(policy, scheduler) is not None:
            options = mapping(policy, scheduler)
            more = {**options, **_volcano(resource, runtime)} if scheduler == "volcano" else {**_TIMEOUT, **options}
            head = owned_object(resource, BY, "PodGroup", text(resource, "metadata", "name"), {}, version)
            return [{**head, "spec": {"minMember": members, **more}}]
    return []


def _volcano(resource: Object, runtime: Object) -> Object:
    """Return the queue, of an annotation, and the priority, of the pods of the last job that has one."""
    template = patched_template(resource, runtime)
    pods = (mapping(job, "template", "spec", "template", "spec") for job in items(template, "spec", "replicatedJobs"))
    priorities = [name for pod in pods if (name := text(pod, "priorityClassName"))]
    queue = text(template, "metadata", "annotations", facts.QUEUE_ANNOTATION)
    fields = {"queue": queue, "priorityClassName": priorities[-1] if priorities else ""}
    return {name: value for name, value in fields.items() if value}


def _has_scheduler(resource: Object, runtime: Object) -> bool:
    """Return whether all pods have a scheduler of their own: framework/plugins/volcano/volcano.go sets none."""
    jobs = items(patched_template(resource, runtime), "spec", "replicatedJobs")
    return all(text(job, "template", "spec", "template", "spec", "schedulerName") for job in jobs)


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield the cases of the JobSet, and those of the TrainJob: reconcileDeadline of
    pkg/controller/trainjob_controller.go."""
    yield from suspended_case(resource)
    yield from managed_case(mapping(resource, "spec"), facts.MANAGER, BY)
    runtime = find_runtime(resource, objects)
    if runtime is not None:
        for group in _pod_group(resource, runtime):
            effect = "no pod starts: they are gang-scheduled"
            if text(group, "apiVersion").startswith("scheduling.volcano.sh/") and not _has_scheduler(resource, runtime):
                effect = "the others start alone: Trainer sets no scheduler, and no pod has `schedulerName: volcano`"
            yield FailureCase(f"fewer than {number(group, 'spec', 'minMember')} pods can be scheduled", effect)
        yield from find("jobset").part("model").failure_cases(job_set(resource, runtime), objects, workers)
    deadline = number(resource, "spec", "activeDeadlineSeconds")
    if deadline:
        effect = "the TrainJob fails, and its JobSet and all pods are deleted"
        yield FailureCase(f"the job has run for {duration(deadline)}", effect)
