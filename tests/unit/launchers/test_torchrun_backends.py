"""torchrun: the static and etcd rendezvous, the command of the program, and the shared store."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_torchrun_job
from trainc.ir.env import PodFact

ELASTIC = {"minReplicas": 2, "maxReplicas": 4}
SHARE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"


def command_line(options: dict[str, Any], **spec: Any) -> tuple[object, ...]:
    program = lower_torchrun_job(options, **spec).pod.program
    return (*program.command, *program.args)


def static_env(**rendezvous: Any) -> dict[str, Any]:
    return dict(job_env(lower_torchrun_job({"rendezvous": {"backend": "static", **rendezvous}}, workers=2)))


def test_variables_of_the_static_rendezvous() -> None:
    assert static_env() == {
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "1",
        "PET_RDZV_BACKEND": "static",
        "PET_MASTER_ADDR": "mnist-0",
        "PET_MASTER_PORT": "29500",
        "PET_NODE_RANK": PodFact.INDEX,
    }


@pytest.mark.parametrize(
    ("rendezvous", "host", "port"),
    [
        ({"port": 1234}, "mnist-0", "1234"),
        ({"endpoint": "head:1234"}, "head", "1234"),
        ({"endpoint": "head", "port": 1234}, "head", "1234"),
        ({"endpoint": "head"}, "head", "29500"),
    ],
)
def test_the_static_endpoint_has_a_host_and_a_port(rendezvous: dict[str, Any], host: str, port: str) -> None:
    env = static_env(**rendezvous)
    assert (env["PET_MASTER_ADDR"], env["PET_MASTER_PORT"]) == (host, port)


@pytest.mark.parametrize("backend", ["etcd", "etcd-v2"])
def test_an_etcd_server_is_the_endpoint(backend: str) -> None:
    env = job_env(lower_torchrun_job({"rendezvous": {"backend": backend, "endpoint": "etcd.research:2379"}}, workers=2))
    assert env["PET_RDZV_BACKEND"] == backend
    assert env["PET_RDZV_ENDPOINT"] == "etcd.research:2379"
    # etcd closes an id permanently, so each run needs a new id.
    assert env["PET_RDZV_ID"] is PodFact.RUN
    assert "PET_NODE_RANK" not in env


@pytest.mark.parametrize(
    ("options", "spec", "is_off"),
    [
        ({}, {"workers": 2}, False),
        ({"maxRestarts": 0}, {"workers": 2}, False),
        ({"maxRestarts": 3}, {"workers": 2}, True),
        ({}, {"elastic": ELASTIC}, True),
        ({"shareStore": True, "maxRestarts": 3}, {"elastic": ELASTIC}, False),
        ({"shareStore": False}, {"workers": 2}, True),
        ({"shareStore": False}, {}, True),
        ({"rendezvous": {"backend": "etcd-v2", "endpoint": "e:2379"}}, {"elastic": ELASTIC}, True),
        ({"rendezvous": {"backend": "etcd", "endpoint": "e:2379"}}, {"elastic": ELASTIC}, False),
    ],
)
def test_the_shared_store_is_off_with_several_rendezvous_rounds(
    options: dict[str, Any], spec: dict[str, Any], is_off: bool
) -> None:
    """With c10d or etcd-v2 and elastic or maxRestarts, and if the job file disables it."""
    assert (job_env(lower_torchrun_job(options, **spec)).get(SHARE) == "1") is is_off


def test_a_script_follows_torchrun() -> None:
    assert command_line({}, run={"python": ["train.py", "--lr", 0.1]}) == ("torchrun", "train.py", "--lr", "0.1")


@pytest.mark.parametrize(("run", "name"), [("module", "PET_MODULE"), ("exec", "PET_NO_PYTHON")])
def test_modules_and_executables_have_a_variable(run: str, name: str) -> None:
    job = lower_torchrun_job(run={run: ["a", "-x"]})
    assert (*job.pod.program.command, *job.pod.program.args) == ("torchrun", "a", "-x")
    assert job_env(job)[name] == "1"
    assert len({"PET_MODULE", "PET_NO_PYTHON"} & set(job_env(job))) == 1


def test_a_script_sets_neither_variable() -> None:
    assert not {"PET_MODULE", "PET_NO_PYTHON"} & set(job_env(lower_torchrun_job()))


@pytest.mark.parametrize(
    ("run", "arguments"),
    [
        ({"python": ["a.py"]}, ("python3", "-u", "a.py")),
        ({"module": ["a"]}, ("python3", "-u", "-m", "a")),
        ({"exec": ["bash", "-c", "torchrun a.py"]}, ("bash", "-c", "torchrun a.py")),
    ],
)
def test_an_unwrapped_program_has_the_variables_of_torchrun(run: dict[str, Any], arguments: tuple[str, ...]) -> None:
    job = lower_torchrun_job({"wrap": False}, run=run, workers=2)
    assert (*job.pod.program.command, *job.pod.program.args) == arguments
    assert {"PET_NNODES", "PET_RDZV_ENDPOINT"} <= set(job_env(job))
    # trainc does not know the program of the inner torchrun.
    assert not {"PET_MODULE", "PET_NO_PYTHON"} & set(job_env(job))


def test_numa_binding_is_an_argument() -> None:
    assert command_line({"numaBinding": "node"}) == ("torchrun", "--numa-binding=node", "train.py")
    assert "PET_NUMA_BINDING" not in job_env(lower_torchrun_job({"numaBinding": "node"}))
