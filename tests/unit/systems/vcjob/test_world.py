"""Worlds of Jobs of Volcano: ranks, names and programs of tasks, as Volcano 1.15.1 and bash have them.

https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job/plugins: env sets VC_TASK_INDEX, the pod's number
in its task; svc sets VC_<TASK>_HOSTS, VC_<TASK>_NUM, spec.hostname and spec.subdomain.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CommandResult, trainc

Object = dict[str, Any]
OPTIONS = "--nproc_per_node=8 --master_addr=$VC_MASTER_HOSTS --master_port=29500 train.py"


def task(name: str, replicas: int, script: str | list[str], **fields: Any) -> Object:
    command = ["bash", "-c", script] if isinstance(script, str) else script
    container = {
        "name": "pytorch",
        "image": "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime",
        "command": command,
        "resources": {"limits": {"nvidia.com/gpu": 8, "memory": "100Gi"}},
        "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
    }
    volume = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}
    pod = {"restartPolicy": "Never", "containers": [container], "volumes": [volume]}
    return {"name": name, "replicas": replicas, "template": {"spec": pod}, **fields}


def ranked(name: str, replicas: int, rank: str, nodes: int = 3) -> Object:
    return task(name, replicas, f"torchrun --nnodes={nodes} --node_rank={rank} {OPTIONS}")


def run(tmp_path: Path, command: list[str], tasks: list[Object], *others: Object, **spec: Any) -> CommandResult:
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "mw"},
        "spec": {
            "schedulerName": "volcano",
            "plugins": {"env": [], "svc": []},
            "policies": [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}],
            "tasks": tasks,
            **spec,
        },
    }
    file = tmp_path / "job.yaml"
    file.write_text("\n---\n".join(map(json.dumps, [job, *others])), "utf-8")
    return trainc(*command, str(file))


@pytest.mark.parametrize("rank", ["$((VC_TASK_INDEX+1))", "$(( $VC_TASK_INDEX + 1 ))", "$((1 + ${VC_TASK_INDEX}))"])
def test_ranks_of_a_master_and_workers_are_those_of_the_shell(rank: str, tmp_path: Path) -> None:
    done = run(tmp_path, ["check"], [ranked("master", 1, "0"), ranked("worker", 2, rank)])
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("rank", "message"),
    [
        ("$((VC_TASK_INDEX))", "rank 0 is already that of mw-master-0"),
        ("$((VC_TASK_INDEX+2))", "rank is 3, but there are only 3 pods"),
        ("$((OTHER+1))", "rank is not set, or not a number"),
    ],
)
def test_other_ranks_are_an_error(rank: str, message: str, tmp_path: Path) -> None:
    done = run(tmp_path, ["check"], [ranked("master", 1, "0"), ranked("worker", 2, rank)])
    assert done.code == 1
    assert f"error[TC4053]: {message}" in done.err


def test_the_plan_knows_the_number_of_a_task(tmp_path: Path) -> None:
    script = f"torchrun --nnodes=$VC_WORKER_NUM --node_rank=$VC_TASK_INDEX {OPTIONS}".replace("MASTER", "WORKER")
    script = script.replace("$VC_WORKER_HOSTS", "mw-worker-0.mw")
    done = run(tmp_path, ["compile", "--backend", "vcjob", "--verify", "-q"], [task("worker", 2, script)])
    assert done.code == 0, done.err
    assert "not the same world" not in done.err


C10D = [
    *("torchrun", "--nnodes=2", "--nproc_per_node=8", "--rdzv_backend=c10d"),
    *("--rdzv_endpoint=mw-worker-0.mw:29400", "train.py"),
]
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "mw"},
    "spec": {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"volcano.sh/job-name": "mw"},
        "ports": [{"port": 29400}],
    },
}


@pytest.mark.parametrize("has_service", [False, True])
def test_only_the_plugin_svc_gives_the_pods_names(has_service: bool, tmp_path: Path) -> None:
    """createJobPod sets no hostname: OnPodCreate of pkg/controllers/job/plugins/svc/svc.go does."""
    worker = task("worker", 2, C10D)
    others = []
    if has_service:
        worker["template"]["spec"]["subdomain"] = "mw"
        others.append(SERVICE)
    done = run(tmp_path, ["check"], [worker], *others, plugins={"env": []})
    assert done.code == 1
    assert "error[TC4053]: the pod has no DNS name: it has no hostname" in done.err
    assert "= help: add the plugin svc," in done.err
    assert "= help: set `subdomain`" not in done.err
    assert run(tmp_path, ["check"], [task("worker", 2, C10D)]).err == ""


def test_exit_codes_are_named_as_such(tmp_path: Path) -> None:
    """A policy has an exit code; restartPolicy ExitCode is that of the training operator."""
    policies = [{"exitCode": 3, "action": "RestartJob"}, {"event": "PodEvicted", "action": "RestartJob"}]
    done = run(tmp_path, ["check"], [task("worker", 2, C10D)], policies=policies)
    assert "warning[TC3020]: these exit codes never match: torchrun exits with 1 whenever a process fails" in done.err
    assert "restartPolicy" not in done.err


def test_no_job_can_be_in_the_root_queue(tmp_path: Path) -> None:
    """`can not submit job to root queue`: validateJobCreate of pkg/webhooks/admission/jobs/validate/admit_job.go."""
    done = run(tmp_path, ["check"], [task("worker", 2, C10D)], queue="root")
    assert done.code == 1
    assert "error[TC4050]: rejected by the Volcano controller: no job can be in the queue `root`" in done.err
    assert run(tmp_path, ["check"], [task("worker", 2, C10D)], queue="default").err == ""


def test_the_scheduler_of_kubernetes_schedules_no_gang(tmp_path: Path) -> None:
    """createOrUpdatePodGroup creates a group of Volcano, which only Volcano's scheduler reads."""
    done = run(tmp_path, ["check"], [task("worker", 2, C10D)], schedulerName="default-scheduler")
    assert done.code == 0
    assert "warning[TC4070]: the pods are no gang: `default-scheduler` schedules them one by one" in done.err


