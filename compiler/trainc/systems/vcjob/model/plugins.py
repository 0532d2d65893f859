"""What Volcano's plugins add to the pods of a Job, and the objects that they create.

https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job/plugins
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainc.plan.fields import Object, items, number, text
from trainc.systems.shared.model import headless_service, owned_object, with_variables
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.model.spec import BY, Job, Task, host_name, is_on, pod_name

_KEYS = ("id_rsa", "id_rsa.pub", "authorized_keys", "config")


def add_to_pod(job: Job, task: Task, index: int, spec: Object) -> Object:
    """Return the spec of a pod with what the plugins add: OnPodCreate. Other plugins are not for PyTorch."""
    for name in job.plugins:
        add = _ADD.get(name)
        spec = add(job, task, index, spec) if add else spec
    return spec


def _env(job: Job, task: Task, index: int, spec: Object) -> Object:
    variables = [(name, str(index)) for name in facts.INDEX_VARIABLES]
    return _in_all(spec, lambda each: with_variables(each, variables, BY))


def _svc(job: Job, task: Task, index: int, spec: Object) -> Object:
    """OnPodCreate of svc.go: names in the Service, and the ConfigMap with the names of all pods."""
    config = f"{job.name}-svc"
    variables = [name for each in job.tasks for name in facts.host_variables(each.name)]
    added = [
        {"name": name, "valueFrom": {"configMapKeyRef": {"name": config, "key": name}}, "createdBy": BY}
        for name in variables
    ]
    mount = {"name": config, "mountPath": facts.HOSTS_FOLDER, "createdBy": BY}

    def complete(container: Object) -> Object:
        mounts = [*items(container, "volumeMounts"), mount]
        return {**container, "env": [*items(container, "env"), *added], "volumeMounts": mounts}

    spec = _in_all(spec, complete)
    volume = {"name": config, "configMap": {"name": config}, "createdBy": BY}
    return {
        **spec,
        "hostname": text(spec, "hostname") or pod_name(job, task, index),
        "subdomain": text(spec, "subdomain") or job.name,
        "volumes": [*items(spec, "volumes"), volume],
    }


def _ssh(job: Job, task: Task, index: int, spec: Object) -> Object:
    """OnPodCreate of ssh.go."""
    name, folder = f"{job.name}-ssh", job.plugins["ssh"].get("ssh-key-file-path", facts.SSH_FOLDER)
    keys = [{"key": key, "path": f".ssh/{key}"} for key in _KEYS]
    mode = 0o600 if folder == facts.SSH_FOLDER else 0o644
    volume = {"name": name, "secret": {"secretName": name, "items": keys, "defaultMode": mode}, "createdBy": BY}
    mount = {"name": name, "mountPath": folder, "subPath": ".ssh", "createdBy": BY}
    spec = _in_all(spec, lambda each: {**each, "volumeMounts": [*items(each, "volumeMounts"), mount]})
    return {**spec, "volumes": [*items(spec, "volumes"), volume]}


def _pytorch(job: Job, task: Task, index: int, spec: Object) -> Object:
    """OnPodCreate of pytorch.go: WORLD_SIZE and RANK count pods."""
    options = job.plugins["pytorch"]
    master, worker = (options.get(name, name) for name in ("master", "worker"))
    leader = next((each for each in job.tasks if each.name == master), None)
    if leader is None:
        return spec
    port = options.get("port", str(facts.PORT))
    size = sum(each.replicas for each in job.tasks if each.name in (master, worker))
    address = host_name(job, leader, 0)
    variables = [("MASTER_ADDR", address), ("MASTER_PORT", port), ("WORLD_SIZE", str(size))]
    if task.name in (master, worker):
        variables.append(("RANK", str(index + 1 if task.name == worker else 0)))
    if task.name == worker and is_on(options, "wait-master-enabled"):
        waits = {"name": facts.WAIT_CONTAINER, "image": options.get("wait-master-image", facts.WAIT_IMAGE)}
        script = f"until nc -z {address} {port}; do sleep 2; done"
        wait = {**waits, "command": ["sh", "-c", script], "createdBy": BY}
        spec = {**spec, "initContainers": [*items(spec, "initContainers"), wait]}
    containers = []
    for each in items(spec, "containers"):
        container = with_variables(each, variables, BY)
        ports = items(container, "ports")
        if port.isdecimal() and all(number(entry, "containerPort") != int(port) for entry in ports):
            added = {"name": facts.PORT_NAME, "containerPort": int(port), "createdBy": BY}
            container = {**container, "ports": [*ports, added]}
        containers.append(container)
    return {**spec, "containers": containers}


def _mpi(job: Job, task: Task, index: int, spec: Object) -> Object:
    """OnPodCreate of mpi.go, without the port of sshd: the master has the names of the workers."""
    options = job.plugins["mpi"]
    worker = next((each for each in job.tasks if each.name == options.get("worker", "worker")), None)
    if worker is None or task.name != options.get("master", facts.MASTER):
        return spec
    hosts = ",".join(host_name(job, worker, number) for number in range(worker.replicas))
    return _in_all(spec, lambda each: with_variables(each, [("MPI_HOST", hosts)], BY))


_ADD: dict[str, Callable[[Job, Task, int, Object], Object]] = {
    "env": _env,
    "mpi": _mpi,
    "pytorch": _pytorch,
    "ssh": _ssh,
    "svc": _svc,
}


def _in_all(spec: Object, change: Callable[[Object], Object]) -> Object:
    """Return a pod's spec with all containers changed."""
    fields = [field for field in ("initContainers", "containers") if field in spec]
    return {**spec, **{field: [change(each) for each in items(spec, field)] for field in fields}}


def plugin_objects(job: Job) -> Iterator[Object]:
    """Yield the objects: OnJobAdd. The keys of ssh are not predictable."""
    if "svc" in job.plugins:
        yield _service(job)
        data: dict[str, str] = {}
        for task in job.tasks:
            hosts = [host_name(job, task, index) for index in range(task.replicas)]
            hosts = hosts[:1] if text(task.template, "spec", "hostname") else hosts
            names = facts.host_variables(task.name)
            data |= {f"{task.name.replace('-', '_')}.host": "\n".join(hosts)}
            data |= {names[0]: ",".join(hosts), names[1]: str(len(hosts))}
        yield {**owned_object(job.resource, BY, "ConfigMap", f"{job.name}-svc", {}), "data": data}
        if not is_on(job.plugins["svc"], facts.NO_POLICY):
            yield _network_policy(job)
    if "ssh" in job.plugins:
        yield owned_object(job.resource, BY, "Secret", f"{job.name}-ssh", {})


def _service(job: Job) -> Object:
    selector = {facts.JOB_LABEL: job.name, facts.NAMESPACE_LABEL: job.namespace}
    head = owned_object(job.resource, BY, "Service", job.name, {})
    return headless_service(head, (), selector, with_unready=is_on(job.plugins["svc"], facts.PUBLISH))


def _network_policy(job: Job) -> Object:
    """Return the policy that lets only the Job's own pods connect to its pods: createNetworkPolicyIfNotExist."""
    pods = {"matchLabels": {facts.JOB_LABEL: job.name, facts.NAMESPACE_LABEL: job.namespace}}
    spec = {"podSelector": pods, "ingress": [{"from": [{"podSelector": pods}]}], "policyTypes": ["Ingress"]}
    return {**owned_object(job.resource, BY, "NetworkPolicy", job.name, {}, "networking.k8s.io/v1"), "spec": spec}
