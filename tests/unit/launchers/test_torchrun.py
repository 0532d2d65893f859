"""torchrun: every option is passed in the variable that torchrun reads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_torchrun_job, parse_job
from trainc.ir.env import PodFact
from trainc.launchers.torchrun.lower import is_standalone
from trainc.launchers.torchrun.spec import Torchrun
from trainc.lower.size import lower_replicas
from trainc.target import Target

# torchrun's options that have a variable: PET_ and the longest option in capitals, dashes as underscores
# (https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/run.py). numa-binding and logs-specs have none.
OPTIONS = (
    "nnodes nproc-per-node rdzv-backend rdzv-endpoint rdzv-id rdzv-conf standalone max-restarts monitor-interval "
    "start-method event-log-handler role module no-python run-path log-dir redirects tee local-ranks-filter "
    "duplicate-stdout-filters duplicate-stderr-filters node-rank master-addr master-port local-addr "
    "signals-to-handle shutdown-timeout virtual-local-rank"
)
KNOWN_VARIABLES = {"PET_" + option.upper().replace("-", "_") for option in OPTIONS.split()}
ELASTIC = {"minReplicas": 2, "maxReplicas": 4}
SHARE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"

ALL_OPTIONS: dict[str, Any] = {
    "nprocPerNode": 8,
    "maxRestarts": 3,
    "monitorInterval": 0.5,
    "startMethod": "fork",
    "role": "trainer",
    "logDir": "/logs",
    "redirects": "0:3,1:1",
    "tee": 3,
    "localRanksFilter": [0, 7],
    "numaBinding": "node",
    "shareStore": False,
    "rendezvous": {"id": "run-1", "conf": {"read_timeout": 120, "join_timeout": 900}},
}


@pytest.mark.parametrize(
    ("options", "name", "value"),
    [
        ({"nprocPerNode": 8}, "PET_NPROC_PER_NODE", "8"),
        ({"nprocPerNode": "gpu"}, "PET_NPROC_PER_NODE", "gpu"),
        ({"maxRestarts": 3}, "PET_MAX_RESTARTS", "3"),
        ({"maxRestarts": 0}, "PET_MAX_RESTARTS", "0"),
        ({"monitorInterval": 0.5}, "PET_MONITOR_INTERVAL", "0.5"),
        ({"startMethod": "forkserver"}, "PET_START_METHOD", "forkserver"),
        ({"role": "trainer"}, "PET_ROLE", "trainer"),
        ({"logDir": "/logs"}, "PET_LOG_DIR", "/logs"),
        ({"redirects": 0}, "PET_REDIRECTS", "0"),
        ({"redirects": "0:3,1:1"}, "PET_REDIRECTS", "0:3,1:1"),
        ({"tee": 3}, "PET_TEE", "3"),
        ({"localRanksFilter": [0]}, "PET_LOCAL_RANKS_FILTER", "0"),
        ({"localRanksFilter": [3, 1, 2]}, "PET_LOCAL_RANKS_FILTER", "3,1,2"),
        ({"rendezvous": {"id": "run-1"}}, "PET_RDZV_ID", "run-1"),
        ({"rendezvous": {"port": 8002}}, "PET_RDZV_ENDPOINT", "mnist-0:8002"),
        ({"rendezvous": {"endpoint": "host:1"}}, "PET_RDZV_ENDPOINT", "host:1"),
        ({"rendezvous": {"endpoint": "host", "port": 1}}, "PET_RDZV_ENDPOINT", "host:1"),
    ],
)
def test_options_have_their_variables(options: dict[str, Any], name: str, value: str) -> None:
    assert job_env(lower_torchrun_job(options, workers=2))[name] == value


def test_a_module_starts_in_place_of_the_command() -> None:
    """https://pytorch.org/docs/1.9.0/distributed.elastic.html: `python -m torch.distributed.run`."""
    program = lower_torchrun_job({"module": "torch.distributed.run", "numaBinding": "node"}).pod.program
    assert program.command == ("python3", "-m", "torch.distributed.run")
    assert program.args == ("--numa-binding=node", "train.py")


def test_torchelastic_has_the_backend_etcd_and_its_own_restarts() -> None:
    """https://github.com/pytorch/elastic/blob/v0.2.2/torchelastic/distributed/launch.py"""
    options = {"module": "torchelastic.distributed.launch", "rendezvous": {"endpoint": "etcd.research:2379"}}
    job = lower_torchrun_job(options, workers=2, lifecycle={"terminationGracePeriodSeconds": 60})
    assert job.pod.program.command == ("python3", "-m", "torchelastic.distributed.launch")
    assert job_env(job) == {
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "1",
        "PET_RDZV_BACKEND": "etcd",
        "PET_RDZV_ENDPOINT": "etcd.research:2379",
        "PET_RDZV_ID": PodFact.RUN,
    }
    assert job.launch.max_restarts == 3


