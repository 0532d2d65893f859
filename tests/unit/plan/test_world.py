"""Plans of golden manifests, against values computed by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.unit.plan.manifests import objects, planned
from trainc.plan.formats.summary import headline
from trainc.plan.plan import Plan, plan
from trainc.plan.process_env import process_env

GI = 1024**3


def ranks(job_plan: Plan) -> list[tuple[int, int] | None]:
    return [worker.ranks for worker in job_plan.workers]


def sizes(job_plan: Plan) -> list[tuple[int, int, int | None]]:
    return [(size.pods, size.nodes, size.world) for size in job_plan.world_sizes]


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_torchrun_has_a_world_of_four_times_eight(backend: str) -> None:
    job_plan = planned(f"torchrun/{backend}")
    assert [worker.pod.hostname for worker in job_plan.workers] == ["mnist-0", "mnist-1", "mnist-2", "mnist-3"]
    assert ranks(job_plan) == [(0, 7), (8, 15), (16, 23), (24, 31)]
    assert sizes(job_plan) == [(4, 4, 32)]
    assert [worker.names for worker in job_plan.workers][:2] == [("mnist-0", "mnist-0.mnist"), ("mnist-1.mnist",)]
    first = job_plan.workers[0]
    assert (first.launch.backend, first.launch.rendezvous_host, first.launch.port) == ("c10d", "mnist-0", 29400)
    assert first.launch.program == ("python", "-u", "train.py", "--epochs", "3")
    assert [first.usage.gpus, first.usage.cpus, first.usage.memory] == [Fraction(8), Fraction(32), Fraction(256 * GI)]
    assert first.usage.shm == 128 * GI


def test_a_job_sets_the_index_and_a_random_name() -> None:
    worker = planned("torchrun/job").workers[3]
    assert worker.pod.name == "mnist-3-‹random›"
    assert worker.container.value("JOB_COMPLETION_INDEX") == "3"
    assert worker.pod.labels["batch.kubernetes.io/job-completion-index"] == "3"


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_static_ranks_come_from_the_variables(backend: str) -> None:
    job_plan = planned(f"torchrun-static/{backend}")
    assert ranks(job_plan) == [(0, 7), (8, 15)]
    env = process_env(job_plan.workers[1], job_plan.workers, job_plan.world_sizes[0])
    assert env["MASTER_ADDR"] == "static-0"
    assert env["MASTER_PORT"] == "29500"
    assert env["WORLD_SIZE"] == "16"
    assert env["GROUP_RANK"] == "1"


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_deepspeed_decodes_hosts_and_slots(backend: str) -> None:
    """eyJk… in the golden is {"deepspeed-0":[0,…,7],"deepspeed-1":[0,…,7]}."""
    job_plan = planned(f"deepspeed/{backend}")
    assert job_plan.workers[0].launch.slots == (("deepspeed-0", 8), ("deepspeed-1", 8))
    assert ranks(job_plan) == [(0, 7), (8, 15)]
    assert process_env(job_plan.workers[1], job_plan.workers, job_plan.world_sizes[0]) == {
        "RANK": "8–15",
        "WORLD_SIZE": "16",
        "LOCAL_RANK": "0–7",
        "LOCAL_SIZE": "8",
        "MASTER_ADDR": "deepspeed-0",
        "MASTER_PORT": "29500",
    }
    assert job_plan.workers[0].launch.program[:4] == ("python", "-u", "train.py", "--local_rank=‹local rank›")


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_deepspeed_over_ssh_reads_the_hostfile_of_its_config_map(backend: str) -> None:
    job_plan = planned(f"deepspeed-ssh/{backend}")
    first = job_plan.workers[0].launch
    assert first.uses_ssh
    assert first.slots == (("deepspeed-ssh-0.deepspeed-ssh", 8), ("deepspeed-ssh-1.deepspeed-ssh", 8))
    assert ranks(job_plan) == [(0, 7), (8, 15)]


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_eight_basic_processes_per_pod_have_consecutive_ranks(backend: str) -> None:
    job_plan = planned(f"basic-processes/{backend}")
    assert ranks(job_plan) == [(0, 7), (8, 15)]
    assert job_plan.workers[0].launch.program[-3:] == ("3", "--local_rank", "‹local rank›")


def test_an_autoscaled_statefulset_starts_with_the_minimum() -> None:
    job_plan = planned("spot/statefulset")
    assert [size.name for size in job_plan.world_sizes] == ["minimum", "initial", "maximum"]
    assert sizes(job_plan) == [(2, 2, 16), (2, 2, 16), (8, 8, 64)]
    assert [worker.pod.on_scale_up for worker in job_plan.workers] == [False, False, *[True] * 6]


def test_an_elastic_job_starts_with_the_maximum() -> None:
    assert sizes(planned("spot/job")) == [(2, 2, 16), (8, 8, 64), (8, 8, 64)]


@pytest.mark.parametrize(
    ("backend", "maximum"),
    [("job", (3, 3, 3)), ("pytorchjob", (3, 3, 3)), ("jobset", (3, 3, 3))],  # by its Job
)
def test_an_elastic_job_starts_with_its_workers(backend: str, maximum: tuple[int, int, int]) -> None:
    """PET_NNODES is 1:3."""
    elastic = planned(f"real-pytorchjob-elastic/{backend}")
    assert sizes(elastic) == [(1, 1, 1), (2, 2, 2), maximum]
    assert headline(elastic).startswith(
        f"{elastic.name}: torchrun, 1 to {maximum[0]} pods × 1 process, world size 1 to "
    )


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("spot/job", """kubectl patch job spot -p '{"spec": {"parallelism": N, "completions": N}}'"""),
        ("spot/jobset", """kubectl patch job spot-worker-0 -p '{"spec": {"parallelism": N, "completions": N}}'"""),
        ("spot/trainjob", """kubectl patch job spot-node-0 -p '{"spec": {"parallelism": N, "completions": N}}'"""),
        ("spot/pods", "set `workers` to N and apply the file again, or delete the Pods from spot-N on"),
        ("torchrun-etcd-managed/statefulset", "kubectl scale statefulset etcd-managed --replicas=N"),
        ("spot/pytorchjob", "kubectl scale pytorchjob spot --replicas=N"),
        ("spot/statefulset", ""),  # it has an autoscaler
        ("torchrun/job", ""),  # its size is fixed
    ],
)
def test_a_plan_tells_how_the_number_of_workers_is_changed_by_hand(name: str, command: str) -> None:
    assert planned(name).scale_by_hand == command


def test_too_few_pods_have_no_world() -> None:
    manifests = objects("torchrun-elastic/statefulset")
    for item in manifests:
        if item["kind"] == "StatefulSet":
            env = item["spec"]["template"]["spec"]["containers"][0]["env"]
            next(entry for entry in env if entry["name"] == "PET_NNODES")["value"] = "3:4"
    assert sizes(plan(manifests)) == [(3, 3, 3), (1, 0, 0), (4, 4, 4)]


def test_c10d_ranks_eleven_nodes_by_name() -> None:
    """ "mnist-1." < "mnist-10." < "mnist-2.": a dot is before a digit."""
    manifests = objects("torchrun/job")
    for item in manifests:
        if item["kind"] == "Job":
            item["spec"].update(completions=11, parallelism=11)
    nodes = {worker.pod.hostname: worker.node_rank for worker in plan(manifests).workers}
    assert (nodes["mnist-0"], nodes["mnist-1"], nodes["mnist-10"], nodes["mnist-2"]) == (0, 1, 2, 3)


def test_etcd_ranks_nodes_by_arrival() -> None:
    job_plan = planned("torchrun-etcd-managed/job")
    assert ranks(job_plan) == [None] * 4
    assert [server.pod.owner for server in job_plan.servers] == ["Deployment/etcd-managed-etcd"]
    assert job_plan.totals.cpus == 4 * 8 + Fraction(1, 10)


def test_values_of_secrets_are_placeholders() -> None:
    container = planned("env/job").workers[0].container
    assert container.value("WANDB_API_KEY") == "‹Secret/wandb api-key›"
    assert container.value("WANDB_RUN_GROUP") == "env-‹spec.nodeName›"
    assert container.value("OMP_NUM_THREADS") == "8"  # limits.cpu
    assert container.env_from == ("ConfigMap/cluster-settings", "Secret/s3-credentials (prefix S3_)")


def test_an_argument_overrides_torchruns_variable() -> None:
    manifests = objects("torchrun-single/job")
    job = next(item for item in manifests if item["kind"] == "Job")
    job["spec"]["template"]["spec"]["containers"][0]["args"].insert(0, "--nproc-per-node=2")
    assert plan(manifests).workers[0].launch.processes == 2


def test_a_shell_expands_variables_of_the_pod_and_its_own() -> None:
    manifests = objects("torchrun-static/job")
    container = next(item for item in manifests if item["kind"] == "Job")["spec"]["template"]["spec"]["containers"][0]
    text = """
    GPUS=2
    export NODES=${PET_NNODES:-1}
    OPTIONS="--nproc_per_node $GPUS --nnodes $NODES
        --node_rank $PET_NODE_RANK"
    torchrun $OPTIONS --master_addr "$PET_MASTER_ADDR" train.py --lr $RATE
    """
    container |= {"command": ["bash", "-c"], "args": [text]}
    nodes = int(next(entry["value"] for entry in container["env"] if entry["name"] == "PET_NNODES"))
    assert ranks(plan(manifests)) == [(2 * node, 2 * node + 1) for node in range(nodes)]
    assert plan(manifests).findings == ()


def test_a_program_written_by_a_shell_keeps_its_known_name() -> None:
    """`torchrun "$program_path/ephemeral_script.py"`, behind `program_path=$(mktemp -d)`."""
    launch = planned("real-pytorchjob-mlbatch/job").workers[0].launch
    assert launch.program == ("python", "-u", "‹?›/ephemeral_script.py")


def test_paused_jobs_are_suspended() -> None:
    assert planned("paused/job").suspended
    assert planned("paused/statefulset").suspended


def test_debug_pods_start_no_launcher() -> None:
    assert planned("debug/job").workers[0].launch.launcher == "none"


@pytest.mark.parametrize(("pods", "world"), [(1, 1), (2, None)])
def test_several_programs_without_ranks_form_an_unknown_world(pods: int, world: int | None) -> None:
    manifests = objects("basic/job")
    job = next(each for each in manifests if each["kind"] == "Job")["spec"]
    job |= {"completions": pods, "parallelism": pods}
    job["template"]["spec"]["containers"][0]["env"] = []
    assert sizes(plan(manifests)) == [(pods, pods, world)]


def test_unknown_addresses_leave_the_ranks_unknown() -> None:
    manifests = objects("torchrun/job")
    job = next(item for item in manifests if item["kind"] == "Job")
    field = {"fieldRef": {"fieldPath": "status.podIP"}}
    job["spec"]["template"]["spec"]["containers"][0]["env"].append({"name": "PET_LOCAL_ADDR", "valueFrom": field})
    assert ranks(plan(manifests)) == [None] * 4
    assert sizes(plan(manifests)) == [(4, 4, 32)]
