"""Every scenario with real launchers, on the back ends where it behaves differently.

Two pods of one process each unless a test needs more: each import of torch takes seconds of CPU time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import trainc
from tests.rehearsal.launchers import jobs
from tests.rehearsal.launchers.jobs import failed_expectations, run_scenario
from tests.support.build import job_text
from tests.support.command import trainc as trainc_command
from tests.support.training_runtime import training_runtime
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps
from trainc.rehearse.scenarios.registry import Scenario
from trainc.rehearse.script import parse_script
from trainc.rehearse.script_runner import script_scenario
from trainc.span import Source

TRAIN_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: mnist}
spec:
  runtimeRef: {name: team}
  trainer: {numProcPerNode: 1}
"""

ACCELERATOR = """\
from accelerate import Accelerator

accelerator = Accelerator()
assert accelerator.num_processes == 4, accelerator.num_processes
"""


def assert_passes(name: str, spec: dict[str, Any], backend: str, python: str) -> None:
    """Assert that a scenario of a job passes."""
    verdict = run_scenario(name, spec, python, backend)
    assert failed_expectations(verdict) == []
    assert verdict.outcome == "passed"


def test_a_world_forms_with_c10d(python: str) -> None:
    assert_passes("form", jobs.C10D, "job", python)


def test_a_world_of_accelerate_forms_again(python: str) -> None:
    assert_passes("lose-pod", jobs.ACCELERATE, "job", python)


def test_the_program_of_accelerate_uses_the_world(python: str, tmp_path: Path) -> None:
    """Accelerator() trains alone on CPUs, whatever its rank, unless ACCELERATE_USE_CPU is set."""
    program = tmp_path / "train.py"
    program.write_text(ACCELERATOR)
    verdict = run_scenario("finish", jobs.ACCELERATE, python, program=program)
    assert failed_expectations(verdict) == []


def test_accelerate_restarts_all_processes_when_one_is_killed(python: str) -> None:
    assert_passes("kill-process", jobs.ACCELERATE_RESTARTS, "job", python)


def test_an_elastic_job_of_accelerate_continues_without_a_lost_pod(python: str) -> None:
    assert_passes("lose-pod", jobs.ACCELERATE_ELASTIC, "job", python)


def test_a_late_pod_joins_an_elastic_job_of_accelerate(python: str) -> None:
    assert_passes("join", jobs.ACCELERATE_ELASTIC, "pytorchjob", python)


def test_a_single_process_of_accelerate_gets_the_signal(python: str) -> None:
    assert_passes("delete", jobs.ACCELERATE_SINGLE, "job", python)


def test_accelerate_starts_deepspeed_in_each_pod(python: str) -> None:
    assert_passes("form", jobs.ACCELERATE_DEEPSPEED, "jobset", python)


def test_an_elastic_job_starts_with_its_minimum(python: str) -> None:
    assert_passes("start-at-min", jobs.ELASTIC_PAIR, "job", python)


def test_a_late_pod_joins_an_elastic_job(python: str) -> None:
    assert_passes("join", jobs.ELASTIC_PAIR, "job", python)


def test_torchrun_restarts_all_processes_when_one_is_killed(python: str) -> None:
    assert_passes("kill-process", jobs.ELASTIC_PAIR, "job", python)


def test_an_elastic_job_continues_without_a_lost_pod_and_takes_in_its_replacement(python: str) -> None:
    assert_passes("lose-pod", jobs.ELASTIC, "job", python)


def test_an_elastic_job_of_bare_pods_continues_without_a_lost_pod(python: str) -> None:
    assert_passes("lose-pod", jobs.ELASTIC_PAIR, "pods", python)


def test_a_fixed_size_statefulset_forms_its_world_again_with_the_replacement(python: str) -> None:
    assert_passes("lose-pod", jobs.STATIC, "statefulset", python)


def test_all_workers_of_a_jobset_restart_and_the_world_forms_again(python: str) -> None:
    assert_passes("lose-pod", jobs.FIXED_SIZE, "jobset", python)


