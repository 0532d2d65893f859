"""Security contexts of the pods: the job's own, and what the Pod Security Standard `restricted` requires.

https://kubernetes.io/docs/concepts/security/pod-security-standards/
"""

from __future__ import annotations

from trainc.ir.pod import LOCK_MEMORY, Security
from trainc.spec.job import TrainingJob
from trainc.typenames import Any

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
    main: dict[str, Any] = {name: value for name, value in own.items() if name in CONTAINER_FIELDS}
    if restricted:
        pod, main = {**RESTRICTED_POD, **pod}, {**RESTRICTED_CONTAINER, **main}
    if job.network and job.network.rdma:
        declared = main.get("capabilities", {})
        main["capabilities"] = {**declared, "add": list(dict.fromkeys([*declared.get("add", []), LOCK_MEMORY]))}
    return Security(pod=pod, main=main, others=RESTRICTED_CONTAINER if restricted else {})
