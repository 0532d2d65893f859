"""Healthy custom resources, and changes of them that break the rules of their CRDs.

`tests/cluster/test_crd_verdicts.py` asks a real API server about each, and a unit test asks `trainc check`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.support.api_verdicts import DELETE, Object, changed
from trainc.schema.documents import document, resolve

Path = tuple[str | int, ...]

TORCHRUN = ["torchrun", "--nnodes=2", "--nproc-per-node=1", "train.py", "--checkpoint=/data/ckpt"]
CONTAINER: Object = {"name": "node", "image": "registry.example/train:1.0", "command": TORCHRUN}
POD: Object = {"restartPolicy": "Never", "containers": [CONTAINER]}


def _pod(**container: Any) -> Object:
    return {"spec": {**POD, "containers": [{**CONTAINER, **container}]}}


def _job_set(*names: str) -> Object:
    return {"replicatedJobs": [{"name": name, "template": {"spec": {"template": _pod()}}} for name in names]}


def _ray_group(**fields: Any) -> Object:
    return {"rayStartParams": {}, "template": _pod(), **fields}


TORCH_REPLICA: Object = {"replicas": 1, "restartPolicy": "OnFailure", "template": _pod(name="pytorch")}
MPI_REPLICA: Object = {"replicas": 1, "template": _pod()}
TASK: Object = {"name": "node", "replicas": 2, "template": _pod()}
RAY_CLUSTER: Object = {
    "headGroupSpec": _ray_group(),
    "workerGroupSpecs": [_ray_group(minReplicas=1, maxReplicas=1, groupName="workers")],
}
OWN_RUNTIME: Object = {"name": "own", "kind": "TrainingRuntime"}
# API version and spec of each kind.
_RESOURCES: dict[str, tuple[str, Object]] = {
    "JobSet": ("jobset.x-k8s.io/v1alpha2", _job_set("data", "node")),
    "PyTorchJob": ("kubeflow.org/v1", {"pytorchReplicaSpecs": {"Master": TORCH_REPLICA, "Worker": TORCH_REPLICA}}),
    "MPIJob": ("kubeflow.org/v2beta1", {"mpiReplicaSpecs": {"Launcher": MPI_REPLICA, "Worker": MPI_REPLICA}}),
    "Job": ("batch.volcano.sh/v1alpha1", {"minAvailable": 2, "tasks": [TASK]}),
    "RayJob": ("ray.io/v1", {"entrypoint": "python3 a.py", "rayClusterSpec": RAY_CLUSTER}),
    "TrainJob": (
        "trainer.kubeflow.org/v1alpha1",
        {"runtimeRef": OWN_RUNTIME, "trainer": {"numNodes": 2, "command": TORCHRUN}},
    ),
    "TrainingRuntime": (
        "trainer.kubeflow.org/v1alpha1",
        {"mlPolicy": {"numNodes": 2, "torch": {}}, "template": {"spec": _job_set("data", "node")}},
    ),
}
BASES: dict[str, Object] = {
    kind: {"apiVersion": version, "kind": kind, "metadata": {"name": "train"}, "spec": spec}
    for kind, (version, spec) in _RESOURCES.items()
}
SCHEMAS = {
    kind: f"crds/{kind.lower()}-{version.partition('.')[0]}-{version.partition('/')[2]}.json"
    for kind, (version, _) in _RESOURCES.items()
}


class Row(NamedTuple):
    """Values to set in the object of a kind, by path, and the rule's message; empty if the API server accepts it.

    `field` is the one that the server names.
    """

    kind: str
    changes: dict[str, Any]
    message: str = ""
    field: str = ""

    @property
    def manifest(self) -> Object:
        """The changed object."""
        return changed(BASES[self.kind], self.changes)

    def __str__(self) -> str:
        return f"{self.kind} {', '.join(self.changes)} {self.message}"


DEPENDS_ON = [{"name": "data", "status": "Complete"}]
EXCLUSIVE = "StartupPolicy and DependsOn APIs are mutually exclusive"
NO_NAMESPACE = "namespace cannot be set for VolumeClaimPolicies templates"
NO_METADATA = "no such key: metadata"
ONE_POLICY = "Only one of the policy can be configured"
NOT_THE_NODE = "containerNames must not include the main node container because PET_* envs are always injected into it"
MANAGED_BY = "ManagedBy must be trainer.kubeflow.org/trainjob-controller or kueue.x-k8s.io/multikueue if set"
KEEP: Object = {"policy": "DeleteNone"}
DELETION: Object = {"condition": {"jobStatus": "SUCCEEDED"}, "policy": "DeleteCluster"}
ONE_DELETION = (
    "legacy policies (onSuccess/onFailure) and deletionRules cannot be used together within the same deletionStrategy"
)
BOTH_DELETIONS = (
    "deletionStrategy requires either BOTH onSuccess and onFailure, OR the deletionRules field (cannot be empty)"
)
RAY_MANAGED_BY = "the managedBy field value must be either 'ray.io/kuberay-operator' or 'kueue.x-k8s.io/multikueue'"
URI = "storageUri may be empty, or it must be a valid URI (scheme://...)"
LABEL = "metadata.name must match RFC 1035 DNS label format"
CLAIM: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def _claims(*metadata: Object | None) -> list[Object]:
    return [
        {"templates": [{"spec": CLAIM} if each is None else {"metadata": each, "spec": CLAIM} for each in metadata]}
    ]


def _targets(*containers: str) -> Object:
    return {"targets": [{"jobName": "node", "containerNames": list(containers)}]}


def _of_job_set(kind: str, spec: str) -> Iterator[Row]:
    for order, depends_on, message in (
        ("InOrder", DEPENDS_ON, EXCLUSIVE),
        ("InOrder", [], EXCLUSIVE),
        ("InOrder", None, ""),
        ("AnyOrder", DEPENDS_ON, ""),
    ):
        changes: Object = {f"{spec}.startupPolicy.startupPolicyOrder": order}
        if depends_on is not None:
            changes[f"{spec}.replicatedJobs.1.dependsOn"] = depends_on
        yield Row(kind, changes, message, spec)
    yield Row(kind, {f"{spec}.replicatedJobs.1.dependsOn": DEPENDS_ON})
    for metadata, message in (
        ([{"name": "data"}], ""),
        ([{"name": "data", "namespace": ""}], ""),
        ([{"name": "data", "namespace": "team"}], NO_NAMESPACE),
        ([{"name": "data"}, {"name": "logs", "namespace": "team"}], NO_NAMESPACE),
        ([None], NO_METADATA),
        ([None, {"name": "logs", "namespace": "team"}], NO_NAMESPACE),
    ):
        yield Row(kind, {f"{spec}.volumeClaimPolicies": _claims(*metadata)}, message, f"{spec}.volumeClaimPolicies[0]")


RULES = [
    *(Row(kind, {}) for kind in BASES),
    *_of_job_set("JobSet", "spec"),
    *_of_job_set("TrainingRuntime", "spec.template.spec"),
    Row("TrainingRuntime", {"spec.mlPolicy.mpi": {}}, ONE_POLICY, "spec.mlPolicy"),
    Row("TrainingRuntime", {"spec.mlPolicy.torch": DELETE, "spec.mlPolicy.mpi": {}}),
    Row("TrainingRuntime", {"spec.mlPolicy.torch": DELETE}),
    *(
        Row(
            "TrainingRuntime",
            {"spec.mlPolicy.torch": DELETE, "spec.mlPolicy.flux.numProcPerNode": number},
            message,
            "spec.mlPolicy.flux.numProcPerNode",
        )
        for number, message in ((1, ""), (0, "NumProcPerNode in fluxPolicy must be >= 1"))
    ),
    *(
        Row(
            "TrainingRuntime",
            {"spec.mlPolicy.torch.envInjection": _targets(*containers)},
            message,
            "spec.mlPolicy.torch.envInjection.targets[0].containerNames",
        )
        for containers, message in ((("log",), ""), (("log", "node"), NOT_THE_NODE))
    ),
    *(
        Row("TrainJob", {"metadata.name": name}, message, "")
        for name, message in (("a1-b", ""), ("1a", LABEL), ("a.b", LABEL), ("a" * 63, ""))
    ),
    Row("TrainJob", {"metadata.name": "a" * 64}, "metadata.name must be no more than 63 characters"),
    Row("TrainJob", {"metadata": {"generateName": "train-"}}),
    Row("TrainJob", {"metadata": {"generateName": "1-"}}, LABEL),
    *(
        Row("TrainJob", {"spec.managedBy": name}, message, "spec.managedBy")
        for name, message in (
            ("kueue.x-k8s.io/multikueue", ""),
            ("trainer.kubeflow.org/trainjob-controller", ""),
            ("me", MANAGED_BY),
        )
    ),
    *(
        Row("RayJob", {"spec.deletionStrategy": strategy}, message, "spec.deletionStrategy")
        for strategy, message in (
            ({"onSuccess": KEEP, "onFailure": KEEP}, ""),
            ({"onSuccess": KEEP}, BOTH_DELETIONS),
            ({"deletionRules": [DELETION]}, ""),
            ({"onFailure": KEEP, "onSuccess": KEEP, "deletionRules": [DELETION]}, ONE_DELETION),
        )
    ),
    *(
        Row("RayJob", {path: name}, message, path)
        for path in ("spec.managedBy", "spec.rayClusterSpec.managedBy")
        for name, message in (
            ("kueue.x-k8s.io/multikueue", ""),
            ("ray.io/kuberay-operator", ""),
            ("me", RAY_MANAGED_BY),
        )
    ),
    *(
        Row("TrainJob", {f"spec.initializer.{part}.storageUri": uri}, message, f"spec.initializer.{part}.storageUri")
        for part in ("dataset", "model")
        for uri, message in (("", ""), ("hf://a/b", ""), ("s3+x://a", ""), ("a/b", URI), ("://a", URI), ("hf://", URI))
    ),
]


def _env(container: str, value: str) -> list[Object]:
    return [{"name": container, "env": [{"name": "A", "value": value}]}]


TORCH = "spec.mlPolicy.torch"
PROCESSES = "NumProcPerNode must be equal to auto, cpu, gpu, or int value"
# Of a TrainingRuntime in Trainer 2.1, whose rules differ. The CRD of v2.1.0 was asked once.
RULES_OF_2_1 = [
    *(
        Row("TrainingRuntime", {f"{TORCH}.numProcPerNode": value}, message, f"{TORCH}.numProcPerNode")
        for value, message in (
            (1, ""),
            ("auto", ""),
            (0, PROCESSES),
            ("all", "no such overload"),  # of `self > 0`, which the other operand doesn't outweigh
        )
    ),
    Row(
        "TrainingRuntime",
        {f"{TORCH}.elasticPolicy": {"minNodes": 1}},
        "numNodes should not be set if torch.elasticPolicy is configured",
        "spec.mlPolicy",
    ),
    Row("TrainingRuntime", {f"{TORCH}.elasticPolicy": {"minNodes": 1}, "spec.mlPolicy.numNodes": DELETE}),
    Row("TrainingRuntime", {"spec.mlPolicy.mpi": {}}, ONE_POLICY, "spec.mlPolicy"),
]


class Change(NamedTuple):
    """Two versions of an object, by what they change in that of a kind, and the field that the API server refuses.

    `field` is empty if it accepts the change.
    """

    kind: str
    old: dict[str, Any]
    new: dict[str, Any]
    field: str = ""

    @property
    def manifests(self) -> tuple[Object, Object]:
        """Both versions."""
        old, new = (changed(BASES[self.kind], changes) for changes in (self.old, self.new))
        return old, new

    def __str__(self) -> str:
        return f"{self.kind} {self.field or 'accepted'} {', '.join({**self.old, **self.new})}"


ONCE_SET: dict[str, tuple[Any, Any]] = {
    "network": ({"enableDNSHostnames": True}, {"enableDNSHostnames": False}),
    "successPolicy": ({"operator": "All"}, {"operator": "Any"}),
    "failurePolicy": ({"maxRestarts": 1}, {"maxRestarts": 2}),
    "startupPolicy": ({"startupPolicyOrder": "AnyOrder"}, {"startupPolicyOrder": "InOrder"}),
    "volumeClaimPolicies": (_claims({"name": "data"}), _claims({"name": "logs"})),
}
PATCHED_POD: dict[str, tuple[Any, Any]] = {
    "containers": (_env("node", "1"), _env("node", "2")),
    "initContainers": (_env("init", "1"), _env("init", "2")),
    "imagePullSecrets": ([{"name": "a"}], [{"name": "b"}]),
    "securityContext": ({"runAsUser": 1}, {"runAsUser": 2}),
    "serviceAccountName": ("a", "b"),
    "terminationGracePeriodSeconds": (1, 2),
    "volumes": ([{"name": "a", "emptyDir": {}}], [{"name": "b", "emptyDir": {}}]),
}


def _patches(manager: str, **pod: Any) -> Object:
    jobs = [{"name": "node", "template": {"spec": {"template": {"spec": pod}}}}]
    patch = {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
    return {"spec.suspend": True, "spec.runtimePatches": [patch]}


def _immutable(kind: str, field: str, values: tuple[Any, Any]) -> Iterator[Change]:
    """Yield a change of the value, which is refused, and of a value that one of the versions lacks."""
    first, second = values
    yield Change(kind, {field: first}, {field: second}, field)
    yield Change(kind, {field: first}, {field: first})
    yield Change(kind, {}, {field: first})
    yield Change(kind, {field: first}, {})


POD_OF_PATCH = (
    "spec.runtimePatches[a.b/c].trainingRuntimeSpec.template.spec.replicatedJobs[node].template.spec.template.spec"
)
CHANGES = [
    *(change for field, values in ONCE_SET.items() for change in _immutable("JobSet", f"spec.{field}", values)),
    *(
        change
        for field, values in ONCE_SET.items()
        for change in _immutable("TrainingRuntime", f"spec.template.spec.{field}", values)
    ),
    *_immutable("PyTorchJob", "spec.runPolicy.schedulingPolicy.queue", ("a", "b")),
    *_immutable("TrainJob", "spec.activeDeadlineSeconds", (1, 2)),
    *_immutable("TrainJob", "spec.initializer", ({"dataset": {"storageUri": ""}}, {"model": {"storageUri": ""}})),
    Change("TrainJob", {}, {"spec.trainer.numNodes": 3}, "spec.trainer"),
    Change("TrainJob", {}, {"spec.runtimeRef.name": "other"}, "spec.runtimeRef"),
    # A default of the CRD.
    Change("TrainJob", {}, {"spec.managedBy": "kueue.x-k8s.io/multikueue"}, "spec.managedBy"),
    Change("TrainJob", {"spec.managedBy": "kueue.x-k8s.io/multikueue"}, {}, "spec.managedBy"),
    Change("TrainJob", {}, {"spec.managedBy": "trainer.kubeflow.org/trainjob-controller"}),
    *(
        Change(
            "TrainJob", _patches("a.b/c", **{field: old}), _patches("a.b/c", **{field: new}), f"{POD_OF_PATCH}.{field}"
        )
        for field, (old, new) in PATCHED_POD.items()
    ),
    Change("TrainJob", _patches("a.b/c", nodeSelector={"a": "1"}), _patches("a.b/c", nodeSelector={"a": "2"})),
    Change("TrainJob", _patches("a.b/c", serviceAccountName="a"), _patches("a.b/d", serviceAccountName="b")),
    Change("TrainJob", _patches("a.b/c", serviceAccountName="a"), _patches("a.b/c")),
]


def unique_lists(kind: str) -> Iterator[tuple[Path, Object | None]]:
    """Yield the path of each list of a kind whose items differ, and the default values of their keys if they have any.

    A `*` stands for each value of a mapping, 0 for each item of a list. The API server drops the status.
    """
    schema = document(SCHEMAS[kind])
    yield from _unique_lists(schema["properties"]["spec"], SCHEMAS[kind], ("spec",))


def _unique_lists(schema: Object, name: str, path: Path) -> Iterator[tuple[Path, Object | None]]:
    schema = _resolved(schema, name)
    if schema.get("uniqueItems") or "x-list-keys" in schema:
        yield path, schema.get("x-list-keys")
    for field, inner in schema.get("properties", {}).items():
        yield from _unique_lists(inner, name, (*path, field))
    for keyword, step in (("items", 0), ("additionalProperties", "*")):
        if isinstance(schema.get(keyword), dict):
            yield from _unique_lists(schema[keyword], name, (*path, step))


def with_duplicate(kind: str, path: Path) -> tuple[Object, Path]:
    """Return an object whose list at a path has two equal items, and the place of the second."""
    manifest: Object = json.loads(json.dumps(BASES[kind]))  # whose parts are not shared
    owner: Any = manifest
    schema, place = document(SCHEMAS[kind]), list(path)
    for index, step in enumerate(path):
        schema = _resolved(schema, SCHEMAS[kind])
        if step == 0:
            schema = schema["items"]
            if not owner:
                owner.append(_smallest(schema, SCHEMAS[kind]))
        elif step == "*":
            schema = schema["additionalProperties"]
            place[index] = next(iter(owner), "worker")
        else:
            schema = schema["properties"][step]
        if isinstance(owner, dict):
            owner.setdefault(place[index], _smallest(schema, SCHEMAS[kind]))
        owner = owner[place[index]]
    item = owner[0] if owner else _smallest(_resolved(schema, SCHEMAS[kind])["items"], SCHEMAS[kind])
    owner[:] = [item, copy.deepcopy(item)]
    return manifest, (*place, 1)


def _resolved(schema: Object, name: str) -> Object:
    return resolve(schema["$ref"], name)[0] if "$ref" in schema else schema


def _smallest(schema: Object, name: str) -> Any:
    """Return a value that a schema accepts, without optional fields."""
    schema = _resolved(schema, name)
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return {field: _smallest(schema["properties"][field], name) for field in schema.get("required", [])}
    if kind == "array":
        return [_smallest(schema["items"], name) for _ in range(schema.get("minItems", 0))]
    return {"string": "a", "integer": schema.get("minimum", 1), "boolean": True}[kind]
