"""Shared fixtures: one cluster for all tests, namespaces and nodes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

import pytest

from tests.cluster.api import Api
from tests.cluster.binaries import UnavailableError
from tests.cluster.cluster import Cluster, unique_namespace, wait
from tests.cluster.cluster import cluster as open_cluster
from tests.cluster.crds import definitions, published
from tests.cluster.kubelet import Kubelet, kubelet
from tests.cluster.metrics import Metrics, metrics
from tests.cluster.operators.session import Operators
from tests.support.distribution import grouped

REQUIRE = "TRAINC_REQUIRE_CLUSTER"
# Half of the tests in running time, with most of those with operators.
FIRST_HALF = re.compile(r"/test_(diff|operator|jobset|trainjob|pytorchjob|pod_security|status)")


def _log(config: pytest.Config, text: str) -> None:
    capture = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n{text}", file=sys.stderr, flush=True)


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Skip with a warning without a cluster; fail if TRAINC_REQUIRE_CLUSTER is 1."""
    folder = tmp_path_factory.mktemp("cluster")
    try:
        with open_cluster(folder, lambda text: _log(request.config, text)) as opened:
            if opened.own:
                _prepare(opened, request.config)
            yield opened
    except UnavailableError as reason:
        _unavailable(request.config, "control plane", reason)


def _unavailable(config: pytest.Config, part: str, reason: UnavailableError) -> NoReturn:
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{part} is required and not available: {reason}", pytrace=False)
    _log(config, f"WARNING: no {part}, its tests are skipped: {reason}")
    pytest.skip(f"no {part}: {reason}")


def _prepare(cluster: Cluster, config: pytest.Config) -> None:
    """Create what the examples need: the operators' CRDs and a priority class."""
    if not published().is_dir():
        _log(config, f"WARNING: no {published()}: goldens of operators' kinds are skipped")
    crds = definitions()
    for definition in crds:
        cluster.api.apply(definition)
    priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1000}
    cluster.api.apply({**priority, "metadata": {"name": "training-high"}})
    names = {crd["spec"]["names"]["plural"] + "." + crd["spec"]["group"] for crd in crds}
    wait("operators' kinds", lambda: names <= _served_names(cluster.api))


def _served_names(api: Api) -> set[str]:
    api.reset_resources()
    return {f"{resource.plural}.{resource.prefix.split('/')[2]}" for resource in api.resources()}


@pytest.fixture(scope="session")
def api(cluster: Cluster) -> Api:
    return cluster.api


@pytest.fixture(scope="session")
def operators(cluster: Cluster, request: pytest.FixtureRequest) -> Operators:
    """Operators that a test starts by name."""
    if cluster.own is None:
        pytest.skip("requires the tests' own cluster")
    config = request.config
    return Operators(cluster, cluster.own, partial(_log, config), partial(_unavailable, config, "operator"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests with operators last: the other tests stand in for operators."""
    items.sort(key=lambda item: "operators" in getattr(item, "fixturenames", ()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Run two halves of the tests, each in a process with a cluster of its own."""
    return grouped(config, log, lambda test: "first" if FIRST_HALF.search(test) else "second")


@pytest.fixture
def namespace(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """Namespace of one test, deleted after it."""
    name = unique_namespace(request.node.name.removeprefix("test_").replace("_", "-").partition("[")[0][:40].strip("-"))
    cluster.create_namespaces(name)
    yield name
    cluster.delete_namespaces(name)


@pytest.fixture(scope="session")
def nodes(cluster: Cluster) -> Iterator[Kubelet]:
    """Simulated kubelet; an existing cluster has real ones, which tests can't control."""
    if cluster.own is None:
        pytest.skip("requires the simulated kubelet of the tests' own cluster")
    with kubelet(cluster.api) as simulated:
        yield simulated


@pytest.fixture(scope="module")
def load(cluster: Cluster) -> Iterator[Metrics]:
    """CPU usage that the autoscaler sees."""
    if cluster.own is None:
        pytest.skip("requires the metrics of the tests' own cluster")
    with metrics(cluster.api, cluster.own) as values:
        wait("metrics API", lambda: cluster.api.call("GET", "/apis/metrics.k8s.io/v1beta1"))
        yield values
