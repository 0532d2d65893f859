"""launch.mpirun without a launcher pod: sshd in all pods, and mpirun on worker 0.

Seen with Open MPI 4.1.4 and 5.0.11, Intel MPI 2021.18 and MPICH 5.0.2, by an agent in place of ssh.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import trainc
from tests.support.build import compile_objects, job_env, job_text, lower_job, pod_template
from tests.support.hostile import HOSTILE
from trainc.ir.env import FactArg, PodFact
from trainc.ir.job import Job
from trainc.ir.pod import Port
from trainc.launchers.mpirun.lower_ssh import SCRIPTS
from trainc.plan.plan import Plan, plan
from trainc.plan.process_env import process_env
from trainc.systems.registry import NAMES, traits
from trainc.target import Target

OWN_SSHD = [name for name in NAMES if not traits(name).has_launcher_pod and not traits(name).starts_launcher]
MPIRUN = (
    "mpirun --allow-run-as-root -np 4 --hostfile /etc/trainc/ssh/hostfile --bind-to none --map-by slot"
    " -x PATH -x LD_LIBRARY_PATH"
)
ENV = {"POD_IP": {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}, "NCCL_DEBUG": "INFO"}
INTEL, MPICH = ({"launcherPod": {"mpiImplementation": name}} for name in ("Intel", "MPICH"))


def job(options: dict[str, Any] | None = None, target: Target | None = None, **spec: Any) -> Job:
    launch = {"mpirun": {"sshSecret": "keys", "slotsPerWorker": 2, **(options or {})}}
    return lower_job(target=target or Target(), **{"workers": 2, "launch": launch, **spec})


def args(options: dict[str, Any] | None = None, **spec: Any) -> list[object]:
    return list(job(options, **spec).pod.program.args)


def codes(options: dict[str, Any], backend: str = "job", **spec: Any) -> list[str]:
    launch = {"mpirun": {"sshSecret": "keys", **options}}
    diagnostics = trainc.compile(job_text({}, **{"workers": 2, "launch": launch, **spec}), backend=backend).diagnostics
    return [each.code.id for each in diagnostics]


def planned(backend: str = "job", options: Any = None, **spec: Any) -> Plan:
    launch = {"mpirun": {"sshSecret": "keys", "slotsPerWorker": 2, **(options or {})}}
    return plan(trainc.compile(job_text({}, workers=2, launch=launch, **spec), backend=backend).objects())


def test_every_pod_runs_the_script_with_the_command_line_of_mpirun() -> None:
    program = job().pod.program
    assert program.command == ("python3", "-I", "-u", "/etc/trainc/ssh/mpirun.py")
    assert program.args[0] == FactArg(fact=PodFact.INDEX, variable="NODE_RANK")
    assert program.args[1:] == ("2222", "--", *MPIRUN.split(), "python3", "-u", "train.py")
    assert job_env(job()) == {"NODE_RANK": PodFact.INDEX}


def test_sessions_have_the_variables_of_their_pods() -> None:
    """Open MPI's daemons pass on their own environment; -x would replace each pod's address by worker 0's."""
    lowered = job({"port": 29500, "forwardEnv": ["PYTHONPATH"]}, env=ENV)
    words = [word for word in lowered.pod.program.args if isinstance(word, str)]
    assert [value for flag, value in pairwise(words) if flag == "-x"] == ["PYTHONPATH"]
    assert list(job_env(lowered)) == ["NODE_RANK", "MASTER_ADDR", "MASTER_PORT", "POD_IP", "NCCL_DEBUG"]


@pytest.mark.sample(60)
@pytest.mark.parametrize("text", HOSTILE)
def test_arguments_reach_mpirun_unchanged(text: str) -> None:
    assert args(run={"exec": ["./a", text, "--", text]})[-4:] == ["./a", text, "--", text]


