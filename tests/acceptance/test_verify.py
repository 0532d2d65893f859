"""`trainc compile --verify`: which differences of back ends fail, and how they are reported."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, silent, succeed, trainc
from tests.support.examples import example_path

TORCHRUN = (
    "torchrun --nnodes=2 --nproc_per_node={} --node_rank=$RANK --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT"
    " train.py $WORLD_SIZE"
)
PYTORCHJOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: mnist}}
spec:
  nprocPerNode: "{}"
  pytorchReplicaSpecs:
    Master: &role {{replicas: 1, template: {{spec: {{containers: [{{name: pytorch, image: "mnist:1", {}}}]}}}}}}
    Worker: *role
"""
DEEPSPEEDJOB = """\
apiVersion: batch.tensorstack.dev/v1beta1
kind: DeepSpeedJob
metadata: {{name: mnist}}
spec:
  runMode: {{debug: {{enabled: true{}}}}}
  worker: {{replicas: 1, template: {{spec: {{containers: [{{name: worker, image: "mnist:1"}}]}}}}}}
"""
ELASTICJOB = """\
apiVersion: elastic.pytorch.org/v1alpha1
kind: ElasticJob
metadata: {name: mnist}
spec:
  rdzvEndpoint: etcd-service:2379
  replicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: ExitCode
      template:
        spec: {containers: [{name: elasticjob-worker, image: "mnist:1", args: [--nproc_per_node=1, train.py]}]}
"""
# Jobs whose processes have the same arguments, ranks and world size on every system that can run them.
SAME_WORLD = {
    # PET_NNODES is $(WORLD_SIZE) without the operator, which overrides it
    "entrypoint": PYTORCHJOB.format("auto", "args: [--backend, gloo]"),
    # the operator's WORLD_SIZE is 8, the number of processes, and its RANK that of the pod
    "processes": PYTORCHJOB.format("4", f'command: [bash, -c, "{TORCHRUN.format("$PET_NPROC_PER_NODE")}"]'),
    "processes-twice": PYTORCHJOB.format("4", f'command: [bash, -c, "{TORCHRUN.format("4")}"]'),
    # the operator's debug mode starts no program
    "debug": DEEPSPEEDJOB.format(""),
    "debug-command": DEEPSPEEDJOB.format(", replicaSpecs: [{type: worker, command: [sleep, 1d]}]"),
    # the operator passes as arguments what trainc sets as variables
    "arguments": ELASTICJOB,
}


def test_reports_differences_and_writes_the_manifests() -> None:
    done = succeed("compile", "-", "--verify", stdin=JOB)
    assert "kind: Job" in done.out
    assert (
        "verify: mnist: same world on job, pods, statefulset, jobset, trainjob, pytorchjob, elasticjob, vcjob\n"
        in done.err
    )
    assert "verify: mnist: expected differences: success, failure, " in done.err


COMMAND = 'command: [torchrun, train.py], resources: {limits: {nvidia.com/gpu: "4"}}'


def test_a_translation_is_compared_with_its_file() -> None:
    """MASTER_PORT of the operator is 23456, and torchrun counts the GPUs of nproc_per_node auto."""
    done = succeed("compile", "-", "--verify", "-b", "jobset", stdin=PYTORCHJOB.format("auto", COMMAND))
    assert "kind: JobSet" in done.out
    assert "verify: mnist: same world as PyTorchJob/mnist of the file\n" in done.err
    assert "`PyTorchJob/mnist of the file` and `jobset` have different rendezvous endpoints: `port=23456`" in done.err


@pytest.mark.parametrize("program", ["python, train.py", "python, -u, train.py", "python3, train.py"])
def test_another_name_of_python_is_the_same_world(program: str) -> None:
    job = PYTORCHJOB.format("auto", f"command: [{program}]")
    done = succeed("compile", "-", "--verify", stdin=job)
    assert "different programs" not in done.err
    assert done.err.endswith("verify: mnist: same world as PyTorchJob/mnist of the file\n")


