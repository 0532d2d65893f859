"""Findings of the plan for faults in valid manifests."""

from __future__ import annotations

import base64
import json

import pytest

from tests.unit.plan.manifests import container, objects, only, planned, remove_variable, report, variable
from trainc.plan.plan import plan

BACKENDS = ("job", "pods", "statefulset")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PET_NNODES", "the launcher is limited to 1 node, but there are 4 pods"),
        ("PET_RDZV_BACKEND", "rank 0 is already that of mnist-0"),
        ("PET_RDZV_ENDPOINT", "pods waits for the others at its own `localhost`"),
    ],
)
@pytest.mark.parametrize("backend", ["job", "statefulset"])
def test_a_dropped_variable_of_torchrun_is_reported(name: str, message: str, backend: str) -> None:
    manifests = objects(f"torchrun/{backend}")
    remove_variable(manifests, name)
    assert message in report(manifests)


def test_c10d_of_one_pod_needs_no_endpoint() -> None:
    """torchrun's endpoint is localhost by default: run with torch 2.13."""
    manifests = objects("torchrun-single/job")
    container(manifests)["args"].insert(0, "--rdzv_backend=c10d")
    assert not report(manifests)


def test_a_dropped_number_of_processes_changes_the_world_size() -> None:
    manifests = objects("torchrun/job")
    remove_variable(manifests, "PET_NPROC_PER_NODE")
    assert plan(manifests).world_sizes[0].world == 4


def test_a_variable_missing_in_one_pod_is_reported() -> None:
    manifests = objects("torchrun/pods")
    remove_variable(manifests, "PET_RDZV_ID", 2)
    assert "mnist-2: rendezvous id is `none`, but `mnist` on mnist-0" in report(manifests)


@pytest.mark.parametrize("name", ["PET_NODE_RANK", "PET_MASTER_ADDR"])
def test_a_dropped_variable_of_static_ranks_is_reported(name: str) -> None:
    manifests = objects("torchrun-static/job")
    remove_variable(manifests, name)
    expected = "rank 0 is already that of static-0" if name == "PET_NODE_RANK" else "resolves to each pod itself"
    assert expected in report(manifests)


