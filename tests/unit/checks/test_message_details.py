"""Messages, helps and related places that were once wrong or missing."""

from __future__ import annotations

from typing import Any

import trainc
from tests.support.build import job_text
from trainc.diagnostics.diagnostic import Diagnostic


def only(metadata: dict[str, Any] | None = None, **spec: Any) -> Diagnostic:
    """Return the only diagnostic of a job."""
    [diagnostic] = trainc.compile(job_text(metadata, **spec)).diagnostics
    return diagnostic


def test_name_too_long_for_the_etcd_server() -> None:
    launch = {"torchrun": {"rendezvous": {"backend": "etcd-v2", "managed": True}}}
    message = only({"name": "a" * 59}, launch=launch, workers=2).message
    assert message == f"the name is 1 character too long: `{'a' * 59}-etcd` exceeds 63 characters"


def test_standalone_with_several_workers() -> None:
    """torch 2.15 with PET_STANDALONE=1: with 2 nodes it waits for a second one, with 1:2 it trains alone."""
    message = only(launch={"torchrun": {"standalone": True}}, workers=2).message
    assert message == "`standalone` supports 1 worker: each of the 2 connects only to itself"


def test_duplicate_gpu_points_at_both_places() -> None:
    found = only(resources={"gpu": 8, "nvidia.com/gpu": 8})
    assert found.help == "remove one of them"
    assert [related.message for related in found.related] == ["first request"]


def test_duplicate_mount_paths_of_one_volume() -> None:
    mounts = [{"mountPath": "/a"}, {"mountPath": "/a", "subPath": "b"}]
    assert only(volumes=[{"name": "a", "emptyDir": {}, "mounts": mounts}]).message == "duplicate mount path `/a`"


def test_host_network_in_the_template_suggests_the_field() -> None:
    """With dnsPolicy alone, c10d would still look for worker 0 by a hostname that its pod does not have."""
    found = only(podTemplate={"spec": {"hostNetwork": True}})
    assert found.help == "use spec.network.hostNetwork, or add `dnsPolicy: ClusterFirstWithHostNet`"


def test_explicit_metric_is_not_called_the_default() -> None:
    target = {"type": "Utilization", "averageUtilization": 80}
    elastic = {
        "minReplicas": 1,
        "maxReplicas": 2,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
    }
    job = job_text(
        launch={"torchrun": {}}, elastic=elastic, run={"python": ["train.py", "--resume"]}, resources={"gpu": 1}
    )
    found = trainc.compile(job, backend="statefulset").diagnostics[-1]
    assert found.message == "the autoscaler targets a percentage of the cpu request, but the pods have none"
    assert found.span.source.line(found.span.line).strip() == '"name": "cpu",'


def test_nested_launcher_suggests_removing_its_options() -> None:
    """`launch` and `--num_processes` alone would be taken for the program."""
    found = only(launch={"torchrun": {}}, run={"exec": ["accelerate", "launch", "--num_processes", "8", "train.py"]})
    assert found.help == "remove accelerate and its options, and name the program that it starts"
