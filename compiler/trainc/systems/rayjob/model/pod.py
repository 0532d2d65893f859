"""Pods of a Ray cluster: BuildPod and the functions that it calls, of controllers/ray/common/pod.go in
https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator
"""

from __future__ import annotations

import shlex

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.quantity import NANO, nanos
from trainc.record import Record
from trainc.systems.rayjob import facts
from trainc.systems.rayjob.model.submission import entrypoint_words
from trainc.systems.rayjob.parameters import flags
from trainc.systems.rayjob.traits import TRAITS
from trainc.systems.shared.model import field_variable, owned_object, pod_from_template, variable
from trainc.well_known import SHM_PATH

BY = TRAITS.operator
_HEALTH = "wget --tries 1 -T {} -q -O- http://localhost:{}/{} | grep success"
# Seconds of the probes of head and workers, and the failures after which the container is restarted or unready.
_TIMEOUT = {True: 5, False: 2}
_PROBES = {
    "livenessProbe": {"initialDelaySeconds": 30, "failureThreshold": 120},
    "readinessProbe": {"initialDelaySeconds": 10, "failureThreshold": 10},
}
_INIT_RESOURCES = {"cpu": "200m", "memory": "256Mi"}
_WAIT = """
					SECONDS=0
					while true; do
						if (( SECONDS <= 120 )); then
							if ray health-check --address {0} > /dev/null 2>&1; then
								echo "GCS is ready."
								break
							fi
							echo "$SECONDS seconds elapsed: Waiting for GCS to be ready."
						else
							if ray health-check --address {0}; then
								echo "GCS is ready. Any error messages above can be safely ignored."
								break
							fi
							echo "$SECONDS seconds elapsed: Still waiting for GCS to be ready. For troubleshooting, refer to the FAQ at https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting.html."
						fi
						sleep 5
					done
				"""  # noqa: E501  # the text of DefaultWorkerPodTemplate
# Labels that a template and a group can't override.
_FIXED = (facts.CLUSTER_LABEL, facts.NODE_TYPE_LABEL, facts.GROUP_LABEL)


class Node(Record):
    """Pod of the cluster: the head, or a worker of a group with its position in it."""

    is_head: bool
    group: Object = {}
    index: int = 0


def node_pod(resource: Object, cluster: Object, node: Node) -> Object:
    """Return the pod of the head or of a worker: DefaultHeadPodTemplate, DefaultWorkerPodTemplate, BuildPod."""
    head = mapping(cluster, "spec", "headGroupSpec")
    group = head if node.is_head else node.group
    address = f"{service_host(cluster)}:{_head_port(head)}"
    pod = pod_from_template(_metadata(cluster, node), mapping(group, "template"), "", on_scale_up=False)
    pod["metadata"]["labels"] = pod_labels(pod["metadata"]["labels"], group)
    if node.is_head:
        is_tolerant = at(cluster, "spec", "gcsFaultToleranceOptions") is not None
        pod["metadata"]["annotations"] = {
            **pod["metadata"]["annotations"],
            "ray.io/ft-enabled": "true" if is_tolerant else "false",
        }
    spec = dict(pod["spec"])
    containers = [dict(each) for each in items(spec, "containers")]
    main = containers[0]
    pod["trainingContainer"] = text(main, "name")
    init = [dict(each) for each in items(spec, "initContainers")]
    if not node.is_head:
        init.append(_wait_container(main, address))
    start = start_command(group, main, node.is_head, address)
    _add_shared_memory(spec, main)
    _add_command(main, start)
    _add_variables(main, node.is_head, address, start, cluster)
    _add_probes(main, node.is_head)
    ports = items(main, "ports")
    if all(text(each, "name") != facts.METRICS_PORT_NAME for each in ports):
        port = {"name": facts.METRICS_PORT_NAME, "containerPort": facts.METRICS_PORT, "createdBy": BY}
        main["ports"] = [*ports, port]
    host = address.rpartition(":")[0]
    more = [variable("FQ_RAY_IP", host, BY), variable("RAY_IP", host.partition(".")[0], BY)]
    spec["initContainers"] = [{**each, "env": [*items(each, "env"), *more]} for each in init]
    spec["containers"] = containers
    if at(cluster, "spec", "enableInTreeAutoscaling") is True and node.is_head:
        spec["serviceAccountName"] = text(cluster, "metadata", "name")
    mode = text(resource, "spec", "submissionMode") or facts.K8S_JOB
    words = [] if mode == facts.INTERACTIVE else entrypoint_words(text(resource, "spec", "entrypoint"))
    pod["startCommand"] = [*shlex.split(start, posix=True), f"--address={address}", "--", *words]
    return {**pod, "spec": spec}


