"""What Kubeflow's training operator 1.9 makes of a PyTorchJob: pods, a Service for each, an autoscaler, a PodGroup.

Functions are named after those of https://github.com/kubeflow/training-operator/tree/release-1.9, in the files that
the comments name.
"""

from __future__ import annotations

import re
from typing import Any

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.pods import MAX_PODS
from trainc.systems.pytorchjob.facts import (
    CONTAINER,
    INDEX_LABEL,
    INIT_CONTAINER,
    INIT_IMAGE,
    JOB_LABEL,
    MASTER,
    OPERATOR_LABEL,
    ROLE_LABEL,
    TYPE_LABEL,
    WORKER,
)
from trainc.systems.pytorchjob.model.defaults import Job, defaulted
from trainc.systems.pytorchjob.model.env import variables
from trainc.systems.pytorchjob.traits import TRAITS
from trainc.systems.shared.model.shapes import OperatorOutput, headless, owned, pod, ports, with_variables

BY = TRAITS.operator
_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def operator_output(resource: Object, _: list[Object]) -> OperatorOutput:
    """The objects of a PyTorchJob, pods in the order of their ranks."""
    wrong = refused(resource)
    if wrong:
        return OperatorOutput(errors=tuple(wrong))
    job = defaulted(resource)
    found: list[Object] = []
    for role in (MASTER, WORKER):
        if role not in job.roles:
            continue
        for index in range(min(job.most(role), MAX_PODS)):
            found += _replica(job, role, index)
    scaler = _autoscaler(job)
    group = _pod_group(job)
    suspended = at(resource, "spec", "runPolicy", "suspend") is True
    return OperatorOutput(objects=tuple(one for one in (*found, scaler, group) if one), suspended=suspended)


def refused(resource: Object) -> list[str]:
    """What the operator's webhook refuses: validatePyTorchJob of pkg/webhooks/pytorch/pytorchjob_webhook.go."""
    found = []
    name, policy = text(resource, "metadata", "name"), at(resource, "spec", "elasticPolicy")
    roles = mapping(resource, "spec", "pytorchReplicaSpecs")
    if not _NAME.fullmatch(name) or len(name) > 63:
        found.append(f"the name {name!r} is no DNS label that starts with a letter")
    if not roles:
        found.append("it has no pytorchReplicaSpecs")
    for role, given in roles.items():
        found += _refused_role(str(role), given)
    if policy is not None:
        if WORKER not in roles:
            found.append("an elasticPolicy needs a Worker")
        if at(policy, "nProcPerNode") is not None and at(resource, "spec", "nprocPerNode") is not None:
            found.append("elasticPolicy.nProcPerNode must not be used with nprocPerNode")
        if at(policy, "rdzvConf") == []:
            # generateEnvRDZVConf of pkg/controller.v1/pytorch/elastic.go cuts the last character off an empty text.
            found.append("elasticPolicy.rdzvConf is an empty list, at which the operator fails")
    return found


def _refused_role(role: str, given: Any) -> list[str]:
    if role not in (MASTER, WORKER):
        return [f"{role!r} is no role: there are {MASTER} and {WORKER}"]
    found = []
    replicas = at(given, "replicas")
    if replicas is not None and number(given, "replicas") is None:
        found.append(f"{role}: its replicas are {replicas!r}, which is no whole number")
    elif role == MASTER and replicas != 1:
        found.append(f"{role}: its replicas must be 1")
    elif replicas is not None and replicas < 1:
        found.append(f"{role}: its replicas must be at least 1")
    containers = items(given, "template", "spec", "containers")
    if not any(text(one, "name") == CONTAINER for one in containers):
        found.append(f"{role}: none of its containers is called {CONTAINER}")
    found += [f"{role}: the container {text(one, 'name')} has no image" for one in containers if not text(one, "image")]
    return found


def _replica(job: Job, role: str, index: int) -> list[Object]:
    """createNewPod of pkg/controller.v1/common/pod.go and CreateNewService of service.go: one of each, of one name."""
    resource, spec = job.resource, job.roles[role]
    name = f"{job.name}-{role.lower()}-{index}"
    labels = {
        OPERATOR_LABEL: "pytorchjob-controller",
        JOB_LABEL: job.name,
        TYPE_LABEL: role.lower(),
        INDEX_LABEL: str(index),
    }
    # IsMasterRole of pkg/controller.v1/pytorch/pytorchjob_controller.go
    leads = role == MASTER or (MASTER not in job.roles and index == 0)
    own = {**labels, ROLE_LABEL: "master"} if leads else labels
    late = role == WORKER and index >= job.at_first
    made_pod = pod(owned(resource, BY, "Pod", name, own), mapping(spec, "template"), CONTAINER, late)
    inner = made_pod["spec"]
    told = variables(job, role, index)
    inner["containers"] = [with_variables(one, told, BY) for one in items(inner, "containers")]
    if role == WORKER and MASTER in job.roles:
        inner["initContainers"] = [*items(inner, "initContainers"), _waits_for_master(job)]
    # SetRestartPolicy of pkg/core/pod.go: whatever the template says
    policy = text(spec, "restartPolicy")
    inner["restartPolicy"] = "Never" if policy == "ExitCode" else policy
    service = headless(owned(resource, BY, "Service", name, labels), ports(job.container(role)).items())
    return [made_pod, service]


def _waits_for_master(job: Job) -> Object:
    """initContainerTemplate of pkg/controller.v1/pytorch/initcontainer.go, with the defaults of pkg/config/config.go.

    Who runs the operator may have given it another one.
    """
    host = f"{job.name}-master-0"
    loop = f"for i in $(seq 100); do if nslookup {host}; then err=0 && break; fi;echo waiting for master; sleep 2; done"
    return {
        "name": INIT_CONTAINER,
        "image": INIT_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "resources": {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}},
        "command": ["sh", "-c", f"err=1;{loop}; exit $err"],
        "createdBy": BY,
    }


def _autoscaler(job: Job) -> Object:
    """desiredHPA of pkg/controller.v1/pytorch/hpa.go; only of a policy that has metrics, if none."""
    if at(job.policy, "metrics") is None:
        return {}
    target = {field: text(job.resource, field) for field in ("apiVersion", "kind")}
    head = owned(job.resource, BY, "HorizontalPodAutoscaler", job.name, {}, "autoscaling/v2")
    spec = {
        "scaleTargetRef": {**target, "name": job.name},
        "minReplicas": job.bounds[0],
        "maxReplicas": job.bounds[1],
        "metrics": items(job.policy, "metrics"),
    }
    return {**head, "spec": spec}


def _pod_group(job: Job) -> Object:
    """ReconcileJobs of pkg/controller.v1/common/job.go, where the operator was started with a gang scheduler.

    Of which kind the group is, and what the pods say of it, is that scheduler's.
    """
    policy = at(job.resource, "spec", "runPolicy", "schedulingPolicy")
    if policy is None:
        return {}
    least = number(policy, "minAvailable")
    head = owned(job.resource, BY, "PodGroup", job.name, {}, "")
    return {**head, "spec": {"minMember": job.total if least is None else least}}
