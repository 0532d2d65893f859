"""Gangs in one rack, and exclusive placement; numbers are worked out by hand."""

from __future__ import annotations

import pytest

from tests.unit.placement.test_fit import RACK, nodes, pods
from trainc.cluster.entry import Entry
from trainc.cluster.judgement import job_demands
from trainc.placement.demand import Demand
from trainc.placement.fit import fits
from trainc.placement.gang import with_gang
from trainc.placement.words import sentence

POOL = "cloud.google.com/gke-nodepool"
RACKS = [*nodes(5, labels={RACK: "r1"}), *nodes(3, labels={RACK: "r2"}, shape="b"), *nodes(1, shape="c")]


def gang(count: int, least: int, topology: str = "") -> list[Demand]:
    constraints = {"schedulingConstraints": {"topology": [{"key": topology}]}} if topology else {}
    spec = {"schedulingPolicy": {"gang": {"minCount": least}}, **constraints}
    return with_gang(pods(count), [{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": spec}])


def test_a_group_with_a_topology_gets_the_rack_with_most_room() -> None:
    (four,), (six,) = fits(gang(4, 4, RACK), RACKS), fits(gang(6, 6, RACK), RACKS)
    assert (four.least, four.most) == (4, 4)  # of pods with an affinity 3 or 4, as the first one may be in r2
    assert (six.least, six.most) == (0, 0)
    assert f"8 fit, but all pods of group `g` must run in one {RACK}: r1 has room for 5, r2 for 3" in sentence(six, "e")


def test_a_gang_that_needs_fewer_pods_than_it_has_starts_with_those() -> None:
    (fit,) = fits(gang(6, 4, RACK), RACKS)
    assert (fit.least, fit.most) == (5, 5)


def test_a_gang_of_different_pods_starts_whole_or_not_at_all() -> None:
    small = pods(1, containers=[{"name": "m", "image": "i", "resources": {"requests": {"cpu": 1}}}])
    group = {"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"minMember": 4}}
    launcher, workers = fits(with_gang([*small, *pods(3)], [group]), nodes(2))
    assert (launcher.most, workers.most) == (0, 0)
    launcher, workers = fits(with_gang([*small, *pods(3)], [group]), nodes(3))
    assert (launcher.least, workers.least) == (1, 3)


def test_pods_that_name_no_group_are_not_in_that_of_others() -> None:
    group = {"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}}
    own, other = with_gang([*pods(3, schedulingGroup={"podGroupName": "g"}), *pods(1)], [group])
    assert (own.gang, other.gang) == (3, 0)


def test_a_workload_of_kubernetes_1_35_states_the_gang() -> None:
    workload = {"podGroups": [{"name": "worker", "policy": {"gang": {"minCount": 4}}}]}
    wanted = pods(4, workloadRef={"name": "mnist", "podGroup": "worker"})
    (demand,) = with_gang(wanted, [{"kind": "Workload", "metadata": {"name": "mnist"}, "spec": workload}])
    assert demand.gang == 4


def slices(count: int, hosts: int) -> list[Demand]:
    """Return the demands of a JobSet whose Jobs get a node pool each."""
    pod = {"containers": [{"name": "main", "image": "i", "resources": {"limits": {"google.com/tpu": 4}}}]}
    job = {"spec": {"parallelism": hosts, "completions": hosts, "template": {"spec": pod}}}
    annotations = {"alpha.jobset.sigs.k8s.io/exclusive-topology": POOL}
    jobset = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "s", "namespace": "n", "annotations": annotations},
        "spec": {"replicatedJobs": [{"name": "worker", "replicas": count, "template": job}]},
    }
    return job_demands([jobset], Entry(name="e", file="e", spec={}))


def test_exclusive_jobs_get_a_domain_each() -> None:
    hosts = {"cpu": "100", "google.com/tpu": "4", "pods": "110"}
    first, second = ([*nodes(4, hosts, labels={POOL: name}, shape=name)] for name in "ab")
    assert [(each.least, each.most) for each in fits(slices(2, 4), [*first, *second])] == [(4, 4), (4, 4)]
    placed = fits(slices(2, 4), [*first, *nodes(9, hosts, shape="no-pool")])
    assert sum(each.most for each in placed) == 4
    assert sum(each.least for each in placed) == 4


def test_the_job_that_comes_last_lacks_nodes_of_its_own() -> None:
    hosts = {"cpu": "100", "google.com/tpu": "4", "pods": "110"}
    cluster = [*nodes(4, hosts, labels={POOL: "a"}, shape="a"), *nodes(3, hosts, labels={POOL: "b"}, shape="b")]
    first, second = fits(slices(2, 4), cluster)
    assert (first.verdict, second.verdict, second.most) == ("fits", "lacks nodes", 3)
    expected = f"7 fit, but each Job gets a {POOL} for itself: 1 has room, and other Jobs get them"
    assert expected in sentence(second, "prod")


def test_domains_outside_that_of_the_group_count_for_spread_constraints() -> None:
    """In kube-scheduler 1.36 the spread constraints of a pod see all nodes, not only those of the group's domain."""
    spread = {"maxSkew": 1, "topologyKey": RACK, "whenUnsatisfiable": "DoNotSchedule"}
    selector = {"labelSelector": {"matchLabels": {"job": "mnist"}}}
    constraints = {"schedulingConstraints": {"topology": [{"key": RACK}]}}
    group = {"schedulingPolicy": {"gang": {"minCount": 2}}, **constraints}
    wanted = pods(2, topologySpreadConstraints=[{**spread, **selector}])
    (fit,) = fits(with_gang(wanted, [{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": group}]), RACKS)
    assert fit.most == 0  # the second pod would be two more than in the other rack


GKE_HOST = {
    "name": "tpu",
    "allocatable": {"cpu": "100", "google.com/tpu": "4"},
    "labels": {POOL: "a"},
    "taints": [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}],
}


@pytest.mark.parametrize(("stated", "placed"), [({}, 1), ({"toleratesExtendedResources": False}, 0)])
def test_on_gke_pods_tolerate_taints_named_like_their_devices(stated: dict[str, bool], placed: int) -> None:
    """https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration"""
    entry = Entry(name="e", file="e", spec={"nodes": [GKE_HOST], **stated})
    container = {"name": "main", "image": "i", "resources": {"limits": {"google.com/tpu": 4}}}
    pod = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}
    (fit,) = fits(job_demands([pod], entry), entry.nodes())
    assert fit.least == placed


def test_a_train_job_has_the_exclusive_placement_of_its_runtime() -> None:
    annotations = {"alpha.jobset.sigs.k8s.io/exclusive-topology": RACK}
    pod = {"containers": [{"name": "node", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 8}}}]}
    step = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    replicated = {"name": "node", "template": {"metadata": step, "spec": {"template": {"spec": pod}}}}
    template = {"metadata": {"annotations": annotations}, "spec": {"replicatedJobs": [replicated]}}
    kind, version = "TrainingRuntime", "trainer.kubeflow.org/v1alpha1"
    runtime = {"kind": kind, "spec": {"mlPolicy": {"numNodes": 2, "torch": {}}, "template": template}}
    spec = {"runtimeRef": {"kind": kind, "name": "r"}, "trainer": {"numNodes": 4}}
    objects = [{**runtime, "metadata": {"name": "r"}}, {"kind": "TrainJob", "metadata": {"name": "t"}, "spec": spec}]
    wanted = job_demands([{"apiVersion": version, **each} for each in objects], Entry(name="e", file="e", spec={}))
    (fit,) = fits(wanted, RACKS)
    assert (fit.least, fit.most) == (3, 4)  # of four pods in one rack, with room for 5 or for 3
