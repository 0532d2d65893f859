"""Runtimes that Kubeflow Trainer ships.

https://github.com/kubeflow/trainer/tree/v2.3.0/manifests/base/runtimes
"""

from __future__ import annotations

from typing import Any

from trainc.systems.trainjob.facts import ANCESTOR_LABEL, API_VERSION, CLUSTER_RUNTIME, LAUNCHER, NODE, TRAINER

Object = dict[str, Any]


def _runtime(name: str, policy: Object, template: Object) -> Object:
    spec = {"mlPolicy": {"numNodes": 1, **policy}, "template": {"spec": template}}
    return {"apiVersion": API_VERSION, "kind": CLUSTER_RUNTIME, "metadata": {"name": name}, "spec": spec}


def _job(name: str, pod_spec: Object, trains: bool) -> Object:
    metadata = {"metadata": {"labels": {ANCESTOR_LABEL: TRAINER}}} if trains else {}
    return {"name": name, "template": {**metadata, "spec": {"template": {"spec": pod_spec}}}}


def _single(name: str, policy: str, image: str) -> Object:
    containers = [{"name": NODE, "image": image}]
    return _runtime(name, {policy: {}}, {"replicatedJobs": [_job(NODE, {"containers": containers}, trains=True)]})


def _mpi(name: str, image: str) -> Object:
    """Return a runtime whose launcher runs mpirun over ssh, and is the first node itself."""
    policy = {
        "numProcPerNode": 1,
        "mpiImplementation": "OpenMPI",
        "sshAuthMountPath": "/home/mpiuser/.ssh",
        "runLauncherAsNode": True,
    }
    container = {"name": NODE, "image": image, "securityContext": {"runAsUser": 1000}}
    sshd = {
        "command": ["/usr/sbin/sshd"],
        "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
        "readinessProbe": {"tcpSocket": {"port": 2222}, "initialDelaySeconds": 5},
    }
    pods: list[Object] = [
        {"securityContext": {"fsGroup": 1000}, "containers": [each]} for each in ({**container, **sshd}, container)
    ]
    launcher = _job(LAUNCHER, pods[1], trains=True)
    template = {
        "network": {"publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": [LAUNCHER]},
        "replicatedJobs": [
            _job(NODE, pods[0], trains=False),
            {**launcher, "dependsOn": [{"name": NODE, "status": "Ready"}]},
        ],
    }
    return _runtime(name, {"mpi": policy}, template)


# Runtimes of v2.3.0. Those of 2.1 and 2.2 have other versions of the images.
SHIPPED = {
    each["metadata"]["name"]: each
    for each in (
        _single("torch-distributed", "torch", "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"),
        _single("jax-distributed", "jax", "nvcr.io/nvidia/jax:25.10-py3"),
        _mpi("deepspeed-distributed", "ghcr.io/kubeflow/trainer/deepspeed-runtime"),
        _mpi("mlx-distributed", "ghcr.io/kubeflow/trainer/mlx-runtime"),
    )
}
