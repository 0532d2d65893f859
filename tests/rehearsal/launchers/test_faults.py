"""Faulty manifests: the verdict names how their world differs from the plan of the correct ones."""

from __future__ import annotations

from collections.abc import Callable

from tests.rehearsal.launchers import jobs
from tests.rehearsal.launchers.jobs import failed_expectations, objects, run_scenario
from trainc.plan.fields import Object, with_namespace
from trainc.plan.plan import plan

PATIENCE = 25.0  # seconds, for a world that never forms
SLOW = 120.0  # for one that does: the first import of torch on a busy machine


def verdict_of(
    change: Callable[[list[Object]], None], python: str, patience: float = PATIENCE
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the failed expectations of three bare Pods after a change to their manifests."""
    spec = {**jobs.STATIC, "workers": 3, "launch": {"torchrun": {"rendezvous": {"backend": "static"}}}}
    expected = plan([with_namespace(manifest, "default") for manifest in objects(spec, "pods")])
    manifests = [with_namespace(manifest, "default") for manifest in objects(spec, "pods")]
    change([manifest for manifest in manifests if manifest["kind"] == "Pod"])
    verdict = run_scenario("form", manifests, python, expected=expected, patience=patience)
    assert verdict.outcome == "failed"
    return failed_expectations(verdict)


def variable(pod: Object, name: str) -> Object:
    (entry,) = [entry for entry in pod["spec"]["containers"][0]["env"] if entry["name"] == name]
    assert isinstance(entry, dict)
    return entry


def test_a_wrong_port_and_a_missing_variable_are_named(python: str) -> None:
    def change(pods: list[Object]) -> None:
        env = pods[1]["spec"]["containers"][0]["env"]
        env[:] = [entry for entry in env if entry["name"] != "PET_MASTER_ADDR"]
        variable(pods[2], "PET_MASTER_PORT")["value"] = "29999"

    failed = verdict_of(change, python)
    assert failed[0][0] == "3 pods form a world of 3 ranks"
    assert "mnist-1 has no PET_MASTER_ADDR, expected 'mnist-0'" in failed[-1][1]
    assert "mnist-2: PET_MASTER_PORT is '29999', expected '29500'" in failed[-1][1]


def test_swapped_ranks_form_an_unplanned_world(python: str) -> None:
    def swap_ranks(pods: list[Object]) -> None:
        first, second = variable(pods[1], "PET_NODE_RANK"), variable(pods[2], "PET_NODE_RANK")
        first["value"], second["value"] = second["value"], first["value"]

    (ranks, values) = verdict_of(swap_ranks, python, SLOW)
    assert ranks[0] == "each pod has its planned ranks"
    assert "mnist-1 has rank 2, expected rank 1" in ranks[1]
    assert "mnist-1: PET_NODE_RANK is '2', expected '1'" in values[1]
