"""Objects that Kubeflow's training operator 1.9 creates from a PyTorchJob, and failure cases.

Docstrings and comments name the functions and files that the code follows, of
https://github.com/kubeflow/training-operator/tree/release-1.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.failures import DISRUPTION, FailureCase, load_case, suspended_case
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.pytorchjob import facts
from trainc.systems.pytorchjob.lifecycle import reaction
from trainc.systems.pytorchjob.model.defaults import Job, apply_defaults, container_ports, variables
from trainc.systems.pytorchjob.traits import TRAITS
from trainc.systems.shared.kubeflow.lifecycle import gang_case, gang_size, retries
from trainc.systems.shared.lifecycle import CLEAN_UP, CONTINUE, PodFailure, end_cases, managed_case, restart_effect
from trainc.systems.shared.model import (
    OperatorOutput,
    headless_service,
    owned_object,
    pod_from_template,
    with_variables,
)

BY = TRAITS.operator
_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_NAMES = {facts.MASTER: "the Master", facts.WORKER: "a worker"}
_FAILS = "the PyTorchJob fails"
_EXCEEDED = f"{_FAILS}, and all pods are deleted, with their logs"  # whatever the cleanPodPolicy is
_ROLES = ("spec", "pytorchReplicaSpecs")


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a PyTorchJob, pods in the order of their ranks."""
    errors = validation_errors(resource)
    if errors:
        return OperatorOutput(errors=tuple(errors))
    job = apply_defaults(resource)
    objects: list[Object] = []
    for role in (facts.MASTER, facts.WORKER):
        for index, multiplicity in sample.indexes(0, job.most(role) if role in job.roles else 0):
            objects += ({**each, "multiplicity": multiplicity} for each in _replica(job, role, index))
    objects += [each for each in (_autoscaler(job), _pod_group(job)) if each]
    return OperatorOutput(objects=tuple(objects))


def validation_errors(resource: Object) -> list[Finding]:
    """Return the errors of the operator's webhook: validatePyTorchJob of pkg/webhooks/pytorch/pytorchjob_webhook.go."""
    errors = []
    name, policy = text(resource, "metadata", "name"), at(resource, "spec", "elasticPolicy")
    roles, manager = mapping(resource, *_ROLES), at(resource, "spec", "runPolicy", "managedBy")
    if not _NAME.fullmatch(name) or len(name) > 63:
        errors.append(rejection(f"name `{name}` is not a DNS label that starts with a letter", "metadata", "name"))
    if manager not in (None, *facts.MANAGERS):
        reason = f"managedBy is `{manager}`, not {' or '.join(facts.MANAGERS)}"
        errors.append(rejection(reason, "spec", "runPolicy", "managedBy"))
    if not roles:
        errors.append(rejection("pytorchReplicaSpecs is missing", *_ROLES))
    for role, spec in roles.items():
        errors += _role_errors(str(role), spec)
    if policy is not None:
        if facts.WORKER not in roles:
            errors.append(rejection("elasticPolicy requires a Worker", "spec", "elasticPolicy"))
        if at(policy, "nProcPerNode") is not None and at(resource, "spec", "nprocPerNode") is not None:
            reason = "elasticPolicy.nProcPerNode must not be used with nprocPerNode"
            errors.append(rejection(reason, "spec", "elasticPolicy", "nProcPerNode", help="remove it", fix=REMOVE))
        if at(policy, "rdzvConf") == []:
            # generateEnvRDZVConf of pkg/controller.v1/pytorch/elastic.go cuts the last character off an empty string.
            reason = "elasticPolicy.rdzvConf is an empty list: the operator fails"
            errors.append(rejection(reason, "spec", "elasticPolicy", "rdzvConf", help="remove it", fix=REMOVE))
    return errors


