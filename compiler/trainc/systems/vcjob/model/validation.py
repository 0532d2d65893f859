"""Reasons why Volcano's webhook rejects a Job, or why its controller can create no pods.

validateJobCreate of https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/webhooks/admission/jobs/validate/admit_job.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, Path, at, items, listed, mapping, number, text
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.model.spec import Job, Task, pod_name, read_job

_LONGEST = 63
_SERVICE = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_TASKS: Path = ("spec", "tasks")


def validation_errors(resource: Object) -> list[Finding]:
    """Return the errors in the webhook's order, then those of the objects that the controller creates."""
    job = read_job(resource)
    if not job.tasks:
        return [rejection("the Job has no task", *_TASKS)]
    errors = [*_mpi(job), *_topology(mapping(job.spec, "networkTopology"), ("spec", "networkTopology"))]
    known: set[str] = set()
    for task in job.tasks:
        path = (*_TASKS, task.index)
        if task.name in known:
            errors.append(rejection(f"two tasks are named `{task.name}`", *path, "name"))
        known.add(task.name)
        errors += _task(job, task, path)
    if number(job.spec, "minAvailable") and job.min_available > job.total:
        reason = f"minAvailable is {job.min_available}, but the tasks have {job.total} replicas"
        errors.append(rejection(reason, "spec", "minAvailable", help=f"set `minAvailable: {job.total}`"))
    errors += _policies(items(job.spec, "policies"), ("spec", "policies"))
    if job.queue == facts.ROOT_QUEUE:
        reason = f"no job can be in the queue `{job.queue}`, which has all other queues"
        errors.append(rejection(reason, "spec", "queue", help="set one of its queues, or remove it"))
    for name in mapping(job.spec, "plugins"):
        if name not in facts.PLUGINS:
            reason = f"there is no plugin `{name}`: {', '.join(sorted(facts.PLUGINS))}"
            errors.append(rejection(reason, "spec", "plugins", name))
    errors += _volumes(job)
    if "svc" in job.plugins and not _SERVICE.fullmatch(job.name):
        # createServiceIfNotExist of pkg/controllers/job/plugins/svc/svc.go: the Job then stays Pending
        reason = f"`{job.name}` cannot be the name of a Service: use a DNS label that starts with a letter"
        errors.append(rejection(reason, "metadata", "name"))
    return errors


def _mpi(job: Job) -> Iterator[Finding]:
    if "mpi" in job.plugins:
        master = job.plugins["mpi"].get("master", facts.MASTER)
        if master not in {task.name for task in job.tasks}:
            yield rejection(f"the plugin mpi needs a task named `{master}`", "spec", "plugins", "mpi")


def _topology(topology: Object, path: Path) -> Iterator[Finding]:
    if number(topology, "highestTierAllowed") is not None and text(topology, "highestTierName"):
        reason = "highestTierAllowed and highestTierName exclude each other"
        yield rejection(reason, *path, "highestTierName", help="remove it", fix=REMOVE)


def _task(job: Job, task: Task, path: Path) -> Iterator[Finding]:
    spec = items(job.spec, "tasks")[task.index]
    if task.min_available > task.replicas:
        reason = f"minAvailable of task `{task.name}` is {task.min_available}, but it has {task.replicas} replicas"
        yield rejection(reason, *path, "minAvailable", help=f"set `minAvailable: {task.replicas}`")
    yield from _policies(task.policies, (*path, "policies"))
    name = pod_name(job, task, max(task.replicas, task.index + 1) - 1)
    if len(name) > _LONGEST:
        reason = f"the name of a pod, `{name}`, is {len(name) - _LONGEST} characters too long"
        yield rejection(reason, "metadata", "name", help="choose a shorter name")
    if not items(task.template, "spec", "containers"):
        yield rejection(f"task `{task.name}` has no container", *path, "template")
    partitions = mapping(spec, "partitionPolicy")
    if partitions:
        count, size = (number(partitions, field) or 0 for field in ("totalPartitions", "partitionSize"))
        if count * size != task.replicas:
            reason = f"totalPartitions times partitionSize is {count * size}, but the task has {task.replicas} replicas"
            yield rejection(reason, *path, "partitionPolicy")
        yield from _topology(mapping(partitions, "networkTopology"), (*path, "partitionPolicy", "networkTopology"))
    for dependency in map(str, listed(spec, "dependsOn", "name")):
        if dependency == task.name:
            yield rejection(f"task `{task.name}` depends on itself", *path, "dependsOn", "name")


def _policies(policies: list[Object], path: Path) -> Iterator[Finding]:
    """Yield the first error of a list of policies: validatePolicies of validate/util.go."""
    events: set[str] = set()
    codes: set[int] = set()
    for index, policy in enumerate(policies):
        where, own = (*path, index), list(dict.fromkeys(map(str, listed(policy, "events"))))
        if text(policy, "event") and text(policy, "event") not in own:
            own.append(text(policy, "event"))
        code = at(policy, "exitCode")
        if own and code is not None:
            yield rejection("a policy has either events or an exitCode", *where, "exitCode")
            return
        if not own and code is None:
            yield rejection("a policy needs an event or an exitCode", *where)
            return
        if own:
            wrong = next((event for event in own if event not in facts.EVENTS), None)
            action, twice = text(policy, "action"), next((event for event in own if event in events), None)
            field = "event" if "event" in policy else "events"
            if wrong is not None:
                yield rejection(f"`{wrong}` is not an event of a policy: {', '.join(facts.EVENTS)}", *where, field)
            elif action not in facts.ACTIONS:
                reason = f"`{action}` is not an action: {', '.join(facts.ACTIONS)}"
                yield rejection(reason, *where, "action")
            elif twice is not None:
                yield rejection(f"two policies are about the event {twice}", *where, field)
            else:
                events.update(own)
                continue
            return
        if code == 0 or code in codes:
            reason = "exitCode 0 is a success" if code == 0 else f"two policies are about exit code {code}"
            yield rejection(reason, *where, "exitCode")
            return
        codes.add(code if isinstance(code, int) else -1)
    if "*" in events and len(events) > 1:
        yield rejection("next to the event `*` there must be no other", *path)


def _volumes(job: Job) -> Iterator[Finding]:
    """Yield the first error of `volumes`: validateIO of validate/util.go."""
    paths: set[str] = set()
    for index, volume in enumerate(items(job.spec, "volumes")):
        where, path = ("spec", "volumes", index), text(volume, "mountPath")
        name, claim = text(volume, "volumeClaimName"), volume.get("volumeClaim")
        if not path:
            yield rejection("a volume has no mountPath", *where)
        elif path in paths:
            yield rejection(f"two volumes are mounted at {path}", *where, "mountPath")
        elif not name and claim is None:
            yield rejection("a volume needs volumeClaimName or volumeClaim", *where)
        elif name and claim is not None:
            yield rejection("volumeClaimName and volumeClaim exclude each other", *where, "volumeClaim")
        else:
            paths.add(path)
            continue
        return
