"""Objects that the MPI operator creates for an MPIJob: values recorded from a real operator.

kubeflow/mpi-operator v0.8.2 ran beside a Kubernetes 1.36: `kubectl get pods,jobs,services,configmaps,secrets -o yaml`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.plan.manifests import objects as golden
from tests.unit.plan.manifests import only, planned
from trainc.plan.plan import plan
from trainc.systems.mpijob.model import failure_cases, operator_output, validation_errors

Object = dict[str, Any]


def job(command: list[str] | None = None, **spec: Any) -> Object:
    """Return the operator's example tensorflow-mnist, in the namespace horovod."""
    launcher = {"name": "mpi-launcher", "image": "mpi:1", "command": command or ["mpirun", "-np", "2", "python"]}
    roles = {
        "Launcher": {"replicas": 1, "template": {"spec": {"containers": [launcher]}}},
        "Worker": {"replicas": 2, "template": {"spec": {"containers": [{"name": "mpi-worker", "image": "mpi:1"}]}}},
    }
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": "mnist", "namespace": "horovod"},
        "spec": {"slotsPerWorker": 1, "mpiReplicaSpecs": roles, **spec},
    }


def created(resource: Object, kind: str, name: str) -> Object:
    (found,) = [
        each
        for each in operator_output(resource, []).objects
        if (each["kind"], each["metadata"]["name"]) == (kind, name)
    ]
    return found


def variables(container: Object) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container["env"]}


def effects(resource: Object) -> dict[str, str]:
    return {case.trigger: case.effect for case in failure_cases(resource, [], [])}


def test_a_worker_runs_sshd_with_the_operators_keys() -> None:
    pod = created(job(), "Pod", "mnist-worker-1")
    assert pod["metadata"]["labels"] == {
        "training.kubeflow.org/job-name": "mnist",
        "training.kubeflow.org/job-role": "worker",
        "training.kubeflow.org/operator-name": "mpi-operator",
        "training.kubeflow.org/replica-index": "1",
    }
    spec = pod["spec"]
    assert (spec["hostname"], spec["subdomain"], spec["restartPolicy"]) == ("mnist-worker-1", "mnist", "Never")
    assert spec["dnsConfig"] == {"searches": ["mnist.horovod.svc.cluster.local"]}
    (container,) = spec["containers"]
    assert container["command"] == ["/usr/sbin/sshd", "-De"]
    assert variables(container) == {"K_MPI_JOB_ROLE": "worker"}
    assert [each["mountPath"] for each in container["volumeMounts"]] == ["/root/.ssh"]
    secret = spec["volumes"][0]["secret"]
    assert (secret["secretName"], secret["defaultMode"]) == ("mnist-ssh", 384)


def test_the_launcher_is_a_job_without_gpus() -> None:
    spec = created(job(), "Job", "mnist-launcher")["spec"]
    assert spec["podReplacementPolicy"] == "Failed"
    pod = spec["template"]["spec"]
    assert (pod["hostname"], pod["subdomain"], pod["restartPolicy"]) == ("mnist-launcher", "mnist", "OnFailure")
    assert "dnsConfig" not in pod
    assert variables(pod["containers"][0]) == {
        "K_MPI_JOB_ROLE": "launcher",
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
        "OMPI_MCA_orte_set_default_slots": "1",
        "NVIDIA_VISIBLE_DEVICES": "",
        "NVIDIA_DRIVER_CAPABILITIES": "",
    }
    assert [each["mountPath"] for each in pod["containers"][0]["volumeMounts"]] == ["/root/.ssh", "/etc/mpi"]


def test_the_hostfile_of_open_mpi() -> None:
    data = created(job(), "ConfigMap", "mnist-config")["data"]
    assert data["hostfile"] == "mnist-worker-0.mnist.horovod.svc slots=1\nmnist-worker-1.mnist.horovod.svc slots=1\n"


