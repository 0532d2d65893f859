"""The API server accepts every golden twice without a warning; controllers create its pods; deletion removes all."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cluster import deletion
from tests.cluster.api import Api, ApiError
from tests.cluster.cluster import Cluster, unique_namespace, wait
from tests.cluster.crds import SERVED_KINDS
from tests.cluster.created import comparable, difference
from tests.cluster.goldens import GOLDENS as ALL_GOLDENS
from tests.cluster.goldens import desired_state, key, objects, users_objects
from tests.cluster.planned import planned_pods
from trainc.systems import registry

PRIORITY = re.compile(r"priorityClassName: (\S+)")


def may_be_served(golden: Path) -> bool:
    """Return whether the cluster may have the kinds of a golden. The tests' own gets some only with their operator."""
    system = registry.find(golden.stem)
    is_native = not any("." in group for group in system.groups)
    return is_native or system.kind in SERVED_KINDS or "TRAINC_CLUSTER" in os.environ


GOLDENS = [golden for golden in ALL_GOLDENS if may_be_served(golden)]
every_golden = pytest.mark.parametrize("golden", GOLDENS, ids=key)


class AppliedGoldens:
    """All goldens, each in its own namespace, with the errors of their first application."""

    def __init__(self, prefix: str, goldens: Sequence[Path]) -> None:
        self.namespaces = {golden: f"{prefix}-{number}" for number, golden in enumerate(goldens)}
        self.errors: dict[Path, ApiError] = {}

    def apply(self, api: Api, golden: Path) -> None:
        namespace = self.namespaces[golden]
        try:
            for manifest in objects(golden, namespace):
                api.apply(manifest)
        except ApiError as error:
            self.errors[golden] = error


@pytest.fixture(scope="module")
def applied(cluster: Cluster, unsupported: dict[Path, str]) -> Iterator[AppliedGoldens]:
    """Apply every golden with server-side apply."""
    results = AppliedGoldens(unique_namespace("golden"), [golden for golden in GOLDENS if golden not in unsupported])
    cluster.create_namespaces(*results.namespaces.values())
    for golden in results.namespaces:
        results.apply(cluster.api, golden)
    yield results
    namespaces = results.namespaces.values()
    deletion.delete(cluster.api, *namespaces)  # otherwise controllers recreate pods while the namespace is deleted
    cluster.delete_namespaces(*namespaces)


@pytest.fixture(scope="module")
def unsupported(api: Api) -> dict[Path, str]:
    """Return the goldens that need a CRD or priority class that the cluster lacks."""
    return {golden: reason for golden in GOLDENS if (reason := missing(api, golden))}


def missing(api: Api, golden: Path) -> str:
    """Return what a golden needs and the cluster lacks; empty if nothing."""
    try:
        for manifest in objects(golden, "any"):
            api.path(manifest)
        for name in sorted(set(PRIORITY.findall(golden.read_text("utf-8")))):
            api.get("PriorityClass", "", name)
    except ApiError as error:
        return error.message
    return ""


@pytest.fixture
def supported(unsupported: dict[Path, str], golden: Path) -> None:
    if golden in unsupported:
        pytest.skip(unsupported[golden])


@every_golden
@pytest.mark.usefixtures("supported")
def test_a_golden_passes_a_dry_run_without_a_warning(api: Api, applied: AppliedGoldens, golden: Path) -> None:
    for manifest in objects(golden, applied.namespaces[golden]):
        api.apply(manifest, dryRun="All", force="true")


@every_golden
@pytest.mark.usefixtures("supported")
def test_a_golden_is_applied_without_a_warning(applied: AppliedGoldens, golden: Path) -> None:
    assert golden not in applied.errors, applied.errors[golden]


@every_golden
@pytest.mark.usefixtures("supported")
def test_a_golden_applied_again_changes_nothing(api: Api, applied: AppliedGoldens, golden: Path) -> None:
    for manifest in objects(golden, applied.namespaces[golden]):
        before = api.call("GET", api.path(manifest))
        assert desired_state(api.apply(manifest)) == desired_state(before)


@every_golden
@pytest.mark.usefixtures("supported")
def test_the_controllers_create_the_planned_pods(api: Api, applied: AppliedGoldens, golden: Path) -> None:
    namespace = applied.namespaces[golden]
    planned = planned_pods(api, objects(golden, namespace), namespace)
    wait(f"{len(planned)} pods", lambda: len(api.find("Pod", namespace)) >= len(planned))
    actual = comparable({**pod, "apiVersion": "v1", "kind": "Pod"} for pod in api.find("Pod", namespace))
    if differing := difference(planned, actual):
        pytest.fail(differing, pytrace=False)


def unlabeled_objects(golden: Path) -> list[str]:
    """Return kind and name of the user's own objects, which have no label of the job."""
    return sorted(f"{each['kind']}/{each['metadata']['name']}" for each in users_objects(golden, "any"))


@pytest.fixture(scope="module")
def remaining_objects(cluster: Cluster, applied: AppliedGoldens) -> dict[str, list[str]]:
    """Delete everything, wait up to two minutes, and return the remaining objects."""
    namespaces = applied.namespaces.values()
    deletion.delete(cluster.api, *namespaces)
    for _ in range(120):
        objects = deletion.remaining_objects(cluster.api, namespaces)
        if all(objects[namespace] == unlabeled_objects(golden) for golden, namespace in applied.namespaces.items()):
            break
        time.sleep(1)
    for golden, namespace in applied.namespaces.items():
        for manifest in users_objects(golden, namespace):
            cluster.api.delete(manifest["kind"], namespace, manifest["metadata"]["name"])
    return objects


@every_golden
@pytest.mark.usefixtures("supported")
def test_the_delete_command_of_the_documentation_leaves_nothing(
    remaining_objects: dict[str, list[str]], applied: AppliedGoldens, golden: Path
) -> None:
    assert remaining_objects[applied.namespaces[golden]] == unlabeled_objects(golden)


@pytest.mark.usefixtures("remaining_objects")
def test_kubectl_applies_goldens_without_a_warning_and_again_without_a_change(
    cluster: Cluster, applied: AppliedGoldens, tmp_path: Path
) -> None:
    """Every third golden: about three back ends of each example, and so every back end."""
    api = cluster.api
    manifests = {key(g): objects(g, namespace) for g, namespace in list(applied.namespaces.items())[::3]}
    for number, items in enumerate(manifests.values()):
        item_list = {"apiVersion": "v1", "kind": "List", "items": items}
        (tmp_path / f"{number}.json").write_text(json.dumps(item_list))
    command = ("apply", "--validate=strict", "--warnings-as-errors", "-R", "-f", str(tmp_path))
    first = cluster.run(*command)
    assert first.stderr == ""
    assert [line for line in first.stdout.splitlines() if not line.endswith(" created")] == []
    before = {
        name: [desired_state(api.call("GET", api.path(item))) for item in items] for name, items in manifests.items()
    }
    # kubectl may report "configured" although the server changes nothing: docs/facts.md
    assert cluster.run(*command).stderr == ""
    for name, items in manifests.items():
        assert [desired_state(api.call("GET", api.path(item))) for item in items] == before[name], name
