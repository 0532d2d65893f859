"""What a verdict lists as having no effect."""

from __future__ import annotations

from typing import Any

from trainc.rehearse.unsupported import unsupported_features


def kinds(*objects: dict[str, Any]) -> set[str]:
    """What each sentence is about."""
    return {line.partition(":")[0] for line in unsupported_features(list(objects))}


def pod_spec(**more: Any) -> dict[str, Any]:
    main = {"name": "main", "image": "i", "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}
    return {"containers": [main], **more}


def thing(kind: str, spec: dict[str, Any], **pod: Any) -> dict[str, Any]:
    template = {"metadata": {}, "spec": pod_spec(**pod)}
    return {"kind": kind, "metadata": {"name": "it", "namespace": "n"}, "spec": {**spec, "template": template}}


def test_groups_and_capabilities_are_listed() -> None:
    found = kinds(thing("Job", {}, securityContext={"fsGroup": 2000, "runAsUser": 1000}))
    assert {"securityContext.fsGroup", "securityContext.capabilities"} <= found
    assert not any("runAsUser" in one for one in found)


def test_what_happens_after_the_end_is_listed_of_a_job_and_of_an_operators() -> None:
    assert "ttlSecondsAfterFinished" in kinds(thing("Job", {"ttlSecondsAfterFinished": 0}))
    operated = {"kind": "PyTorchJob", "metadata": {"name": "it"}, "spec": {"runPolicy": {"ttlSecondsAfterFinished": 9}}}
    assert "ttlSecondsAfterFinished" in kinds(operated)
    assert "ttlSecondsAfterFinished" not in kinds(thing("Job", {}))


def test_claims_that_a_stateful_set_makes_are_listed() -> None:
    claims = [{"metadata": {"name": "data"}, "spec": {}}]
    assert "volumeClaimTemplates data" in kinds(thing("StatefulSet", {"volumeClaimTemplates": claims}))


def test_containers_of_which_only_the_image_knows_the_program_are_listed() -> None:
    fetch = {"name": "fetch", "image": "rclone/rclone:1", "args": ["copy"]}
    wait = {"name": "wait", "image": "busybox", "command": ["true"]}
    found = kinds(thing("Job", {}, initContainers=[fetch, wait]))
    assert {one for one in found if one.startswith("container ")} == {"container fetch"}


def test_the_name_of_the_card_is_listed_where_it_is_another() -> None:
    main = {"name": "main", "image": "i", "env": [{"name": "GLOO_SOCKET_IFNAME", "value": "bond0"}]}
    assert "network card bond0" in kinds(thing("Job", {}, containers=[main]))
