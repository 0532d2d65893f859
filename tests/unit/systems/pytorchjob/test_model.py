"""What Kubeflow's training operator 1.9 makes of a PyTorchJob: values from its source, worked out by hand.

Files are of https://github.com/kubeflow/training-operator/tree/release-1.9/pkg.
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.plan.plan import plan
from trainc.systems.pytorchjob.model.pods import operator_output, validation_errors
from trainc.systems.shared.model import OperatorOutput

Object = dict[str, Any]
TRAIN = {"name": "pytorch", "image": "train:1", "command": ["torchrun", "train.py"]}


def role(replicas: int | None = None, container: Object | None = None, **more: Any) -> Object:
    template = {"spec": {"containers": [{**TRAIN, **(container or {})}]}}
    return {**({} if replicas is None else {"replicas": replicas}), "template": template, **more}


def job(master: Object | None = None, worker: Object | None = None, **spec: Any) -> Object:
    roles = {name: given for name, given in (("Master", master), ("Worker", worker)) if given}
    head = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "pt", "namespace": "lab"}}
    return {**head, "spec": {"pytorchReplicaSpecs": roles, **spec}}


def of(resource: Object) -> OperatorOutput:
    return operator_output(resource, [resource])


def objects(resource: Object, kind: str) -> list[Object]:
    return [one for one in of(resource).objects if one["kind"] == kind]


def env(resource: Object, place: int = 0) -> dict[str, str]:
    """Names and values in their order, of the container that trains."""
    return {one["name"]: one["value"] for one in objects(resource, "Pod")[place]["spec"]["containers"][0]["env"]}


def test_the_variables_of_an_elastic_job_are_those_that_a_real_operator_gave() -> None:
    """Read in a pod that training-operator 1.9 made on a cluster, of this job."""
    policy = {
        "minReplicas": 1,
        "maxReplicas": 3,
        "rdzvBackend": "c10d",
        "rdzvId": "pt-run",
        "rdzvConf": [{"key": "last_call_timeout", "value": "3"}],
        "maxRestarts": 3,
    }
    found = env(job(worker=role(2), nprocPerNode="2", elasticPolicy=policy))
    assert " ".join(f"{name}={value}" for name, value in found.items()) == (
        "PYTHONUNBUFFERED=1 PET_NPROC_PER_NODE=2 PET_RDZV_ENDPOINT=pt-worker-0:23456 PET_RDZV_BACKEND=c10d "
        "PET_NNODES=1:3 PET_MAX_RESTARTS=3 PET_RDZV_ID=pt-run PET_RDZV_CONF=last_call_timeout=3"
    )


def test_the_operators_own_case_of_an_elastic_policy() -> None:
    """TestElasticGenerate of controller.v1/pytorch/elastic_test.go"""
    conf = [
        {"key": "rdzv-conf-name", "value": "rdzv-conf-value"},
        {"key": "rdzv-conf-name-1", "value": "rdzv-conf-value-1"},
    ]
    policy = {"minReplicas": 1, "maxReplicas": 3, "rdzvBackend": "c10d", "rdzvPort": 1234, "rdzvHost": "localhost"}
    found = env(job(worker=role(1), elasticPolicy={**policy, "rdzvId": "rdzv-id", "rdzvConf": conf, "maxRestarts": 3}))
    assert found["PET_RDZV_ENDPOINT"] == "localhost:1234"
    assert found["PET_RDZV_CONF"] == "rdzv-conf-name=rdzv-conf-value,rdzv-conf-name-1=rdzv-conf-value-1"


def test_a_master_gives_all_pods_its_address_the_world_and_their_nodes_rank() -> None:
    """setPodEnv of controller.v1/pytorch/envvar.go: 3 pods of 4 processes; a worker's rank is its index and one."""
    given = job(master=role(1), worker=role(2), nprocPerNode="4")
    assert [one["metadata"]["name"] for one in objects(given, "Pod")] == ["pt-master-0", "pt-worker-0", "pt-worker-1"]
    for rank in range(3):
        assert env(given, rank) == {
            "PYTHONUNBUFFERED": "1",
            "MASTER_PORT": "23456",
            "PET_MASTER_PORT": "23456",
            "MASTER_ADDR": "pt-master-0",
            "PET_MASTER_ADDR": "pt-master-0",
            "WORLD_SIZE": "12",
            "RANK": str(rank),
            "PET_NODE_RANK": str(rank),
            "PET_NPROC_PER_NODE": "4",
            "PET_NNODES": "3",
        }


