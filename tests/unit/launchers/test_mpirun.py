"""launch.mpirun. Expected command lines were run: Open MPI 4.1.4 and 5.0.11, Intel MPI 2021.18 and MPICH 5.0.2 started
the processes on the hosts of an operator's hostfile, by an agent in place of ssh, with the variables of the tests.
"""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text
from tests.support.hostile import HOSTILE
from trainc.plan.fields import Object
from trainc.plan.plan import plan
from trainc.plan.process_env import process_env
from trainc.systems.registry import NAMES, traits

SECRET = {"valueFrom": {"secretKeyRef": {"name": "keys", "key": "token"}}}
POD_IP = {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}


def text(options: dict[str, Any] | None = None, **spec: Any) -> bytes:
    return job_text({}, **{"launch": {"mpirun": options or {}}, "workers": 2, **spec}).encode()


def manifests(options: dict[str, Any] | None = None, **spec: Any) -> list[Object]:
    result = trainc.compile(text(options, **spec), backend="mpijob")
    assert result.ok, result.diagnostics
    return result.objects()


def container(role: str, objects: list[Object]) -> Object:
    (main,) = objects[-1]["spec"]["mpiReplicaSpecs"][role]["template"]["spec"]["containers"]
    assert isinstance(main, dict)
    return main


def command(options: dict[str, Any] | None = None, **spec: Any) -> str:
    main = container("Launcher", manifests(options, **spec))
    return " ".join([*main["command"], *main["args"]])


def found(options: dict[str, Any] | None = None, backend: str = "mpijob", **spec: Any) -> list[str]:
    diagnostics = trainc.compile(text(options, **spec), backend=backend).diagnostics
    return [each.code.id for each in diagnostics if each.code.id[2:] in NUMBERS]


NUMBERS = ("3060", "3160", "3161", "3162", "3163", "3174")
IMAGE = "-x PATH -x LD_LIBRARY_PATH"
OPEN_MPI = "mpirun --allow-run-as-root -np 2 --hostfile /etc/mpi/hostfile --bind-to none --map-by slot"
ENV = {"NCCL_DEBUG": "INFO", "TOKEN": SECRET}
COMMANDS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {}, f"{OPEN_MPI} {IMAGE} python3 -u train.py"),
    ({}, {"resources": {"gpu": 4}}, f"{OPEN_MPI.replace('-np 2', '-np 8')} {IMAGE} python3 -u train.py"),
    ({}, {"env": ENV}, f"{OPEN_MPI} {IMAGE} -x NCCL_DEBUG -x TOKEN python3 -u train.py"),
    ({"port": 29500}, {}, f"{OPEN_MPI} {IMAGE} -x MASTER_ADDR -x MASTER_PORT python3 -u train.py"),
    ({"forwardEnv": []}, {"run": {"exec": ["./a.out", "-x"]}}, f"{OPEN_MPI} ./a.out -x"),
    (
        {"allowRunAsRoot": False, "bindTo": "core", "mapBy": "ppr:1:node", "otherArgs": ["--mca", "btl", "^openib"]},
        {"run": {"module": ["train"]}},
        "mpirun -np 2 --hostfile /etc/mpi/hostfile --bind-to core --map-by ppr:1:node"
        f" {IMAGE} --mca btl ^openib python3 -u -m train",
    ),
    # An absolute path is --prefix for the daemons on the workers:
    # https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html
    (
        {"command": "/opt/amazon/openmpi/bin/mpirun"},
        {},
        f"/opt/amazon/openmpi/bin/{OPEN_MPI} {IMAGE} python3 -u train.py",
    ),
    ({}, {"launcherPod": {"mpiImplementation": "Intel"}, "env": ENV}, "mpirun -np 2 python3 -u train.py"),
    (
        {"slotsPerWorker": 3, "bindTo": "core"},
        {"launcherPod": {"mpiImplementation": "MPICH"}},
        "mpirun -np 6 -bind-to core python3 -u train.py",
    ),
    (
        {},
        {"launcherPod": {"sshAuthMountPath": "/home/mpiuser/.ssh"}, "checkpoint": {"path": "/c"}},
        f"{OPEN_MPI.replace(' --allow-run-as-root', '')} {IMAGE} -x CHECKPOINT_PATH python3 -u train.py",
    ),
    (
        {},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "env": [{"name": "A", "value": "1"}]}]}}},
        f"{OPEN_MPI} {IMAGE} -x A python3 -u train.py",
    ),
]


