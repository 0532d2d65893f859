"""A job file and the manifest that trainc compiled from it: checked together, but not compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import JOB, CommandResult, fail, silent, succeed, trainc

CREATED_TWICE = "error[TC3002]: two jobs create the object `Service/mnist`"


@pytest.fixture(autouse=True)
def _folder(here: Path) -> None:
    Path("mnist.yaml").write_text(JOB)


def compile_job(*options: str) -> CommandResult:
    return succeed("compile", "mnist.yaml", *options)


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset", "pytorchjob", "trainjob", "jobset", "vcjob"])
def test_a_job_is_checked_beside_its_manifest(backend: str) -> None:
    compile_job("--backend", backend, "-o", "manifests/")
    for paths in ((".",), ("mnist.yaml", "manifests/mnist.yaml"), ("manifests/mnist.yaml", "mnist.yaml")):
        succeed("check", *paths)


def test_they_are_not_compiled_together() -> None:
    compile_job("-o", "manifests/")
    for command in ("compile", "plan"):
        err = fail(command, ".", "--ignore", "TC5002")
        assert CREATED_TWICE in err
        assert "= help: leave out ./manifests/mnist.yaml, the manifest of the other" in err


def test_two_manifests_of_one_name_are_two_jobs() -> None:
    for folder in ("dev", "prod"):
        compile_job("-o", f"{folder}/")
    err = fail("check", "dev", "prod")
    assert CREATED_TWICE in err
    assert "= help: rename one of the jobs" in err


def test_a_manifest_of_another_name_is_another_job() -> None:
    compile_job("-o", "manifests/")
    Path("mnist.yaml").write_text(JOB.replace("name: mnist", "name: mnist-0"))
    assert "two jobs create the object `Service/mnist-0`" in fail("check", ".")


def test_a_manifest_that_trainc_did_not_compile_is_another_job() -> None:
    manifest = compile_job().out
    Path("manifest.yaml").write_text(manifest.replace("app.kubernetes.io/managed-by: trainc", "owner: me"))
    assert CREATED_TWICE in fail("check", ".")


COUNTED_BY_TORCHRUN = JOB.replace("torchrun: {}", "torchrun: {nprocPerNode: gpu}")
RESOURCE_CLAIM = "{resourceClaims: [{name: gpus, resourceClaimTemplateName: h100}]}"
PRIVILEGED = "{containers: [{name: main, securityContext: {privileged: true}}]}"
DEVICES = "{containers: [{name: main, env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}]}"


@pytest.mark.parametrize("pod", [RESOURCE_CLAIM, PRIVILEGED, DEVICES, "{runtimeClassName: nvidia}"])
def test_pods_may_have_gpus_that_no_limit_counts(pod: str) -> None:
    Path("mnist.yaml").write_text(f"{COUNTED_BY_TORCHRUN}  podTemplate: {{spec: {pod}}}\n")
    compile_job("-o", "manifests/")
    silent("check", "manifests")
    assert "gpu: one per device of the node" in trainc("plan", "manifests").out


def test_a_pod_template_without_devices_gives_no_gpus() -> None:
    """torchrun, determine_local_world_size: `gpu` without a GPU is a ValueError."""
    Path("mnist.yaml").write_text(f"{COUNTED_BY_TORCHRUN}  podTemplate: {{spec: {{hostIPC: true}}}}\n")
    assert "error[TC3069]: `nprocPerNode: gpu` requires a GPU" in trainc("check", "mnist.yaml").err
    Path("mnist.yaml").write_text(f"{COUNTED_BY_TORCHRUN}  podTemplate: {{spec: {{runtimeClassName: nvidia}}}}\n")
    manifest = compile_job().out.replace("runtimeClassName: nvidia", "hostIPC: true")
    assert "error[TC3069]: `--nproc_per_node=gpu` requires a GPU" in trainc("check", "-", stdin=manifest).err


@pytest.mark.parametrize("launch", ["torchrun: {}", "deepspeed: {}", "basic: {}", "basic: {nprocPerNode: 2}"])
def test_a_job_in_debug_mode_sets_no_ranks(launch: str) -> None:
    """The container waits; the command that the user starts in it sets the ranks."""
    Path("mnist.yaml").write_text(JOB.replace("torchrun: {}", launch) + "  mode: debug\n")
    compile_job("-o", "manifests/")
    silent("check", "manifests")


@pytest.mark.parametrize("backend", ["job", "jobset", "trainjob", "pytorchjob"])
def test_a_rendezvous_outside_the_job_is_a_warning_in_both(backend: str) -> None:
    """The name may be one of a worker that only the cluster's DNS knows."""
    Path("mnist.yaml").write_text(JOB.replace("torchrun: {}", 'torchrun: {rendezvous: {endpoint: "10.0.0.1:29400"}}'))
    compile_job("--backend", backend, "-o", "manifests/")
    for path in ("mnist.yaml", "manifests"):
        checked = succeed("check", path, "--backend", backend)
        assert checked.err.count("warning[") == checked.err.count("warning[TC3094]") == 1
