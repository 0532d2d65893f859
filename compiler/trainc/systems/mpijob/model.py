"""Objects that Kubeflow's MPI operator 0.8.2 creates from an MPIJob, and failure cases.

Docstrings and comments name the functions that the code follows, of pkg/controller/mpi_job_controller.go in
https://github.com/kubeflow/mpi-operator/tree/v0.8.2 unless they name another file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trainc.diagnostics.finding import Finding, rejection
from trainc.launchers.mpirun.placement import uneven_hosts
from trainc.launchers.shared.hostfile import parse_hostfile
from trainc.plan.expand import placeholder
from trainc.plan.failures import DISRUPTION, RESTARTED, FailureCase, suspended_case, times
from trainc.plan.fields import Object, at, count, items, listed, mapping, number, text
from trainc.plan.models import is_suspended
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.mpijob import facts
from trainc.systems.mpijob.lifecycle import retries
from trainc.systems.mpijob.traits import TRAITS
from trainc.systems.shared.kubeflow.lifecycle import gang_case, gang_size
from trainc.systems.shared.lifecycle import CLEAN_UP, CONTINUE, end_cases
from trainc.systems.shared.model import (
    OperatorOutput,
    headless_service,
    owned_object,
    pod_from_template,
    with_variables,
)

BY = TRAITS.operator
_ROLES = ("spec", "mpiReplicaSpecs")
_HOST = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_RUNNING = {**CLEAN_UP, "Running": "running and pending workers are deleted", "All": "all workers are deleted"}
# sshVolumeItems and configVolumeItems
_KEYS = [
    {"key": key, "path": path}
    for key, path in (
        ("ssh-privatekey", "id_rsa"),
        ("ssh-publickey", "id_rsa.pub"),
        ("ssh-publickey", "authorized_keys"),
    )
]
_CONFIG = [
    {"key": name, "path": name, "mode": mode} for name, mode in (("hostfile", 0o444), ("discover_hosts.sh", 0o555))
]
_FAILS = "the MPIJob fails"


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of an MPIJob: syncHandler; pods in the order of the hostfile."""
    errors = validation_errors(resource)
    if errors:
        return OperatorOutput(errors=tuple(errors))
    spec = mapping(resource, "spec")
    objects: list[Object] = []
    joins = at(spec, "runLauncherAsWorker") is True
    launcher = _launcher(resource, joins)
    start = listed(launcher, "startCommand")
    objects += [launcher] if joins else []
    config = _config_map(resource, joins)
    uneven = [host - joins for host in uneven_hosts(start, parse_hostfile(config["data"]["hostfile"]))]
    for index, multiplicity in sample.indexes(0, replicas(resource), uneven):
        objects.append({**_worker(resource, index, joins), "startCommand": start, "multiplicity": multiplicity})
    objects += [] if joins else [launcher]
    objects += [_service(resource, joins), config, _secret(resource)]
    least = gang_size(mapping(spec, "runPolicy"), replicas(resource) + 1)
    objects += [_pod_group(resource, least)] if least is not None else []
    return OperatorOutput(objects=tuple(objects))


def replicas(resource: Object) -> int:
    """Return the number of workers: workerReplicas."""
    return number(resource, *_ROLES, facts.WORKER, "replicas") or 0


def validation_errors(resource: Object) -> list[Finding]:
    """Return the errors of ValidateMPIJob in pkg/apis/kubeflow/validation/validation.go, of an MPIJob with defaults."""
    spec, errors = mapping(resource, "spec"), []
    name = text(resource, "metadata", "name")
    host = f"{name}-worker-{max(replicas(resource), 1) - 1}"
    if not _HOST.fullmatch(host):
        reason = f"`{host}` is not a DNS label of at most 63 characters that starts with a letter"
        errors.append(rejection(reason, "metadata", "name"))
    roles = mapping(resource, *_ROLES)
    if facts.LAUNCHER not in roles:
        errors.append(rejection("mpiReplicaSpecs has no Launcher", *_ROLES))
    for role in (facts.LAUNCHER, facts.WORKER):
        if role in roles:
            errors += _role_errors(role, mapping(roles, role))
    for path, known in (
        (("mpiImplementation",), facts.IMPLEMENTATIONS),
        (("runPolicy", "cleanPodPolicy"), facts.CLEAN_POD_POLICIES),
        (("runPolicy", "managedBy"), facts.MANAGERS),
    ):
        value = text(spec, *path)
        if value and value not in known:
            errors.append(rejection(f"{path[-1]} is `{value}`, not {' or '.join(known)}", "spec", *path))
    return errors


