"""Fields of a TrainJob, and of its runtime's pods that it can change, by the fields of job files.

TrainJobSpec, PodSpecPatch and ContainerPatch of
https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/apis/trainer/v1alpha1/trainjob_types.go, and PodTemplateSpecOverride
and ContainerOverride of v2.1.0
"""

from __future__ import annotations

from trainc.launchers.option import version
from trainc.systems.shared.fields import Field, Fields, table
from trainc.systems.trainjob import facts
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.ir.job import Job


def _runtime(job: Job) -> dict[str, str]:
    """Return the reference to a runtime of the cluster, else to the job's own."""
    kind, name = (job.runtime.kind, job.runtime.name) if job.runtime else (facts.RUNTIME, job.name)
    return {"apiGroup": facts.GROUP, "kind": kind, "name": name}


# Names in the spec; the second of the patches is that of Trainer 2.1.
TRAINER, RUNTIME, PATCHES = "trainer", "runtimeRef", ("runtimePatches", "podTemplateOverrides")
_SECTIONS: dict[str, Fields] = {
    "spec": {
        "mode": Field("suspend", write="paused", default=False),
        "lifecycle.activeDeadlineSeconds": Field("activeDeadlineSeconds", "consume", "failure.active_deadline_seconds"),
        "scheduling.runtime": Field(RUNTIME, write=_runtime),
    },
    f"spec.{TRAINER}": {
        "workers": Field("numNodes", write="replicas.initial"),
        "launch.torchrun.nprocPerNode": Field("numProcPerNode", write="launch.process_count"),
        "image": Field("image"),
        "run": Field("args"),
        "env": Field("env"),
        "resources": Field("resourcesPerNode"),
    },
}
FIELDS = table(_SECTIONS)
SUSPEND, DEADLINE = FIELDS["mode"].name, FIELDS["lifecycle.activeDeadlineSeconds"].name
NODES, PROCESSES = FIELDS["workers"].name, FIELDS["launch.torchrun.nprocPerNode"].name
RESOURCES = FIELDS["resources"].name
OWN = (RUNTIME, TRAINER, SUSPEND, DEADLINE)
# Fields of `trainer` that the container `node` gets, besides the resources.
OF_CONTAINER = ("image", "command", "args", "env")

# Fields of the runtime's pods that a TrainJob can patch, in the order in which they are written: the first release that
# can, and the fields of a job that become this one. A patch adds no container, and no variable of the container `node`.
POD: dict[str, tuple[str, tuple[str, ...]]] = {
    "serviceAccountName": ("2.1", ()),
    "imagePullSecrets": ("2.1", ("imagePullSecrets",)),
    "securityContext": ("2.2", ("securityContext", "podSecurity")),
    "nodeSelector": ("2.1", ("scheduling.nodeSelector", "scheduling.spot")),
    "affinity": ("2.1", ("scheduling.affinity", "scheduling.oneWorkerPerNode", "scheduling.topologyKey")),
    "tolerations": ("2.1", ("scheduling.tolerations",)),
    "terminationGracePeriodSeconds": ("2.3", ("lifecycle.terminationGracePeriodSeconds",)),
    "volumes": ("2.1", ("volumes", "sharedMemory", "checkpoint", "save", "shareFile")),
    "schedulingGates": ("2.1", ()),
}
CONTAINER = {"volumeMounts": "2.1", "securityContext": "2.2"}


def is_at_least(release: str, first: str) -> bool:
    """Return whether a release is `first` or a later one: 2.10 is later than 2.9."""
    return version(release) >= version(first)


def pod_fields(release: str) -> tuple[str, ...]:
    """Return the fields of POD that a release can patch."""
    return tuple(name for name, (first, _) in POD.items() if is_at_least(release, first))


def container_fields(release: str) -> tuple[str, ...]:
    """Return the fields of CONTAINER that a release can patch."""
    return tuple(name for name, first in CONTAINER.items() if is_at_least(release, first))
