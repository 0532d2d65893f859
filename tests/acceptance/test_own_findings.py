"""Findings about a manifest of trainc's are those of the job file it was compiled from."""

from __future__ import annotations

import pytest
import yaml

from tests.support.command import CommandResult, fail, succeed, trainc

JOB = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {{name: mnist}}
spec:
  image: train:1
  launch: {launch}
  run: {run}
  workers: 2
  resources: {{cpu: 1, gpu: 4}}
"""
ETCD = "{torchrun: {rendezvous: {backend: etcd-v2, endpoint: 'etcd:2379'}}}"
PYTHON = "{python: [train.py]}"


def job_file(launch: str, run: str = PYTHON, more: str = "") -> str:
    return JOB.format(launch=launch, run=run) + more


def compile_for(job: str, system: str) -> str:
    return succeed("compile", "-", "--backend", system, stdin=job).out


def findings(done: CommandResult) -> set[str]:
    """Return the codes of a check's findings."""
    return {word.strip("[]:") for word in done.err.replace("]", " ").replace("[", " ").split() if word[:2] == "TC"}


def check_both(job: str, system: str) -> tuple[set[str], set[str]]:
    """Return the codes of a job file, and of its manifest."""
    of_file = trainc("check", "-", "--backend", system, stdin=job)
    return findings(of_file), findings(trainc("check", "-", stdin=compile_for(job, system)))


@pytest.mark.parametrize("system", ["elasticjob", "job", "pods"])
def test_variables_that_trainc_sets_are_not_the_users(system: str) -> None:
    job = job_file("{basic: {}}", "{exec: [accelerate, launch, --mixed_precision, bf16, train.py]}")
    of_file, of_manifest = check_both(job, system)
    assert "TC3061" in of_file
    assert "TC3111" not in of_file | of_manifest


@pytest.mark.parametrize("system", ["elasticjob", "job", "pods"])
def test_variables_of_the_user_are(system: str) -> None:
    of_file, of_manifest = check_both(job_file("{torchrun: {}}", more='  env: {WORLD_SIZE: "8"}\n'), system)
    assert "TC3111" in of_file & of_manifest


@pytest.mark.parametrize("system", ["pods", "job", "statefulset"])
def test_an_argument_that_overrides_the_endpoint_is_an_error(system: str) -> None:
    """No Service of the manifest has the name, so that no worker reaches another."""
    job = job_file("{torchrun: {wrap: false}}", "{exec: [torchrun, --rdzv_endpoint, 'head:29400', train.py]}")
    assert "TC3064" in findings(trainc("check", "-", "--backend", system, stdin=job))
    assert "error[TC3094]: no worker of this job is named `head`" in fail("check", "-", stdin=compile_for(job, system))


@pytest.mark.parametrize("system", ["elasticjob", "pods", "statefulset", "pytorchjob", "job", "jobset", "vcjob"])
def test_restarts_by_default_are_not_wanted(system: str) -> None:
    of_file, of_manifest = check_both(job_file(ETCD), system)
    assert "TC3086" not in of_file | of_manifest


@pytest.mark.parametrize("system", ["job", "pytorchjob"])
def test_restarts_that_the_user_wants_are(system: str) -> None:
    of_file, of_manifest = check_both(job_file(ETCD, more="  lifecycle: {backoffLimit: 5}\n"), system)
    assert "TC3086" in of_file & of_manifest


@pytest.mark.parametrize("system", ["pods", "statefulset", "pytorchjob"])
def test_a_reused_rendezvous_is_named_as_in_the_job_file(system: str) -> None:
    message = "a second run within two hours fails: the first run closes rendezvous `mnist`"
    job = job_file(ETCD)
    assert message in trainc("check", "-", "--backend", system, stdin=job).err
    checked = trainc("check", "-", stdin=compile_for(job, system)).err
    assert message in checked
    assert "= help: use a new id for every run" in checked


@pytest.mark.parametrize("system", ["job", "jobset"])
def test_a_rendezvous_with_the_id_of_the_run_is_not_reused(system: str) -> None:
    of_file, of_manifest = check_both(job_file(ETCD), system)
    assert "TC4009" not in of_file | of_manifest


def test_a_server_next_to_an_mpijob_without_torchrun_is_no_field() -> None:
    objects = list(yaml.safe_load_all(compile_for(job_file("{mpirun: {}}"), "mpijob")))
    managed = compile_for(job_file("{torchrun: {rendezvous: {backend: etcd-v2, managed: true}}}"), "job")
    server = [each for each in yaml.safe_load_all(managed) if each["metadata"]["name"] == "mnist-etcd"]
    assert [each["kind"] for each in server] == ["Service", "Deployment"]
    checked = trainc("check", "-", stdin=yaml.safe_dump_all([*server, *objects], sort_keys=False))
    assert "TC2006" not in checked.err


