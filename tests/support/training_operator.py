"""What Kubeflow's training operator 1.9 makes of a PyTorchJob: its pods, as setPodEnv and createNewPod write them.

Rewritten from https://github.com/kubeflow/training-operator/tree/release-1.9: pkg/apis/kubeflow.org/v1/
pytorch_defaults.go, pkg/controller.v1/pytorch/{envvar,elastic,master}.go, pkg/controller.v1/common/pod.go.
"""

from __future__ import annotations

import copy
import re
from typing import Any

Object = dict[str, Any]
PORT = {"name": "pytorchjob-port", "containerPort": 23456}


def defaulted(job: Object) -> Object:
    """SetDefaults_PyTorchJob."""
    job = copy.deepcopy(job)
    spec = job["spec"]
    for role in spec["pytorchReplicaSpecs"].values():
        role.setdefault("replicas", 1)
        role.setdefault("restartPolicy", "OnFailure")
        (main,) = [one for one in role["template"]["spec"]["containers"] if one["name"] == "pytorch"]
        if all(port["name"] != PORT["name"] for port in main.get("ports", [])):
            main.setdefault("ports", []).append(PORT)
    policy = spec.get("elasticPolicy")
    if policy is not None:
        workers = spec["pytorchReplicaSpecs"]["Worker"]["replicas"]
        low, high = policy.get("minReplicas"), policy.get("maxReplicas")
        policy["minReplicas"] = low or high or workers
        policy["maxReplicas"] = high or low or workers
    if policy is None or "nProcPerNode" not in policy:
        spec.setdefault("nprocPerNode", "auto")
    spec.setdefault("runPolicy", {}).setdefault("cleanPodPolicy", "None")
    return job


def pods(job: Object) -> list[Object]:
    """All pods in the order of their ranks, with the names and variables that the operator gives them."""
    job = defaulted(job)
    found = []
    for role in ("Master", "Worker"):
        given = job["spec"]["pytorchReplicaSpecs"].get(role)
        for index in range(given["replicas"] if given else 0):
            pod = copy.deepcopy(given["template"])
            pod["metadata"]["name"] = f"{job['metadata']['name']}-{role.lower()}-{index}"
            pod["metadata"]["labels"] |= {
                "training.kubeflow.org/job-name": job["metadata"]["name"],
                "training.kubeflow.org/replica-type": role.lower(),
                "training.kubeflow.org/replica-index": str(index),
            }
            for container in pod["spec"]["containers"]:
                container.setdefault("env", []).extend(_variables(job, role, index))
            found.append(pod)
    return found


def _variables(job: Object, role: str, index: int) -> list[dict[str, str]]:
    spec, roles = job["spec"], job["spec"]["pytorchReplicaSpecs"]
    total = sum(each["replicas"] for each in roles.values())
    processes = spec.get("nprocPerNode", "1")
    env = {"PYTHONUNBUFFERED": "1"}
    if "Master" in roles:
        host, port = f"{job['metadata']['name']}-master-0", str(_port(roles["Master"]))
        env |= {"MASTER_PORT": port, "PET_MASTER_PORT": port, "MASTER_ADDR": host, "PET_MASTER_ADDR": host}
        rank = str(index + (role == "Worker"))
        size = total * (int(processes) if processes.isdecimal() else 1)
        env |= {"WORLD_SIZE": str(size), "RANK": rank, "PET_NODE_RANK": rank}
    if "nprocPerNode" in spec:
        env["PET_NPROC_PER_NODE"] = processes
    policy = spec.get("elasticPolicy")
    if policy is None:
        env["PET_NNODES"] = str(total)
    else:
        host = policy.get("rdzvHost", f"{job['metadata']['name']}-worker-0")
        env["PET_RDZV_ENDPOINT"] = f"{host}:{policy.get('rdzvPort', _port(roles['Worker']))}"
        env["PET_RDZV_BACKEND"] = policy.get("rdzvBackend", "c10d")
        env["PET_NNODES"] = f"{policy['minReplicas']}:{policy['maxReplicas']}"
        if "maxRestarts" in policy:
            env["PET_MAX_RESTARTS"] = str(policy["maxRestarts"])
        if "rdzvId" in policy:
            env["PET_RDZV_ID"] = policy["rdzvId"]
        if "rdzvConf" in policy:
            env["PET_RDZV_CONF"] = ",".join(f"{pair['key']}={pair['value']}" for pair in policy["rdzvConf"])
        if policy.get("standalone"):
            env["PET_STANDALONE"] = ""
    return [{"name": name, "value": value} for name, value in env.items()]


def _port(role: Object) -> int:
    (main,) = [one for one in role["template"]["spec"]["containers"] if one["name"] == "pytorch"]
    (number,) = [port["containerPort"] for port in main["ports"] if port["name"] == PORT["name"]]
    found: int = number
    return found


def seen(pod: Object, container: Object) -> tuple[dict[str, str], list[str]]:
    """A container's variables and its words as the kubelet hands them over: labels looked up, $(NAME) expanded.

    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
    """
    env: dict[str, str] = {}
    for variable in container.get("env", []):
        value = variable.get("value", "")
        path = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
        label = re.fullmatch(r"metadata\.labels\['(.+)'\]", path)
        if label:
            value = pod["metadata"]["labels"][label[1]]
        elif "valueFrom" in variable:
            value = repr(variable["valueFrom"])
        env[variable["name"]] = _expanded(value, env)
    return env, [_expanded(word, env) for word in [*container.get("command", []), *container.get("args", [])]]


def _expanded(text: str, env: dict[str, str]) -> str:
    return re.sub(r"\$\$|\$\((\S+?)\)", lambda m: "$" if m[0] == "$$" else env.get(m[1], m[0]), text)
