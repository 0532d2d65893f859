"""Objects that Kubeflow's training operator 1.9 creates for a PyTorchJob: values derived by hand from its source.

Files are of https://github.com/kubeflow/training-operator/tree/release-1.9/pkg.
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.plan.plan import plan
from trainc.systems.pytorchjob.model import operator_output, validation_errors
from trainc.systems.shared.model import OperatorOutput

Object = dict[str, Any]
TRAIN = {"name": "pytorch", "image": "train:1", "command": ["torchrun", "train.py"]}


def role(replicas: int | None = None, container: Object | None = None, **fields: Any) -> Object:
    template = {"spec": {"containers": [{**TRAIN, **(container or {})}]}}
    return {**({} if replicas is None else {"replicas": replicas}), "template": template, **fields}


def job(master: Object | None = None, worker: Object | None = None, **spec: Any) -> Object:
    roles = {name: spec for name, spec in (("Master", master), ("Worker", worker)) if spec}
    head = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "pt", "namespace": "lab"}}
    return {**head, "spec": {"pytorchReplicaSpecs": roles, **spec}}


def output_of(resource: Object) -> OperatorOutput:
    return operator_output(resource, [resource])


def objects(resource: Object, kind: str) -> list[Object]:
    return [item for item in output_of(resource).objects if item["kind"] == kind]


def env(resource: Object, index: int = 0) -> dict[str, str]:
    """Return names and values of the training container, in order."""
    return {
        variable["name"]: variable["value"]
        for variable in objects(resource, "Pod")[index]["spec"]["containers"][0]["env"]
    }


def test_variables_of_an_elastic_job() -> None:
    """Recorded from a pod that training-operator 1.9 created for this job."""
    policy = {
        "minReplicas": 1,
        "maxReplicas": 3,
        "rdzvBackend": "c10d",
        "rdzvId": "pt-run",
        "rdzvConf": [{"key": "last_call_timeout", "value": "3"}],
        "maxRestarts": 3,
    }
    variables = env(job(worker=role(2), nprocPerNode="2", elasticPolicy=policy))
    assert " ".join(f"{name}={value}" for name, value in variables.items()) == (
        "PYTHONUNBUFFERED=1 PET_NPROC_PER_NODE=2 PET_RDZV_ENDPOINT=pt-worker-0:23456 PET_RDZV_BACKEND=c10d "
        "PET_NNODES=1:3 PET_MAX_RESTARTS=3 PET_RDZV_ID=pt-run PET_RDZV_CONF=last_call_timeout=3"
    )


def test_elastic_policy_of_the_operators_tests() -> None:
    """TestElasticGenerate of controller.v1/pytorch/elastic_test.go"""
    conf = [
        {"key": "rdzv-conf-name", "value": "rdzv-conf-value"},
        {"key": "rdzv-conf-name-1", "value": "rdzv-conf-value-1"},
    ]
    policy = {"minReplicas": 1, "maxReplicas": 3, "rdzvBackend": "c10d", "rdzvPort": 1234, "rdzvHost": "localhost"}
    variables = env(
        job(worker=role(1), elasticPolicy={**policy, "rdzvId": "rdzv-id", "rdzvConf": conf, "maxRestarts": 3})
    )
    assert variables["PET_RDZV_ENDPOINT"] == "localhost:1234"
    assert variables["PET_RDZV_CONF"] == "rdzv-conf-name=rdzv-conf-value,rdzv-conf-name-1=rdzv-conf-value-1"


def test_variables_of_a_job_with_a_master() -> None:
    """setPodEnv of controller.v1/pytorch/envvar.go: 3 pods of 4 processes; a worker's rank is its index and one."""
    resource = job(master=role(1), worker=role(2), nprocPerNode="4")
    assert [pod["metadata"]["name"] for pod in objects(resource, "Pod")] == [
        "pt-master-0",
        "pt-worker-0",
        "pt-worker-1",
    ]
    for rank in range(3):
        assert env(resource, rank) == {
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
def test_world_size_counts_processes_only_if_they_are_a_number(processes: str | None, world: str) -> None:
    """getNprocPerNodeInt of controller.v1/pytorch/envvar.go; setDefaultNprocPerNode of apis/kubeflow.org/v1"""
    spec = {} if processes is None else {"nprocPerNode": processes}
    variables = env(job(master=role(1), worker=role(1), **spec))
    assert (variables["WORLD_SIZE"], variables["PET_NPROC_PER_NODE"]) == (world, processes or "auto")


def test_the_deprecated_field_overrides_nproc_per_node() -> None:
    """setDefaultNprocPerNode of apis/kubeflow.org/v1/pytorch_defaults.go leaves the new one out then."""
    variables = env(job(worker=role(2), elasticPolicy={"nProcPerNode": 3}))
    assert (variables["PET_NPROC_PER_NODE"], list(variables).index("PET_NPROC_PER_NODE")) == ("3", 4)


@pytest.mark.parametrize(
    ("bounds", "nodes"),
    [
        ({}, "2:2"),
        ({"minReplicas": 1}, "1:1"),
        ({"maxReplicas": 4}, "4:4"),
        ({"minReplicas": 1, "maxReplicas": 4}, "1:4"),
    ],
)
def test_default_bounds(bounds: Object, nodes: str) -> None:
    """setElasticPolicy of apis/kubeflow.org/v1/pytorch_defaults.go"""
    assert env(job(worker=role(2), elasticPolicy=bounds))["PET_NNODES"] == nodes


def test_variables_of_the_operator_override_the_users() -> None:
    container = {"env": [{"name": "PET_NNODES", "value": "7"}]}
    resource = job(worker=role(2, container))
    (first, *_) = objects(resource, "Pod")[0]["spec"]["containers"][0]["env"]
    assert first == {"name": "PET_NNODES", "value": "7"}
    assert plan([resource]).workers[0].container.value("PET_NNODES") == "2"


def test_all_containers_except_init_containers_get_the_variables() -> None:
    """setPodEnv goes over podTemplateSpec.Spec.Containers."""
    worker = role(1)
    worker["template"]["spec"] |= {"initContainers": [{"name": "first", "image": "a"}]}
    worker["template"]["spec"]["containers"].append({"name": "log", "image": "b"})
    spec = objects(job(worker=worker), "Pod")[0]["spec"]
    assert [len(container["env"]) for container in spec["containers"]] == [3, 3]
    assert spec["initContainers"] == [{"name": "first", "image": "a"}]


def test_pods_have_labels_and_no_hostname() -> None:
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


def test_pods_have_headless_services() -> None:
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
    ("policy", "pod_policy"),
    [(None, "OnFailure"), ("OnFailure", "OnFailure"), ("Always", "Always"), ("Never", "Never"), ("ExitCode", "Never")],
)
def test_restart_policies_of_pods(policy: str | None, pod_policy: str) -> None:
    """SetRestartPolicy of core/pod.go; PyTorchJobDefaultRestartPolicy"""
    fields: Object = {} if policy is None else {"restartPolicy": policy}
    worker = role(1, **fields)
    worker["template"]["spec"]["restartPolicy"] = "Always"
    assert objects(job(worker=worker), "Pod")[0]["spec"]["restartPolicy"] == pod_policy


