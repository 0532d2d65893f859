"""Messages, help texts and related spans of rules with several wordings."""

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
    """torch 2.15 with PET_STANDALONE=1 waits for a second node with nnodes 2, and trains alone with 1:2."""
    message = only(launch={"torchrun": {"standalone": True}}, workers=2).message
    assert message == "`standalone` supports 1 worker: each of the 2 connects only to itself"


def test_duplicate_gpu_has_a_related_span() -> None:
    diagnostic = only(resources={"gpu": 8, "nvidia.com/gpu": 8})
    assert diagnostic.help == "remove one of them"
    assert [related.message for related in diagnostic.related] == ["first request"]


def test_duplicate_mount_paths_of_one_volume() -> None:
    mounts = [{"mountPath": "/a"}, {"mountPath": "/a", "subPath": "b"}]
    assert only(volumes=[{"name": "a", "emptyDir": {}, "mounts": mounts}]).message == "two volumes are mounted at `/a`"


def test_host_network_in_the_template_suggests_the_field() -> None:
    """With dnsPolicy alone, c10d still resolves worker 0 by a hostname that its pod does not have."""
    diagnostic = only(podTemplate={"spec": {"hostNetwork": True}})
    assert diagnostic.help == "use spec.network.hostNetwork, or add `dnsPolicy: ClusterFirstWithHostNet`"


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
    diagnostic = trainc.compile(job, backend="statefulset").diagnostics[-1]
    assert diagnostic.message == "the autoscaler targets a percentage of the cpu request, but the pods have none"
    assert diagnostic.span.source.line(diagnostic.span.line).strip() == '"name": "cpu",'


def test_nested_launcher_suggests_removing_its_options() -> None:
    """After removing only `accelerate`, `launch` would be the program."""
    diagnostic = only(
        launch={"torchrun": {}}, run={"exec": ["accelerate", "launch", "--num_processes", "8", "train.py"]}
    )
    assert diagnostic.help == (
        "use launch.accelerate, or remove accelerate and its options, and name the program that it starts"
    )
