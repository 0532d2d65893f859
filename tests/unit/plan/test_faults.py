"""Faults in good manifests: the plan reports each, or shows what came of it."""

from __future__ import annotations

import base64
import json

import pytest

from tests.unit.plan.manifests import container, drop, objects, only, planned, said, variable
from trainc.plan.plan import plan

BACKENDS = ("job", "pods", "statefulset")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("PET_NNODES", "the launcher is limited to 1 node, but there are 4 pods"),
        ("PET_RDZV_BACKEND", "rank 0 is already that of mnist-0"),
        ("PET_RDZV_ENDPOINT", "no rendezvous endpoint is set, which c10d requires"),
    ],
)
@pytest.mark.parametrize("backend", ["job", "statefulset"])
def test_a_dropped_variable_of_torchrun_is_reported(name: str, what: str, backend: str) -> None:
    found = objects(f"torchrun/{backend}")
    drop(found, name)
    assert what in said(found)


def test_a_dropped_number_of_processes_shows_in_the_world() -> None:
    found = objects("torchrun/job")
    drop(found, "PET_NPROC_PER_NODE")
    assert plan(found).world_sizes[0].world == 4


def test_a_variable_that_one_pod_alone_lacks_is_reported() -> None:
    found = objects("torchrun/pods")
    drop(found, "PET_RDZV_ID", 2)
    assert "mnist-2: rendezvous id is `none`, but `mnist` on mnist-0" in said(found)


@pytest.mark.parametrize("name", ["PET_NODE_RANK", "PET_MASTER_ADDR"])
def test_a_dropped_variable_of_static_ranks_is_reported(name: str) -> None:
    found = objects("torchrun-static/job")
    drop(found, name)
    expected = "rank 0 is already that of static-0" if name == "PET_NODE_RANK" else "resolves to each pod itself"
    assert expected in said(found)