@pytest.mark.parametrize(("processes", "world"), [("auto", "2"), ("gpu", "2"), ("cpu", "2"), (None, "2"), ("8", "16")])
def test_only_a_number_of_processes_counts_in_the_world(processes: str | None, world: str) -> None:
    """getNprocPerNodeInt of controller.v1/pytorch/envvar.go; setDefaultNprocPerNode of apis/kubeflow.org/v1"""
    given = {} if processes is None else {"nprocPerNode": processes}
    found = env(job(master=role(1), worker=role(1), **given))
    assert (found["WORLD_SIZE"], found["PET_NPROC_PER_NODE"]) == (world, processes or "auto")


def test_the_old_field_for_processes_is_the_only_one_where_it_is_given() -> None:
    """setDefaultNprocPerNode of apis/kubeflow.org/v1/pytorch_defaults.go leaves the new one out then."""
    found = env(job(worker=role(2), elasticPolicy={"nProcPerNode": 3}))
    assert (found["PET_NPROC_PER_NODE"], list(found).index("PET_NPROC_PER_NODE")) == ("3", 4)


@pytest.mark.parametrize(
    ("bounds", "nodes"),
    [
        ({}, "2:2"),
        ({"minReplicas": 1}, "1:1"),
        ({"maxReplicas": 4}, "4:4"),
        ({"minReplicas": 1, "maxReplicas": 4}, "1:4"),
    ],
)
def test_the_bounds_that_are_left_out(bounds: Object, nodes: str) -> None:
    """setElasticPolicy of apis/kubeflow.org/v1/pytorch_defaults.go"""
    assert env(job(worker=role(2), elasticPolicy=bounds))["PET_NNODES"] == nodes


def test_a_users_own_variable_comes_first_so_that_the_operators_counts() -> None:
    container = {"env": [{"name": "PET_NNODES", "value": "7"}]}
    given = job(worker=role(2, container))
    (first, *_) = objects(given, "Pod")[0]["spec"]["containers"][0]["env"]
    assert first == {"name": "PET_NNODES", "value": "7"}
    assert plan([given]).workers[0].container.value("PET_NNODES") == "2"


def test_every_container_gets_the_variables_and_no_init_container() -> None:
    """setPodEnv goes over podTemplateSpec.Spec.Containers."""
    given = role(1)
    given["template"]["spec"] |= {"initContainers": [{"name": "first", "image": "a"}]}
    given["template"]["spec"]["containers"].append({"name": "log", "image": "b"})
    spec = objects(job(worker=given), "Pod")[0]["spec"]
    assert [len(one["env"]) for one in spec["containers"]] == [3, 3]
    assert spec["initContainers"] == [{"name": "first", "image": "a"}]


def test_pods_have_the_operators_labels_and_no_hostname_of_their_own() -> None:
    """createNewPod of controller.v1/common/pod.go, GenLabels of job_controller.go, IsMasterRole of the PyTorchJob's"""
    first, second = objects(job(worker=role(2)), "Pod")
    assert first["metadata"]["labels"] == {
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
        "training.kubeflow.org/job-name": "pt",
        "training.kubeflow.org/replica-type": "worker",
        "training.kubeflow.org/replica-index": "0",
        "training.kubeflow.org/job-role": "master",
    }
    assert "training.kubeflow.org/job-role" not in second["metadata"]["labels"]
    assert not {"hostname", "subdomain"} & set(first["spec"])
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "pt", "controller": True}
    assert first["metadata"]["ownerReferences"] == [owner]
    assert first["metadata"]["namespace"] == "lab"


def test_each_pod_has_a_headless_service_of_its_name_for_when_it_is_ready() -> None:
    """CreateNewService of controller.v1/common/service.go, which sets nothing else."""
    container = {"ports": [{"name": "metrics", "containerPort": 9090}]}
    _, second = objects(job(worker=role(2, container)), "Service")
    assert second["metadata"]["name"] == "pt-worker-1"
    assert second["spec"] == {
        "clusterIP": "None",
        "selector": {
            "training.kubeflow.org/operator-name": "pytorchjob-controller",
            "training.kubeflow.org/job-name": "pt",
            "training.kubeflow.org/replica-type": "worker",
            "training.kubeflow.org/replica-index": "1",
        },
        "ports": [{"name": "metrics", "port": 9090}, {"name": "pytorchjob-port", "port": 23456}],
    }