def test_a_trainjob_that_was_read_with_its_runtime_forms_its_world(python: str) -> None:
    """The compiled TrainJob has a runtime of its own, whose JobSet creates the pods."""
    runtime = training_runtime('{name: node, image: "train:1", command: [torchrun, train.py]}')
    imported = trainc_command("import", "-", stdin=f"{runtime}---\n{TRAIN_JOB}")
    spec = yaml.safe_load(imported.out)["spec"]
    assert spec["launch"] == {"torchrun": {"rendezvous": {"backend": "static"}}}
    assert_passes("form", spec, "trainjob", python)


def test_all_workers_of_a_volcano_job_restart_and_the_world_forms_again(python: str) -> None:
    assert_passes("lose-pod", jobs.FIXED_SIZE, "vcjob", python)


def test_an_elastic_volcano_job_continues_without_a_lost_pod(python: str) -> None:
    assert_passes("lose-pod", jobs.ELASTIC_PAIR, "vcjob", python)


def test_a_volcano_job_completes_when_all_its_workers_succeed(python: str) -> None:
    assert_passes("finish", jobs.FIXED_SIZE, "vcjob", python)


def test_with_c10d_all_launchers_exit_with_worker_0_and_the_world_forms_again(python: str) -> None:
    assert_passes("lose-pod-0", jobs.ELASTIC_PAIR, "job", python)


def test_with_etcd_v2_worker_0_is_a_worker_like_any_other(python: str) -> None:
    assert_passes("lose-pod-0", jobs.ETCD, "job", python)


def test_an_elastic_job_continues_without_a_disconnected_pod(python: str) -> None:
    assert_passes("network-partition", jobs.ELASTIC_PAIR, "job", python)


def test_launchers_wait_for_a_late_dns_name(python: str) -> None:
    assert_passes("slow-dns", jobs.FIXED_SIZE, "job", python)


def test_launchers_wait_for_a_late_worker_0(python: str) -> None:
    assert_passes("slow-pod", jobs.FIXED_SIZE, "job", python)


def test_an_elastic_job_scales_down_and_up(python: str) -> None:
    assert_passes("scale", jobs.ELASTIC_PAIR, "job", python)


def test_an_elastic_statefulset_scales_up_and_down(python: str) -> None:
    assert_passes("scale", jobs.AUTOSCALED, "statefulset", python)


def test_torchrun_gives_its_processes_time_for_a_checkpoint(python: str) -> None:
    assert_passes("delete", jobs.FIXED_SIZE, "job", python)


def test_deepspeeds_launcher_gives_its_processes_time_for_a_checkpoint(python: str) -> None:
    assert_passes("delete", jobs.DEEPSPEED, "job", python)


def test_a_failed_deepspeed_container_restarts_and_the_world_forms_again(python: str) -> None:
    assert_passes("kill-process", jobs.DEEPSPEED, "statefulset", python)


def test_deepspeed_over_ssh_completes(python: str) -> None:
    assert_passes("finish", jobs.DEEPSPEED_SSH, "job", python)


def test_the_workers_form_a_ray_cluster_and_succeed_with_the_program(python: str) -> None:
    assert_passes("finish", jobs.RAY, "job", python)


def test_a_lost_worker_ends_a_ray_program_and_the_cluster_forms_again(python: str) -> None:
    assert_passes("lose-pod", jobs.RAY, "job", python)


def test_a_replacement_joins_the_running_ray_cluster(python: str) -> None:
    assert_passes("lose-pod", jobs.RAY_ELASTIC, "job", python)


def test_all_workers_exit_with_the_head_of_a_ray_cluster(python: str) -> None:
    assert_passes("lose-pod-0", jobs.RAY, "statefulset", python)


def test_a_ray_program_has_time_for_a_checkpoint(python: str) -> None:
    assert_passes("delete", jobs.RAY, "jobset", python)


def test_the_pods_of_a_ray_cluster_exit_with_the_code_of_the_program(python: str) -> None:
    def run(observer: Observer) -> None:
        steps.form(observer)
        observer.control.set(exit={"rank": 0, "code": 3})
        observer.wait_until(lambda: observer.exits()[1:])
        codes = [event.data["exit_code"] for event in observer.exits()]
        observer.check("both pods exit with 3", codes == [3, 3], [str(codes)])

    scenario = Scenario(name="exit-code", description="a rank exits with 3", skip_reason=lambda _: "", run=run)
    assert failed_expectations(run_scenario(scenario, jobs.RAY, python)) == []