def _role_errors(role: str, spec: Object) -> Iterator[Finding]:
    path, pods, policy = (*_ROLES, role), spec.get("replicas"), text(spec, "restartPolicy")
    if pods is not None and number(spec, "replicas") is None:
        yield rejection(f"{role}: replicas is `{pods}`, which is not a whole number", *path, "replicas")
    elif role == facts.LAUNCHER and pods not in (None, 1):
        yield rejection(f"{role}: replicas must be 1", *path, "replicas", help="set `replicas: 1`", fix=("set", 1))
    elif role == facts.WORKER and pods is not None and pods < 1:
        yield rejection(f"{role}: replicas must be at least 1", *path, "replicas")
    if policy and policy not in facts.RESTART_POLICIES:
        reason = f"{role}: restartPolicy is `{policy}`, not {' or '.join(facts.RESTART_POLICIES)}"
        yield rejection(reason, *path, "restartPolicy")
    if not items(spec, "template", "spec", "containers"):
        yield rejection(f"{role}: the template has no container", *path, "template")


def _labels(resource: Object, role: str) -> dict[str, str]:
    """Return the operator's labels of a pod: defaultLabels."""
    return {
        facts.OPERATOR_LABEL: facts.OPERATOR_NAME,
        facts.JOB_LABEL: text(resource, "metadata", "name"),
        facts.ROLE_LABEL: role.lower(),
    }


def _worker(resource: Object, index: int, joins: bool) -> Object:
    """Return the pod of one worker: newWorker."""
    job, role = text(resource, "metadata", "name"), mapping(resource, *_ROLES, facts.WORKER)
    name = f"{job}-worker-{index}"
    labels = {**_labels(resource, facts.WORKER), facts.INDEX_LABEL: str(index + joins)}
    first, *others = items(role, "template", "spec", "containers")
    pod = pod_from_template(
        owned_object(resource, BY, "Pod", name, labels), mapping(role, "template"), text(first, "name"), False
    )
    if not listed(first, "command") and not listed(first, "args"):
        first = {**first, "command": [*facts.SSHD], "operatorArgs": [*facts.SSHD]}
    first = with_variables(first, [(facts.ROLE_VARIABLE, "worker")], BY)
    spec = _with_ssh(resource, {**pod["spec"], "containers": [first, *others]})
    searches = f"{job}.{_namespace(resource)}.svc.cluster.local"
    dns = mapping(spec, "dnsConfig")
    spec |= {
        "hostname": name,
        "subdomain": job,
        "dnsConfig": {**dns, "searches": [*listed(dns, "searches"), searches]},
        "restartPolicy": text(role, "restartPolicy") or "Never",
    }
    return {**pod, "spec": _with_dns(spec)}


def _launcher(resource: Object, joins: bool) -> Object:
    """Return the Job of the launcher: newLauncherJob and newLauncherPodTemplate."""
    job, role = text(resource, "metadata", "name"), mapping(resource, *_ROLES, facts.LAUNCHER)
    policy, template = mapping(resource, "spec", "runPolicy"), mapping(role, "template")
    name = f"{job}-launcher"
    first, *others = items(template, "spec", "containers")
    first = with_variables(first, _launcher_variables(resource, joins), BY)
    config = {"name": "mpi-job-config", "mountPath": facts.CONFIG_FOLDER, "createdBy": BY}
    spec = _with_ssh(resource, {**mapping(template, "spec"), "containers": [first, *others]})
    first = spec["containers"][0]
    spec |= {
        "hostname": name,
        "subdomain": job,
        "restartPolicy": text(role, "restartPolicy") or "OnFailure",
        "containers": [{**first, "volumeMounts": [*items(first, "volumeMounts"), config]}, *others],
        "volumes": [
            *items(spec, "volumes"),
            {"name": "mpi-job-config", "configMap": {"name": f"{job}-config", "items": _CONFIG}, "createdBy": BY},
        ],
    }
    labels = {**mapping(template, "metadata", "labels"), **_labels(resource, facts.LAUNCHER)}
    labels |= {facts.INDEX_LABEL: "0"} if joins else {}
    metadata = {"labels": labels, "annotations": mapping(template, "metadata", "annotations")}
    limits = {
        field: policy[field]
        for field in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
        if policy.get(field) is not None
    }
    head = owned_object(resource, BY, "Job", name, {"app": job}, "batch/v1")
    suspend = {"suspend": True} if is_suspended(resource) else {}
    job_spec = {
        **limits,
        **suspend,
        "podReplacementPolicy": "Failed",
        "template": {"metadata": metadata, "spec": _with_dns(spec)},
    }
    start = [str(word) for field in ("command", "args") for word in listed(first, field)]
    return {**head, "spec": job_spec, "startCommand": start, "launcher": not joins}


def _launcher_variables(resource: Object, joins: bool) -> list[tuple[str, str]]:
    implementation = text(resource, "spec", "mpiImplementation") or "OpenMPI"
    variables = [(facts.ROLE_VARIABLE, "launcher"), *facts.IMPLEMENTATION_VARIABLES[implementation]]
    if implementation in facts.SLOTS_VARIABLES:
        variables.append((facts.SLOTS_VARIABLES[implementation], str(count(resource, "spec", "slotsPerWorker"))))
    return variables if joins else [*variables, *((name, "") for name in facts.WITHOUT_GPUS)]