@pytest.mark.parametrize(
    ("given", "of_pod"),
    [(None, "OnFailure"), ("OnFailure", "OnFailure"), ("Always", "Always"), ("Never", "Never"), ("ExitCode", "Never")],
)
def test_the_pods_restart_policy(given: str | None, of_pod: str) -> None:
    """SetRestartPolicy of core/pod.go; PyTorchJobDefaultRestartPolicy"""
    more: Object = {} if given is None else {"restartPolicy": given}
    one = role(1, **more)
    one["template"]["spec"]["restartPolicy"] = "Always"
    assert objects(job(worker=one), "Pod")[0]["spec"]["restartPolicy"] == of_pod


def test_workers_beside_a_master_look_for_its_name_first() -> None:
    """initContainerTemplate of controller.v1/pytorch/initcontainer.go with the defaults of config/config.go"""
    master, worker = objects(job(master=role(1), worker=role(1)), "Pod")
    assert "initContainers" not in master["spec"]
    (first,) = worker["spec"]["initContainers"]
    assert first["image"] == "alpine:3.10"
    assert first["command"] == [
        "sh",
        "-c",
        "err=1;for i in $(seq 100); do if nslookup pt-master-0; then err=0 && break; fi;echo waiting for master; "
        "sleep 2; done; exit $err",
    ]


def test_an_autoscaler_is_made_of_metrics_alone() -> None:
    """desiredHPA of controller.v1/pytorch/hpa.go"""
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}}]
    policy = {"minReplicas": 1, "maxReplicas": 4, "metrics": metrics}
    given = job(worker=role(2), elasticPolicy=policy)
    (scaler,) = objects(given, "HorizontalPodAutoscaler")
    assert scaler["spec"] == {
        "scaleTargetRef": {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "pt"},
        "minReplicas": 1,
        "maxReplicas": 4,
        "metrics": metrics,
    }
    assert [one.pods for one in plan([given]).world_sizes] == [1, 2, 4]
    assert [one.pod.on_scale_up for one in plan([given]).workers] == [False, False, True, True]
    assert not objects(job(worker=role(2), elasticPolicy={"maxReplicas": 4}), "HorizontalPodAutoscaler")


@pytest.mark.parametrize(("policy", "least"), [({}, 3), ({"minAvailable": 2}, 2)])
def test_the_pods_group_is_all_unless_told(policy: Object, least: int) -> None:
    """ReconcileJobs of controller.v1/common/job.go"""
    (group,) = objects(
        job(master=role(1), worker=role(2), runPolicy={"schedulingPolicy": policy}),
        "PodGroup",
    )
    assert group["spec"]["minMember"] == least


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (job(), "pytorchReplicaSpecs is missing"),
        (job(master=role(2)), "Master: replicas must be 1"),
        (job(master=role()), "Master: replicas must be 1"),
        (job(worker=role(0)), "Worker: replicas must be at least 1"),
        (job(worker=role(1, {"name": "main"})), "Worker: no container is named `pytorch`"),
        (job(worker=role(1, {"image": ""})), "Worker: container `pytorch` has no image"),
        (job(master=role(1), elasticPolicy={}), "elasticPolicy requires a Worker"),
        (
            job(worker=role(1), nprocPerNode="2", elasticPolicy={"nProcPerNode": 2}),
            "elasticPolicy.nProcPerNode must not be used with nprocPerNode",
        ),
        ({**job(worker=role(1)), "metadata": {"name": "1st"}}, "name `1st` is not a DNS label"),
    ],
)
def test_errors_of_the_operators_webhook_are_reported(given: Object, why: str) -> None:
    """validatePyTorchJob of webhooks/pytorch/pytorchjob_webhook.go"""
    assert why in validation_errors(given)[0]
    (found,) = plan([given]).findings
    assert found.message.startswith("rejected by the operator: ")
    assert plan([given]).workers == ()


def test_a_lone_worker_counts_one_where_it_doesnt_say() -> None:
    """setDefaultReplicas of apis/kubeflow.org/v1/defaulting_utils.go"""
    assert len(objects(job(worker=role()), "Pod")) == 1