def test_a_killed_basic_program_restarts_in_its_pod(python: str) -> None:
    assert_passes("kill-process", jobs.BASIC, "pods", python)


def test_basic_processes_rendezvous_through_a_file_and_succeed(python: str) -> None:
    assert_passes("finish", jobs.BASIC_PROCESSES, "job", python)


def test_a_fixed_size_job_completes_when_all_workers_succeed(python: str) -> None:
    assert_passes("finish", jobs.FIXED_SIZE, "job", python)


def test_an_elastic_job_completes_when_worker_0_succeeds(python: str) -> None:
    assert_passes("finish", jobs.ELASTIC_PAIR, "job", python)


def test_bare_pods_with_static_rendezvous_succeed(python: str) -> None:
    assert_passes("finish", jobs.STATIC, "pods", python)


def test_a_statefulset_that_nothing_completes_restarts_its_program(python: str) -> None:
    assert_passes("finish", jobs.FIXED_SIZE, "statefulset", python)


def test_a_pytorchjob_completes_when_all_its_workers_succeed(python: str) -> None:
    assert_passes("finish", jobs.FIXED_SIZE, "pytorchjob", python)


def test_a_pytorchjob_of_a_dialect_completes(python: str) -> None:
    version = {"pytorchjob": "ctyun.cn/v1"}
    manifests = trainc.compile(job_text({}, **jobs.FIXED_SIZE), backend="pytorchjob", versions=version).objects()
    verdict = run_scenario("finish", manifests, python)
    assert failed_expectations(verdict) == []


def test_deepspeed_on_an_mpijob_completes_with_its_launcher(python: str) -> None:
    assert_passes("finish", jobs.DEEPSPEED_PAIR, "mpijob", python)


def test_mpirun_on_an_mpijob_completes_with_its_launcher(python: str) -> None:
    assert_passes("finish", jobs.MPIRUN, "mpijob", python)


def test_mpirun_on_worker_0_completes(python: str) -> None:
    assert_passes("finish", jobs.MPIRUN_SSH, "job", python)


@pytest.mark.parametrize("backend", ["job", "statefulset"])
def test_mpirun_on_worker_0_forms_the_world_again_without_a_lost_worker(backend: str, python: str) -> None:
    assert_passes("lose-pod", jobs.MPIRUN_SSH, backend, python)


def test_the_other_workers_end_their_processes_when_worker_0_with_mpirun_is_lost(python: str) -> None:
    assert_passes("lose-pod-0", jobs.MPIRUN_SSH, "job", python)


def test_mpirun_on_worker_0_fails_with_a_killed_process(python: str) -> None:
    assert_passes("kill-process", jobs.MPIRUN_SSH, "job", python)


def test_an_elasticjob_completes_when_all_its_workers_succeed(python: str) -> None:
    assert_passes("finish", jobs.ETCD_PAIR, "elasticjob", python)


def test_a_scenario_file_runs(python: str) -> None:
    text = """\
start: {pending: [1]}
steps:
- wait-for: {world: min}
- schedule: 1
- wait-for: {world: full}
- expect: {no-exits: true, running: 2}
- finish
"""
    scenario = script_scenario(parse_script(Source("steps.yaml", text)))
    assert failed_expectations(run_scenario(scenario, jobs.ELASTIC_PAIR, python)) == []


def test_a_users_program_runs_with_its_directory_and_its_ranks_are_observed(python: str, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("42")
    (tmp_path / "train.py").write_text("raise SystemExit('another program of this name')")
    (tmp_path / "mine.py").write_text(
        "import os, sys, time\n"
        "import torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "dist.barrier()\n"
        "time.sleep(5)\n"
        "path = os.path.join(os.path.dirname(__file__), 'data.txt')\n"
        "sys.exit(open(path).read() != '42')\n"
    )
    verdict = run_scenario("finish", jobs.FIXED_SIZE, python, program=tmp_path / "mine.py")
    assert failed_expectations(verdict) == []
    assert "2 pods form a world of 2 ranks" in [check.expectation for check in verdict.checks]
