"""Translation of MPIJobs: https://github.com/kubeflow/mpi-operator/tree/v0.8.2/pkg/apis/kubeflow/v2beta1"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import trainc
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.systems.shared.reader.documents import translate_documents

JOB = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: mnist}
spec:
  slotsPerWorker: 2
  sshAuthMountPath: /home/mpiuser/.ssh
  runPolicy: {cleanPodPolicy: Running, backoffLimit: 4}
  mpiReplicaSpecs:
    Launcher:
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: launcher
            image: mpi:1
            command: [mpirun, -np, "4", ./train]
            env: [{name: NCCL_DEBUG, value: INFO}]
            resources: {limits: {cpu: 1, memory: 2Gi}}
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: worker
            image: mpi:1
            command: [/usr/sbin/sshd]
            args: [-De, -f, /home/mpiuser/.sshd_config]
            resources: {limits: {cpu: 8, nvidia.com/gpu: 2}}
"""


def translated(text: str) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    documents, problems = load(Source("job.yaml", text))
    assert problems == []
    (result,) = translate_documents([documents])
    job = result.jobs[0] if result.jobs else None
    value: Any = plain(job) if isinstance(job, Mapping) else None
    return value, result.diagnostics


def test_mpirun_becomes_the_launcher() -> None:
    job, _ = translated(JOB)
    assert job is not None
    spec = job["spec"]
    assert spec["launch"] == {"mpirun": {"slotsPerWorker": 2, "forwardEnv": []}}
    assert spec["run"] == {"exec": ["./train"]}
    assert (spec["workers"], spec["resources"]) == (2, {"cpu": 8, "gpu": 2})
    assert spec["env"] == {"NCCL_DEBUG": "INFO"}
    assert spec["launcherPod"] == {
        "resources": {"cpu": 1, "memory": "2Gi"},
        "sshAuthMountPath": "/home/mpiuser/.ssh",
        "workerCommand": ["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"],
    }
    assert spec["lifecycle"] == {"backoffLimit": 4, "cleanPodPolicy": "Running", "restartPolicy": "OnFailure"}


SCRIPT = JOB.replace('[mpirun, -np, "4", ./train]', "[sh, -c, ./start.sh]")
# Command lines of mpirun on two workers with two slots, with the fields of launch.mpirun and the program. The variables
# of the launcher are NCCL_DEBUG.
PATHS = "-x PATH -x LD_LIBRARY_PATH"
FULL = f"--hostfile /etc/mpi/hostfile --bind-to none --map-by slot {PATHS} -x NCCL_DEBUG"
MPIRUN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    f"mpirun -np 4 {FULL} python3 -u t.py -x": ({}, {"python": ["t.py", "-x"]}),
    f"mpirun {FULL} python3 -m t": ({}, {"module": ["t"]}),
    f"mpirun -n 4 -npernode 2 {FULL} --mca btl self -mca pml ob1 ./t": (
        {"otherArgs": ["--mca", "btl", "self", "-mca", "pml", "ob1"]},
        {"exec": ["./t"]},
    ),
    # Its folder is --prefix for the daemons on the workers:
    # https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html
    f"/opt/amazon/openmpi/bin/mpirun -np 4 {FULL} ./t": (
        {"command": "/opt/amazon/openmpi/bin/mpirun"},
        {"exec": ["./t"]},
    ),
    f"mpiexec -n 4 {FULL} ./t": ({"command": "mpiexec"}, {"exec": ["./t"]}),
    "mpirun --allow-run-as-root -bind-to core -map-by ppr:1:socket -x A ./t": (
        {"allowRunAsRoot": True, "bindTo": "core", "mapBy": "ppr:1:socket", "forwardEnv": ["A"]},
        {"exec": ["./t"]},
    ),
}
UNCHANGED = {
    "mpirun -np 3 ./t": "-np is not the 4 of the hostfile",
    "mpirun -npernode 1 ./t": "-npernode is not the 2 of the hostfile",
    "mpirun -hostfile /hosts ./t": "-hostfile is not /etc/mpi/hostfile",
    "mpirun -H a,b ./t": "-H changes where the processes run",
    "mpirun --oversubscribe ./t": "--oversubscribe changes where the processes run",
    "mpirun --unknown ./t": "trainc does not know all of it",
    "env mpirun ./t": "trainc does not know all of it",
    "mpirun torchrun t.py": "it starts torchrun",
    "mpirun": "it has no program",
}


def with_command(line: str) -> str:
    return JOB.replace('[mpirun, -np, "4", ./train]', str(line.split()))


