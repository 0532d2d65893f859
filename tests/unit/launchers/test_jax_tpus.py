"""launch.jax on slices of TPUs: pods, process ids and readers.

Process ids are those of jax/_src/clusters/cloud_tpu_cluster.py: TPU_WORKER_ID + MEGASCALE_SLICE_ID * workers.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.support.build import compile_objects, pod_template, training_container, workers_of
from tests.support.command import trainc
from trainc.plan.plan import plan

Object = dict[str, Any]
SLICE = {"accelerator": "tpu-v6e-slice", "topology": "4x4"}


def objects(workers: int, backend: str, **tpu: Any) -> list[Object]:
    resources = {"tpu": {**SLICE, **tpu}}
    return compile_objects(backend, launch={"jax": {}}, workers=workers, resources=resources)


def slice_pods(index: int) -> Object:
    """https://github.com/AI-Hypercomputer/tpu-recipes: microbenchmarks of several hosts"""
    container = {
        "name": "tpu",
        "image": "a:1",
        "command": ["python3", "train.py"],
        "resources": {"requests": {"google.com/tpu": index}, "limits": {"google.com/tpu": index}},
    }
    labels = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    }
    return {"spec": {"subdomain": "bench", "restartPolicy": "Never", "nodeSelector": labels, "containers": [container]}}


@pytest.mark.parametrize("backend", ["job", "jobset", "trainjob"])
def test_the_pods_of_a_slice_have_its_nodes_and_chips_and_no_variables_of_jax(backend: str) -> None:
    pods = pod_template(workers_of(objects(4, backend)))["spec"]
    assert pods["nodeSelector"] == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    }
    (container,) = pods["containers"]
    assert container["resources"]["requests"]["google.com/tpu"] == "4"
    assert container["resources"]["limits"]["google.com/tpu"] == "4"
    assert not [each["name"] for each in container.get("env", []) if each["name"].startswith(("JAX_", "MEGASCALE_"))]


def test_process_ids_of_a_slice_are_the_indexes_of_the_job() -> None:
    ranks = [worker.ranks for worker in plan(objects(4, "job"), every_pod=True).workers]
    assert ranks == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_process_ids_of_two_slices_follow_each_other() -> None:
    workers = plan(objects(8, "jobset", slices=2), every_pod=True).workers
    assert [worker.ranks for worker in workers] == [(number, number) for number in range(8)]
    assert [worker.pod.hostname for worker in workers if worker.is_rendezvous_host] == ["mnist-worker-0-0"]
    assert {worker.launch.world for worker in workers} == {8}
    assert {worker.container.value("MEGASCALE_NUM_SLICES") for worker in workers} == {"2"}
    assert [worker.container.value("MEGASCALE_SLICE_ID") for worker in workers] == ["0"] * 4 + ["1"] * 4
    assert {worker.container.value("MEGASCALE_COORDINATOR_ADDRESS") for worker in workers} == {"mnist-worker-0-0.mnist"}


def test_each_slice_is_a_job_on_a_node_pool_for_itself() -> None:
    """https://jobset.sigs.k8s.io/docs/tasks/tpu_multislice/"""
    (job_set,) = (each for each in objects(8, "jobset", slices=2) if each["kind"] == "JobSet")
    (replicated,) = job_set["spec"]["replicatedJobs"]
    assert (replicated["replicas"], replicated["template"]["spec"]["completions"]) == (2, 4)
    name = "alpha.jobset.sigs.k8s.io/exclusive-topology"
    assert job_set["metadata"]["annotations"][name] == "cloud.google.com/gke-nodepool"


def test_the_port_is_that_of_the_detection() -> None:
    job = workers_of(compile_objects("job", launch={"jax": {"port": 9000}}, workers=4, resources={"tpu": SLICE}))
    container = training_container(job)
    assert container["env"] == [{"name": "JAX_COORDINATOR_PORT", "value": "9000"}]


@pytest.mark.parametrize(("chips", "workers", "field"), [(4, 4, {}), (8, 2, {"chips": 8})])
def test_a_job_of_tpus_is_read(chips: int, workers: int, field: Object) -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "bench"},
        "spec": {
            "completionMode": "Indexed",
            "completions": workers,
            "parallelism": workers,
            "backoffLimit": 0,
            "template": slice_pods(chips),
        },
    }
    done = trainc("import", "-", stdin=json.dumps(job))
    assert done.code == 0, done.err
    spec = yaml.safe_load(done.out)["spec"]
    assert (spec["launch"], spec["workers"]) == ({"jax": {}}, workers)
    assert spec["resources"] == {"tpu": {**SLICE, **field}}
    assert "scheduling" not in spec


def job_set_of_slices() -> Object:
    """https://docs.cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice: without variables of the slices"""
    template = {"spec": {"completions": 4, "parallelism": 4, "backoffLimit": 0, "template": slice_pods(4)}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {
            "name": "bench",
            "annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"},
        },
        "spec": {"replicatedJobs": [{"name": "slice", "replicas": 2, "template": template}]},
    }


def test_variables_of_slices_that_gke_sets_are_no_fault() -> None:
    text = json.dumps(job_set_of_slices())
    assert trainc("check", "-", stdin=text) == (0, "", "")
    workers = plan([job_set_of_slices()], every_pod=True).workers
    assert [(worker.node_rank, worker.launch.world) for worker in workers] == [(None, None)] * 8


def test_a_job_set_without_a_node_pool_for_each_slice_has_equal_process_ids() -> None:
    job_set = job_set_of_slices()
    del job_set["metadata"]["annotations"]
    done = trainc("check", "-", stdin=json.dumps(job_set))
    assert (done.code, done.err.count("error[TC4053]: rank 0 is already that of bench-slice-0-0")) == (1, 1)


def test_the_slices_of_a_job_set_are_read() -> None:
    done = trainc("import", "-", stdin=json.dumps(job_set_of_slices()))
    assert done.code == 0, done.err
    job = yaml.safe_load(done.out)
    assert job["spec"]["resources"] == {"tpu": {**SLICE, "slices": 2}}
    assert (job["spec"]["launch"], job["spec"]["workers"]) == ({"jax": {}}, 8)
    assert "annotations" not in job["metadata"]
