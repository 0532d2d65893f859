"""Names that a pod has for fields of a job file, by the path of the field without `spec.`.

Fields that have no name here do not exist in a pod. A field below a named one has the same name in both.
"""

from __future__ import annotations

from trainc.well_known import QUEUE_LABEL, QUEUE_PRIORITY_LABEL

_SAME = (
    *("image", "imagePullPolicy", "imagePullSecrets", "workingDir", "securityContext", "env", "envFrom"),
    *("resources.requests", "resources.limits", "volumes"),
)
# Fields of sections that a pod has without the section.
_UNNESTED = {
    "scheduling": (
        *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"),
    ),
    "lifecycle": ("terminationGracePeriodSeconds",),
    "network": ("hostNetwork",),
}
POD_NAMES: dict[str, str] = {
    **{name: name for name in _SAME},
    **{f"{section}.{name}": name for section, names in _UNNESTED.items() for name in names},
    "metadata": "metadata",
    "podTemplate": "template",
    "podTemplate.spec": "",
    "run": "args",
    "resources": "resources",
    "resources.cpu": "resources.requests.cpu",
    "resources.memory": "resources.limits.memory",
    "resources.gpu": "resources.limits",
    "scheduling.queue": f"metadata.labels[{QUEUE_LABEL}]",
    "scheduling.queue.name": f"metadata.labels[{QUEUE_LABEL}]",
    "scheduling.queue.priorityClass": f"metadata.labels[{QUEUE_PRIORITY_LABEL}]",
}
# Fields of a job file below a named one that a pod does not have.
ONLY_IN_JOB_FILES = (
    *("run.python", "run.module", "run.exec", "run.entrypoint", "resources.ephemeralStorage"),
    *("resources.gpu.count", "resources.gpu.resource", "resources.gpu.memory", "resources.gpu.cores"),
    "launch.torchrun.rendezvous.managed",
    *("volumes.claim", "volumes.mounts", "volumes.mountPath", "volumes.subPath", "volumes.readOnly"),
)