@pytest.mark.parametrize(
    ("options", "run", "arguments", "variables"),
    [
        (
            {"rendezvous": {"endpoint": "etcd.research:2379"}, "maxRestarts": 5},
            {"python": ["train.py", "--max_restarts=7"]},
            [
                *("--nnodes=2", "--nproc_per_node=1", "--rdzv_backend=etcd", "--rdzv_endpoint=etcd.research:2379"),
                *("--rdzv_id=$(PET_RDZV_ID)", "--max_restarts=5", "train.py", "--max_restarts=7"),
            ],
            {"PET_RDZV_ID": PodFact.RUN},
        ),
        (
            {"rendezvous": {"endpoint": "etcd.research:2379", "id": "a", "conf": {"timeout": 60}}},
            {"module": ["train"]},
            [
                *("--nnodes=2", "--nproc_per_node=1", "--rdzv_backend=etcd", "--rdzv_endpoint=etcd.research:2379"),
                *("--rdzv_id=a", "--rdzv_conf=timeout=60", "--module", "train"),
            ],
            {},
        ),
    ],
)
def test_torchelastic_0_2_0_gets_its_options_as_arguments(
    options: dict[str, Any], run: dict[str, Any], arguments: list[str], variables: dict[str, Any]
) -> None:
    """Its parser reads no variables:
    https://github.com/pytorch/elastic/blob/v0.2.0/torchelastic/distributed/launch.py"""
    options = {"module": "torchelastic.distributed.launch", **options}
    job = lower_torchrun_job(options, workers=2, run=run, image="torchelastic/examples:0.2.0")
    assert [*job.pod.program.args] == arguments
    assert job_env(job) == variables


@pytest.mark.parametrize("backend", ["c10d", "static", "etcd", "etcd-v2", None])
@pytest.mark.parametrize("run", ["python", "module", "exec"])
def test_torchrun_reads_every_variable(backend: str | None, run: str) -> None:
    """torchrun ignores others silently: https://pytorch.org/docs/stable/elastic/run.html"""
    options = dict(ALL_OPTIONS)
    if backend:
        options["rendezvous"] = {**options["rendezvous"], "backend": backend, "endpoint": "host:2379"}
    for workers in (1, 2):
        names = job_env(lower_torchrun_job(options, workers=workers, run={run: ["a"]}))
        assert {name for name in names if name.startswith("PET_")} <= KNOWN_VARIABLES
        assert {name for name in names if not name.startswith("PET_")} <= {SHARE}


def test_the_default_rendezvous_is_c10d_at_worker_0() -> None:
    assert job_env(lower_torchrun_job(workers=4, resources={"gpu": 8})) == {
        "PET_NNODES": "4",
        "PET_NPROC_PER_NODE": "8",
        "PET_RDZV_BACKEND": "c10d",
        "PET_RDZV_ENDPOINT": "mnist-0:29400",
        "PET_RDZV_ID": PodFact.RUN,
        "PET_RDZV_CONF": "read_timeout=300",
    }


def test_nnodes_of_elastic_jobs() -> None:
    assert job_env(lower_torchrun_job(workers=3, elastic=ELASTIC))["PET_NNODES"] == "2:4"
    assert job_env(lower_torchrun_job(elastic={"minReplicas": 3, "maxReplicas": 3}))["PET_NNODES"] == "3"


@pytest.mark.parametrize(
    ("backend", "restarts"),
    [("job", "10"), ("pods", "10"), ("statefulset", "288"), ("pytorchjob", "288"), ("elasticjob", "10")],
)
def test_default_restarts_of_elastic_jobs(backend: str, restarts: str) -> None:
    """Each lost worker costs a restart: 288 = 24 hours of one scale-down every five minutes."""
    target = Target(backend=backend)
    assert job_env(lower_torchrun_job(target=target, elastic=ELASTIC))["PET_MAX_RESTARTS"] == restarts
    assert job_env(lower_torchrun_job({"maxRestarts": 0}, target=target, elastic=ELASTIC))["PET_MAX_RESTARTS"] == "0"
    assert "PET_MAX_RESTARTS" not in job_env(lower_torchrun_job(target=target, workers=4))
    equal_bounds = {"minReplicas": 3, "maxReplicas": 3}
    assert "PET_MAX_RESTARTS" not in job_env(lower_torchrun_job(target=target, elastic=equal_bounds))


@pytest.mark.parametrize(
    ("options", "spec", "expected"),
    [
        ({}, {}, True),
        ({}, {"workers": 1}, True),
        ({}, {"workers": 2}, False),
        ({}, {"elastic": {"minReplicas": 1, "maxReplicas": 2}}, False),
        ({"rendezvous": {"backend": "c10d"}}, {}, False),
        ({"standalone": False}, {}, False),
        ({"standalone": True}, {}, True),
    ],
)
def test_one_worker_is_standalone_by_default(options: dict[str, Any], spec: dict[str, Any], expected: bool) -> None:
    job = parse_job(launch={"torchrun": options}, **spec)
    assert isinstance(job.launch, Torchrun)
    assert is_standalone(job.launch, lower_replicas(job, Target())) is expected


def test_standalone_is_a_number() -> None:
    env = job_env(lower_torchrun_job())
    assert env["PET_STANDALONE"] == "1"
    assert not {"PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_MASTER_ADDR"} & set(env)


def test_the_endpoint_of_one_worker_is_its_hostname() -> None:
    assert job_env(lower_torchrun_job({"standalone": False}))["PET_RDZV_ENDPOINT"] == "mnist-0:29400"


def test_conf_keeps_its_order() -> None:
    conf = {"read_timeout": 120, "join_timeout": 900, "is_host": True, "store_type": "tcp"}
    env = job_env(lower_torchrun_job({"rendezvous": {"conf": conf}}, workers=2))
    assert env["PET_RDZV_CONF"] == "read_timeout=120,join_timeout=900,is_host=true,store_type=tcp"
    assert job_env(lower_torchrun_job({"rendezvous": {"conf": {"join_timeout": 9}}}, workers=2))["PET_RDZV_CONF"] == (
        "read_timeout=300,join_timeout=9"
    )
    assert "PET_RDZV_CONF" not in job_env(lower_torchrun_job({"rendezvous": {"backend": "static"}}, workers=2))
