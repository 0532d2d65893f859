"""Features that a verdict lists as having no effect."""

from __future__ import annotations

import re
from typing import Any

import pytest

from trainc.rehearse.events import RehearsalError
from trainc.rehearse.unsupported import refuse_invalid_pods, unsupported_features


def kinds(*objects: dict[str, Any]) -> set[str]:
    """Return the feature of each line."""
    return {line.partition(":")[0] for line in unsupported_features(list(objects))}


def pod_spec(**fields: Any) -> dict[str, Any]:
    main = {"name": "main", "image": "i", "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}
    return {"containers": [main], **fields}


def workload(kind: str, spec: dict[str, Any], **pod: Any) -> dict[str, Any]:
    template = {"metadata": {}, "spec": pod_spec(**pod)}
    return {"kind": kind, "metadata": {"name": "it", "namespace": "n"}, "spec": {**spec, "template": template}}


def test_groups_and_capabilities_are_listed() -> None:
    features = kinds(workload("Job", {}, securityContext={"fsGroup": 2000, "runAsUser": 1000}))
    assert {"securityContext.fsGroup", "securityContext.capabilities"} <= features
    assert not any("runAsUser" in feature for feature in features)


def test_a_ttl_is_listed_for_a_job_and_for_an_operators_job() -> None:
    assert "ttlSecondsAfterFinished" in kinds(workload("Job", {"ttlSecondsAfterFinished": 0}))
    operated = {"kind": "PyTorchJob", "metadata": {"name": "it"}, "spec": {"runPolicy": {"ttlSecondsAfterFinished": 9}}}
    assert "ttlSecondsAfterFinished" in kinds(operated)
    assert "ttlSecondsAfterFinished" not in kinds(workload("Job", {}))


def test_volume_claim_templates_are_listed() -> None:
    claims = [{"metadata": {"name": "data"}, "spec": {}}]
    assert "volumeClaimTemplates data" in kinds(workload("StatefulSet", {"volumeClaimTemplates": claims}))


def test_containers_without_a_command_are_listed() -> None:
    fetch = {"name": "fetch", "image": "rclone/rclone:1", "args": ["copy"]}
    wait = {"name": "wait", "image": "busybox", "command": ["true"]}
    features = kinds(workload("Job", {}, initContainers=[fetch, wait]))
    assert {feature for feature in features if feature.startswith("container ")} == {"container fetch"}


def test_another_network_interface_is_listed() -> None:
    main = {"name": "main", "image": "i", "env": [{"name": "GLOO_SOCKET_IFNAME", "value": "bond0"}]}
    assert "network interface bond0" in kinds(workload("Job", {}, containers=[main]))


@pytest.mark.parametrize(
    ("pod", "message"),
    [
        ({"volumes": [{"name": "v", "secret": {"items": [{"key": "k", "path": "../k"}]}}]}, "`../k` is not a path"),
        ({"volumes": [{"name": "..", "emptyDir": {}}]}, "volume name `..` is not a DNS label"),
        (
            {"initContainers": [{"name": "a/b", "image": "i", "command": ["true"]}]},
            "container name `a/b` is not a DNS label",
        ),
    ],
)
def test_pods_that_kubernetes_rejects_are_refused(pod: dict[str, Any], message: str) -> None:
    with pytest.raises(RehearsalError, match=re.escape(message)):
        refuse_invalid_pods([workload("Job", {}, **pod)])
    refuse_invalid_pods([workload("Job", {})])