def test_a_launcher_that_is_a_worker_with_intel_mpi() -> None:
    resource = job(slotsPerWorker=2, runLauncherAsWorker=True, mpiImplementation="Intel")
    hosts = created(resource, "ConfigMap", "mnist-config")["data"]["hostfile"].splitlines()
    assert hosts[0] == "mnist-launcher.mnist.horovod.svc:2"
    template = created(resource, "Job", "mnist-launcher")["spec"]["template"]
    assert template["metadata"]["labels"]["training.kubeflow.org/replica-index"] == "0"
    assert variables(template["spec"]["containers"][0]) == {
        "K_MPI_JOB_ROLE": "launcher",
        "I_MPI_HYDRA_HOST_FILE": "/etc/mpi/hostfile",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "-o ConnectionAttempts=10",
        "I_MPI_PERHOST": "2",
    }
    worker = created(resource, "Pod", "mnist-worker-0")
    assert worker["metadata"]["labels"]["training.kubeflow.org/replica-index"] == "1"
    assert created(resource, "Service", "mnist")["spec"]["publishNotReadyAddresses"] is True


def test_what_the_operator_rejects() -> None:
    """The event ValidationError of the real operator names these three fields."""
    resource = job(runPolicy={"cleanPodPolicy": "Never"})
    resource["spec"]["mpiReplicaSpecs"]["Launcher"]["restartPolicy"] = "Always"
    resource["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] = 0
    assert [error.path for error in validation_errors(resource)] == [
        ("spec", "mpiReplicaSpecs", "Launcher", "restartPolicy"),
        ("spec", "mpiReplicaSpecs", "Worker", "replicas"),
        ("spec", "runPolicy", "cleanPodPolicy"),
    ]
    assert operator_output(resource, []).objects == ()


@pytest.mark.parametrize(("name", "fits"), [("a" * 54, True), ("a" * 55, False), ("1a", False)])
def test_the_name_of_the_last_worker_is_a_dns_label(name: str, fits: bool) -> None:
    """validateMPIJobName: `NAME-worker-1` has at most 63 characters and starts with a letter."""
    resource = job()
    resource["metadata"]["name"] = name
    assert (validation_errors(resource) == []) is fits


@pytest.mark.parametrize(
    ("command", "ranks", "errors"),
    [
        (["mpirun", "-np", "4", "./a"], [(0, 1), (2, 3)], []),
        (["mpirun", "./a"], [(0, 1), (2, 3)], []),
        (["mpirun", "-np", "3", "./a"], [(0, 1), (2, 2)], []),
        (["mpirun", "-np", "2", "-npernode", "1", "./a"], [(0, 0), (1, 1)], []),
        (["sh", "-c", "mpirun -np $NP ./a"], [None, None], []),
        (["mpirun", "-np", "5", "./a"], [None, None], ["mpirun exits: it is to start 5 processes"]),
    ],
)
def test_mpirun_fills_the_slots_of_the_hostfile(command: list[str], ranks: list[Any], errors: list[str]) -> None:
    """https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html, mapping by slot"""
    result = plan([job(command, slotsPerWorker=2)])
    assert [worker.ranks for worker in result.workers] == ranks
    messages = {finding.message for finding in result.findings if "mpirun" in finding.message}
    assert all(any(message.startswith(error) for message in messages) for error in errors)
    assert bool(messages) is bool(errors)


def test_the_launcher_is_no_worker_of_the_plan() -> None:
    result = planned("mpi/mpijob")
    assert [worker.pod.name for worker in result.workers] == ["mpi-worker-0", "mpi-worker-1"]
    assert [server.names for server in result.servers] == [("mpi-launcher.mpi",)]
    assert result.initial_size.world == 16


def test_what_follows_failures_and_the_end() -> None:
    of_operator, of_trainc = effects(job()), effects(only(golden("mpi/mpijob"), "MPIJob"))
    assert of_operator["the launcher has succeeded"].endswith("running pods continue: sshd never ends")
    assert of_trainc["the launcher has succeeded"].endswith("running and pending workers are deleted")
    assert of_operator["a worker fails"].startswith("its pod stays failed")
    assert of_trainc["a worker fails"].startswith("its container is restarted")
    assert "not all workers are ready" in of_trainc.keys() - of_operator.keys()
