"""deepspeed over ssh: sshd on all workers, the command on worker 0, arguments outside of shells."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, job_env, lower_job, pod_template
from tests.support.hostile import HOSTILE
from trainc.ir.env import FactArg, PodFact
from trainc.ir.job import Job
from trainc.ir.pod import Port
from trainc.launchers.deepspeed.lower_ssh import SCRIPTS
from trainc.systems.registry import NAMES, traits
from trainc.target import Target

SSH: dict[str, Any] = {"transport": "ssh", "sshSecret": "keys"}


def job(options: dict[str, Any] | None = None, target: Target | None = None, **spec: Any) -> Job:
    launch = {"deepspeed": {**SSH, **(options or {})}}
    return lower_job(target=target or Target(), **{"workers": 2, "launch": launch, **spec})


def args(options: dict[str, Any] | None = None, **spec: Any) -> list[object]:
    return list(job(options, **spec).pod.program.args)


def hosts(lowered_job: Job) -> list[str]:
    assert lowered_job.files is not None
    return lowered_job.files.texts["hostfile"].splitlines()


def test_every_pod_runs_the_start_program() -> None:
    program = job().pod.program
    assert program.command == ("python3", "-I", "-u", "/etc/trainc/ssh/start.py")
    assert program.args[0] == FactArg(fact=PodFact.INDEX, variable="NODE_RANK")
    assert list(program.args[1:]) == [
        *("2222", "python", "--master_addr=mnist-0", "--master_port=29500", "--force_multi", "--", "train.py")
    ]
    assert job_env(job()) == {"NODE_RANK": PodFact.INDEX}


@pytest.mark.sample(60)
@pytest.mark.parametrize("text", HOSTILE)
def test_the_first_double_dash_ends_the_flags(text: str) -> None:
    arguments = args({"otherArgs": ["--save_pid"]}, run={"exec": ["--", text, "--", text]})
    separator = arguments.index("--")
    assert arguments[separator - 1] == "--save_pid"
    assert arguments[separator + 1 :] == ["--", text, "--", text]


@pytest.mark.sample(60)
@pytest.mark.parametrize("text", HOSTILE)
def test_files_contain_no_arguments_and_variables(text: str) -> None:
    plain, hostile = job(), job(run={"exec": [text]}, env={"A": text})
    assert hostile.files == plain.files


def test_options_become_flags_of_deepspeed() -> None:
    options = {"sshPort": 2022, "port": 29600, "localRank": False, "autotune": "run", "otherArgs": ["--save_pid"]}
    arguments = args(options)
    assert arguments[1:3] == ["2022", "autotune"]
    assert arguments[3:9] == [
        *("--master_addr=mnist-0", "--master_port=29600", "--force_multi"),
        *("--autotuning=run", "--no_local_rank", "--save_pid"),
    ]


def test_the_hostfile_has_stable_names_in_the_order_of_ranks() -> None:
    assert hosts(job({"slotsPerWorker": 4}, workers=3)) == [f"mnist-{index}.mnist slots=4" for index in range(3)]
    assert hosts(job(workers=1)) == ["mnist-0 slots=1"]
    full_names = hosts(job(target=Target(namespace="a", cluster_domain="cluster.local")))
    assert full_names == [f"mnist-{index}.mnist.a.svc.cluster.local slots=1" for index in range(2)]


def test_the_key_is_mounted_from_the_secret_and_readable_by_all_users() -> None:
    """Without a mode: Kubernetes' 0644, owned by root. https://kubernetes.io/docs/concepts/configuration/secret/"""
    volumes = {volume.name: volume for volume in job().pod.volumes}
    assert volumes["trainc-ssh-key"].source == {
        "secretName": "keys",
        "items": [{"key": "ssh-privatekey", "path": "key"}],
    }
    assert {mount.volume for mount in job().pod.mounts if mount.read_only} == {"trainc-ssh", "trainc-ssh-key"}


def test_pods_are_ready_when_sshd_listens() -> None:
    lowered_job = job({"sshPort": 2022})
    assert lowered_job.pod.ready == Port(name="ssh", number=2022)
    assert lowered_job.headless_service is not None
    assert lowered_job.headless_service.ports == (Port(name="master", number=29500), Port(name="ssh", number=2022))
    assert lower_job(launch={"deepspeed": {}}).pod.ready is None


def test_debug_mode_runs_only_sshd() -> None:
    pod = job(mode="debug").pod
    assert pod.program.args[:2] == ("debug", "2222")
    assert pod.ready is not None
    pod = job(mode={"debug": {"command": ["sleep", "1h"]}}).pod
    assert (pod.program.command, pod.ready) == (("sleep",), None)


def test_debug_mode_has_a_command_that_starts_the_program_on_worker_0() -> None:
    command = (
        'on worker 0: env PATH=/run/trainc/ssh/bin:"$PATH" python3 -u -m deepspeed.launcher.runner'
        " --hostfile=/etc/trainc/ssh/hostfile --master_addr=mnist-0 --master_port=29500 --force_multi"
        " --module pkg 'a b'"
    )
    assert job(run={"module": ["pkg", "a b"]}, mode="debug").debug_command == command
    assert job().debug_command == ""


def test_a_job_without_a_program_is_lowered_for_its_checks() -> None:
    # A check rejects it: nothing could be started over ssh.
    assert args(run={"entrypoint": ["--lr"]})[-1] == "--lr"


def test_worker_0_decides_by_default() -> None:
    assert job().leader_decides
    assert not job(workers=1).leader_decides
    assert not job(lifecycle={"successPolicy": "All"}).leader_decides


@pytest.mark.parametrize("backend", NAMES)
def test_every_back_end_emits_the_files_and_the_probe(backend: str) -> None:
    objects = compile_objects(backend, workers=2, launch={"deepspeed": SSH})
    (files,) = (resource for resource in objects if resource["kind"] == "ConfigMap")
    assert files["metadata"]["name"] == "mnist-ssh"
    own_hostfile = [] if traits(backend).has_launcher_pod else ["hostfile"]
    assert list(files["data"]) == [*own_hostfile, *SCRIPTS]
    assert objects[0] is files
    with_pods = [resource for resource in objects if resource["kind"] != "TrainJob"]  # whose runtime has them
    spec = pod_template(with_pods[-1])["spec"]
    assert spec["containers"][0]["readinessProbe"]["tcpSocket"] == {"port": 2222}
    assert {"name": "trainc-ssh", "configMap": {"name": "mnist-ssh"}} in spec["volumes"]


def test_old_kubernetes_versions_have_no_success_policy() -> None:
    (job_object,) = (
        resource
        for resource in compile_objects("job", target=Target(minor=29), workers=2, launch={"deepspeed": SSH})
        if resource["kind"] == "Job"
    )
    assert "successPolicy" not in job_object["spec"]