@pytest.mark.parametrize("name", ["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_dropped_variable_of_the_basic_launcher_is_reported(name: str, backend: str) -> None:
    manifests = objects(f"basic/{backend}")
    remove_variable(manifests, name)
    assert f"`{name}` is not set" in report(manifests)


def test_an_undefined_reference_in_an_argument_is_reported() -> None:
    manifests = objects("real-tlaunch-basic/job")
    remove_variable(manifests, "RANK")
    assert "argument `$(RANK)` refers to `$(RANK)`, which is not defined" in report(manifests)


def test_a_reference_before_its_definition_is_reported() -> None:
    manifests = objects("env/job")
    env = container(manifests)["env"]
    node = variable(manifests, "NODE_NAME")
    env.remove(node)
    env.append(node)
    assert "`WANDB_RUN_GROUP` refers to `$(NODE_NAME)`, which is not defined before it" in report(manifests)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_headless_service_needs_no_port_of_the_endpoint(backend: str) -> None:
    """Its names resolve to the pods, with any port or none: https://kubernetes.io/docs/concepts/services-networking/
    service/#headless-services."""
    manifests = objects(f"torchrun/{backend}")
    for index in range(4 if backend == "pods" else 1):
        variable(manifests, "PET_RDZV_ENDPOINT", index)["value"] = "mnist-0:29401"
    assert report(manifests) == ""
    only(manifests, "Service", "mnist-0")["spec"].pop("ports")
    assert report(manifests) == ""


def test_a_different_port_of_a_service_with_an_address_is_reported() -> None:
    """kube-proxy forwards the ports of the Service only."""
    manifests = objects("deepspeed/job")
    service = only(manifests, "Service", "deepspeed-0")["spec"]
    service["ports"][0]["port"] = 29501
    service.pop("clusterIP")
    assert "Service/deepspeed-0: the rendezvous is at port `29500`, but the Service has `29501`" in report(manifests)


def test_two_swapped_ranks_are_reported() -> None:
    manifests = objects("basic/pods")
    for index, rank in ((0, "1"), (1, "0")):
        variable(manifests, "RANK", index)["value"] = rank
    assert "basic-0: worker 0 has rank 1" in report(manifests)
    assert "basic-0: resolves to basic-0, but basic-1 has rank 0 and listens" in report(manifests)


def test_a_duplicate_rank_is_reported() -> None:
    manifests = objects("real-tlaunch-basic/pods")
    variable(manifests, "RANK", 1)["value"] = "0"
    assert "mnist-basic-1: rank 0 is already that of mnist-basic-0" in report(manifests)
    assert "argument `--rank` is `1`, but variable `RANK` is `0`" in report(manifests)


def test_a_rank_beyond_the_host_list_is_reported() -> None:
    manifests = objects("deepspeed/job")
    world = base64.urlsafe_b64encode(json.dumps({"deepspeed-0": [0]}).encode()).decode()
    container(manifests)["args"][0] = f"--world_info={world}"
    assert "deepspeed-1: rank is 1, but the host list has 1 host" in report(manifests)


def test_swapped_hosts_are_reported() -> None:
    manifests = objects("deepspeed-ssh/job")
    data = only(manifests, "ConfigMap")["data"]
    lines = data["hostfile"].splitlines()
    data["hostfile"] = "\n".join(reversed(lines)) + "\n"
    assert "has rank 0, which the host list assigns to `deepspeed-ssh-1.deepspeed-ssh`" in report(manifests)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_selector_without_pods_is_reported(backend: str) -> None:
    manifests = objects(f"torchrun/{backend}")
    only(manifests, "Service", "mnist-0")["spec"]["selector"]["trainc.dev/job"] = "minst"
    assert "Service/mnist-0: selects no pod" in report(manifests)
    assert "mnist-1: `mnist-0` resolves to no pod" in report(manifests)


def test_a_selector_of_the_wrong_pod_is_reported() -> None:
    manifests = objects("torchrun/job")
    only(manifests, "Service", "mnist-0")["spec"]["selector"]["batch.kubernetes.io/job-completion-index"] = "1"
    assert "mnist-0: resolves to another pod than the one that has this name" in report(manifests)


def test_an_endpoint_that_resolves_to_all_pods_is_reported() -> None:
    manifests = objects("torchrun/job")
    variable(manifests, "PET_RDZV_ENDPOINT")["value"] = "mnist:29400"
    assert "mnist: resolves to 4 pods: each may become the host, and trains in a world of its own" in report(manifests)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_endpoint_without_a_service_is_reported(backend: str) -> None:
    manifests = objects(f"torchrun/{backend}")
    manifests.remove(only(manifests, "Service", "mnist-0"))
    assert "mnist-1: no Service resolves `mnist-0`: the worker can't reach the others" in report(manifests)


def test_pods_without_a_governing_service_are_reported() -> None:
    manifests = objects("torchrun/job")
    manifests.remove(only(manifests, "Service", "mnist"))
    assert "mnist-0: the pod has no DNS name: no headless Service `mnist` selects it" in report(manifests)


def test_a_service_of_ready_pods_only_is_reported() -> None:
    manifests = objects("torchrun/job")
    del only(manifests, "Service", "mnist-0")["spec"]["publishNotReadyAddresses"]
    assert "Service/mnist-0: resolves only ready pods" in report(manifests)


@pytest.mark.parametrize(
    ("nnodes", "message"),
    [
        ("5", "the launcher waits for 5 nodes, but there are only 4 pods"),
        ("3", "the launcher is limited to 3 nodes, but there are 4 pods"),
        ("4:2", "nnodes is `4:2`, an empty range"),
        ("many", "nnodes is `many`, which is neither a number nor MIN:MAX"),
    ],
)
@pytest.mark.parametrize("backend", ["job", "statefulset"])
def test_an_invalid_number_of_nodes_is_reported(nnodes: str, message: str, backend: str) -> None:
    manifests = objects(f"torchrun/{backend}")
    variable(manifests, "PET_NNODES")["value"] = nnodes
    assert message in report(manifests)


def test_the_static_rendezvous_waits_for_the_maximum() -> None:
    """torchrun with nnodes 1:2 and the static rendezvous waits for a second node: run with torch 2.13."""
    manifests = objects("torchrun-static/job")
    variable(manifests, "PET_NNODES")["value"] = "1:9"
    assert "the launcher waits for 9 nodes, but there are only " in report(manifests)


def test_a_missing_pod_is_reported() -> None:
    manifests = objects("torchrun/pods")
    manifests.pop()
    assert "the launcher waits for 4 nodes, but there are only 3 pods" in report(manifests)


def test_a_missing_label_is_reported() -> None:
    manifests = objects("torchrun-static/statefulset")
    field = "metadata.labels['batch.kubernetes.io/job-completion-index']"
    variable(manifests, "PET_NODE_RANK")["valueFrom"]["fieldRef"]["fieldPath"] = field
    assert "`PET_NODE_RANK` is empty: the pod has no such label or annotation" in report(manifests)


def test_an_autoscaler_without_a_target_is_reported() -> None:
    manifests = objects("spot/statefulset")
    only(manifests, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"] = "sport"
    assert "scales `StatefulSet/sport`, which does not exist" in report(manifests)


def test_an_autoscaler_below_torchruns_minimum_is_reported() -> None:
    manifests = objects("spot/statefulset")
    only(manifests, "HorizontalPodAutoscaler")["spec"]["minReplicas"] = 1
    assert "may scale down to 1 pod, but the launcher needs 2 nodes" in report(manifests)


def test_a_mount_without_a_volume_is_reported() -> None:
    manifests = objects("torchrun/job")
    container(manifests)["volumeMounts"].append({"name": "data", "mountPath": "/data"})
    assert "volume `data` is mounted but not defined" in report(manifests)


def test_shm_without_a_mount_has_64_mebibytes() -> None:
    manifests = objects("torchrun/job")
    container(manifests)["volumeMounts"] = []
    assert plan(manifests).workers[0].usage.shm == 64 * 1024**2
    assert planned("torchrun/job").workers[0].usage.shm == 128 * 1024**3


def test_more_processes_than_gpus_are_reported() -> None:
    manifests = objects("torchrun/job")
    for section in ("requests", "limits"):
        container(manifests)["resources"][section]["nvidia.com/gpu"] = "4"
    assert "8 processes share 4 GPUs" in report(manifests)