def test_an_autoscaler_without_a_request_is_an_error_and_its_restarts_are_the_default() -> None:
    """1000 workers have more scale-downs than trainc's default of restarts, of which the job file has no warning."""
    job = job_file("{torchrun: {}}", more="  elastic: {minReplicas: 1, maxReplicas: 1000}\n").replace(
        "workers: 2", "workers: 1"
    )
    manifest = compile_for(job, "statefulset")
    rejected = trainc("check", "-", "--backend", "statefulset", stdin=job.replace("cpu: 1, ", ""))
    assert "TC4003" in findings(rejected)
    assert "TC4008" not in findings(rejected)
    objects = list(yaml.safe_load_all(manifest))
    for each in objects:
        if each["kind"] == "StatefulSet":
            for kind in ("requests", "limits"):
                del each["spec"]["template"]["spec"]["containers"][0]["resources"][kind]["cpu"]
    checked = findings(trainc("check", "-", stdin=yaml.safe_dump_all(objects, sort_keys=False)))
    assert "TC4003" in checked
    assert "TC4008" not in checked


@pytest.mark.parametrize("system", ["job", "pods", "statefulset", "pytorchjob", "vcjob"])
def test_an_endpoint_that_the_user_edits_is_checked(system: str) -> None:
    """torchrun connects to an etcd in its own container, where the job file has the same error."""
    job, edited = job_file(ETCD), job_file(ETCD.replace("etcd:2379", "localhost:2379"))
    manifest = compile_for(job, system).replace("etcd:2379", "localhost:2379")
    for checked in (
        trainc("check", "-", "--backend", system, stdin=edited),
        trainc("check", "-", stdin=manifest),
    ):
        assert checked.code == 1
        assert "error[TC3094]: every worker connects to an etcd server of its own" in checked.err


@pytest.mark.parametrize("system", ["job", "pods", "elasticjob", "jobset"])
def test_a_number_that_the_user_breaks_is_named_as_the_variable(system: str) -> None:
    job = job_file("{torchrun: {maxRestarts: 7, monitorInterval: 0.5}}")
    assert trainc("check", "-", stdin=compile_for(job, system)).code == 0
    broken = compile_for(job, system).replace('"7"', "seven")
    checked = trainc("check", "-", stdin=broken)
    assert "error[TC3067]: torchrun cannot parse `PET_MAX_RESTARTS`: `seven` is not a whole number" in checked.err


def test_a_server_that_no_worker_uses_is_an_error() -> None:
    job = job_file("{torchrun: {rendezvous: {backend: etcd-v2, managed: true}}}")
    manifest = compile_for(job, "job").replace("value: mnist-etcd:2379", "value: other:2379")
    assert "other:2379" in manifest
    both = job.replace("managed: true", "managed: true, endpoint: 'other:2379'")
    for text in (both, manifest):
        assert "TC3050" in findings(trainc("check", "-", stdin=text))


def test_restarts_of_torchrun_below_the_scale_downs_are_too_few() -> None:
    elastic = "  elastic: {minReplicas: 1, maxReplicas: 4, metrics: []}\n"
    of_file, of_manifest = check_both(job_file("{torchrun: {maxRestarts: 2}}", more=elastic), "pytorchjob")
    assert "TC4008" in of_file & of_manifest


def test_restarts_in_place_of_a_job_without_retries_are_futile() -> None:
    more = "  shareFile: {directory: /data}\n  lifecycle: {restartPolicy: OnFailure}\n"
    volume = "  volumes: [{name: data, mountPath: /data, persistentVolumeClaim: {claimName: shared}}]\n"
    of_file, of_manifest = check_both(job_file("{basic: {}}", more=more + volume), "elasticjob")
    assert "TC3086" in of_file & of_manifest


@pytest.mark.parametrize("system", ["job", "pods", "pytorchjob"])
def test_the_port_of_a_static_rendezvous_is_the_jobs(system: str) -> None:
    """The kubelet listens on this port of each node."""
    static = "{torchrun: {rendezvous: {backend: static, port: 10250}}}"
    of_file, of_manifest = check_both(job_file(static, more="  network: {hostNetwork: true}\n"), system)
    assert "TC3098" in of_file & of_manifest
