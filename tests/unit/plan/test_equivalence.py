"""Differences of back ends: none in valid manifests, and one for each fault."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.unit.plan.manifests import Objects, container, objects, only, remove_variable, variable
from tools import equivalence
from trainc.plan.equivalence import EXPECTED, differences
from trainc.plan.plan import plan
from trainc.systems.registry import NAMES


def unexpected_aspects(fault: Callable[[Objects], object] | None = None, example: str = "torchrun") -> set[str]:
    """Return the aspects in which a StatefulSet with a fault differs unexpectedly from a Job."""
    manifests_with_fault = objects(f"{example}/statefulset")
    if fault is not None:
        fault(manifests_with_fault)
    differing_aspects = differences({"job": plan(objects(f"{example}/job")), "statefulset": plan(manifests_with_fault)})
    return {difference.name for difference in differing_aspects if not difference.is_expected}


@pytest.mark.parametrize("example", ["torchrun", "basic", "basic-processes", "deepspeed", "deepspeed-ssh", "env"])
def test_valid_manifests_have_no_unexpected_differences(example: str) -> None:
    assert unexpected_aspects(example=example) == set()


def _argument(manifests: Objects) -> None:
    container(manifests)["args"].append("--more")


def _gpus(manifests: Objects) -> None:
    for section in ("requests", "limits"):
        container(manifests)["resources"][section]["nvidia.com/gpu"] = "7"


def _shm(manifests: Objects) -> None:
    only(manifests, "StatefulSet")["spec"]["template"]["spec"]["volumes"][0]["emptyDir"]["sizeLimit"] = "1Gi"


def _volume(manifests: Objects) -> None:
    spec = only(manifests, "StatefulSet")["spec"]["template"]["spec"]
    spec["volumes"].append({"name": "data", "persistentVolumeClaim": {"claimName": "data"}})
    container(manifests)["volumeMounts"].append({"name": "data", "mountPath": "/data"})


def _set(name: str, value: str) -> Callable[[Objects], None]:
    def fault(manifests: Objects) -> None:
        variable(manifests, name)["value"] = value

    return fault


def _without(name: str) -> Callable[[Objects], None]:
    return lambda manifests: remove_variable(manifests, name)


def _selector(manifests: Objects) -> None:
    only(manifests, "Service", "mnist-0")["spec"]["selector"]["apps.kubernetes.io/pod-index"] = "1"


@pytest.mark.parametrize(
    ("aspect", "fault"),
    [
        ("program", _argument),
        ("GPUs", _gpus),
        ("resources", _gpus),
        ("/dev/shm", _shm),
        ("volumes", _volume),
        ("minimum world size", _set("PET_NPROC_PER_NODE", "4")),
        ("ranks", _set("PET_NPROC_PER_NODE", "4")),
        ("launcher", _set("PET_NNODES", "3")),
        ("process environment", _set("PET_NPROC_PER_NODE", "4")),
        ("variables", _without("PET_RDZV_CONF")),
        ("rendezvous", _set("PET_RDZV_ENDPOINT", "mnist-0:29401")),
        ("rendezvous", _selector),
        ("Service names", _selector),
        ("findings", _selector),
        ("image", lambda manifests: container(manifests).update(image="other:1")),
        ("minimum pods", lambda manifests: only(manifests, "StatefulSet")["spec"].update(replicas=3)),
    ],
)
def test_a_fault_on_one_back_end_is_a_difference(aspect: str, fault: Callable[[Objects], object]) -> None:
    assert aspect in unexpected_aspects(fault)


def describe_difference(fault: Callable[[Objects], object], name: str) -> str:
    """Return the description of the difference in an aspect."""
    manifests_with_fault = objects("torchrun/statefulset")
    fault(manifests_with_fault)
    differing_aspects = differences({"job": plan(objects("torchrun/job")), "statefulset": plan(manifests_with_fault)})
    (description,) = [difference.describe() for difference in differing_aspects if difference.name == name]
    return description


def test_a_difference_names_two_back_ends_and_their_values() -> None:
    assert describe_difference(_argument, "program") == (
        "back ends `job` and `statefulset` start different programs: `[python, -u, train.py, --epochs, 3]`, "
        "`[python, -u, train.py, --epochs, 3, --more]`"
    )


def test_a_difference_shows_no_secret() -> None:
    def fault(manifests: Objects) -> None:
        container(manifests)["args"] += ["--api-key", "open-sesame"]
        container(manifests)["env"].append({"name": "API_KEY", "value": "open-sesame"})

    assert "open-sesame" not in describe_difference(fault, "program") + describe_difference(fault, "variables")


def test_swapped_ranks_on_one_back_end_are_a_difference() -> None:
    manifests_with_fault = objects("basic/pods")
    for index, rank in ((0, "1"), (1, "0")):
        variable(manifests_with_fault, "RANK", index)["value"] = rank
        container(manifests_with_fault, index)["args"][-1] = rank
    differing_aspects = differences({"job": plan(objects("basic/job")), "pods": plan(manifests_with_fault)})
    assert {"ranks", "findings"} <= {difference.name for difference in differing_aspects}


@pytest.mark.slow  # `make check` compares the page, too
def test_the_page_lists_all_differences_of_the_examples() -> None:
    text = equivalence.page()  # ValueError for unexpected differences
    assert equivalence.PAGE.read_text("utf-8") == text, "run python -m tools.equivalence"
    assert all(f"| {aspect} |" in text for aspect in EXPECTED)


def test_an_elastic_job_that_starts_with_another_number_of_workers_has_another_world() -> None:
    assert unexpected_aspects(example="spot") == set(equivalence.START)


@pytest.mark.slow
def test_each_expected_difference_occurs_in_an_example() -> None:
    _, _, result = equivalence.compare()
    assert set(result) == {*EXPECTED, *equivalence.START}


def test_the_page_says_which_back_ends_its_plans_cover() -> None:
    """Every golden file is the output of a back end, whose plan the page counts."""
    text = equivalence.PAGE.read_text("utf-8").replace("\n", " ")
    for backend in NAMES:
        assert re.search(rf"[1-9][0-9]* of `{backend}`", text), backend
