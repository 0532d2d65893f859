"""Differences of back ends: none in good manifests, and one for each fault."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.plan.manifests import Objects, container, drop, objects, only, variable
from tools import equivalence
from trainc.plan.equivalence import differences
from trainc.plan.plan import plan
from trainc.systems.shared.expected_differences import EXPECTED


def unforced(fault: Callable[[Objects], object] | None = None, example: str = "torchrun") -> set[str]:
    """What a StatefulSet with a fault has otherwise than a Job without."""
    wrong = objects(f"{example}/statefulset")
    if fault is not None:
        fault(wrong)
    differing_aspects = differences({"job": plan(objects(f"{example}/job")), "statefulset": plan(wrong)})
    return {each.name for each in differing_aspects if not each.is_expected}


@pytest.mark.parametrize(
    "example", ["torchrun", "basic", "basic-processes", "deepspeed", "deepspeed-ssh", "spot", "env"]
)
def test_good_manifests_make_the_same_world(example: str) -> None:
    assert unforced(example=example) == set()


def _argument(manifests: Objects) -> None:
    container(manifests)["args"].append("--more")


def _gpus(manifests: Objects) -> None:
    for which in ("requests", "limits"):
        container(manifests)["resources"][which]["nvidia.com/gpu"] = "7"


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
    return lambda result: drop(result, name)


def _selector(manifests: Objects) -> None:
    only(manifests, "Service", "mnist-0")["spec"]["selector"]["apps.kubernetes.io/pod-index"] = "1"


@pytest.mark.parametrize(
    ("what", "fault"),
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
        ("image", lambda result: container(result).update(image="other:1")),
        ("minimum pods", lambda result: only(result, "StatefulSet")["spec"].update(replicas=3)),
    ],
)
def test_a_fault_on_one_back_end_is_a_difference(what: str, fault: Callable[[Objects], object]) -> None:
    assert what in unforced(fault)


def differing(fault: Callable[[Objects], object], name: str) -> str:
    """Return the sentence about one aspect."""
    wrong = objects("torchrun/statefulset")
    fault(wrong)
    differing_aspects = differences({"job": plan(objects("torchrun/job")), "statefulset": plan(wrong)})
    (sentence,) = [each.describe() for each in differing_aspects if each.name == name]
    return sentence


def test_a_difference_names_two_back_ends_and_their_values() -> None:
    assert differing(_argument, "program") == (
        "back ends `job` and `statefulset` start different programs: `[python, -u, train.py, --epochs, 3]`, "
        "`[python, -u, train.py, --epochs, 3, --more]`"
    )


def test_a_difference_shows_no_secret() -> None:
    def fault(manifests: Objects) -> None:
        container(manifests)["args"] += ["--api-key", "open-sesame"]
        container(manifests)["env"].append({"name": "API_KEY", "value": "open-sesame"})

    assert "open-sesame" not in differing(fault, "program") + differing(fault, "variables")


def test_swapped_ranks_on_one_back_end_are_a_difference() -> None:
    wrong = objects("basic/pods")
    for index, rank in ((0, "1"), (1, "0")):
        variable(wrong, "RANK", index)["value"] = rank
        container(wrong, index)["args"][-1] = rank
    differing_aspects = differences({"job": plan(objects("basic/job")), "pods": plan(wrong)})
    assert {"ranks", "findings"} <= {each.name for each in differing_aspects}


def test_the_page_lists_all_differences_of_the_examples() -> None:
    text = equivalence.page()  # ValueError for anything else
    assert equivalence.PAGE.read_text("utf-8") == text, "run python tools/equivalence.py"
    assert all(f"| {what} |" in text for what in EXPECTED)


def test_each_expected_difference_occurs_in_an_example() -> None:
    _, _, result = equivalence.compare()
    assert set(result) == set(EXPECTED)
