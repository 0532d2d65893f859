"""deepspeed over ssh: sshd everywhere, the command on worker 0, and the user's words where no shell reads them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, job_env, lower_job, pod_template
from tests.support.hostile import HOSTILE
from trainc.ir.env import FactArg, PodFact
from trainc.ir.job import Job
from trainc.ir.pod import Port
from trainc.launchers.deepspeed.lower_ssh import SCRIPTS
from trainc.systems.registry import NAMES
from trainc.target import Target

SSH: dict[str, Any] = {"transport": "ssh", "sshSecret": "keys"}


def job(options: dict[str, Any] | None = None, target: Target | None = None, **spec: Any) -> Job:
    launch = {"deepspeed": {**SSH, **(options or {})}}
    return lower_job(target=target or Target(), **{"workers": 2, "launch": launch, **spec})


def args(options: dict[str, Any] | None = None, **spec: Any) -> list[object]:
    return list(job(options, **spec).pod.program.args)


def hosts(found: Job) -> list[str]:
    assert found.files is not None
    return found.files.texts["hostfile"].splitlines()


def test_every_pod_runs_the_start_program_with_its_number_port_kind_and_flags() -> None:
    found = job().pod.program
    assert found.command == ("python3", "-u", "/etc/trainc/ssh/start.py")
    assert found.args[0] == FactArg(fact=PodFact.INDEX, variable="NODE_RANK")
    assert list(found.args[1:]) == [
        *("2222", "python", "--master_addr=mnist-0", "--master_port=29500", "--force_multi", "--", "train.py")
    ]
    assert job_env(job()) == {"NODE_RANK": PodFact.INDEX}


@pytest.mark.parametrize("word", HOSTILE)
def test_the_first_two_dashes_end_the_flags_whatever_the_words_are(word: str) -> None:
    found = args({"otherArgs": ["--save_pid"]}, run={"exec": ["--", word, "--", word]})
    cut = found.index("--")
    assert found[cut - 1] == "--save_pid"
    assert found[cut + 1 :] == ["--", word, "--", word]


@pytest.mark.parametrize("word", HOSTILE)
def test_no_word_and_no_variable_is_in_the_files(word: str) -> None:
    plain, hostile = job(), job(run={"exec": [word]}, env={"A": word})
    assert hostile.files == plain.files


def test_options_are_flags_of_the_deepspeed_command() -> None:
    options = {"sshPort": 2022, "port": 29600, "localRank": False, "autotune": "run", "otherArgs": ["--save_pid"]}
    found = args(options)
    assert found[1:3] == ["2022", "autotune"]
    assert found[3:9] == [
        *("--master_addr=mnist-0", "--master_port=29600", "--force_multi"),
        *("--autotuning=run", "--no_local_rank", "--save_pid"),
    ]


def test_the_hostfile_has_the_stable_names_in_the_order_of_ranks() -> None:
    assert hosts(job({"slotsPerWorker": 4}, workers=3)) == [f"mnist-{at}.mnist slots=4" for at in range(3)]
    assert hosts(job(workers=1)) == ["mnist-0 slots=1"]
    full = hosts(job(target=Target(namespace="a", cluster_domain="cluster.local")))
    assert full == [f"mnist-{at}.mnist.a.svc.cluster.local slots=1" for at in range(2)]


def test_the_key_comes_from_the_secret_and_any_user_of_the_image_may_copy_it() -> None:
    """Without a mode: Kubernetes' 0644, owned by root. https://kubernetes.io/docs/concepts/configuration/secret/"""
    volumes = {volume.name: volume for volume in job().pod.volumes}
    assert volumes["trainc-ssh-key"].source == {
        "secretName": "keys",
        "items": [{"key": "ssh-privatekey", "path": "key"}],
    }
    assert {mount.volume for mount in job().pod.mounts if mount.read_only} == {"trainc-ssh", "trainc-ssh-key"}


def test_a_pod_is_ready_when_its_sshd_listens() -> None:
    found = job({"sshPort": 2022})
    assert found.pod.ready == Port(name="ssh", number=2022)
    assert found.headless_service is not None
    assert found.headless_service.ports == (Port(name="master", number=29500), Port(name="ssh", number=2022))
    assert lower_job(launch={"deepspeed": {}}).pod.ready is None


def test_debug_runs_sshd_on_all_workers_and_nothing_else() -> None:
    found = job(mode="debug").pod
    assert found.program.args[:2] == ("debug", "2222")
    assert found.ready is not None
    given = job(mode={"debug": {"command": ["sleep", "1h"]}}).pod
    assert (given.program.command, given.ready) == (("sleep",), None)


def test_worker_0_decides_unless_the_job_says_otherwise() -> None:
    assert job().leader_decides
    assert not job(workers=1).leader_decides
    assert not job(lifecycle={"successPolicy": "All"}).leader_decides


@pytest.mark.parametrize("backend", NAMES)
def test_every_back_end_makes_the_files_and_the_probe(backend: str) -> None:
    made = compile_objects(backend, workers=2, launch={"deepspeed": SSH})
    (files,) = (thing for thing in made if thing["kind"] == "ConfigMap")
    assert files["metadata"]["name"] == "mnist-ssh"
    assert list(files["data"]) == ["hostfile", *SCRIPTS]
    assert made[0] is files
    spec = pod_template(made[-1])["spec"]
    assert spec["containers"][0]["readinessProbe"]["tcpSocket"] == {"port": 2222}
    assert {"name": "trainc-ssh", "configMap": {"name": "mnist-ssh"}} in spec["volumes"]


def test_an_old_kubernetes_needs_no_success_policy() -> None:
    (made,) = (
        thing
        for thing in compile_objects("job", target=Target(minor=29), workers=2, launch={"deepspeed": SSH})
        if thing["kind"] == "Job"
    )
    assert "successPolicy" not in made["spec"]