@pytest.mark.parametrize(
    ("spec", "line", "command"),
    [
        ({}, "mnist-1.mnist slots=2", MPIRUN),
        (INTEL, "mnist-1.mnist:2", "mpirun -np 4"),
        (MPICH, "mnist-1.mnist:2", "mpirun -np 4"),
    ],
)
def test_the_hostfile_has_the_format_of_the_mpi(spec: dict[str, Any], line: str, command: str) -> None:
    """Hydra reads HYDRA_HOST_FILE, which the script sets."""
    lowered = job(**spec)
    assert lowered.files is not None
    assert lowered.files.texts["hostfile"].splitlines()[1] == line
    assert " ".join(map(str, lowered.pod.program.args[3:-3])) == command


def test_the_workers_resolve_worker_0_by_its_host_name_for_intel_mpi() -> None:
    """hydra_bstrap_proxy got `--upstream-host` with the name of gethostname(), also with -localhost."""
    services = [each["metadata"]["name"] for each in _services("jobset", **INTEL)]
    assert services == ["mnist-worker-0-0"]
    assert _services("jobset", **MPICH) == []
    lowered = job(target=Target(namespace="a", cluster_domain="cluster.local"), **INTEL)
    assert lowered.headless_service is not None
    assert lowered.headless_service.leader_alias


def _services(backend: str, **spec: Any) -> list[dict[str, Any]]:
    text = job_text({}, workers=2, launch={"mpirun": {"sshSecret": "keys"}}, **spec)
    objects = trainc.compile(text, backend=backend).objects()
    return [each for each in objects if each["kind"] == "Service"]


def test_pods_are_ready_when_sshd_listens() -> None:
    lowered = job({"sshPort": 2022})
    assert lowered.pod.ready == Port(name="ssh", number=2022)
    assert lowered.headless_service is not None
    assert lowered.headless_service.ports == (Port(name="master", number=29500), Port(name="ssh", number=2022))
    assert lowered.leader_decides


def test_debug_mode_runs_sshd_and_has_a_command_for_worker_0() -> None:
    lowered = job(mode="debug")
    assert lowered.pod.program.args[:3] == ("debug", "2222", "--")
    start = "on worker 0: python3 -I -u /etc/trainc/ssh/mpirun.py run 2222 -- mpirun --allow-run-as-root -np 4"
    assert lowered.debug_command.startswith(start)


@pytest.mark.parametrize("backend", OWN_SSHD)
def test_every_back_end_emits_the_files_and_the_probe(backend: str) -> None:
    objects = compile_objects(backend, workers=2, launch={"mpirun": {"sshSecret": "keys"}})
    (files,) = (each for each in objects if each["kind"] == "ConfigMap" and "hostfile" in each["data"])
    assert list(files["data"]) == ["hostfile", *SCRIPTS]
    with_pods = [each for each in objects if each["kind"] != "TrainJob"]  # whose runtime has them
    spec = pod_template(with_pods[-1])["spec"]
    assert spec["containers"][0]["readinessProbe"]["tcpSocket"] == {"port": 2222}
    assert {"name": "trainc-ssh-key", "secret": {"secretName": "keys", "items": _KEY}} in spec["volumes"]


_KEY = [{"key": "ssh-privatekey", "path": "key"}]


@pytest.mark.parametrize("backend", OWN_SSHD)
def test_the_plan_places_the_processes(backend: str) -> None:
    """Open MPI 4.1.4 gives ranks 0 and 1 to the first host, as it does on a launcher pod."""
    result = planned(backend, {"port": 29500})
    assert [worker.ranks for worker in result.workers] == [(0, 1), (2, 3)]
    env = process_env(result.workers[1], result.workers, result.initial_size)
    assert env["OMPI_COMM_WORLD_RANK"] == "2\u20133"
    assert env["MASTER_PORT"] == "29500"