def test_a_verdict_follows_the_differences_that_count() -> None:
    """MASTER_PORT is 23456 in the operator's pods: defaultSetter of PyTorchJob in kubeflow/training-operator v1.9."""
    done = trainc(
        "compile", "-", "--verify", "-b", "trainjob", stdin=PYTORCHJOB.format("auto", "command: [python, a.py]")
    )
    lines = [
        line.removeprefix("verify: mnist: ") for line in done.err.splitlines() if line.startswith("verify: mnist:")
    ]
    original = "`PyTorchJob/mnist of the file` and `trainjob`"
    assert lines[1:] == [
        "same world on trainjob, pods, job, statefulset, jobset, pytorchjob, elasticjob, vcjob",
        f"{original} set different variables for the processes: `MASTER_PORT=23456`, `MASTER_PORT=29500`",
        f"{original} have different rendezvous endpoints: `port=23456`, `port=29500`",
        "same world as PyTorchJob/mnist of the file",
    ]
    assert lines[0].startswith("expected differences: success, failure, worker names, ")


def test_the_command_for_the_reason_of_a_rejection_runs(here: Path) -> None:
    Path("a job.yaml").write_text(JOB)
    done = trainc("compile", "a job.yaml", "--verify")
    (command,) = re.findall(r"verify: mpijob rejects the job: run `trainc (.*)` for the reason", done.err)
    rejected = trainc(*shlex.split(command))
    assert (rejected.code, "error[" in rejected.err) == (1, True), rejected.err


def test_a_file_whose_workers_train_alone_does_not_start_the_same_world() -> None:
    """Without a Master or an elasticPolicy the operator sets no endpoint: SetClusterSpec of its v1.9."""
    worker = "{replicas: 2, template: {spec: {containers: [{name: pytorch, image: 'a:1', command: [torchrun, a.py]}]}}}"
    head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: mnist}\n"
    job = f"{head}spec:\n  pytorchReplicaSpecs: {{Worker: {worker}}}\n"
    err = fail("compile", "-", "--verify", "-b", "trainjob", stdin=job)
    assert "127.0.0.1: resolves to each pod itself" in err
    assert err.endswith("verify: mnist: not the same world as PyTorchJob/mnist of the file\n")


@pytest.mark.parametrize("change", ["spec.workers=3", "spec.run.python=[other.py]", "spec.resources.gpu=8"])
def test_another_world_than_that_of_the_file_is_an_error(change: str) -> None:
    job = PYTORCHJOB.format("auto", COMMAND)
    err = fail("compile", "-", "--verify", "-b", "jobset", "--set", change, stdin=job)
    assert "verify: mnist: not the same world as PyTorchJob/mnist of the file\n" in err


def test_quiet_prints_no_differences_that_are_expected() -> None:
    silent("compile", "-", "--verify", "-q", stdin=JOB)


DEBUG_JOB = """
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: mnist}
spec:
  image: train:1
  mode: debug
  launch: {deepspeed: {transport: ssh, sshSecret: keys}}
  run: {python: [train.py]}
  workers: 2
"""


@pytest.mark.parametrize("policy", ["All", "Leader"])  # next to a Master, WORLD_SIZE counts processes
@pytest.mark.parametrize("options", ["transport: ssh, sshSecret: keys", "slotsPerWorker: 2"])
def test_debug_jobs_of_deepspeed_have_the_same_world_everywhere(options: str, policy: str) -> None:
    job = DEBUG_JOB.replace("transport: ssh, sshSecret: keys", options) + f"  lifecycle: {{successPolicy: {policy}}}\n"
    done = succeed("compile", "-", "--verify", stdin=job)
    backends = "job, pods, statefulset, jobset, trainjob, pytorchjob, deepspeedjob, elasticjob, mpijob, vcjob"
    assert f"verify: mnist: same world on {backends}\n" in done.err


def test_a_debug_job_over_ssh_starts_no_program() -> None:
    job = DEBUG_JOB
    planned = trainc("plan", "-", "-n", "lab", stdin=job).out
    assert planned.startswith("mnist: no launcher, 2 pods\n\npod ")
    assert "kubectl exec -it -n lab $(kubectl get pods -n lab -l" in " ".join(planned.split())
    assert "training command: on worker 0: env PATH=" in trainc("compile", "-", "--summary", stdin=job).err


def test_debug_jobs_of_operators_have_the_command_and_the_pod_that_start_the_program() -> None:
    job = DEBUG_JOB.replace(", sshSecret: keys", "")
    planned = " ".join(trainc("plan", "-", "-b", "deepspeedjob", stdin=job).out.split())
    assert "training command on worker 0: deepspeed --hostfile=/t9k/hostfile train.py" in planned
    assert "debug kubectl exec -it mnist-worker-0 -c worker -- sh" in planned
    planned = " ".join(trainc("plan", "-", "-b", "mpijob", stdin=job).out.split())
    assert planned.startswith("mnist: no launcher, 2 pods ")
    assert "debug kubectl exec -it job/mnist-launcher -c main -- sh" in planned
    idle = job.replace("mode: debug", "mode: {debug: {command: [sleep, 1d]}}")
    planned = " ".join(trainc("plan", "-", "-b", "deepspeedjob", stdin=idle).out.split())
    assert "on worker 0, once sshd runs in each pod: deepspeed --hostfile" in planned


