"""Pod Security Standards: trainc and the API server's admission agree, and restricted pods of controllers are created.

https://kubernetes.io/docs/concepts/security/pod-security-admission/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import trainc
from tests.cluster.api import Api, ApiError, Object
from tests.cluster.cluster import Cluster, unique_namespace, wait
from tests.cluster.jobs import VERSION
from tests.support.build import job_text
from tools.pod_security import CASES, compile_restricted

LEVELS = ("baseline", "restricted")
# Fields that `restricted` requires, and a user.
CONTEXT: dict[str, Any] = {
    "runAsUser": 1000,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}
CONTAINER = {field: CONTEXT[field] for field in ("allowPrivilegeEscalation", "capabilities")}


def main(**security: Any) -> dict[str, Any]:
    """Return a patch of the training container's security context."""
    return {"containers": [{"name": "main", "securityContext": security}]}


def pod(**security: Any) -> dict[str, Any]:
    """Return a patch of the pod's security context."""
    return {"securityContext": security}


def first(**security: Any) -> dict[str, Any]:
    """Return a patch that adds an init container."""
    return {"initContainers": [{"name": "fetch", "image": "busybox:1", "securityContext": security}]}


def volume(**source: Any) -> dict[str, Any]:
    """Return a patch that adds a volume."""
    return {"volumes": [{"name": "extra", **source}]}


PATCHES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "host network": {"hostNetwork": True},
    "host pids": {"hostPID": True},
    "host ipc": {"hostIPC": True},
    "no host network": {"hostNetwork": False},
    "host port": {"containers": [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]},
    "privileged": main(privileged=True, allowPrivilegeEscalation=True),
    "not privileged": main(privileged=False),
    "unmasked proc": {**main(procMount="Unmasked"), "hostUsers": False},
    "root in a user namespace": {"hostUsers": False, **pod(runAsUser=0, runAsNonRoot=False)},
    "any user in a user namespace": {"hostUsers": False, **pod(runAsNonRoot=None, runAsUser=None)},
    "default proc": main(procMount="Default"),
    **{
        f"adds {name}": main(capabilities={"add": [name]})
        for name in ("NET_BIND_SERVICE", "SYS_ADMIN", "IPC_LOCK", "CHOWN")
    },
    "drops nothing": main(capabilities={"$patch": "replace"}),
    "drops one": main(capabilities={"drop": ["CHOWN"]}),
    "escalation": main(allowPrivilegeEscalation=True),
    "escalation unset": main(allowPrivilegeEscalation=None),
    "root": pod(runAsUser=0),
    "root container": main(runAsUser=0),
    "any user": pod(runAsNonRoot=False),
    "any user in the container": main(runAsNonRoot=False),
    "user check unset": pod(runAsNonRoot=None),
    "user check in the container": {**pod(runAsNonRoot=None), **main(runAsNonRoot=True)},
    "no seccomp profile": pod(seccompProfile=None),
    "seccomp profile of the container": {**pod(seccompProfile=None), **main(seccompProfile={"type": "RuntimeDefault"})},
    "local seccomp profile": pod(seccompProfile={"type": "Localhost", "localhostProfile": "a.json"}),
    "unconfined seccomp": pod(seccompProfile={"type": "Unconfined"}),
    "unconfined seccomp of the container": main(seccompProfile={"type": "Unconfined"}),
    "unconfined AppArmor": main(appArmorProfile={"type": "Unconfined"}),
    "default AppArmor": main(appArmorProfile={"type": "RuntimeDefault"}),
    "SELinux type": pod(seLinuxOptions={"type": "spc_t"}),
    "SELinux container type": pod(seLinuxOptions={"type": "container_t"}),
    "SELinux user": main(seLinuxOptions={"user": "system_u"}),
    "SELinux level": main(seLinuxOptions={"level": "s0:c1"}),
    "image volume": volume(image={"reference": "a:1"}),
    "probe of a host": {"containers": [{"name": "main", "livenessProbe": {"httpGet": {"port": 80, "host": "a"}}}]},
    "probe of the pod": {"containers": [{"name": "main", "livenessProbe": {"httpGet": {"port": 80}}}]},
    "hook on a host": {
        "containers": [{"name": "main", "lifecycle": {"preStop": {"httpGet": {"port": 80, "host": "a"}}}}]
    },
    "sysctl": pod(sysctls=[{"name": "kernel.msgmax", "value": "1"}]),
    "safe sysctl": pod(sysctls=[{"name": "net.ipv4.tcp_syncookies", "value": "1"}]),
    "host path": volume(hostPath={"path": "/data"}),
    "nfs": volume(nfs={"server": "a", "path": "/a"}),
    "config map": volume(configMap={"name": "a"}),
    "claim": volume(persistentVolumeClaim={"claimName": "a"}),
    "projected": volume(projected={"sources": [{"secret": {"name": "a"}}]}),
    "bare init container": first(),
    "restricted init container": first(**CONTAINER),
    "privileged init container": first(privileged=True),
    "root init container": first(**CONTAINER, runAsUser=0),
}


@pytest.fixture(scope="module")
def enforced(cluster: Cluster) -> Iterator[dict[str, str]]:
    """Namespaces that enforce the levels."""
    names = {level: unique_namespace(f"pod-security-{level}") for level in LEVELS}
    cluster.create_namespaces(*names.values())
    for level, name in names.items():
        enforce(cluster.api, name, level)
    yield names
    cluster.delete_namespaces(*names.values())


def enforce(api: Api, namespace: str, level: str) -> None:
    api.patch("Namespace", "", namespace, {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": level}}})


def is_admitted(api: Api, namespace: str, manifest: Object) -> bool:
    """Return whether the API server would admit a pod. Raises ApiError for another reason than its security."""
    try:
        api.call("POST", api.of_kind("Pod").path(namespace), manifest, dryRun="All")
    except ApiError as refused:
        if "violates PodSecurity" not in refused.message:
            raise
        return False
    return True


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", PATCHES)
def test_the_api_server_agrees(api: Api, enforced: dict[str, str], name: str, level: str) -> None:
    spec: dict[str, Any] = {"podTemplate": {"spec": PATCHES[name]}, "securityContext": CONTEXT, "workers": 1}
    judged = trainc.compile(job_text(**spec, podSecurity=level), backend="pods", kubernetes_version=VERSION)
    violations = [each for each in judged.diagnostics if each.code.id == "TC3120"]
    assert judged.ok or violations, judged.diagnostics
    manifests = trainc.compile(job_text(**spec), backend="pods", kubernetes_version=VERSION).objects()
    (manifest,) = (each for each in manifests if each["kind"] == "Pod")
    assert is_admitted(api, enforced[level], manifest) == (not violations)


@pytest.mark.parametrize(("example", "backend"), CASES)
def test_controllers_create_all_pods_of_a_restricted_example(
    api: Api, cluster: Cluster, namespace: str, example: str, backend: str
) -> None:
    result = compile_restricted(example, backend, namespace)
    if not result.ok:
        return  # docs/pod-security.md lists it
    if any(each["kind"] == "ComputeDomain" for each in result.objects()):
        pytest.skip("the server has no ComputeDomain of resource.nvidia.com/v1beta1")
    enforce(api, namespace, "restricted")
    expected = 0
    for manifest in result.objects():
        applied = api.apply(manifest)
        spec = applied.get("spec", {})
        replicas = spec.get("parallelism", spec.get("replicas", 1 if applied["kind"] == "Pod" else 0))
        expected += 0 if spec.get("suspend") else replicas
    wait(f"{expected} pods", lambda: len(api.find("Pod", namespace)) == expected or None)
