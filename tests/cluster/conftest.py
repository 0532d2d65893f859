"""One cluster for all tests, and what they share in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from tests.cluster.api import Api
from tests.cluster.binaries import UnavailableError
from tests.cluster.cluster import Cluster, fresh, wait
from tests.cluster.cluster import cluster as found_cluster
from tests.cluster.crds import definitions, published
from tests.cluster.kubelet import Kubelet, kubelet

REQUIRE = "TRAINC_REQUIRE_CLUSTER"


def _say(config: pytest.Config, text: str) -> None:
    capture = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n{text}", file=sys.stderr, flush=True)


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Without one a loud skip, or a failure if TRAINC_REQUIRE_CLUSTER is 1."""
    folder = tmp_path_factory.mktemp("cluster")
    try:
        with found_cluster(folder, say=lambda text: _say(request.config, text)) as found:
            if found.own:
                _furnish(found, request.config)
            yield found
    except UnavailableError as reason:
        if os.environ.get(REQUIRE) == "1":
            pytest.fail(f"a control plane is required and not available: {reason}", pytrace=False)
        _say(request.config, f"WARNING: no control plane, its tests are skipped: {reason}")
        pytest.skip(f"no control plane: {reason}")


def _furnish(cluster: Cluster, config: pytest.Config) -> None:
    """What the examples suppose of a cluster: operators' kinds, a priority class."""
    if not published().is_dir():
        _say(config, f"WARNING: no {published()}: goldens of operators' kinds are skipped")
    found = definitions()
    for definition in found:
        cluster.api.apply(definition)
    priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1000}
    cluster.api.apply({**priority, "metadata": {"name": "training-high"}})
    names = {one["spec"]["names"]["plural"] + "." + one["spec"]["group"] for one in found}
    wait("operators' kinds", lambda: names <= _served(cluster.api))


def _served(api: Api) -> set[str]:
    api.forget()
    return {f"{one.plural}.{one.prefix.split('/')[2]}" for one in api.resources()}


@pytest.fixture(scope="session")
def api(cluster: Cluster) -> Api:
    return cluster.api


@pytest.fixture
def namespace(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """One of the test's own, gone after it."""
    name = fresh(request.node.name.removeprefix("test_").replace("_", "-").partition("[")[0][:40].strip("-"))
    cluster.make_namespaces(name)
    yield name
    cluster.end_namespaces(name)


@pytest.fixture(scope="session")
def nodes(cluster: Cluster) -> Iterator[Kubelet]:
    """The stand-in kubelet; a cluster that is not the tests' own has real ones, which no test can tell what to do."""
    if cluster.own is None:
        pytest.skip("only in the tests' own cluster: it needs the stand-in kubelet")
    with kubelet(cluster.api) as found:
        yield found
