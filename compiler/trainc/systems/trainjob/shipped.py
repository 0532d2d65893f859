"""Runtimes that Kubeflow Trainer ships.

https://github.com/kubeflow/trainer/tree/v2.3.0/manifests/base/runtimes
"""

from __future__ import annotations

from typing import Any

from trainc.systems.trainjob.facts import (
    ANCESTOR_LABEL,
    API_VERSION,
    CLUSTER_RUNTIME,
    INITIALIZERS,
    LAUNCHER,
    NODE,
    PORT,
    TRAINER,
)

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


def _initializer(name: str, uri: str) -> Object:
    container = {
        "name": name,
        "image": f"ghcr.io/kubeflow/trainer/{name}",
        "env": [{"name": "STORAGE_URI", "value": uri}],
        "volumeMounts": [{"name": "initializer", "mountPath": "/workspace"}],
    }
    pod = {"template": {"spec": {"containers": [container]}}}
    return {"name": name, "template": {"metadata": {"labels": {ANCESTOR_LABEL: name}}, "spec": pod}}


def _torchtune(name: str, model: str, config: str, tokenizer: tuple[str, ...]) -> Object:
    """Return a runtime that fine-tunes a model, which initializers load into a claim first."""
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}}
    settings = {
        "dataset": "torchtune.datasets.instruct_dataset",
        "dataset.source": "parquet",
        "dataset.data_dir": "/workspace/dataset/data",
        "output_dir": "/workspace/output",
        **dict(zip(("tokenizer.path", "tokenizer.merges_file"), tokenizer, strict=False)),
        "checkpointer.checkpoint_dir": "/workspace/model",
    }
    run = ["tune", "run", f"--rdzv_endpoint=localhost:{PORT}", "full_finetune_distributed", "--config", config]
    container = {
        "name": NODE,
        "image": "ghcr.io/kubeflow/trainer/torchtune-trainer",
        "command": [*run, *(f"{key}={value}" for key, value in settings.items())],
        "resources": {"limits": {"nvidia.com/gpu": 2}},
        "volumeMounts": [{"name": "initializer", "mountPath": "/workspace"}],
    }
    sources = zip(INITIALIZERS, ("hf://tatsu-lab/alpaca", f"hf://{model}"), strict=True)
    trains = _job(NODE, {"containers": [container]}, trains=True)
    template = {
        "volumeClaimPolicies": [{"templates": [{"metadata": {"name": "initializer"}, "spec": claim}]}],
        "replicatedJobs": [
            *(_initializer(*source) for source in sources),
            {**trains, "dependsOn": [{"name": each, "status": "Complete"} for each in INITIALIZERS]},
        ],
    }
    return _runtime(name, {"torch": {}}, template)


_LLAMA = ("/workspace/model/original/tokenizer.model",)
_QWEN = ("/workspace/model/vocab.json", "/workspace/model/merges.txt")
# Runtimes of v2.3.0. Those of 2.1 and 2.2 have other versions of the images; jax and xgboost came with 2.2.
SHIPPED = {
    each["metadata"]["name"]: each
    for each in (
        _single("torch-distributed", "torch", "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"),
        _single("jax-distributed", "jax", "nvcr.io/nvidia/jax:25.10-py3"),
        _single("xgboost-distributed", "xgboost", "ghcr.io/kubeflow/trainer/xgboost-runtime"),
        _mpi("deepspeed-distributed", "ghcr.io/kubeflow/trainer/deepspeed-runtime"),
        _mpi("mlx-distributed", "ghcr.io/kubeflow/trainer/mlx-runtime"),
        _torchtune("torchtune-llama3.2-1b", "meta-llama/Llama-3.2-1B-Instruct", "llama3_2/1B_full", _LLAMA),
        _torchtune("torchtune-llama3.2-3b", "meta-llama/Llama-3.2-3B-Instruct", "llama3_2/3B_full", _LLAMA),
        _torchtune("torchtune-qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B-Instruct", "qwen2_5/1.5B_full", _QWEN),
    )
}