def test_the_plan_knows_hydra_and_mapping_by_node() -> None:
    hydra = planned(launcherPod=MPICH["launcherPod"])
    env = process_env(hydra.workers[1], hydra.workers, hydra.initial_size)
    assert env == {"PMI_RANK": "2\u20133", "PMI_SIZE": "4", "MPI_LOCALRANKID": "0\u20131", "MPI_LOCALNRANKS": "2"}
    launch = {"mpirun": {"sshSecret": "keys", "slotsPerWorker": 2, "mapBy": "ppr:1:node"}}
    errors = plan(compile_objects("job", workers=2, launch=launch)).workers[0].launch.errors
    assert [each.message for each in errors] == [
        "mpirun exits: it is to start 4 processes, but at most 1 on each of 2 hosts",
    ]


def test_the_plan_has_the_losses_of_worker_0_and_of_another() -> None:
    cases = {case.trigger: case.effect for case in planned().failure_cases}
    assert "mpirun loses the connection" in cases["node failure or pod deletion"]
    assert "sshd on the other workers stops" in cases["worker 0 is lost"]


@pytest.mark.parametrize(
    ("options", "spec", "expected"),
    [
        ({}, {}, []),
        ({"sshPort": 29500}, {}, ["TC3034"]),
        ({"mapBy": "ppr:2:node"}, {}, ["TC3173"]),
        ({"mapBy": "everywhere"}, {}, ["TC3166"]),
        ({"otherArgs": ["--hostfile", "/hosts"]}, {}, ["TC3160"]),
        ({"allowRunAsRoot": False}, {}, []),
        ({"allowRunAsRoot": False}, {"securityContext": {"runAsUser": 0}}, ["TC3174"]),
        ({"allowRunAsRoot": False}, {"securityContext": {"runAsUser": 1000}}, []),
        # A session has all variables of its pod; Hydra replaces them by worker 0's.
        ({}, {"envFrom": [{"secretRef": {"name": "keys"}}]}, []),
        ({}, {"env": ENV}, []),
        ({}, {"env": ENV, **MPICH}, ["TC3162"]),
        ({"bindTo": "core"}, INTEL, ["TC3163"]),
        ({}, {"launcherPod": {"resources": {"cpu": 1}, "workerCommand": ["sshd"]}}, ["TC4001", "TC4001"]),
        ({}, {"securityContext": {"capabilities": {"drop": ["ALL"]}}}, ["TC3095"]),
    ],
)
def test_what_the_rules_find(options: dict[str, Any], spec: dict[str, Any], expected: list[str]) -> None:
    assert codes(options, **spec) == expected


def test_the_key_belongs_to_the_operator_on_a_launcher_pod() -> None:
    assert codes({"sshPort": 2022}, "mpijob") == ["TC4001", "TC4001"]


@pytest.mark.parametrize(
    ("spec", "command"),
    [
        (
            {},
            "mpirun --allow-run-as-root -np 2 --host localhost:2 --bind-to none --map-by slot"
            " -x PATH -x LD_LIBRARY_PATH",
        ),
        (MPICH, "mpirun -np 2 -host localhost"),
    ],
)
def test_a_single_worker_needs_neither_ssh_nor_a_key(spec: dict[str, Any], command: str) -> None:
    """Started as it is: 6 processes of each MPI."""
    text = job_text({}, launch={"mpirun": {"slotsPerWorker": 2}}, **spec)
    result = trainc.compile(text)
    assert result.diagnostics == []
    (manifest,) = result.objects()
    (main,) = pod_template(manifest)["spec"]["containers"]
    assert " ".join([*main["command"], *main["args"]]) == f"{command} python3 -u train.py"
    (worker,) = plan(result.objects()).workers
    assert (worker.ranks, worker.launch.world) == ((0, 1), 2)


def test_mpirun_of_independent_workers_forms_no_world() -> None:
    spec: dict[str, Any] = {"launch": {"basic": {}}, "run": {"exec": ["mpirun", "-H", "localhost:4", "./a.out"]}}
    result = plan(compile_objects("job", workers=2, **spec))
    assert {worker.launch.launcher for worker in result.workers} == {"basic"}
