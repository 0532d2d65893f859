"""Random jobs on 1,000 made-up nodes: what is predicted, and what kube-scheduler binds.

The control plane has no controllers: nothing taints nodes without a kubelet.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import trainc
from tests.cluster.api import Api, Object
from tests.support import build
from tests.support.random_placement import POOLS, Case, cases, nodes, running_pods
from trainc.cluster.load import read_entry
from trainc.cluster.read import entry_document
from trainc.emit.block import document
from trainc.placement.demand import Demand, demands
from trainc.placement.fit import Fit, fits
from trainc.placement.node import Node
from trainc.placement.obstacles import obstacles
from trainc.plan.pods import create_pods
from trainc.span import Source

NAMESPACE = "default"
QUIET = 3.0  # seconds without a change after which no retry is pending: backoff is at most 1 s
LIMIT = 120.0
_TOPOLOGY = ("didn't match pod topology spread constraints", "didn't match pod affinity rules")


class Verdict(NamedTuple):
    """Prediction for a job, and the number of its pods that have a node; `message` is the scheduler's."""

    case: Case
    fit: Fit
    bound: int
    message: str
    reasons: dict[str, int]  # that the scheduler should state, if no pod fits any node by itself

    @property
    def agrees(self) -> bool:
        return self.fit.least <= self.bound <= self.fit.most

    @property
    def is_exact(self) -> bool:
        return self.fit.least == self.fit.most

    @property
    def stated(self) -> dict[str, int]:
        """Numbers of nodes in the scheduler's message by the first words of the reason."""
        found = re.findall(
            r"(\d+) (node\(s\) [^,.{]+?(?=[,.{]|$)|Insufficient [^,. ]+(?:\.com[^,. ]*)?|Too many pods)", self.message
        )
        totals: Counter[str] = Counter()
        for number, reason in found:
            words = reason.removeprefix("node(s) ").strip()
            totals["topology" if words.startswith(_TOPOLOGY) else words] += int(number)
        return dict(totals)

    def __str__(self) -> str:
        predicted = f"{self.fit.least} to {self.fit.most} of {self.fit.demand.count}"
        return f"predicted {predicted}, bound {self.bound}: {self.case}\n  {self.fit.first}\n  {self.message}"


def verdicts(api: Api, seed: int, count: int) -> Iterator[Verdict]:
    """Yield the verdicts of random cases, those of different pools at once. Raises ApiError."""
    source = random.Random(seed)
    created = nodes(source)
    api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}, NAMESPACE)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(api.create, created))
        list(pool.map(lambda pod: api.create(pod, NAMESPACE), running_pods(source, created)))
    entry = _entry_nodes(api)
    pending = list(enumerate(cases(source, count)))
    while pending:
        wave = _wave(pending)
        with ThreadPoolExecutor(len(wave)) as pool:
            yield from (
                each for found in pool.map(lambda item: list(_judge(api, entry, *item)), wave) for each in found
            )


def _wave(pending: list[tuple[int, Case]]) -> list[tuple[int, Case]]:
    """Take the next cases of different pools; one that may use every node runs by itself."""
    wave = [pending.pop(0)]
    while wave[0][1].pool is not None and pending and len(wave) < POOLS:
        pool = pending[0][1].pool
        if pool is None or pool in {case.pool for _, case in wave}:
            break
        wave.append(pending.pop(0))
    return wave


def _entry_nodes(api: Api) -> list[Node]:
    """Return the nodes of the entry that `trainc cluster read` makes of the cluster."""
    objects: list[Object] = []
    for kind in ("Node", "Pod"):
        listed = api.call("GET", api.of_kind(kind).path())["items"]
        objects += [{"kind": kind, **each} for each in listed]
    text = document(entry_document("tests", objects, ["tests.trainc.dev/pool"], counts_all_pods=True))
    return read_entry(Source("cluster.yaml", text)).nodes()


def _judge(api: Api, entry: list[Node], number: int, case: Case) -> Iterator[Verdict]:
    names = [f"c{number}-{position}" for position in range(len(case.jobs))]
    wanted: list[Demand] = []
    for name, spec in zip(names, case.jobs, strict=True):
        result = trainc.compile(build.job_text({"name": name, "namespace": NAMESPACE}, **spec), backend="pods")
        assert result.ok, result.diagnostics
        objects = list(result.objects())
        (demand,) = demands(create_pods(objects))
        wanted.append(demand)
        for each in objects:
            api.create(each)
    predicted = fits(wanted, entry)
    pods = _settled(api, names, sum(each.count for each in wanted))
    for name, fit in zip(names, predicted, strict=True):
        own = [pod for pod in pods if pod["metadata"]["labels"]["trainc.dev/job"] == name]
        bound = sum("nodeName" in pod["spec"] for pod in own)
        reasons = {} if len(names) > 1 else _reasons(fit, entry)  # of a job that competes with none
        messages = [each["message"] for pod in own for each in pod["status"].get("conditions", ()) if "message" in each]
        yield Verdict(case, fit, bound, messages[0] if messages else "", reasons)
    for pod in pods:
        path = api.path(pod | {"apiVersion": "v1", "kind": "Pod"})
        api.call("DELETE", path, {"gracePeriodSeconds": 0})


def _settled(api: Api, names: list[str], count: int) -> list[Object]:
    """Return the pods of jobs once all have a node, or the scheduler has tried all and changes nothing more."""
    path, last, since, end = api.of_kind("Pod").path(NAMESPACE), "", time.monotonic(), time.monotonic() + LIMIT
    while time.monotonic() < end:
        selector = f"trainc.dev/job in ({','.join(names)})"
        pods: list[Object] = api.call("GET", path, labelSelector=selector)["items"]
        state = str(sorted((pod["metadata"]["name"], pod["spec"].get("nodeName")) for pod in pods))
        is_tried = all("nodeName" in pod["spec"] or pod["status"].get("conditions") for pod in pods)
        if len(pods) != count or state != last or not is_tried:
            last, since = state, time.monotonic()
        if all("nodeName" in pod["spec"] for pod in pods) and len(pods) == count:
            return pods
        if time.monotonic() - since > QUIET:
            return pods
        time.sleep(0.3)
    raise AssertionError(f"the scheduler has not settled: {names}")


# Filters of kube-scheduler in their order, by the kinds of obstacles, with the first words of their reasons. The last
# reports all resources that a node lacks:
# pkg/scheduler/apis/config/v1/default_plugins.go of kubernetes/kubernetes v1.36
_FILTERS = (
    (("cordon",), "were unschedulable"),
    (("taint",), "had untolerated taint(s)"),
    (("label", "affinity"), "didn't match Pod's node affinity/selector"),
    (("size", "use"), ""),
    (("topology",), "topology"),
)


def _reasons(fit: Fit, entry: list[Node]) -> dict[str, int]:
    """Return the reasons that the scheduler states for a pod that fits no node; none if it fits one."""
    reasons: Counter[str] = Counter()
    for node in entry:
        found = list(obstacles(fit.demand, node))
        if not found:
            return {}
        kinds, words = next((kinds, words) for kinds, words in _FILTERS if {each.kind for each in found} & set(kinds))
        own = [each for each in found if each.kind in kinds]
        reasons.update({words or _lacking(each.detail) for each in own})
    return dict(reasons)


def _lacking(resource: str) -> str:
    return "Too many pods" if resource == "pods" else f"Insufficient {resource}"