def _role_errors(role: str, spec: Any) -> list[Finding]:
    if role not in (facts.MASTER, facts.WORKER):
        known = next((known for known in (facts.MASTER, facts.WORKER) if known.lower() == role.lower()), None)
        reason = f"`{role}` is not a role: use {facts.MASTER} or {facts.WORKER}"
        if known is None:
            return [rejection(reason, *_ROLES, role)]
        return [rejection(reason, *_ROLES, role, help=f"write `{known}`", fix=("rename", known))]
    errors = []
    replicas, count = at(spec, "replicas"), (*_ROLES, role, "replicas")
    if replicas is not None and number(spec, "replicas") is None:
        errors.append(rejection(f"{role}: replicas is `{replicas}`, which is not a whole number", *count))
    elif role == facts.MASTER and replicas != 1:
        # The webhook runs before the operator sets its default of 1.
        errors.append(rejection(f"{role}: replicas must be 1", *count, help="set `replicas: 1`", fix=("set", 1)))
    elif replicas is not None and replicas < 1:
        errors.append(rejection(f"{role}: replicas must be at least 1", *count))
    path = (*_ROLES, role, "template", "spec", "containers")
    containers = items(spec, "template", "spec", "containers")
    if not any(text(each, "name") == facts.CONTAINER for each in containers):
        reason, name = f"{role}: no container is named `{facts.CONTAINER}`", facts.CONTAINER
        fix = ("set", name) if len(containers) == 1 else None
        errors.append(rejection(reason, *path, 0, "name", help=f"name the training container `{name}`", fix=fix))
    for index, each in enumerate(containers):
        if not text(each, "image"):
            errors.append(rejection(f"{role}: container `{text(each, 'name')}` has no image", *path, index, "image"))
    return errors


def _replica(job: Job, role: str, index: int) -> list[Object]:
    """Return a Pod and a Service of the same name: createNewPod of pkg/controller.v1/common/pod.go, CreateNewService of
    service.go."""
    resource, spec = job.resource, job.roles[role]
    name = f"{job.name}-{role.lower()}-{index}"
    labels = {
        facts.OPERATOR_LABEL: "pytorchjob-controller",
        facts.JOB_LABEL: job.name,
        facts.TYPE_LABEL: role.lower(),
        facts.INDEX_LABEL: str(index),
    }
    # IsMasterRole of pkg/controller.v1/pytorch/pytorchjob_controller.go
    leads = role == facts.MASTER or (facts.MASTER not in job.roles and index == 0)
    own = {**labels, facts.ROLE_LABEL: "master"} if leads else labels
    head = owned_object(resource, BY, "Pod", name, own)
    on_scale_up = role == facts.WORKER and index >= job.at_first
    pod = pod_from_template(head, mapping(spec, "template"), facts.CONTAINER, on_scale_up)
    inner = pod["spec"]
    env = variables(job, role, index)
    inner["containers"] = [with_variables(each, env, BY) for each in items(inner, "containers")]
    if role == facts.WORKER and facts.MASTER in job.roles:
        inner["initContainers"] = [*items(inner, "initContainers"), _init_container(job)]
    # SetRestartPolicy of pkg/core/pod.go: overrides the template
    policy = text(spec, "restartPolicy")
    inner["restartPolicy"] = "Never" if policy == "ExitCode" else policy
    head = owned_object(resource, BY, "Service", name, labels)
    service = headless_service(head, container_ports(job.container(role)).items())
    return [pod, {**service, "onScaleUp": on_scale_up}]


def _init_container(job: Job) -> Object:
    """Return the container that waits for the Master, of the operator's default template.

    initContainerTemplate of pkg/controller.v1/pytorch/initcontainer.go, with the defaults of pkg/config/config.go
    """
    return {
        "name": facts.INIT_CONTAINER,
        "image": facts.INIT_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "resources": {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}},
        "command": ["sh", "-c", job.dialect.wait.format(host=f"{job.name}-master-0")],
        "createdBy": BY,
    }


def _autoscaler(job: Job) -> Object:
    """Return the autoscaler of a policy that has metrics, even an empty list: desiredHPA of
    pkg/controller.v1/pytorch/hpa.go."""
    if at(job.policy, "metrics") is None:
        return {}
    target = {field: text(job.resource, field) for field in ("apiVersion", "kind")}
    head = owned_object(job.resource, BY, "HorizontalPodAutoscaler", job.name, {}, "autoscaling/v2")
    spec = {
        "scaleTargetRef": {**target, "name": job.name},
        "minReplicas": job.bounds[0],
        "maxReplicas": job.bounds[1],
        "metrics": items(job.policy, "metrics"),
    }
    return {**head, "spec": spec}


