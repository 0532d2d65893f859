"""A real API server rejects the same custom resources as `trainc check`, by the rules of their CRDs alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ruamel.yaml import YAML

from tests.cluster.api import Api, ApiError
from tests.cluster.cluster import Cluster, wait
from tests.cluster.crds import published
from tests.cluster.operators.session import Operators
from tests.support.crd_verdicts import BASES, CHANGES, RULES, unique_lists, with_duplicate
from trainc.schema.paths import dotted

DUPLICATE = "Duplicate value: "
FILES = ("jobset", "trainjob", "trainingruntime", "mpijob", "pytorchjob", "batch.volcano")


@pytest.fixture(scope="module")
def crds(cluster: Cluster, operators: Operators) -> Iterator[None]:
    """Create the CRDs that the cluster lacks, and delete them after the tests: without its operator no job runs.

    Those of Ray are in KubeRay's own module.
    """
    files = [file for file in published().glob("*.yaml") if any(each in file.name for each in FILES)]
    if not files:
        pytest.skip(f"no CRDs in {published()}")
    definitions = [YAML(typ="safe").load(file.read_text("utf-8")) for file in files]
    definitions += operators.definitions("kuberay")
    served = {f"{each.plural}.{each.prefix.split('/')[2]}" for each in cluster.api.resources() if "." in each.prefix}
    missing = [each for each in definitions if each["metadata"]["name"] not in served]
    for definition in missing:
        cluster.api.apply(definition)
    names = {each["metadata"]["name"] for each in missing}
    wait("the CRDs", lambda: names <= _served(cluster.api))
    yield
    for name in names:
        cluster.api.delete("CustomResourceDefinition", "", name)
    wait("the end of the CRDs", lambda: not names & _served(cluster.api))


def _served(api: Api) -> set[str]:
    api.reset_resources()
    return {f"{each.plural}.{each.prefix.split('/')[2]}" for each in api.resources() if "." in each.prefix}


@pytest.mark.usefixtures("crds")
def test_the_api_server_agrees_with_the_rules(api: Api, namespace: str) -> None:
    wrong = []
    for row in RULES:
        error = api.rejection(row.manifest, namespace, accepted=())
        is_rejected = row.message in error and row.field in error if row.message else bool(error)
        if is_rejected != bool(row.message):
            wrong.append((row, error))
    assert not wrong


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("kind", BASES)
def test_the_api_server_rejects_equal_items_of_the_same_lists(api: Api, namespace: str, kind: str) -> None:
    wrong = {}
    for path, _ in unique_lists(kind):
        manifest, place = with_duplicate(kind, path)
        error = api.rejection(manifest, namespace, accepted=())
        if f"{dotted(place)}: {DUPLICATE}" not in error.replace("[Master]", ".Master").replace(
            "[Launcher]", ".Launcher"
        ):
            wrong[dotted(path)] = error
    assert not wrong


@pytest.mark.usefixtures("crds")
def test_the_api_server_refuses_the_same_changes(api: Api, namespace: str) -> None:
    wrong = []
    for number, change in enumerate(CHANGES):
        old, new = change.manifests
        old["metadata"]["name"] = f"train-{number}"
        created = api.create(old, namespace)
        error = ""
        try:
            api.call("PUT", api.path(created, namespace), {**created, "spec": new["spec"]}, dryRun="All")
        except ApiError as refusal:
            error = refusal.message
        field = change.field.replace("[a.b/c]", "[0]").replace("[node]", "[0]")
        if bool(error) != bool(field) or field not in error or (error and "immutable" not in error):
            wrong.append((change, error))
    assert not wrong