@pytest.mark.parametrize("line", MPIRUN)
def test_options_of_mpirun_become_fields(line: str) -> None:
    fields, run = MPIRUN[line]
    job, _ = translated(with_command(line))
    assert job is not None
    assert job["spec"]["launch"] == {"mpirun": {"slotsPerWorker": 2, **fields}}
    assert job["spec"]["run"] == run


@pytest.mark.parametrize("line", UNCHANGED)
def test_another_command_line_is_unchanged(line: str) -> None:
    job, diagnostics = translated(with_command(line))
    assert job is not None
    assert job["spec"]["launch"] == {"basic": {"nprocPerNode": 2}}
    assert job["spec"]["run"] == {"exec": line.split()}
    assert f"mpirun's command line is unchanged: {UNCHANGED[line]}" in [each.message for each in diagnostics]


def test_variables_of_mpirun_become_those_of_the_job() -> None:
    job, diagnostics = translated(with_command("mpirun -x A=1 -x NCCL_DEBUG=WARN ./t"))
    assert job is not None
    assert job["spec"]["env"] == {"NCCL_DEBUG": "INFO", "A": "1"}
    assert job["spec"]["launch"]["mpirun"]["otherArgs"] == ["-x", "NCCL_DEBUG=WARN"]
    assert "all pods have variable `A`, which -x sets" in [each.message for each in diagnostics]


def test_hydra_has_other_options() -> None:
    for command, launcher in (("mpirun -n 4 ./t", "mpirun"), ("mpirun -n 4 -x A ./t", "basic")):
        job, _ = translated(with_command(command).replace("spec:\n", "spec:\n  mpiImplementation: Intel\n", 1))
        assert job is not None
        assert [*job["spec"]["launch"]] == [launcher]


def test_a_round_trip_keeps_roles_slots_and_ssh() -> None:
    manifest = trainc.compile(SCRIPT, backend="mpijob").to_yaml()
    spec, original = yaml.safe_load(manifest)["spec"], yaml.safe_load(SCRIPT)["spec"]
    for field in ("slotsPerWorker", "sshAuthMountPath", "runPolicy"):
        assert spec[field] == original[field]
    for role in ("Launcher", "Worker"):
        container = spec["mpiReplicaSpecs"][role]["template"]["spec"]["containers"][0]
        before = original["mpiReplicaSpecs"][role]["template"]["spec"]["containers"][0]
        words = [*container["command"], *container.get("args", [])]
        assert words == [*before["command"], *before.get("args", [])]
        limits = {name: str(value) for name, value in before["resources"]["limits"].items()}
        assert container["resources"]["limits"] == limits


def test_what_trainc_decides_is_listed() -> None:
    _, diagnostics = translated(JOB)
    assert {d.message for d in diagnostics} == {
        "variable `NCCL_DEBUG` is set on the launcher only; the workers get it, too",
        "mpirun forwards `NCCL_DEBUG` to the processes",
        "mpirun gets --hostfile /etc/mpi/hostfile --bind-to none --map-by slot",
        "restartPolicy of the Worker becomes OnFailure: a killed sshd is restarted for the next launcher",
        "the launcher starts when all workers are ready: WaitForWorkersReady",
    }


def test_a_launcher_that_is_a_worker_becomes_one_more_worker() -> None:
    job, _ = translated(JOB.replace("  slotsPerWorker: 2\n", "  slotsPerWorker: 2\n  runLauncherAsWorker: true\n"))
    assert job is not None
    assert job["spec"]["workers"] == 3


@pytest.mark.parametrize("version", ["kubeflow.org/v1", "kubeflow.org/v1alpha2"])
def test_another_version_is_one_error(version: str) -> None:
    job, (diagnostic,) = translated(JOB.replace("kubeflow.org/v2beta1", version))
    assert job is None
    assert f"`{version}` is not a supported version of MPIJob: its launcher" in diagnostic.message
    assert diagnostic.expected == "kubeflow.org/v2beta1"


def test_t9ks_mpijob_is_another_system() -> None:
    _, (diagnostic,) = translated(JOB.replace("kubeflow.org/v2beta1", "batch.tensorstack.dev/v1beta1"))
    assert diagnostic.message == "this MPIJob is T9k's, which trainc does not support"


@pytest.mark.parametrize("role", ["Launcher", "Worker"])
def test_both_roles_are_required(role: str) -> None:
    job, diagnostics = translated(JOB.replace(f"    {role}:", "    Other:"))
    assert job is None
    assert [d.message for d in diagnostics] == [f"the job has no `spec.mpiReplicaSpecs.{role}.template`"]


def test_another_image_of_the_launcher_is_an_error() -> None:
    _, diagnostics = translated(JOB.replace("image: mpi:1", "image: mpi:2", 1))
    (error,) = [d for d in diagnostics if d.severity == "error"]
    assert (error.code.id, error.span.line) == ("TC5005", 15)
