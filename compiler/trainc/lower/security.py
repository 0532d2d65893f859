"""Security contexts of the pods: the job's own, and what the Pod Security Standard `restricted` requires.

https://kubernetes.io/docs/concepts/security/pod-security-standards/
"""

from __future__ import annotations

from trainc.ir.pod import LOCK_MEMORY, Security
from trainc.span import Text, like
from trainc.spec.job import TrainingJob

# Fields that only a container has; all others are set for the pod, hence for all its containers.
CONTAINER_FIELDS = ("allowPrivilegeEscalation", "capabilities", "privileged", "procMount", "readOnlyRootFilesystem")
RESTRICTED_POD = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
RESTRICTED_CONTAINER = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def lower_security(job: TrainingJob) -> Security:
    """Return the contexts. The job's own values replace what the standard requires: a check reports those that violate
    it.
    """
    own = job.security_context or {}
    restricted = job.pod_security == "restricted"
    pod = {name: value for name, value in own.items() if name not in CONTAINER_FIELDS}
    main = {name: value for name, value in own.items() if name in CONTAINER_FIELDS}
    if restricted:
        pod, main = {**RESTRICTED_POD, **pod}, {**RESTRICTED_CONTAINER, **main}
    others = RESTRICTED_CONTAINER if restricted else {}
    security = Security(pod=like(own, pod), main=like(own, main), others=others)
    network = job.network
    if network is None or network.rdma is None:
        return security
    return with_capabilities(security, (Text(LOCK_MEMORY, network.where("rdma")),))


def with_capabilities(security: Security, names: tuple[str, ...]) -> Security:
    """Return the contexts with capabilities of the training container that the job may not have."""
    if not names:
        return security
    declared = security.main.get("capabilities", {})
    added = like(declared, {**declared, "add": list(dict.fromkeys([*declared.get("add", []), *names]))})
    return security.replace(main=like(security.main, {**security.main, "capabilities": added}))
