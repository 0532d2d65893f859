"""Pods and Services that the Torch Elastic operator creates of an ElasticJob.

Rewritten from https://github.com/pytorch/elastic at bc88e69, kubernetes/controllers/{pod,util}.go, and from
kubeflow/common at 0b3a4c3fca85, pkg/controller.v1/common/{pod,service,job_controller}.go.
"""

from __future__ import annotations

import copy
from typing import Any

Object = dict[str, Any]


def bounds(job: Object) -> tuple[int, int]:
    """Return the bounds, by default the number of workers: SetClusterSpecForPod, computeDesiredReplicas."""
    spec = job["spec"]
    desired = spec["replicaSpecs"]["Worker"]["replicas"]
    return spec.get("minReplicas", desired), spec.get("maxReplicas", desired)


def pods(job: Object) -> list[Object]:
    """Return all pods in the order of their numbers, with the operator's names, labels and arguments."""
    name, spec = job["metadata"]["name"], job["spec"]
    low, high = bounds(job)
    worker = spec["replicaSpecs"]["Worker"]
    arguments = [
        "--rdzv_backend=etcd",
        "--rdzv_endpoint=" + spec["rdzvEndpoint"],
        "--rdzv_id=" + name,
        f"--nnodes={low}:{high}",
    ]
    result = []
    for index in range(worker["replicas"]):
        pod = copy.deepcopy(worker["template"])
        pod.setdefault("metadata", {})["name"] = f"{name}-worker-{index}"
        pod["metadata"]["labels"] = {**pod["metadata"].get("labels", {}), **_labels(name, index)}
        for container in pod["spec"]["containers"]:
            container["args"] = [*arguments, *container.get("args", [])]
        policy = worker.get("restartPolicy", "Always")  # Kubernetes' default; the operator has none
        pod["spec"]["restartPolicy"] = "Never" if policy == "ExitCode" else policy
        result.append(pod)
    return result


def services(job: Object) -> list[Object]:
    """Return one headless Service without ports per pod: CreateNewService."""
    name = job["metadata"]["name"]
    return [
        {
            "metadata": {"name": f"{name}-worker-{index}", "labels": _labels(name, index)},
            "spec": {"clusterIP": "None", "selector": _labels(name, index), "ports": []},
        }
        for index in range(job["spec"]["replicaSpecs"]["Worker"]["replicas"])
    ]


def _labels(name: str, index: int) -> dict[str, str]:
    return {
        "group-name": "elastic.pytorch.org",
        "job-name": name,
        "replica-type": "worker",
        "replica-index": str(index),
    }