def service_host(cluster: Object) -> str:
    """Return the name of the head's Service: GenerateFQDNServiceName of utils/util.go."""
    name, namespace = (text(cluster, "metadata", field) for field in ("name", "namespace"))
    return f"{name}-head-svc" + (f".{namespace}.svc.cluster.local" if namespace else "")


def start_command(group: Object, main: Object, is_head: bool, address: str) -> str:
    """Return the command: setMissingRayStartParams, generateRayStartCommand."""
    params = {name: str(value) for name, value in mapping(group, "rayStartParams").items()}
    if is_head:
        params.setdefault("dashboard-host", facts.ANY_ADDRESS)
    else:
        params.setdefault("address", address)
    labels = mapping(group, "labels")
    if labels:
        params["labels"] = ",".join(f"{name}={labels[name]}" for name in sorted(labels))
    params.setdefault("metrics-export-port", str(facts.METRICS_PORT))
    params["block"] = "true"
    params.setdefault("dashboard-agent-listen-port", str(facts.AGENT_PORT))
    limits, requests = mapping(main, "resources", "limits"), mapping(main, "resources", "requests")
    cpu, memory = limits.get("cpu") or requests.get("cpu"), limits.get("memory")
    for name, quantity in (("num-cpus", cpu), ("memory", memory), ("num-gpus", _gpus(limits))):
        if name not in params and quantity and nanos(str(quantity)):
            params[name] = str(-(-nanos(str(quantity)) // NANO))
    return f"ray start {'--head ' if is_head else ''}{flags(params)}"


def _gpus(limits: Object) -> object:
    """Return the first limit of GPUs in the order of their names: IsGPUResourceKey of utils/util.go."""
    names = (name for name in sorted(limits) if name.endswith("gpu") or name.startswith("nvidia.com/mig-"))
    return next((limits[name] for name in names), None)


def _head_port(head: Object) -> str:
    return str(mapping(head, "rayStartParams").get("port", facts.GCS_PORT))


def _metadata(cluster: Object, node: Node) -> Object:
    """Return the head of a pod with its labels: labelPod, PodName of utils/util.go."""
    name = text(cluster, "metadata", "name")
    group = facts.HEAD_GROUP if node.is_head else text(node.group, "groupName")
    kind = facts.HEAD if node.is_head else facts.WORKER
    labels = {
        facts.NODE_LABEL: "yes",
        facts.CLUSTER_LABEL: name,
        facts.NODE_TYPE_LABEL: kind,
        facts.GROUP_LABEL: group,
        facts.ID_LABEL: f"{name}-{kind}",
        facts.NAME_LABEL: facts.APPLICATION,
        facts.CREATED_BY_LABEL: facts.COMPONENT,
    }
    own = f"{name}-head" if node.is_head else f"{name}-{group}-worker"
    suffix = placeholder("random" if node.is_head else f"random {node.index}")
    return owned_object(cluster, BY, "Pod", f"{own}-{suffix}", labels)


def pod_labels(labels: Object, group: Object) -> Object:
    """Return labels with those of a group and of its template, which override all but _FIXED: labelPod."""
    own = {**mapping(group, "template", "metadata", "labels"), **mapping(group, "labels")}
    return {**labels, **{name: value for name, value in own.items() if name not in _FIXED}}


def _wait_container(main: Object, address: str) -> Object:
    """Return the init container that waits for the head: DefaultWorkerPodTemplate."""
    copied: Object = {name: main[name] for name in ("image", "imagePullPolicy", "securityContext") if name in main}
    return {
        "name": facts.INIT_CONTAINER,
        **copied,
        "command": [*facts.CONTAINER_COMMAND],
        "args": [_WAIT.format(address)],
        "env": items(main, "env"),
        "volumeMounts": items(main, "volumeMounts"),
        "resources": {"limits": _INIT_RESOURCES, "requests": _INIT_RESOURCES},
        "createdBy": BY,
    }


def _add_shared_memory(spec: Object, main: Object) -> None:
    """Add the volume at /dev/shm with the container's memory limit or request as its size: addEmptyDir."""
    if any(text(each, "mountPath") == SHM_PATH for each in items(main, "volumeMounts")):
        return
    if all(text(each, "name") != facts.SHARED_MEMORY for each in items(spec, "volumes")):
        size = at(main, "resources", "limits", "memory") or at(main, "resources", "requests", "memory")
        source = {"medium": "Memory", **({"sizeLimit": size} if size else {})}
        volume = {"name": facts.SHARED_MEMORY, "emptyDir": source, "createdBy": BY}
        spec["volumes"] = [*items(spec, "volumes"), volume]
    mount = {"name": facts.SHARED_MEMORY, "mountPath": SHM_PATH, "createdBy": BY}
    main["volumeMounts"] = [*items(main, "volumeMounts"), mount]


def _add_command(main: Object, start: str) -> None:
    """Set the command, before which the container's own runs, unless this has `ray start`: BuildPod."""
    words = [*(main.get("command") or ()), *(main.get("args") or ())]
    own = "".join(f" {word} " for word in words)
    if "ray start" in own:
        return
    command = f"{facts.FILES}; {start}"
    main["command"] = [*facts.CONTAINER_COMMAND]
    main["args"] = [f"{own} && {command}" if own else command]
    main["operatorArgs"] = [*main["command"], *main["args"]]


def _add_variables(main: Object, is_head: bool, address: str, start: str, cluster: Object) -> None:
    """Append the operator's variables: setContainerEnvVars."""
    host, _, port = address.rpartition(":")
    names = {text(each, "name") for each in items(main, "env")}
    label = "metadata.labels['{}']"
    added = [] if is_head else [variable("FQ_RAY_IP", host, BY), variable("RAY_IP", host.partition(".")[0], BY)]
    added += [
        field_variable("RAY_CLUSTER_NAME", label.format(facts.CLUSTER_LABEL), BY),
        field_variable("RAY_CLOUD_INSTANCE_ID", "metadata.name", BY),
        field_variable("RAY_NODE_TYPE_NAME", label.format(facts.GROUP_LABEL), BY),
        variable("KUBERAY_GEN_RAY_START_CMD", start, BY),
    ]
    optional = {"RAY_PORT": port, "RAY_ADDRESS": f"{'127.0.0.1' if is_head else host}:{port}"}
    optional["RAY_USAGE_STATS_KUBERAY_IN_USE"] = "1"
    added += [variable(name, value, BY) for name, value in optional.items() if name not in names]
    if is_head:
        tags = f"kuberay_version={facts.VERSION};kuberay_crd=RayJob"
        added.append(variable("RAY_USAGE_STATS_EXTRA_TAGS", tags, BY))
    if "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE" not in names:
        added.append(variable("RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1", BY))
    main["env"] = [*items(main, "env"), *added]


def _add_probes(main: Object, is_head: bool) -> None:
    """Add the probes: initLivenessAndReadinessProbe."""
    commands = [_HEALTH.format(2, facts.AGENT_PORT, "api/local_raylet_healthz")]
    if is_head:
        commands.append(_HEALTH.format(10, facts.DASHBOARD_PORT, "api/gcs_healthz"))
    for name, numbers in _PROBES.items():
        if number(main, name, "periodSeconds") is None and not mapping(main, name):
            main[name] = {
                "exec": {"command": ["bash", "-c", " && ".join(commands)]},
                **numbers,
                "timeoutSeconds": _TIMEOUT[is_head],
                "periodSeconds": 5,
                "successThreshold": 1,
                "createdBy": BY,
            }
