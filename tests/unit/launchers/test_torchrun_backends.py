"""torchrun: the static and etcd rendezvous, the program behind the launcher, and the store that is shared."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_torchrun_job
from trainc.ir.env import PodFact

ELASTIC = {"minReplicas": 2, "maxReplicas": 4}
SHARE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"


def program(options: dict[str, Any], **spec: Any) -> tuple[object, ...]:
    found = lower_torchrun_job(options, **spec).pod.program
    return (*found.command, *found.args)


def static(**rendezvous: Any) -> dict[str, Any]:
    return dict(job_env(lower_torchrun_job({"rendezvous": {"backend": "static", **rendezvous}}, workers=2)))


def test_the_static_rendezvous_is_told_master_and_rank_and_no_endpoint() -> None:
    assert static() == {
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
def test_a_master_of_the_users_has_a_host_and_a_port(rendezvous: dict[str, Any], host: str, port: str) -> None:
    found = static(**rendezvous)
    assert (found["PET_MASTER_ADDR"], found["PET_MASTER_PORT"]) == (host, port)


@pytest.mark.parametrize("backend", ["etcd", "etcd-v2"])
def test_an_etcd_server_is_the_endpoint(backend: str) -> None:
    found = job_env(
        lower_torchrun_job({"rendezvous": {"backend": backend, "endpoint": "etcd.research:2379"}}, workers=2)
    )
    assert found["PET_RDZV_BACKEND"] == backend
    assert found["PET_RDZV_ENDPOINT"] == "etcd.research:2379"
    # etcd closes an id for good, so a second run needs another one.
    assert found["PET_RDZV_ID"] is PodFact.RUN
    assert "PET_NODE_RANK" not in found


@pytest.mark.parametrize(
    ("options", "spec", "off"),
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
def test_the_shared_store_is_off_where_rounds_follow_each_other(
    options: dict[str, Any], spec: dict[str, Any], off: bool
) -> None:
    """With c10d or etcd-v2 and elastic or maxRestarts; and wherever the user says so."""
    assert (job_env(lower_torchrun_job(options, **spec)).get(SHARE) == "1") is off


def test_a_script_follows_torchrun_as_it_is() -> None:
    assert program({}, run={"python": ["train.py", "--lr", 0.1]}) == ("torchrun", "train.py", "--lr", "0.1")


@pytest.mark.parametrize(("run", "name"), [("module", "PET_MODULE"), ("exec", "PET_NO_PYTHON")])
def test_what_is_no_script_is_told_by_a_variable(run: str, name: str) -> None:
    job = lower_torchrun_job(run={run: ["a", "-x"]})
    assert (*job.pod.program.command, *job.pod.program.args) == ("torchrun", "a", "-x")
    assert job_env(job)[name] == "1"
    assert len({"PET_MODULE", "PET_NO_PYTHON"} & set(job_env(job))) == 1


def test_a_script_sets_neither_variable() -> None:
    assert not {"PET_MODULE", "PET_NO_PYTHON"} & set(job_env(lower_torchrun_job()))


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"python": ["a.py"]}, ("python3", "-u", "a.py")),
        ({"module": ["a"]}, ("python3", "-u", "-m", "a")),
        ({"exec": ["bash", "-c", "torchrun a.py"]}, ("bash", "-c", "torchrun a.py")),
    ],
)
def test_unwrapped_the_program_starts_alone_and_its_torchrun_finds_the_variables(
    run: dict[str, Any], words: tuple[str, ...]
) -> None:
    job = lower_torchrun_job({"wrap": False}, run=run, workers=2)
    assert (*job.pod.program.command, *job.pod.program.args) == words
    assert {"PET_NNODES", "PET_RDZV_ENDPOINT"} <= set(job_env(job))
    # They would speak of a program that trainc does not know.
    assert not {"PET_MODULE", "PET_NO_PYTHON"} & set(job_env(job))


def test_the_binding_to_numa_nodes_is_an_argument_because_it_has_no_variable() -> None:
    assert program({"numaBinding": "node"}) == ("torchrun", "--numa-binding=node", "train.py")
    assert "PET_NUMA_BINDING" not in job_env(lower_torchrun_job({"numaBinding": "node"}))