@pytest.mark.parametrize(
    ("size", "rank"),
    [(2, "$((VC_TASK_INDEX+1))"), (2, "$(( $VC_TASK_INDEX + 1 ))"), (1, "1"), (1, "$((1+VK_TASK_INDEX))")],
)
def test_ranks_that_count_on_are_those_of_one_job(size: int, rank: str, tmp_path: Path) -> None:
    """The pods have the ranks 0 to `size`, and the first is the master, as those of trainc's static rendezvous."""
    tasks = [ranked("master", 1, "0", size + 1), ranked("worker", size, rank, size + 1)]
    done = run(tmp_path, ["import", "-o", "-"], tasks)
    assert done.code == 0, done.err
    assert "torchrun: {rendezvous: {backend: static, port: 29500}}\n" in done.out
    assert "run: {python: [train.py]}\n" in done.out
    assert f"workers: {size + 1}\n" in done.out
    assert "the node ranks of the tasks become each worker's own rank" in done.err
    verified = run(tmp_path, ["compile", "--backend", "vcjob", "--verify", "-q"], tasks)
    assert verified.code == 0, verified.err


def test_ranks_may_be_arguments_of_their_own(tmp_path: Path) -> None:
    def start(*rank: str) -> list[str]:
        options = ["--nnodes=2", "--nproc_per_node=8", "--master_addr=mw-master-0.mw", "--master_port=29500"]
        return ["torchrun", *options, *rank, "train.py"]

    tasks = [task("master", 1, start("--node_rank", "0")), task("worker", 1, start("--node_rank", "1"))]
    done = run(tmp_path, ["import", "-o", "-"], tasks)
    assert done.code == 0, done.err
    assert "backend: static" in done.out


@pytest.mark.parametrize("rank", ["$VC_TASK_INDEX", "$((VC_TASK_INDEX+2))", "$((VC_TASK_INDEX*2+1))", "$RANK", "0"])
def test_other_ranks_are_programs_that_differ(rank: str, tmp_path: Path) -> None:
    done = run(tmp_path, ["import", "-o", "-"], [ranked("master", 1, "0"), ranked("worker", 2, rank)])
    assert done.code == 1 or "become each worker's own rank" not in done.err


def test_a_shell_computes_the_rank_of_a_single_task(tmp_path: Path) -> None:
    script = f"torchrun --nnodes=2 --node_rank=$((VC_TASK_INDEX)) {OPTIONS}".replace(
        "$VC_MASTER_HOSTS", "mw-worker-0.mw"
    )
    done = run(tmp_path, ["import", "-o", "-"], [task("worker", 2, script)])
    assert done.code == 0, done.err
    assert "the node rank becomes each worker's own rank" in done.err
    assert "backend: static" in done.out


MPI = (
    'MPI_HOST=`cat /etc/volcano/mpiworker.host | tr "\\n" ","`; mkdir -p /var/run/sshd; /usr/sbin/sshd;'
    " mpiexec --allow-run-as-root --host ${MPI_HOST} -np 3 mpi_hello_world;"
)


@pytest.mark.parametrize("plugins", [{"ssh": [], "svc": []}, {"mpi": ["--master=mpimaster", "--worker=mpiworker"]}])
def test_mpi_is_valid_and_not_translated(plugins: Object, tmp_path: Path) -> None:
    """Volcano's example: https://github.com/volcano-sh/volcano/tree/v1.15.1/example/integrations/mpi"""
    tasks = [task("mpimaster", 1, MPI), task("mpiworker", 3, "mkdir -p /var/run/sshd; /usr/sbin/sshd -D;")]
    assert run(tmp_path, ["check"], tasks, plugins=plugins).code == 0
    done = run(tmp_path, ["import", "-o", "-"], tasks, plugins=plugins)
    assert done.code == 1
    assert "error[TC5005]: " in done.err
    assert ", as an MPIJob's launcher does\n" in done.err
    assert "= help: write an MPIJob, or start torchrun in every pod\n" in done.err
