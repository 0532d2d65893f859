"""Objects that Volcano 1.15 creates from a Job: pods, those of its plugins, and the PodGroup; and failure cases.

The model follows the source; no controller was run. Docstrings name the functions that the code follows, of
https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.expand import placeholder
from trainc.plan.failures import DISRUPTION, FailureCase, times
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.shared.lifecycle import Retries, end_cases, restart_effect
from trainc.systems.shared.model import OperatorOutput, owned_object, pod_from_template
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.lifecycle import action, retries
from trainc.systems.vcjob.model.plugins import add_to_pod, plugin_objects
from trainc.systems.vcjob.model.spec import BY, Job, Task, pod_name, read_job
from trainc.systems.vcjob.model.validation import validation_errors

_END = {
    "AbortJob": "the Job is aborted and its running pods are deleted, until `vcctl job resume`",
    "TerminateJob": "the Job is terminated and its running pods are deleted",
    "CompleteJob": "the Job has completed and its running pods are deleted",
}
_TARGETS = {
    "RestartJob": "all pods are created anew",
    "RestartTask": "all pods of its task are created anew",
    "RestartPod": "its pod is created anew",
    "RestartPartition": "all pods of its partition are created anew",
}


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
    for index, volume in enumerate(items(job.spec, "volumes")):
        claim = text(volume, "volumeClaimName") or f"{job.name}-pvc-{placeholder(f'random {index}')}"
        if claim not in known:
            known.add(claim)
            yield f"{job.name}-{placeholder(f'random {index}')}", claim, text(volume, "mountPath")


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


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    job = read_job(resource)
    effect = f"no pod starts: they are gang-scheduled in queue {job.queue}"
    yield FailureCase(f"fewer than {job.min_available} pods can be scheduled", effect)
    tasks = [task for task in job.tasks if task.replicas]
    actions = {task.name: (action(job, task, "PodFailed"), action(job, task, "PodEvicted")) for task in tasks}
    is_shared = len(set(actions.values())) < 2 and not any(task.policies for task in tasks)
    for task in tasks[:1] if is_shared else tasks:
        who = "a worker" if is_shared else f"a pod of task {task.name}"
        yield from _failure(job, task, who)
    yield from _success(job, tasks)
    yield from end_cases("Job", {"ttlSecondsAfterFinished": number(job.spec, "ttlSecondsAfterFinished")}, "")


def _failure(job: Job, task: Task, who: str) -> Iterator[FailureCase]:
    policy = text(task.template, "spec", "restartPolicy") or "Always"
    failed = action(job, task, "PodFailed")
    if policy in ("OnFailure", "Always"):
        yield FailureCase(f"{who} fails", _in_place(job, task))
    else:
        codes = [number(each, "exitCode") for each in (*task.policies, *listed(job.spec, "policies"))]
        groups: dict[str, list[int]] = {}
        for code in sorted({code for code in codes if code is not None}):
            own = action(job, task, "PodFailed", code)
            if own != failed:
                groups.setdefault(own, []).append(code)
        for own, of_action in groups.items():
            shown = _ranges(of_action)
            yield FailureCase(f"{who} exits with {shown}", _effect(job, own, "the pod stays failed"))
        yield FailureCase(f"{who} fails", _effect(job, failed, _left_alone(job)))
    lost = _effect(job, action(job, task, "PodEvicted"), "the pod is created again under the same name")
    yield FailureCase(DISRUPTION if who == "a worker" else f"{who} is evicted", lost)


def _left_alone(job: Job) -> str:
    others = "; the others run on, and the Job fails when all have ended" if job.total > 1 else "; the Job fails"
    return f"the pod stays failed{others}"


def _in_place(job: Job, task: Task) -> str:
    """TaskFailed of pkg/controllers/cache/cache.go: the restarts of all containers of the task."""
    limit = number(job.spec, "tasks", task.index, "maxRetry") or facts.MAX_RETRY
    end = action(job, task, "TaskFailed")
    allowed = Retries(limit=limit, fatal=limit, counted="container restarts") if end else None
    return restart_effect(allowed, _effect(job, end, ""))


def _effect(job: Job, name: str, otherwise: str) -> str:
    if name in facts.RESTARTS:
        count = retries(job.spec).left()
        if name == "RestartTask" and len(job.tasks) == 1:
            name = "RestartJob"
        return f"{_TARGETS[name]}, up to {times(count)}; then the Job fails" if count else "the Job fails"
    return _END.get(name, otherwise)


def _ranges(codes: list[int]) -> str:
    """Format numbers with ranges: `1 to 127`, `3, 5`."""
    parts: list[list[int]] = []
    for code in codes:
        if parts and parts[-1][-1] == code - 1:
            parts[-1].append(code)
        else:
            parts.append([code])
    return ", ".join(f"{part[0]} to {part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def _success(job: Job, tasks: list[Task]) -> Iterator[FailureCase]:
    """runningState.Execute of pkg/controllers/job/state/running.go."""
    policies = {(text(task.template, "spec", "restartPolicy") or "Always") for task in tasks}
    if policies == {"Always"}:
        effect = "its container is restarted: with restartPolicy Always the Job never completes"
        yield FailureCase("a worker has succeeded", effect)
        return
    for task in tasks:
        done = action(job, task, "TaskCompleted")
        if done in _END:
            yield FailureCase(f"all pods of task {task.name} have succeeded", _END[done])
    least = number(job.spec, "minSuccess")
    if least is not None and least < job.total:
        who = "any worker has" if least == 1 else f"{least} workers have"
        yield FailureCase(f"{who} succeeded", "the Job has completed and its running pods are deleted")
    else:
        yield FailureCase("all workers have succeeded", "the Job has completed")
