"""The API server takes every golden without a warning, twice; the controllers make its pods; nothing of it stays."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cluster import deletion
from tests.cluster.api import Api, Object, Refused
from tests.cluster.cluster import Cluster, fresh, wait
from tests.cluster.goldens import GOLDENS, comparable, key, objects
from tests.cluster.likeness import made, told
from trainc.plan.models import is_suspended
from trainc.plan.pods import create_pods

PRIORITY = re.compile(r"priorityClassName: (\S+)")
every_golden = pytest.mark.parametrize("golden", GOLDENS, ids=key)


class Applied:
    """All goldens in a namespace each, with what became of them."""

    def __init__(self, prefix: str, goldens: Sequence[Path]) -> None:
        self.namespaces = {golden: f"{prefix}-{number}" for number, golden in enumerate(goldens)}
        self.refused: dict[Path, Refused] = {}
        self.first: dict[Path, list[Object]] = {}

    def apply(self, api: Api, golden: Path) -> None:
        namespace = self.namespaces[golden]
        try:
            self.first[golden] = [api.apply(one) for one in objects(golden, namespace)]
        except Refused as refused:
            self.refused[golden] = refused


@pytest.fixture(scope="module")
def applied(cluster: Cluster, unknown: dict[Path, str]) -> Iterator[Applied]:
    """Every golden by server-side apply."""
    found = Applied(fresh("golden"), [golden for golden in GOLDENS if golden not in unknown])
    cluster.make_namespaces(*found.namespaces.values())
    for golden in found.namespaces:
        found.apply(cluster.api, golden)
    yield found
    for namespace in found.namespaces.values():
        deletion.delete(cluster.api, namespace)  # else controllers make pods anew while a namespace goes
    cluster.end_namespaces(*found.namespaces.values())


@pytest.fixture(scope="module")
def unknown(api: Api) -> dict[Path, str]:
    """The goldens that need what the cluster doesn't have: an operator's kind, a priority class."""
    return {golden: why for golden in GOLDENS if (why := lacks(api, golden))}


def lacks(api: Api, golden: Path) -> str:
    """What the cluster doesn't have of what a golden needs."""
    try:
        for thing in objects(golden, "any"):
            api.place(thing)
        for name in sorted(set(PRIORITY.findall(golden.read_text("utf-8")))):
            api.get("PriorityClass", "", name)
    except Refused as refused:
        return refused.message
    return ""


@pytest.fixture
def known(unknown: dict[Path, str], golden: Path) -> None:
    if golden in unknown:
        pytest.skip(unknown[golden])


@every_golden
@pytest.mark.usefixtures("known")
def test_a_golden_passes_a_dry_run_without_a_warning(api: Api, applied: Applied, golden: Path) -> None:
    for thing in objects(golden, applied.namespaces[golden]):
        api.apply(thing, dryRun="All", force="true")


@every_golden
@pytest.mark.usefixtures("known")
def test_a_golden_is_applied_without_a_warning(applied: Applied, golden: Path) -> None:
    assert golden not in applied.refused, applied.refused[golden]


@every_golden
@pytest.mark.usefixtures("known")
def test_a_golden_applied_again_changes_nothing(api: Api, applied: Applied, golden: Path) -> None:
    for thing in objects(golden, applied.namespaces[golden]):
        before = api.call("GET", api.place(thing))
        assert comparable(api.apply(thing)) == comparable(before)


@every_golden
@pytest.mark.usefixtures("known")
def test_the_controllers_create_the_planned_pods(api: Api, applied: Applied, golden: Path) -> None:
    namespace = applied.namespaces[golden]
    resting = {f"Job/{one['metadata']['name']}" for one in objects(golden, namespace) if is_suspended(one)}
    planned = create_pods(objects(golden, namespace))
    expected = [told(pod) for pod in planned if not pod.on_scale_up and pod.owner not in resting]
    wait(f"{len(expected)} pods", lambda: len(api.find("Pod", namespace)) >= len(expected))
    found = [made(pod) for pod in api.find("Pod", namespace)]
    assert "\n".join(sorted(found)) == "\n".join(sorted(expected))


@pytest.fixture(scope="module")
def left(cluster: Cluster, applied: Applied) -> dict[str, list[str]]:
    """What is still there some time after everything was deleted; namespaces that are empty soon don't wait."""
    namespaces = applied.namespaces.values()
    for namespace in namespaces:
        deletion.delete(cluster.api, namespace)
    for _ in range(30):
        found = deletion.left(cluster.api, namespaces)
        if not any(found.values()):
            break
        time.sleep(1)
    return found


@every_golden
@pytest.mark.usefixtures("known")
def test_the_delete_command_of_the_documentation_leaves_nothing(
    left: dict[str, list[str]], applied: Applied, golden: Path
) -> None:
    assert left[applied.namespaces[golden]] == []


@pytest.mark.usefixtures("left")
def test_kubectl_applies_every_golden_without_a_warning_and_again_without_a_change(
    cluster: Cluster, applied: Applied, tmp_path: Path
) -> None:
    api = cluster.api
    given = {key(g): objects(g, namespace) for g, namespace in applied.namespaces.items()}
    for number, items in enumerate(given.values()):
        together = {"apiVersion": "v1", "kind": "List", "items": items}
        (tmp_path / f"{number}.json").write_text(json.dumps(together))
    command = ("apply", "--validate=strict", "--warnings-as-errors", "-R", "-f", str(tmp_path))
    first = cluster.run(*command)
    assert first.stderr == ""
    assert [line for line in first.stdout.splitlines() if not line.endswith(" created")] == []
    before = {name: [comparable(api.call("GET", api.place(one))) for one in items] for name, items in given.items()}
    # kubectl may call "configured" what the server then finds unchanged: docs/facts.md
    assert cluster.run(*command).stderr == ""
    for name, items in given.items():
        assert [comparable(api.call("GET", api.place(one))) for one in items] == before[name], name