def _pod_group(job: Job) -> Object:
    """Return the PodGroup of an operator with a gang scheduler: ReconcileJobs of pkg/controller.v1/common/job.go.

    That scheduler decides its API version and the pods' labels.
    """
    least = gang_size(mapping(job.resource, "spec", "runPolicy"), job.total)
    if least is None:
        return {}
    head = owned_object(job.resource, BY, "PodGroup", job.name, {}, "")
    if annotations := mapping(job.resource, "metadata", "annotations"):  # SyncPodGroup of scheduling.go
        head["metadata"]["annotations"] = dict(annotations)
    return {**head, "spec": {"minMember": least}}


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life: ReconcilePods of pkg/controller.v1/common/pod.go, ReconcileJobs and
    DeletePodsAndServices of job.go, UpdateJobStatus of pytorch/pytorchjob_controller.go, PastBackoffLimit of
    pkg/core/job.go.
    """
    job, policy = apply_defaults(resource), mapping(resource, "spec", "runPolicy")
    yield from _start(job, policy)
    policies = {role: text(spec, "restartPolicy") for role, spec in job.roles.items()}
    is_shared = len(set(policies.values())) == 1
    for role, restart_policy in list(policies.items())[: 1 if is_shared else None]:
        yield from _failure("a worker" if is_shared else _NAMES[role], restart_policy, policy)
    yield from _success(job, policy, policies)
    pods = number(next(iter(job.roles.values())), "template", "spec", "activeDeadlineSeconds")
    is_timely = number(policy, "activeDeadlineSeconds") == pods  # the first change is then at the deadline
    # AddAfter of pkg/common/util/fake_workqueue.go does nothing; defaultSyncPeriod of controller-runtime is 10 h.
    late = "at the next change of a pod or of the PyTorchJob, or up to 10 h later, "
    yield from end_cases("PyTorchJob", policy, _EXCEEDED if is_timely else late + _EXCEEDED)


def _start(job: Job, policy: Object) -> Iterator[FailureCase]:
    yield from suspended_case(job.resource)
    yield from managed_case(policy, facts.MANAGER, BY)
    yield from gang_case(policy, job.total, "--gang-scheduler-name")
    seconds = job.dialect.wait_seconds
    if seconds and facts.MASTER in job.roles and facts.WORKER in job.roles:
        effect = f"their init container {facts.INIT_CONTAINER} fails, which counts like a failure of the workers"
        yield FailureCase(f"the Master is not ready after the workers have waited {seconds} s", effect)
    if job.has_autoscaler:
        yield load_case(job.policy, "workers", job.scaled)


def _failure(who: str, restart_policy: str, policy: Object) -> Iterator[FailureCase]:
    if restart_policy == "Never":
        yield FailureCase(f"{who} fails", _FAILS)
        yield FailureCase(DISRUPTION if who == "a worker" else f"{who} is evicted", _FAILS)
        return
    recreated = "the pod is recreated under the same name"
    fails = reaction(policy, restart_policy, PodFailure()).effect == "job fails"  # after any failure
    if restart_policy == "ExitCode":
        # The kubelet never restarts a container of such a pod, so no restarts count against the backoffLimit.
        on_signal = _EXCEEDED if fails else f"{recreated}, without limit"
        yield FailureCase(f"{who} exits with 128 or more, as after a signal", on_signal)
        yield FailureCase(f"{who} exits with 1 to 127", _FAILS)
        recreated = f"{recreated} if its program exited with 128 or more; otherwise {_FAILS}"
    else:
        yield FailureCase(f"{who} fails", restart_effect(retries(policy, [restart_policy]), _EXCEEDED))
    if who == "a worker":
        yield FailureCase(DISRUPTION, _EXCEEDED if fails else recreated)


def _success(job: Job, policy: Object, policies: dict[str, str]) -> Iterator[FailureCase]:
    cleaned = {**CLEAN_UP, "Running": "running and pending pods are deleted"}
    left = cleaned.get(text(policy, "cleanPodPolicy"), CONTINUE)
    succeeded = "the PyTorchJob has succeeded"
    leader = facts.MASTER if facts.MASTER in job.roles else facts.WORKER
    if policies[leader] == "Always":
        effect = "its container is restarted: with restartPolicy Always the PyTorchJob never succeeds"
        yield FailureCase(f"{_NAMES[leader]} has succeeded", effect)
    elif leader == facts.MASTER:
        yield FailureCase("the Master has succeeded", f"{succeeded}; {left}")
        if facts.WORKER in job.roles:
            yield FailureCase("a worker has succeeded", "its pod is completed; the job's success depends on the Master")
    elif job.policy is not None:
        yield FailureCase("any worker has succeeded", f"{succeeded}; {left}")
    else:
        all_deleted = left == CLEAN_UP["All"]
        yield FailureCase("all workers have succeeded", f"{succeeded}; {left}" if all_deleted else succeeded)
    if not {"Never", "ExitCode"}.isdisjoint(policies.values()):
        yield FailureCase("the PyTorchJob has failed because a worker failed", left)
    if "ExitCode" in policies.values() and at(policy, "ttlSecondsAfterFinished") is not None:
        # ReconcilePods sets no completionTime, without which CleanupJob of job.go returns an error.
        effect = "it is not deleted after ttlSecondsAfterFinished: the operator sets no completion time"
        yield FailureCase("the PyTorchJob has failed because of an exit code", effect)