def test_init_containers_of_workers_resolve_the_master() -> None:
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


def test_autoscalers_require_metrics() -> None:
    """desiredHPA of controller.v1/pytorch/hpa.go"""
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}}]
    policy = {"minReplicas": 1, "maxReplicas": 4, "metrics": metrics}
    resource = job(worker=role(2, {"resources": {"requests": {"cpu": 1}}}), elasticPolicy=policy)
    (scaler,) = objects(resource, "HorizontalPodAutoscaler")
    assert scaler["spec"] == {
        "scaleTargetRef": {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "pt"},
        "minReplicas": 1,
        "maxReplicas": 4,
        "metrics": metrics,
    }
    assert [size.pods for size in plan([resource]).world_sizes] == [1, 2, 4]
    assert [worker.pod.on_scale_up for worker in plan([resource]).workers] == [False, False, True, True]
    assert not objects(job(worker=role(2), elasticPolicy={"maxReplicas": 4}), "HorizontalPodAutoscaler")


@pytest.mark.parametrize(("workers", "pods"), [(2, 2), (1, 2), (9, 4)])
def test_an_autoscaler_without_measurements_only_enforces_its_bounds(workers: int, pods: int) -> None:
    """reconcileAutoscaler of pkg/controller/podautoscaler/horizontal.go in kubernetes/kubernetes"""
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}}]
    policy = {"minReplicas": 2, "maxReplicas": 4, "metrics": metrics}
    resource = job(worker=role(workers), elasticPolicy=policy)
    assert objects(resource, "HorizontalPodAutoscaler")
    assert {worker.pod.on_scale_up for worker in plan([resource]).workers[:2]} == {False}
    assert plan([resource]).initial_size.pods == pods


@pytest.mark.parametrize(("policy", "least"), [({}, 3), ({"minAvailable": 2}, 2)])
def test_min_available_of_pod_groups(policy: Object, least: int) -> None:
    """ReconcileJobs of controller.v1/common/job.go"""
    (group,) = objects(
        job(master=role(1), worker=role(2), runPolicy={"schedulingPolicy": policy}),
        "PodGroup",
    )
    assert group["spec"]["minMember"] == least


@pytest.mark.parametrize(
    ("resource", "message"),
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
def test_errors_of_the_operators_webhook_are_reported(resource: Object, message: str) -> None:
    """validatePyTorchJob of webhooks/pytorch/pytorchjob_webhook.go"""
    assert message in validation_errors(resource)[0].message
    (finding,) = plan([resource]).findings
    assert finding.message.startswith("rejected by the operator: ")
    assert plan([resource]).workers == ()


def test_the_default_is_one_worker() -> None:
    """setDefaultReplicas of apis/kubeflow.org/v1/defaulting_utils.go"""
    assert len(objects(job(worker=role()), "Pod")) == 1


def test_a_podgroup_has_the_annotations_of_the_job() -> None:
    """SyncPodGroup of pkg/controller.v1/common/scheduling.go in v1.9.3."""
    resource = job(worker=role(2), runPolicy={"schedulingPolicy": {}})
    resource["metadata"] = {**resource["metadata"], "annotations": {"example.com/ticket": "ML-42"}}
    (group,) = objects(resource, "PodGroup")
    assert group["metadata"]["annotations"] == {"example.com/ticket": "ML-42"}