def test_models_operators() -> None:
    done = succeed("compile", "-", "-b", "pytorchjob", "--verify", stdin=JOB)
    assert "kind: PyTorchJob" in done.out
    assert re.search(r"verify: mnist: expected differences: .*\bServices\b", done.err)
    err = fail("compile", "-", "-b", "pytorchjob", "--verify", stdin=JOB + "  env: {A: $(LOST)}\n")
    assert "verify: mnist: mnist-worker-0: `A` refers to `$(LOST)`, which is not defined before it" in err


def test_leaves_out_a_back_end_that_writes_many_pods() -> None:
    done = succeed("compile", "-", "--verify", "--set", "spec.workers=5000", stdin=JOB)
    assert "verify: pods is not compared: it writes 5000 pods\n" in done.err
    assert (
        "verify: mnist: same world on job, statefulset, jobset, trainjob, pytorchjob, elasticjob, vcjob\n" in done.err
    )


def test_names_a_back_end_that_rejects_the_job() -> None:
    assert "verify: statefulset rejects the job" in succeed("compile", example_path("queue"), "--verify").err


def test_writes_nothing_after_a_finding() -> None:
    err = fail("compile", "-", "--verify", stdin=JOB + "  env: {A: $(LOST)}\n")
    assert "verify: mnist: mnist-0: `A` refers to `$(LOST)`, which is not defined before it" in err
    assert "same world" not in err


@pytest.mark.parametrize("job", SAME_WORLD.values(), ids=SAME_WORLD)
def test_a_healthy_job_of_another_system_has_the_same_world(job: str) -> None:
    done = trainc("compile", "-", "--verify", stdin=job)
    assert (done.code, "same world on job, pods, " in done.err) == (0, True), done.err


@pytest.mark.parametrize(
    ("job", "difference"),
    [
        # a Job has no autoscaler and starts with the maximum, a StatefulSet with the minimum of its own
        (
            JOB.replace("workers: 2", "elastic: {minReplicas: 2, maxReplicas: 64}\n  resources: {cpu: 1}"),
            "`statefulset` start with different numbers of pods unless `workers` is set: `64`, `2`",
        ),
        # Kubernetes expands only variables that precede; the operator's follow
        (
            JOB + "  env: {NAME: $(PET_NNODES)-nodes}\n",
            "`pytorchjob` set different variables: `NAME=2-nodes`, `NAME=$(PET_NNODES)-nodes`",
        ),
        # the operator overrides PET_NNODES
        (
            JOB.replace("torchrun: {}", "basic: {}").replace("python: [train.py]", "exec: [torchrun, train.py]"),
            "`pytorchjob` start different launchers: `nodes=1`, `nodes=2`",
        ),
        # the operator passes torchrun's options to an entrypoint of which nothing else is known
        (
            JOB.replace("{}", "{wrap: false}").replace("python", "entrypoint"),
            "`elasticjob` start different programs: `[train.py]`, `[python, -u, train.py]`",
        ),
    ],
)
def test_a_real_difference_names_back_ends_and_values(job: str, difference: str) -> None:
    err = fail("compile", "-", "--verify", stdin=job)
    assert f"verify: mnist: back ends `job` and {difference}\n" in err
    assert "verify: mnist: the back ends start different worlds\n" in err
    assert "same world" not in err


@pytest.mark.parametrize("field", ["argument: --init", "env: INIT", "create: true"])
def test_a_share_file_of_each_run_is_no_difference(field: str) -> None:
    """A Job names the file by its uid, the others by the job's name, which is also in another path."""
    paths = "  save: {path: /data/mnist}\n  shareFile: {directory: /data/meet, " + field + "}\n"
    volume = "  volumes: [{name: data, mountPath: /data, persistentVolumeClaim: {claimName: data}}]\n"
    done = succeed("compile", "-", "--verify", stdin=JOB.replace("torchrun: {}", "basic: {}") + paths + volume)
    assert (
        "verify: mnist: same world on job, pods, statefulset, jobset, trainjob, pytorchjob, elasticjob, vcjob"
        in done.err
    )
