"""Manifests with a fault in them: the world is another than the plan's of the right ones, and the verdict says it."""

from __future__ import annotations

from collections.abc import Callable

from tests.rehearsal.launchers import jobs
from tests.rehearsal.launchers.jobs import objects, rehearsed, wrong
from trainc.plan.fields import Object
from trainc.plan.plan import plan
from trainc.rehearse.downscale import with_namespace

QUIET = 25.0


def verdict_of(change: Callable[[list[Object]], None], python: str) -> list[tuple[str, tuple[str, ...]]]:
    """What is wrong with a job of three bare Pods after a change to its manifests."""
    spec = {**jobs.STATIC, "workers": 3, "launch": {"torchrun": {"rendezvous": {"backend": "static"}}}}
    given = [with_namespace(one) for one in objects(spec, "pods")]
    expected = plan(given)
    given = [with_namespace(one) for one in objects(spec, "pods")]
    change([one for one in given if one["kind"] == "Pod"])
    verdict = rehearsed("form", given, python, expected=expected, patience=QUIET)
    assert verdict.outcome == "failed"
    return wrong(verdict)


def variable(pod: Object, name: str) -> Object:
    (found,) = [one for one in pod["spec"]["containers"][0]["env"] if one["name"] == name]
    assert isinstance(found, dict)
    return found


def test_a_wrong_port_and_a_missing_variable_are_named(python: str) -> None:
    def changed(pods: list[Object]) -> None:
        env = pods[1]["spec"]["containers"][0]["env"]
        env[:] = [one for one in env if one["name"] != "PET_MASTER_ADDR"]
        variable(pods[2], "PET_MASTER_PORT")["value"] = "29999"

    found = verdict_of(changed, python)
    assert found[0][0] == "3 pods form a world of 3 ranks"
    assert "mnist-1 has no PET_MASTER_ADDR, expected 'mnist-0'" in found[-1][1]
    assert "mnist-2: PET_MASTER_PORT is '29999', expected '29500'" in found[-1][1]


def test_swapped_ranks_form_an_unplanned_world(python: str) -> None:
    def swapped(pods: list[Object]) -> None:
        one, other = variable(pods[1], "PET_NODE_RANK"), variable(pods[2], "PET_NODE_RANK")
        one["value"], other["value"] = other["value"], one["value"]

    (ranks, values) = verdict_of(swapped, python)
    assert ranks[0] == "each pod has its planned ranks"
    assert "mnist-1 has rank 2, expected rank 1" in ranks[1]
    assert "mnist-1: PET_NODE_RANK is '2', expected '1'" in values[1]