def _with_ssh(resource: Object, spec: Object) -> Object:
    """Return a pod spec with the keys of ssh: setupSSHOnPod."""
    first, *others = items(spec, "containers")
    folder = text(resource, "spec", "sshAuthMountPath") or facts.SSH_FOLDER
    mount = {"name": "ssh-auth", "mountPath": folder, "createdBy": BY}
    secret: Object = {"secretName": f"{text(resource, 'metadata', 'name')}-ssh", "items": _KEYS}
    if folder == facts.SSH_FOLDER:
        secret["defaultMode"] = 0o600
    volume = {"name": "ssh-auth", "secret": secret, "createdBy": BY}
    return {
        **spec,
        "containers": [{**first, "volumeMounts": [*items(first, "volumeMounts"), mount]}, *others],
        "volumes": [*items(spec, "volumes"), volume],
    }


def _with_dns(spec: Object) -> Object:
    return {**spec, "dnsPolicy": "ClusterFirstWithHostNet"} if spec.get("hostNetwork") is True else spec


def _service(resource: Object, joins: bool) -> Object:
    """Return the Service of all pods: newJobService."""
    name = text(resource, "metadata", "name")
    selector = {facts.OPERATOR_LABEL: facts.OPERATOR_NAME, facts.JOB_LABEL: name}
    head = owned_object(resource, BY, "Service", name, {"app": name})
    return headless_service(head, (), selector, with_unready=joins)


def _config_map(resource: Object, joins: bool) -> Object:
    """Return the hostfile: newConfigMap, without discover_hosts.sh, which lists the workers that run now."""
    name, slots = text(resource, "metadata", "name"), count(resource, "spec", "slotsPerWorker")
    separator = " slots=" if (text(resource, "spec", "mpiImplementation") or "OpenMPI") == "OpenMPI" else ":"
    pods = [f"{name}-launcher"] if joins else []
    pods += [f"{name}-worker-{index}" for index in range(replicas(resource))]
    domain = f"{name}.{_namespace(resource)}.svc"
    hosts = "".join(f"{pod}.{domain}{separator}{slots}\n" for pod in pods)
    return {**owned_object(resource, BY, "ConfigMap", f"{name}-config", {"app": name}), "data": {"hostfile": hosts}}


def _secret(resource: Object) -> Object:
    """Return the keys of ssh: newSSHAuthSecret."""
    name = text(resource, "metadata", "name")
    head = owned_object(resource, BY, "Secret", f"{name}-ssh", {"app": name})
    return {**head, "type": "kubernetes.io/ssh-auth"}


def _pod_group(resource: Object, least: int) -> Object:
    """Return the PodGroup of an operator with --gang-scheduling: newPodGroup of pkg/controller/podgroup.go."""
    head = owned_object(resource, BY, "PodGroup", text(resource, "metadata", "name"), {}, "")
    return {**head, "spec": {"minMember": least}}


def _namespace(resource: Object) -> str:
    return text(resource, "metadata", "namespace") or placeholder("namespace")


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life: syncHandler, getOrCreateWorker, updateMPIJobStatus."""
    spec, policy = mapping(resource, "spec"), mapping(resource, "spec", "runPolicy")
    yield from suspended_case(resource)
    yield from gang_case(policy, replicas(resource) + 1, "--gang-scheduling")
    if text(spec, "launcherCreationPolicy") == "WaitForWorkersReady":
        yield FailureCase("not all workers are ready", "the launcher does not start; no timeout applies")
    limit = retries(resource)
    retried = RESTARTED if limit.counted == "container restarts" else "its pod is replaced"
    effect = f"{retried}, up to {times(limit.limit)}; then {_FAILS}" if limit.left() else _FAILS
    yield FailureCase("the launcher fails", effect)
    restarts = text(spec, "mpiReplicaSpecs", facts.WORKER, "restartPolicy") == "OnFailure"
    effect = RESTARTED if restarts else "its pod stays failed, and every retry of the launcher fails"
    yield FailureCase("a worker fails", f"{effect}; its processes are lost, and the launcher fails")
    effect = "the pod is recreated under the same name; an evicted pod stays failed, and so does the MPIJob"
    yield FailureCase(DISRUPTION, effect)
    clean = text(policy, "cleanPodPolicy") or "None"
    left = _RUNNING.get(clean, f"{CONTINUE}: sshd never ends")
    yield FailureCase("the launcher has succeeded", f"the MPIJob has succeeded; {left}")
    yield FailureCase("the MPIJob has failed", left)
    yield from end_cases("launcher's Job", policy, f"{_FAILS}, and the launcher is terminated; {left}")
