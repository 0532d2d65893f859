"""What the plan says of golden manifests, against what a person reads in them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.unit.plan.manifests import objects, planned
from trainc.plan.plan import Plan, plan
from trainc.plan.process_env import process_env

GI = 1024**3


def ranks(found: Plan) -> list[tuple[int, int] | None]:
    return [one.ranks for one in found.workers]


def sizes(found: Plan) -> list[tuple[int, int, int | None]]:
    return [(one.pods, one.nodes, one.world) for one in found.world_sizes]


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_torchrun_makes_a_world_of_four_times_eight(backend: str) -> None:
    found = planned(f"torchrun/{backend}")
    assert [one.pod.hostname for one in found.workers] == ["mnist-0", "mnist-1", "mnist-2", "mnist-3"]
    assert ranks(found) == [(0, 7), (8, 15), (16, 23), (24, 31)]
    assert sizes(found) == [(4, 4, 32)]
    assert [one.names for one in found.workers][:2] == [("mnist-0", "mnist-0.mnist"), ("mnist-1.mnist",)]
    first = found.workers[0]
    assert (first.launch.backend, first.launch.rendezvous_host, first.launch.port) == ("c10d", "mnist-0", 29400)
    assert first.launch.program == ("python", "-u", "train.py", "--epochs", "3")
    assert [first.usage.gpus, first.usage.cpus, first.usage.memory] == [Fraction(8), Fraction(32), Fraction(256 * GI)]
    assert first.usage.shm == 128 * GI


def test_a_job_tells_its_pods_their_index_and_names_them_at_random() -> None:
    one = planned("torchrun/job").workers[3]
    assert one.pod.name == "mnist-3-‹random›"
    assert one.container.value("JOB_COMPLETION_INDEX") == "3"
    assert one.pod.labels["batch.kubernetes.io/job-completion-index"] == "3"


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_static_ranks_are_those_that_the_pods_are_told(backend: str) -> None:
    found = planned(f"torchrun-static/{backend}")
    assert ranks(found) == [(0, 7), (8, 15)]
    told_to_last = process_env(found.workers[1], found.workers, found.world_sizes[0])
    assert told_to_last["MASTER_ADDR"] == "static-0"
    assert told_to_last["MASTER_PORT"] == "29500"
    assert told_to_last["WORLD_SIZE"] == "16"
    assert told_to_last["GROUP_RANK"] == "1"


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_deepspeed_reads_its_hosts_and_slots_out_of_base64(backend: str) -> None:
    """eyJk… in the golden is {"deepspeed-0":[0,…,7],"deepspeed-1":[0,…,7]}."""
    found = planned(f"deepspeed/{backend}")
    assert found.workers[0].launch.slots == (("deepspeed-0", 8), ("deepspeed-1", 8))
    assert ranks(found) == [(0, 7), (8, 15)]
    assert process_env(found.workers[1], found.workers, found.world_sizes[0]) == {
        "RANK": "8–15",
        "WORLD_SIZE": "16",
        "LOCAL_RANK": "0–7",
        "LOCAL_SIZE": "8",
        "MASTER_ADDR": "deepspeed-0",
        "MASTER_PORT": "29500",
    }
    assert found.workers[0].launch.program[:4] == ("python", "-u", "train.py", "--local_rank=‹local rank›")


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_deepspeed_over_ssh_reads_the_hostfile_of_its_config_map(backend: str) -> None:
    found = planned(f"deepspeed-ssh/{backend}")
    first = found.workers[0].launch
    assert first.uses_ssh
    assert first.slots == (("deepspeed-ssh-0.deepspeed-ssh", 8), ("deepspeed-ssh-1.deepspeed-ssh", 8))
    assert ranks(found) == [(0, 7), (8, 15)]


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_eight_plain_processes_a_pod_are_numbered_through(backend: str) -> None:
    found = planned(f"basic-processes/{backend}")
    assert ranks(found) == [(0, 7), (8, 15)]
    assert found.workers[0].launch.program[-4:] == ("--rank", "‹rank›", "--local_rank", "‹local rank›")


def test_an_autoscaled_set_starts_small_and_may_grow() -> None:
    found = planned("spot/statefulset")
    assert [one.name for one in found.world_sizes] == ["minimum", "initial", "maximum"]
    assert sizes(found) == [(2, 2, 16), (2, 2, 16), (8, 8, 64)]
    assert [one.pod.on_scale_up for one in found.workers] == [False, False, *[True] * 6]


def test_an_elastic_job_has_all_its_pods_at_first_and_trains_with_fewer() -> None:
    assert sizes(planned("spot/job")) == [(2, 2, 16), (8, 8, 64), (8, 8, 64)]


def test_too_few_pods_make_no_world() -> None:
    found = objects("torchrun-elastic/statefulset")
    for one in found:
        if one["kind"] == "StatefulSet":
            env = one["spec"]["template"]["spec"]["containers"][0]["env"]
            next(each for each in env if each["name"] == "PET_NNODES")["value"] = "3:4"
    assert sizes(plan(found)) == [(3, 3, 3), (1, 0, 0), (4, 4, 4)]


def test_c10d_numbers_eleven_nodes_by_their_names() -> None:
    """ "mnist-1." < "mnist-10." < "mnist-2.": a dot is before a digit."""
    found = objects("torchrun/job")
    for one in found:
        if one["kind"] == "Job":
            one["spec"].update(completions=11, parallelism=11)
    nodes = {one.pod.hostname: one.node_rank for one in plan(found).workers}
    assert (nodes["mnist-0"], nodes["mnist-1"], nodes["mnist-10"], nodes["mnist-2"]) == (0, 1, 2, 3)


def test_etcd_numbers_nodes_as_they_come_so_no_rank_is_promised() -> None:
    found = planned("torchrun-etcd-managed/job")
    assert ranks(found) == [None] * 4
    assert [one.pod.owner for one in found.servers] == ["Deployment/etcd-managed-etcd"]
    assert found.totals.cpus == 4 * 8 + Fraction(1, 10)


def test_a_secret_is_named_and_never_shown() -> None:
    one = planned("env/job").workers[0].container
    assert one.value("WANDB_API_KEY") == "‹Secret/wandb api-key›"
    assert one.value("WANDB_RUN_GROUP") == "env-‹spec.nodeName›"
    assert one.value("OMP_NUM_THREADS") == "8"  # limits.cpu
    assert one.env_from == ("ConfigMap/cluster-settings", "Secret/s3-credentials (prefix S3_)")


def test_an_argument_wins_over_torchruns_variable() -> None:
    found = objects("torchrun-single/job")
    job = next(one for one in found if one["kind"] == "Job")
    job["spec"]["template"]["spec"]["containers"][0]["args"].insert(0, "--nproc-per-node=2")
    assert plan(found).workers[0].launch.processes == 2


def test_a_shell_fills_in_the_pods_variables_and_its_own() -> None:
    found = objects("torchrun-static/job")
    container = next(one for one in found if one["kind"] == "Job")["spec"]["template"]["spec"]["containers"][0]
    text = """
    GPUS=2
    export NODES=${PET_NNODES:-1}
    OPTIONS="--nproc_per_node $GPUS --nnodes $NODES
        --node_rank $PET_NODE_RANK"
    torchrun $OPTIONS --master_addr "$PET_MASTER_ADDR" train.py --lr $RATE
    """
    container |= {"command": ["bash", "-c"], "args": [text]}
    nodes = int(next(one["value"] for one in container["env"] if one["name"] == "PET_NNODES"))
    assert ranks(plan(found)) == [(2 * node, 2 * node + 1) for node in range(nodes)]
    assert plan(found).findings == ()


def test_a_program_that_a_shell_writes_has_the_name_that_is_known_of_it() -> None:
    """`torchrun "$program_path/ephemeral_script.py"`, behind `program_path=$(mktemp -d)`."""
    start = planned("real-pytorchjob-mlbatch/job").workers[0].launch
    assert start.program == ("python", "-u", "‹?›/ephemeral_script.py")


def test_paused_jobs_wait() -> None:
    assert planned("paused/job").suspended
    assert planned("paused/statefulset").suspended


def test_debug_pods_start_no_launcher() -> None:
    assert planned("debug/job").workers[0].launch.launcher == "none"


def test_addresses_that_only_the_pods_know_leave_the_ranks_open() -> None:
    found = objects("torchrun/job")
    job = next(one for one in found if one["kind"] == "Job")
    field = {"fieldRef": {"fieldPath": "status.podIP"}}
    job["spec"]["template"]["spec"]["containers"][0]["env"].append({"name": "PET_LOCAL_ADDR", "valueFrom": field})
    assert ranks(plan(found)) == [None] * 4
    assert sizes(plan(found)) == [(4, 4, 32)]