@pytest.mark.parametrize("name", ["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_dropped_variable_of_a_plain_program_is_reported(name: str, backend: str) -> None:
    found = objects(f"basic/{backend}")
    drop(found, name)
    assert f"`{name}` is not set" in said(found)


def test_the_kubelets_left_over_reference_is_reported() -> None:
    found = objects("basic/job")
    drop(found, "RANK")
    assert "argument `$(RANK)` refers to `$(RANK)`, which is not defined" in said(found)


def test_a_variable_that_is_used_before_it_is_set_is_reported() -> None:
    found = objects("env/job")
    env = container(found)["env"]
    node = variable(found, "NODE_NAME")
    env.remove(node)
    env.append(node)
    assert "`WANDB_RUN_GROUP` refers to `$(NODE_NAME)`, which is not defined before it" in said(found)


@pytest.mark.parametrize("backend", BACKENDS)
def test_another_port_of_the_endpoint_is_reported(backend: str) -> None:
    found = objects(f"torchrun/{backend}")
    for place in range(4 if backend == "pods" else 1):
        variable(found, "PET_RDZV_ENDPOINT", place)["value"] = "mnist-0:29401"
    assert "Service/mnist-0: the rendezvous is at port `29401`, but the Service has `29400`" in said(found)


def test_another_port_of_the_service_is_reported() -> None:
    found = objects("deepspeed/job")
    only(found, "Service", "deepspeed-0")["spec"]["ports"][0]["port"] = 29501
    assert "Service/deepspeed-0: the rendezvous is at port `29500`, but the Service has `29501`" in said(found)


def test_two_swapped_ranks_are_reported() -> None:
    found = objects("basic/pods")
    for place, rank in ((0, "1"), (1, "0")):
        variable(found, "RANK", place)["value"] = rank
        container(found, place)["args"][-1] = rank
    assert "basic-0: worker 0 has rank 1" in said(found)
    assert "basic-0: resolves to basic-0, but basic-1 has rank 0 and listens" in said(found)


def test_a_rank_that_two_pods_have_is_reported() -> None:
    found = objects("basic/pods")
    variable(found, "RANK", 1)["value"] = "0"
    assert "basic-1: rank 0 is already that of basic-0" in said(found)
    assert "argument `--rank` is `1`, but variable `RANK` is `0`" in said(found)


def test_a_rank_beyond_deepspeeds_hosts_is_reported() -> None:
    found = objects("deepspeed/job")
    world = base64.urlsafe_b64encode(json.dumps({"deepspeed-0": [0]}).encode()).decode()
    container(found)["args"][0] = f"--world_info={world}"
    assert "deepspeed-1: rank is 1, but the host list has 1 host" in said(found)


def test_swapped_hosts_of_deepspeed_are_reported() -> None:
    found = objects("deepspeed-ssh/job")
    data = only(found, "ConfigMap")["data"]
    lines = data["hostfile"].splitlines()
    data["hostfile"] = "\n".join(reversed(lines)) + "\n"
    assert "has rank 0, which the host list assigns to `deepspeed-ssh-1.deepspeed-ssh`" in said(found)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_selector_that_selects_nothing_is_reported(backend: str) -> None:
    found = objects(f"torchrun/{backend}")
    only(found, "Service", "mnist-0")["spec"]["selector"]["trainc.dev/job"] = "minst"
    assert "Service/mnist-0: selects no pod" in said(found)
    assert "mnist-1: `mnist-0` resolves to no pod" in said(found)


def test_a_selector_that_selects_the_wrong_pod_is_reported() -> None:
    found = objects("torchrun/job")
    only(found, "Service", "mnist-0")["spec"]["selector"]["batch.kubernetes.io/job-completion-index"] = "1"
    assert "mnist-0: resolves to another pod than the one that has this name" in said(found)


def test_an_endpoint_that_leads_to_all_pods_is_reported() -> None:
    found = objects("torchrun/job")
    variable(found, "PET_RDZV_ENDPOINT")["value"] = "mnist:29400"
    assert "mnist: resolves to 4 pods: each may become the host, and trains in a world of its own" in said(found)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_endpoint_that_no_service_reaches_is_reported(backend: str) -> None:
    found = objects(f"torchrun/{backend}")
    found.remove(only(found, "Service", "mnist-0"))
    assert "mnist-1: no Service resolves `mnist-0`: the worker can't reach the others" in said(found)


def test_a_service_of_all_that_is_gone_leaves_pods_without_names() -> None:
    found = objects("torchrun/job")
    found.remove(only(found, "Service", "mnist"))
    assert "mnist-0: the pod has no DNS name: no headless Service `mnist` selects it" in said(found)


def test_a_service_that_waits_for_readiness_is_reported() -> None:
    found = objects("torchrun/job")
    del only(found, "Service", "mnist-0")["spec"]["publishNotReadyAddresses"]
    assert "Service/mnist-0: resolves only ready pods" in said(found)


@pytest.mark.parametrize(
    ("nnodes", "what"),
    [
        ("5", "the launcher waits for 5 nodes, but there are only 4 pods"),
        ("3", "the launcher is limited to 3 nodes, but there are 4 pods"),
        ("4:2", "nnodes is `4:2`, an empty range"),
        ("many", "nnodes is `many`, which is neither a number nor MIN:MAX"),
    ],
)
@pytest.mark.parametrize("backend", ["job", "statefulset"])
def test_a_wrong_number_of_nodes_is_reported(nnodes: str, what: str, backend: str) -> None:
    found = objects(f"torchrun/{backend}")
    variable(found, "PET_NNODES")["value"] = nnodes
    assert what in said(found)


def test_a_missing_pod_is_reported() -> None:
    found = objects("torchrun/pods")
    found.pop()
    assert "the launcher waits for 4 nodes, but there are only 3 pods" in said(found)


def test_a_label_that_the_pod_does_not_have_is_reported() -> None:
    found = objects("torchrun-static/statefulset")
    field = "metadata.labels['batch.kubernetes.io/job-completion-index']"
    variable(found, "PET_NODE_RANK")["valueFrom"]["fieldRef"]["fieldPath"] = field
    assert "`PET_NODE_RANK` is empty: the pod has no such label or annotation" in said(found)


def test_an_autoscaler_of_something_else_is_reported() -> None:
    found = objects("spot/statefulset")
    only(found, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"] = "sport"
    assert "scales `StatefulSet/sport`, which does not exist" in said(found)


def test_an_autoscaler_below_torchruns_minimum_is_reported() -> None:
    found = objects("spot/statefulset")
    only(found, "HorizontalPodAutoscaler")["spec"]["minReplicas"] = 1
    assert "may scale down to 1 pod, but the launcher needs 2 nodes" in said(found)


def test_a_mount_without_a_volume_is_reported() -> None:
    found = objects("torchrun/job")
    container(found)["volumeMounts"].append({"name": "data", "mountPath": "/data"})
    assert "volume `data` is mounted but not defined" in said(found)


def test_a_dropped_dshm_shows_as_64_mebibytes() -> None:
    found = objects("torchrun/job")
    container(found)["volumeMounts"] = []
    assert plan(found).workers[0].usage.shm == 64 * 1024**2
    assert planned("torchrun/job").workers[0].usage.shm == 128 * 1024**3


def test_more_processes_than_gpus_are_reported() -> None:
    found = objects("torchrun/job")
    for which in ("requests", "limits"):
        container(found)["resources"][which]["nvidia.com/gpu"] = "4"
    assert "8 processes share 4 GPUs" in said(found)
