"""Objects of Kubernetes' own that train, with a headless Service."""

from __future__ import annotations

from typing import Any

import yaml

from tests.support.command import trainc

Object = dict[str, Any]
NODES = ["torchrun", "--nnodes=2", "--rdzv-backend=etcd-v2", "--rdzv-endpoint=etcd:2379", "--rdzv-id=1", "train.py"]
STATIC = "--nproc_per_node=1 --master_port=29500 train.py"
HEADLESS: Object = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "net"},
    "spec": {"clusterIP": "None", "selector": {"app": "a"}, "ports": [{"port": 29500}]},
}


def template(command: list[str], policy: str | None = "Never", **more: Any) -> Object:
    container = {"name": "a", "image": "a:1", "command": command, **more}
    spec = {"restartPolicy": policy, "subdomain": "net", "containers": [container]}
    return {
        "metadata": {"labels": {"app": "a"}},
        "spec": {key: value for key, value in spec.items() if value is not None},
    }


def job(command: list[str], **spec: Any) -> Object:
    spec = {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "template": template(command), **spec}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {key: value for key, value in spec.items() if value is not None},
    }


def stateful_set(command: list[str], **spec: Any) -> Object:
    spec = {"replicas": 2, "serviceName": "net", "podManagementPolicy": "Parallel", **spec}
    selector = {"matchLabels": {"app": "a"}}
    head = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s"}}
    return {**head, "spec": {"selector": selector, "template": template(command, policy=None), **spec}}


def pod(rank: int, command: list[str], **more: Any) -> Object:
    inner = template(command, **more)
    spec = {**inner["spec"], "hostname": f"p-{rank}"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p-{rank}", **inner["metadata"]},
        "spec": spec,
    }


def run(command: str, *objects: Object) -> Any:
    text = "---\n".join(yaml.safe_dump(each) for each in objects)
    return trainc(command, "-", stdin=text)


def imported(*objects: Object) -> Object:
    """Return the spec of the translated job."""
    result = run("import", *objects)
    assert result.code == 0, result.err
    spec: Object = yaml.safe_load(result.out)["spec"]
    return spec
