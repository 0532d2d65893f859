"""Random jobs on 1,000 made-up nodes: what is predicted, and what kube-scheduler binds.

The control plane has some controllers only: nothing taints nodes without a kubelet.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

import trainc
from tests.cluster.api import Api, ApiError, Object
from tests.cluster.provisioner import SELECTED_NODE, provisioner
from tests.support import build
from tests.support.random_placement import POOLS, Case, Job, cases, nodes, running_pods
from tests.support.random_volumes import existing_claims, storage_classes
from trainc.cluster.entry import Entry
from trainc.cluster.judgement import job_demands
from trainc.cluster.load import read_entry
from trainc.cluster.read import entry_document
from trainc.emit.block import document
from trainc.placement.demand import Demand
from trainc.placement.fit import Fit, fits
from trainc.placement.node import Node
from trainc.placement.obstacles import obstacles
from trainc.plan.fields import with_namespace
from trainc.span import Source

NAMESPACE = "default"
KUBERNETES = "1.36"
# Controllers that create pods and bind volumes, of the controller manager.
CONTROLLERS = ",".join(
    f"{name}-controller" for name in ("job", "garbage-collector", "persistentvolume-binder", "ephemeral-volume")
)
# The group's topology, and tolerations for the taints of TPUs and GPUs as on GKE.
GATES, ADMISSION = ("TopologyAwareWorkloadScheduling=true",), "ExtendedResourceToleration"
QUIET = 4.0  # seconds without a change after which no retry is pending: backoff is at most 1 s
QUIET_AFTER_BINDING = 20.0  # the same, for a pod that was tried before a volume was bound, on a busy machine
# The same, while a Job lacks pods: a webhook refuses them until the first one has a node, and the Job controller tries
# again after 1, 2, 4, 8, … s: `DefaultJobApiBackOff` in pkg/controller/job/job_controller.go of kubernetes v1.36.
QUIET_WITHOUT_PODS = 20.0
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
    racks = [f"r{pool}-{number}" for pool in range(POOLS) for number in range(2)]
    volumes = [each for pair in existing_claims(racks, NAMESPACE) for each in pair]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(api.create, [*created, *storage_classes(), *volumes]))
        list(pool.map(lambda pod: api.create(pod, NAMESPACE), running_pods(source, created)))
    _wait_for_claims(api)
    entry = _read_entry(api)
    placed = entry.nodes()
    pending = list(enumerate(cases(source, count)))
    with provisioner(api, NAMESPACE, seed):
        while pending:
            wave = _wave(pending)
            with ThreadPoolExecutor(len(wave)) as pool:
                for judged in pool.map(lambda item: list(_judge(api, entry, placed, *item)), wave):
                    yield from judged


def _waits_for_volume(pods: list[Object]) -> bool:
    """Return whether a pod lacked a volume when the scheduler tried it last, and another pod has a node."""
    conditions = [each for pod in pods for each in pod["status"].get("conditions", ())]
    is_late = any(_MISSING_VOLUME in each.get("message", "") for each in conditions if each["status"] != "True")
    return is_late and any("nodeName" in pod["spec"] for pod in pods)


def _unbound_claims(api: Api, names: list[str]) -> list[str]:
    """Return the claims of jobs that have no volume yet, though a node is selected for it."""
    claims = api.call("GET", api.of_kind("PersistentVolumeClaim").path(NAMESPACE))["items"]
    return sorted(
        each["metadata"]["name"]
        for each in claims
        if each["metadata"]["name"].startswith(tuple(f"{name}-" for name in names))
        and each["status"].get("phase") != "Bound"
        and SELECTED_NODE in each["metadata"].get("annotations", {})
    )


def _wait_for_claims(api: Api) -> None:
    """Wait until the controller has bound the claims that have a volume."""
    path, end = api.of_kind("PersistentVolumeClaim").path(NAMESPACE), time.monotonic() + LIMIT
    while any(each["status"].get("phase") != "Bound" for each in api.call("GET", path)["items"]):
        assert time.monotonic() < end, "the claims are not bound"
        time.sleep(0.5)


def _wave(pending: list[tuple[int, Case]]) -> list[tuple[int, Case]]:
    """Take the next cases of different pools; one that may use every node runs by itself."""
    wave = [pending.pop(0)]
    while wave[0][1].pool is not None and pending and len(wave) < POOLS:
        pool = pending[0][1].pool
        if pool is None or pool in {case.pool for _, case in wave}:
            break
        wave.append(pending.pop(0))
    return wave


def _read_entry(api: Api) -> Entry:
    """Return the entry that `trainc cluster read` makes of the cluster."""
    objects: list[Object] = []
    for kind in ("Node", "Pod", "StorageClass", "PersistentVolume", "PersistentVolumeClaim"):
        listed = api.call("GET", api.of_kind(kind).path())["items"]
        objects += [{"kind": kind, **each} for each in listed]
    content = entry_document("tests", objects, ["tests.trainc.dev/pool"], counts_all_pods=True)
    content["spec"]["toleratesExtendedResources"] = True
    return read_entry(Source("cluster.yaml", document(content)))


def _judge(api: Api, entry: Entry, placed: list[Node], number: int, case: Case) -> Iterator[Verdict]:
    names = [f"c{number}-{position}" for position in range(len(case.jobs))]
    wanted: list[Demand] = []
    owners: list[str] = []
    for name, job in zip(names, case.jobs, strict=True):
        objects = _objects(name, job)
        own = job_demands(objects, entry)
        wanted, owners = [*wanted, *own], [*owners, *[name] * len(own)]
        for each in objects:
            api.create(each)
    predicted = fits(wanted, placed)
    is_stepwise = any(job.backend == "jobset" for job in case.jobs)  # pods that wait for others aren't created
    pods = _settled(api, names, sum(each.count for each in wanted), is_stepwise)
    for name, job in zip(names, case.jobs, strict=True):
        fit = _sum([each for owner, each in zip(owners, predicted, strict=True) if owner == name])
        own_pods = [pod for pod in pods if pod["metadata"]["labels"]["trainc.dev/job"] == name]
        bound = sum("nodeName" in pod["spec"] for pod in own_pods)
        # Of a job that competes with none, and whose pods the scheduler judges one by one.
        reasons = {} if len(names) > 1 or job.backend != "pods" or fit.demand.gang else _reasons(fit, placed)
        conditions = (each for pod in own_pods for each in pod["status"].get("conditions", ()))
        messages = [each["message"] for each in conditions if "message" in each]
        yield Verdict(case, fit, bound, messages[0] if messages else "", reasons)
    _delete(api, names)


def _objects(name: str, job: Job) -> list[Object]:
    """Return the objects of a job, with the topology of its gang."""
    metadata = {"name": name, "namespace": NAMESPACE}
    result = trainc.compile(build.job_text(metadata, **job.spec), backend=job.backend, kubernetes_version=KUBERNETES)
    assert result.ok, result.diagnostics
    objects = [with_namespace(each, NAMESPACE) for each in result.objects()]
    for each in objects:
        if each["kind"] == "PodGroup" and job.group_topology:
            each["spec"]["schedulingConstraints"] = {"topology": [{"key": job.group_topology}]}
    return objects


def _sum(own: list[Fit]) -> Fit:
    """Return the result for all pods of a job: those of its slices are placed one after the other."""
    first = own[0]
    count = sum(each.demand.count for each in own)
    return first.replace(
        demand=first.demand.replace(count=count),
        least=sum(each.least for each in own),
        most=sum(each.most for each in own),
    )


def _delete(api: Api, names: list[str]) -> None:
    """Delete jobs with their pods, which no kubelet ends, and wait until all are gone."""
    selector, end = f"trainc.dev/job in ({','.join(names)})", time.monotonic() + LIMIT
    for kind in ("JobSet", "Job", "PodGroup", "PersistentVolumeClaim"):
        if kind in {each.kind for each in api.resources()}:
            api.delete(kind, NAMESPACE, selector=selector)
    while pods := api.call("GET", api.of_kind("Pod").path(NAMESPACE), labelSelector=selector)["items"]:
        assert time.monotonic() < end, f"pods are not deleted: {names}"
        for pod in pods:
            path = api.path(pod | {"apiVersion": "v1", "kind": "Pod"})
            with suppress(ApiError):  # another one has deleted it
                api.call("DELETE", path, {"gracePeriodSeconds": 0})
        time.sleep(0.2)


def _settled(api: Api, names: list[str], count: int, is_stepwise: bool) -> list[Object]:
    """Return the pods of jobs once all have a node, or the scheduler has tried all and changes nothing more.

    `count` is their number; with `is_stepwise` some are created only after others have a node.
    """
    path, last, since, end = api.of_kind("Pod").path(NAMESPACE), "", time.monotonic(), time.monotonic() + LIMIT
    while time.monotonic() < end:
        selector = f"trainc.dev/job in ({','.join(names)})"
        claims = _unbound_claims(api, names)
        pods: list[Object] = api.call("GET", path, labelSelector=selector)["items"]
        state = str((claims, sorted((pod["metadata"]["name"], pod["spec"].get("nodeName")) for pod in pods)))
        is_tried = all("nodeName" in pod["spec"] or pod["status"].get("conditions") for pod in pods)
        is_whole = len(pods) == count
        if not (is_whole or (is_stepwise and pods)) or state != last or not is_tried or claims:
            last, since = state, time.monotonic()
        if is_whole and all("nodeName" in pod["spec"] for pod in pods):
            return pods
        quiet = QUIET_AFTER_BINDING if _waits_for_volume(pods) else QUIET if is_whole else QUIET_WITHOUT_PODS
        if time.monotonic() - since > quiet:
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
    (("volume",), "volume"),
    (("topology",), "topology"),
)


def _reasons(fit: Fit, placed: list[Node]) -> dict[str, int]:
    """Return the reasons that the scheduler states for a pod that fits no node; none if it fits one.

    A volume that is created before its pods is somewhere by then, where is not known.
    """
    if any(each.is_early for each in fit.demand.volumes):
        return {}
    reasons: Counter[str] = Counter()
    for node in placed:
        found = list(obstacles(fit.demand, node))
        if not found:
            return {}
        kinds, words = next((kinds, words) for kinds, words in _FILTERS if {each.kind for each in found} & set(kinds))
        if words == "volume":
            unusable = [each for each in fit.demand.volumes if not each.is_usable(node)]
            reasons.update({_MISSING_VOLUME if each.is_new else _OTHER_VOLUME for each in unusable})
            continue
        own = [each for each in found if each.kind in kinds]
        reasons.update({words or _lacking(each.detail) for each in own})
    return dict(reasons)


_OTHER_VOLUME = "didn't match PersistentVolume's node affinity"
_MISSING_VOLUME = "didn't find available persistent volumes to bind"


def _lacking(resource: str) -> str:
    return "Too many pods" if resource == "pods" else f"Insufficient {resource}"
