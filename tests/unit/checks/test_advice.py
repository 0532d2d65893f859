"""What messages say beside their code and place, where it was once wrong or missing."""

from __future__ import annotations

from typing import Any

import trainc
from tests.support.build import text
from trainc.diagnostics.diagnostic import Diagnostic


def only(metadata: dict[str, Any] | None = None, **spec: Any) -> Diagnostic:
    """The one thing that is said of a job."""
    [found] = trainc.compile(text(metadata, **spec)).diagnostics
    return found


def test_a_name_that_is_too_long_for_its_etcd_says_so() -> None:
    launch = {"torchrun": {"rendezvous": {"backend": "etcd-v2", "managed": True}}}
    message = only({"name": "a" * 59}, launch=launch, workers=2).message
    assert message == f"the name is 1 character too long: `{'a' * 59}-etcd` exceeds 63 characters"


def test_standalone_with_peers_says_what_torchrun_does() -> None:
    """torch 2.15 with PET_STANDALONE=1: of two nodes it waits for a second one, of 1:2 it trains with one."""
    message = only(launch={"torchrun": {"standalone": True}}, workers=2).message
    assert message == "`standalone` supports 1 worker: each of the 2 connects only to itself"


def test_a_gpu_given_twice_shows_both_places() -> None:
    found = only(resources={"gpu": 8, "nvidia.com/gpu": 8})
    assert found.help == "remove one of them"
    assert [related.message for related in found.related] == ["first request"]


def test_two_mounts_at_one_path_need_not_be_of_two_volumes() -> None:
    mounts = [{"mountPath": "/a"}, {"mountPath": "/a", "subPath": "b"}]
    assert only(volumes=[{"name": "a", "emptyDir": {}, "mounts": mounts}]).message == "duplicate mount path `/a`"


def test_who_wants_the_hosts_network_hears_of_the_field_for_it() -> None:
    """With dnsPolicy alone, c10d's worker 0 would still be sought by a hostname that its pod doesn't have."""
    found = only(podTemplate={"spec": {"hostNetwork": True}})
    assert found.help == "use spec.network.hostNetwork, or add `dnsPolicy: ClusterFirstWithHostNet`"


def test_a_metric_that_is_given_is_shown_and_not_called_the_default() -> None:
    target = {"type": "Utilization", "averageUtilization": 80}
    elastic = {
        "minReplicas": 1,
        "maxReplicas": 2,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
    }
    job = text(launch={"torchrun": {}}, elastic=elastic, run={"python": ["train.py", "--resume"]}, resources={"gpu": 1})
    found = trainc.compile(job, backend="statefulset").diagnostics[-1]
    assert found.message == "the autoscaler targets a percentage of the cpu request, but the pods have none"
    assert found.span.source.line(found.span.line).strip() == '"name": "cpu",'


def test_who_nests_a_launcher_hears_that_its_options_go_too() -> None:
    """`launch` and `--num_processes` alone would be taken for the program."""
    found = only(launch={"torchrun": {}}, run={"exec": ["accelerate", "launch", "--num_processes", "8", "train.py"]})
    assert found.help == "remove accelerate and its options, and name the program that it starts"
