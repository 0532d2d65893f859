"""Errors of the job's own security context, which no field of podTemplate accompanies."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text

TORCHRUN: dict[str, Any] = {"torchrun": {}}
DEEPSPEED: dict[str, Any] = {"deepspeed": {}}


def errors_of(backend: str, launch: dict[str, Any], **context: Any) -> list[tuple[str, str]]:
    """Return code and line of each error of a job with a security context."""
    text = job_text(securityContext=context, launch=launch)
    diagnostics = trainc.compile(text, backend=backend).diagnostics
    lines = text.splitlines()
    return [(each.code.id, lines[each.span.line - 1].strip()) for each in diagnostics if each.severity == "error"]


@pytest.mark.parametrize(
    ("code", "line", "context"),
    [
        ("TC4090", '"procMount": "Unmasked"', {"procMount": "Unmasked"}),
        ("TC4090", '"allowPrivilegeEscalation": false', {"privileged": True, "allowPrivilegeEscalation": False}),
        ("TC2005", '"runAsUser": 2147483648', {"runAsUser": 2147483648}),
        ("TC2005", '"fsGroup": 2147483648', {"fsGroup": 2147483648}),
        ("TC2005", "2147483648", {"supplementalGroups": [2147483648]}),
    ],
)
def test_what_the_api_server_rejects_is_an_error(code: str, line: str, context: dict[str, Any]) -> None:
    """Each is a 422 of kube-apiserver 1.36: validateSecurityContext of pkg/apis/core/validation/validation.go."""
    assert errors_of("job", TORCHRUN, **context) == [(code, line)]


def test_a_pytorchjob_lacks_a_field_of_newer_pods() -> None:
    """The CRD of the training operator 1.9 has `supplementalGroupsPolicy` of 1.31, but no field of 1.32."""
    assert errors_of("pytorchjob", TORCHRUN, seLinuxChangePolicy="Recursive") == [
        ("TC4022", '"seLinuxChangePolicy": "Recursive"')
    ]
    assert errors_of("job", TORCHRUN, seLinuxChangePolicy="Recursive") == []


def test_sshd_of_an_mpijob_needs_capabilities() -> None:
    """OpenSSH's privilege separation calls setgroups, setresuid and chroot."""
    assert errors_of("mpijob", DEEPSPEED, capabilities={"drop": ["ALL"]}) == [("TC3095", '"drop": [')]
    assert errors_of("mpijob", DEEPSPEED, capabilities={"drop": ["ALL"]}, runAsUser=1000) == []


@pytest.mark.parametrize(
    ("version", "policy", "message"),
    [
        ("1.36", "MountOption", "Kubernetes 1.36 rejects `seLinuxChangePolicy: MountOption` unless its feature gate"),
        ("1.37", "MountOption", ""),
        ("1.36", "Recursive", ""),
        ("1.31", "MountOption", "Kubernetes 1.31 has no field `seLinuxChangePolicy`: kubectl apply rejects it"),
    ],
)
def test_a_value_behind_a_feature_gate_is_reported_once(version: str, policy: str, message: str) -> None:
    """The gate SELinuxMount is off until 1.37: kube-apiserver 1.36 answers 422, supported values: "Recursive"."""
    text = job_text(securityContext={"seLinuxChangePolicy": policy}, launch=TORCHRUN)
    diagnostics = trainc.compile(text, backend="job", kubernetes_version=version).diagnostics
    messages = [each.message for each in diagnostics if each.code.id == "TC4004"]
    assert len(messages) == bool(message)
    assert all(each.startswith(message) for each in messages)
