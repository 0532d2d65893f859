"""Rendezvous hosts that name no pod of a JobSet. test_host_names_of_pods shows the names of the real controller."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.unit.systems.jobset.test_model import job, jobset

FIRST = "mnist-worker-0-0"
NODE_RANK = {
    "name": "PET_NODE_RANK",
    "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}},
}


def workers(host: str, network: Any = None, option: str = "--master-addr={}", **more: Any) -> str:
    words = ["torchrun", "--nnodes=2", "--nproc-per-node=1", *([option.format(host)] if option else []), "train.py"]
    env = [NODE_RANK, *([] if option else [{"name": "PET_MASTER_ADDR", "value": host}])]
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a:1", "command": words, "env": env}]}
    policy = {"failurePolicy": {"maxRestarts": 3}, **({"network": network} if network else {})}
    return yaml.safe_dump(jobset(job(backoffLimit=0, template={"spec": pod}), **policy), sort_keys=False)


@pytest.mark.parametrize(
    ("host", "network", "message"),
    [
        (FIRST, None, f"no Service resolves `{FIRST}`: the worker can't reach the others"),
        (f"{FIRST}.team", None, f"`{FIRST}.team` is no worker of these manifests"),
        (f"{FIRST}.mnist", {"subdomain": "team"}, f"`{FIRST}.mnist` is no worker of these manifests"),
        (f"{FIRST}.mnist", {"enableDNSHostnames": False}, f"`{FIRST}.mnist` is no worker of these manifests"),
    ],
)
@pytest.mark.parametrize("option", ["--master-addr={}", ""])
def test_a_host_that_is_no_pod_is_an_error(host: str, network: Any, message: str, option: str) -> None:
    text = workers(host, network, option)
    done = trainc("check", "-", stdin=text)
    assert (done.code, message in done.err.replace("\n", " ")) == (1, True), done.err
    line = next(number for number, each in enumerate(text.splitlines(), 1) if host in each and "name:" not in each)
    assert f"<stdin>:{line}:" in done.err


@pytest.mark.parametrize(
    ("host", "network"),
    [
        (f"{FIRST}.mnist", None),
        (f"{FIRST}.mnist.torchrun.svc", None),
        (f"{FIRST}.team", {"subdomain": "team"}),
    ],
)
def test_the_name_of_worker_0_is_accepted(host: str, network: Any) -> None:
    done = trainc("check", "-", stdin=workers(host, network))
    assert done.code == 0, done.err