@pytest.mark.parametrize(("options", "spec", "expected"), COMMANDS)
def test_the_launcher_pod_runs_mpirun(options: dict[str, Any], spec: dict[str, Any], expected: str) -> None:
    assert command(options, **spec) == expected


def test_the_workers_run_the_operators_sshd_with_the_same_variables() -> None:
    objects = manifests({"slotsPerWorker": 4, "port": 1234}, env={"A": "1"})
    worker = container("Worker", objects)
    assert not worker.keys() & {"command", "args"}
    assert worker["env"] == container("Launcher", objects)["env"]
    assert [port["containerPort"] for port in worker["ports"]] == [1234]
    assert objects[-1]["spec"]["slotsPerWorker"] == 4


def test_a_program_and_its_arguments_are_unchanged() -> None:
    main = container("Launcher", manifests(run={"exec": ["./a", *HOSTILE]}))
    assert main["args"][-len(HOSTILE) :] == [*HOSTILE]


@pytest.mark.parametrize("backend", [name for name in NAMES if not traits(name).has_launcher_pod])
def test_other_back_ends_need_a_key(backend: str) -> None:
    errors = [each for each in trainc.compile(text(), backend=backend).diagnostics if each.severity == "error"]
    if traits(backend).starts_launcher:
        assert [each.code.id for each in errors] == ["TC4030"]
        return
    key = "set sshSecret to a Secret with ssh-privatekey, pass `--generate-ssh-key FILE`, or use `--backend mpijob`"
    assert [(each.code.id, each.help) for each in errors] == [("TC3032", key)]


ENV_FROM = {"envFrom": [{"secretRef": {"name": "keys"}}]}
INTEL = {"launcherPod": {"mpiImplementation": "Intel"}}
FOUND: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"otherArgs": ["--mca", "btl", "self", "-x", "A=1", "--report-bindings"]}, {}, []),
    ({"otherArgs": ["-np", "4"]}, {}, ["TC3160"]),
    ({"otherArgs": ["--hostfile", "/hosts", "-bind-to", "core"]}, {}, ["TC3160", "TC3160"]),
    ({"otherArgs": ["train.py"]}, {}, ["TC3160"]),
    ({}, ENV_FROM, ["TC3161"]),
    ({"forwardEnv": ["PATH", "TOKEN"]}, ENV_FROM, []),
    ({}, {**ENV_FROM, **INTEL}, []),
    ({}, {"env": {"IP": POD_IP, "TOKEN": SECRET}}, ["TC3162"]),
    ({"bindTo": "core", "allowRunAsRoot": True}, INTEL, ["TC3163", "TC3163"]),
    ({"bindTo": "core"}, {"launcherPod": {"mpiImplementation": "MPICH"}}, []),
    ({"allowRunAsRoot": False}, {}, ["TC3174"]),
    ({"allowRunAsRoot": False}, {"securityContext": {"runAsUser": 1000}}, []),
    ({}, {"run": {"exec": ["mpirun", "./a.out"]}}, ["TC3060"]),
]


@pytest.mark.parametrize(("options", "spec", "codes"), FOUND)
def test_what_the_rules_find(options: dict[str, Any], spec: dict[str, Any], codes: list[str]) -> None:
    assert found(options, **spec) == codes


@pytest.mark.parametrize(
    ("implementation", "rank", "size", "local", "local_size"),
    [
        (
            "OpenMPI",
            *("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
            *("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
        ),
        ("Intel", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
        ("MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ],
)
def test_the_plan_has_the_variables_of_each_mpi(
    implementation: str, rank: str, size: str, local: str, local_size: str
) -> None:
    """Four processes on two hosts with two slots each had ranks 0 and 1, and 2 and 3."""
    objects = manifests({"slotsPerWorker": 2}, launcherPod={"mpiImplementation": implementation})
    result = plan(objects)
    assert [worker.ranks for worker in result.workers] == [(0, 1), (2, 3)]
    env = [process_env(worker, result.workers, result.initial_size) for worker in result.workers]
    assert env[1] == {rank: "2\u20133", size: "4", local: "0\u20131", local_size: "2"}
