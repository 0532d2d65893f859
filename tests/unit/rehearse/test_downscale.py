"""A downscaled job still describes one world, of the requested size."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.support.build import compile_objects
from trainc.plan.fields import Object, with_namespace
from trainc.plan.plan import plan
from trainc.rehearse.downscale import downscale

GOLDEN = Path(__file__).parents[3] / "golden"
# One process per pod by design: their programs get one rank each.
SINGLE_PROCESS = {"basic", "basic-module", "storage", "exit-codes", "per-index", "real-tlaunch-basic"}
# Two jobs in one file are downscaled together, unlike in a rehearsal; a paused job has no pods; slices of TPUs form on
# GKE only.
NOT_ONE_JOB = {"jax-tpu", "jax-multislice", "two-jobs", "paused", "paused-changes", "resumed"}
FILES = sorted(
    path for path in GOLDEN.glob("*/*.yaml") if path.parent.name not in NOT_ONE_JOB and path.stem != "statefulset"
)


def read(path: Path) -> list[Object]:
    return [document for document in YAML(typ="safe").load_all(path.read_text()) if document]


@pytest.mark.sample(25)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_golden_is_downscaled_to_two_pods_of_two_processes(path: Path) -> None:
    objects = read(path)
    original, downscaled = plan(objects), plan(downscale(objects, 2, 2))
    pods = min(2, original.world_sizes[-1].pods)
    processes = 1 if path.parent.name in SINGLE_PROCESS else 2
    world = None if path.parent.name in ("debug", "ray") else pods * processes  # no launcher starts processes
    assert (downscaled.world_sizes[-1].pods, downscaled.world_sizes[-1].world) == (pods, world)
    original_findings = {finding.message for finding in original.findings}
    assert {finding.message for finding in downscaled.findings if "share" not in finding.message} <= original_findings


def test_without_limits_nothing_changes() -> None:
    objects = read(GOLDEN / "torchrun" / "job.yaml")
    assert downscale(objects, None, None) == objects


def test_a_limit_above_the_size_changes_nothing() -> None:
    objects = read(GOLDEN / "deepspeed-ssh" / "job.yaml")
    assert downscale(objects, None, 100) == objects


@pytest.mark.parametrize("backend", ["job", "pods"])
def test_the_world_size_in_a_named_argument_changes_and_ranks_do_not(backend: str) -> None:
    arguments = {"worldSize": "-n", "rank": "--id"}
    objects = compile_objects(backend, launch={"basic": {"arguments": arguments}}, workers=4)
    args = [worker.container.argv[3:] for worker in plan(downscale(objects, None, 2)).workers]
    assert args == [("-n", "2", "--id", "0"), ("-n", "2", "--id", "1")]


def test_the_default_namespace_is_added() -> None:
    assert with_namespace({"metadata": {"name": "a"}}, "default")["metadata"] == {"name": "a", "namespace": "default"}
    assert with_namespace({"metadata": {"name": "a", "namespace": "b"}}, "default")["metadata"]["namespace"] == "b"
