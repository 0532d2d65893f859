"""Changes of healthy Jobs, StatefulSets and Pods, and the field that the API server rejects after each.

`tests/cluster/test_api_verdicts.py` asks a real API server about every row, and a unit test asks `trainc check`.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

Object = dict[str, Any]
DELETE = object()
STANDALONE = ["torchrun", "--standalone", "train.py", "--checkpoint=/data/ckpt"]
TORCHRUN = ["torchrun", "--nnodes=2", "--nproc-per-node=1", "--node-rank=$(RANK)", "--master-addr=train-0.train"]
NUMBER = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}
ORDINAL = {"fieldRef": {"fieldPath": "metadata.labels['apps.kubernetes.io/pod-index']"}}


def _file(kind: str, path: str) -> Object:
    """Return a source of a projected volume."""
    return {kind: {"name": "settings", "items": [{"key": "a", "path": path}]}}


def _pod(number: Object, restart_policy: str) -> Object:
    return {
        "restartPolicy": restart_policy,
        "subdomain": "train",
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "tmp", "emptyDir": {}}],
        "containers": [
            {
                "name": "main",
                "image": "registry.example/train:1.0",
                "command": [*TORCHRUN, "--master-port=29500", "train.py", "--checkpoint=/data/ckpt"],
                "env": [{"name": "RANK", "valueFrom": number}, {"name": "EPOCHS", "value": "3"}],
                "ports": [{"name": "rendezvous", "containerPort": 29500}],
                "resources": {"limits": {"nvidia.com/gpu": 1, "memory": "8Gi"}, "requests": {"cpu": "2"}},
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            }
        ],
    }


def _workload(api_version: str, kind: str, spec: Object, pod: Object) -> Object:
    template = {"metadata": {"labels": {"app": "train"}}, "spec": pod}
    metadata = {"name": "train", "labels": {"team": "vision"}}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": {**spec, "template": template}}


BASES: dict[str, Object] = {
    "Job": _workload(
        "batch/v1",
        "Job",
        {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimit": 3},
        _pod(NUMBER, "Never"),
    ),
    "StatefulSet": _workload(
        "apps/v1",
        "StatefulSet",
        {
            "replicas": 2,
            "serviceName": "train",
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {"app": "train"}},
        },
        _pod(ORDINAL, "Always"),
    ),
    "Pod": {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "train-0", "labels": {"app": "train"}},
        "spec": _pod({"fieldRef": {"fieldPath": "metadata.name"}}, "Never")
        | {"containers": [{"name": "main", "image": "train:1.0", "command": STANDALONE}]},
    },
}
SERVICE: Object = {  # of the names of the pods
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "train"},
    "spec": {"clusterIP": "None", "selector": {"app": "train"}},
}
T = "spec.template.spec"
C = f"{T}.containers.0"
SINGLE: dict[str, Any] = {  # a Job of one pod without an index
    "spec.completions": 1,
    "spec.parallelism": 1,
    f"{C}.command": STANDALONE,
    "spec.completionMode": "NonIndexed",
    f"{C}.env": [],
}


def steps_of(path: str) -> tuple[str | int, ...]:
    """Return the steps of a path; a dot after a backslash is part of a name."""
    steps = [step.replace("\0", ".") for step in path.replace("\\.", "\0").split(".")] if path else []
    return tuple(int(step) if step.isdecimal() else step for step in steps)


def changed(base: Object, changes: dict[str, Any]) -> Object:
    """Return an object with other values, by path."""
    manifest = copy.deepcopy(base)
    for path, value in changes.items():
        *steps, last = steps_of(path)
        owner: Any = manifest
        for step in steps:
            owner = owner[step] if isinstance(step, int) else owner.setdefault(step, {})
        if value is DELETE:
            del owner[last]
        elif last == len(owner):
            owner.append(value)
        else:
            owner[last] = copy.deepcopy(value)
    return manifest


class Row(NamedTuple):
    """Values to set in the object of a kind, by path. `field` is the field that the API server rejects, empty if none.

    `code` is the code of trainc's diagnostic about an accepted object.
    """

    kind: str
    changes: dict[str, Any]
    field: str
    code: str = ""

    @property
    def manifest(self) -> Object:
        """The changed object."""
        return changed(BASES[self.kind], self.changes)

    def __str__(self) -> str:
        return f"{self.kind} {', '.join(self.changes)}"


def _rules(*rules: Object, **policy: Any) -> Object:
    return {"rules": list(rules), **policy}


EXIT: Object = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}}
HTTP = {"httpGet": {"path": "/", "port": 80}}


def _affinity(**expression: Any) -> Object:
    terms = [{"matchExpressions": [{"key": "zone", **expression}]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def _spread(**fields: Any) -> list[Object]:
    own = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    return [{**own, "labelSelector": {"matchLabels": {"app": "train"}}, **fields}]


POD_TERM = ".podAffinity.requiredDuringSchedulingIgnoredDuringExecution.0"


def _pods(**term: Any) -> Object:
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", **term}]}}


def _from_file(**reference: Any) -> Object:
    own = {"volumeName": "tmp", "path": "env", "key": "A"}
    return {"name": "X", "valueFrom": {"fileKeyRef": {**own, **reference}}}


def _claim(**spec: Any) -> Object:
    own = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"ephemeral": {"volumeClaimTemplate": {"spec": {**own, **spec}}}}


def _claim_with(metadata: Object) -> Object:
    claim = _claim()
    claim["ephemeral"]["volumeClaimTemplate"]["metadata"] = metadata
    return claim


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_FIELD_TERMS = f"nodeAffinity.{_REQUIRED}.nodeSelectorTerms.0.matchFields"


def _fields(**term: Any) -> Object:
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchFields": [term]}]}}}


ROWS = [
    *(Row(kind, {}, "") for kind in BASES),
    Row("Job", {"spec.suspend": None, f"{C}.args": None, f"{T}.nodeSelector": None}, ""),
    # fields of a Job
    Row("Job", {"spec.backofLimit": 3}, "spec.backofLimit"),
    Row("Job", {"spec.parallelism": -1}, "spec.parallelism"),
    Row("Job", {"spec.completions": DELETE}, "spec.completions"),
    Row("Job", {"spec.completions": DELETE, "spec.parallelism": DELETE, f"{C}.command": STANDALONE}, ""),
    Row("Job", {"spec.completionMode": "indexed"}, "spec.completionMode"),
    Row("Job", {"spec.backoffLimit": -1}, "spec.backoffLimit"),
    Row("Job", {"spec.backoffLimit": "3"}, "spec.backoffLimit"),
    Row("Job", {"spec.activeDeadlineSeconds": -1}, "spec.activeDeadlineSeconds"),
    Row("Job", {"spec.ttlSecondsAfterFinished": -1}, "spec.ttlSecondsAfterFinished"),
    Row("Job", {"spec.suspend": "no"}, "spec.suspend"),
    Row("Job", {"spec.managedBy": "me"}, "spec.managedBy"),
    Row("Job", {"spec.backoffLimitPerIndex": 1, "spec.maxFailedIndexes": 1}, ""),
    Row("Job", {"spec.backoffLimitPerIndex": 1, "spec.completionMode": "NonIndexed"}, "spec.backoffLimitPerIndex"),
    Row("Job", {"spec.maxFailedIndexes": 1}, "spec.maxFailedIndexes"),
    Row("Job", {"spec.backoffLimitPerIndex": 1, "spec.maxFailedIndexes": 3}, "spec.maxFailedIndexes"),
    Row("Job", {"spec.podFailurePolicy": _rules(EXIT)}, ""),
    Row("Job", {"spec.podFailurePolicy": _rules(EXIT), f"{T}.restartPolicy": "OnFailure"}, f"{T}.restartPolicy"),
    Row(
        "Job",
        {"spec.podFailurePolicy": _rules(EXIT), "spec.podReplacementPolicy": "TerminatingOrFailed"},
        "spec.podReplacementPolicy",
    ),
    Row("Job", {"spec.podReplacementPolicy": "Always"}, "spec.podReplacementPolicy"),
    Row(
        "Job",
        {"spec.podFailurePolicy": _rules({**EXIT, "action": "FailIndex"})},
        "spec.podFailurePolicy.rules.0.action",
    ),
    Row("Job", {"spec.podFailurePolicy": _rules({**EXIT, "action": "Fail"})}, "spec.podFailurePolicy.rules.0.action"),
    Row("Job", {"spec.podFailurePolicy": _rules({"action": "Ignore"})}, "spec.podFailurePolicy.rules.0"),
    Row(
        "Job",
        {
            "spec.podFailurePolicy": _rules(
                {**EXIT, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
            )
        },
        "spec.podFailurePolicy.rules.0",
    ),
    Row(
        "Job",
        {"spec.podFailurePolicy": _rules({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]})},
        "",
    ),
    *(
        Row(
            "Job",
            {"spec.podFailurePolicy": _rules({**EXIT, "onExitCodes": {**EXIT["onExitCodes"], **change}})},
            f"spec.podFailurePolicy.rules.0.onExitCodes.{field}",
        )
        for change, field in (
            ({"values": [0, 1]}, "values.0"),
            ({"values": [2, 1]}, "values"),
            ({"values": [1, 1]}, "values"),
            ({"values": []}, "values"),
            ({"operator": "Is"}, "operator"),
            ({"containerName": "trainer"}, "containerName"),
        )
    ),
    Row("Job", {"spec.successPolicy": _rules({"succeededIndexes": "0"})}, ""),
    Row(
        "Job", {"spec.successPolicy": _rules({"succeededIndexes": "2"})}, "spec.successPolicy.rules.0.succeededIndexes"
    ),
    Row("Job", {"spec.successPolicy": _rules({"succeededCount": 3})}, "spec.successPolicy.rules.0.succeededCount"),
    Row("Job", {"spec.successPolicy": _rules({})}, "spec.successPolicy.rules.0"),
    Row("Job", {"spec.successPolicy": _rules()}, "spec.successPolicy.rules"),
    Row(
        "Job",
        {"spec.successPolicy": _rules({"succeededIndexes": "0"}), "spec.completionMode": "NonIndexed"},
        "spec.successPolicy",
    ),
    Row("Job", {"spec.selector": {"matchLabels": {"app": "train"}}}, "spec.selector"),
    Row("Job", {"spec.manualSelector": True, "spec.selector": {"matchLabels": {"app": "train"}}}, ""),
    Row(
        "Job",
        {"spec.manualSelector": True, "spec.selector": {"matchLabels": {"app": "trains"}}},
        "spec.template.metadata.labels",
    ),
    Row("Job", {f"{T}.restartPolicy": "Always"}, f"{T}.restartPolicy"),
    Row("Job", {f"{T}.restartPolicy": DELETE}, f"{T}.restartPolicy"),
    # fields of a StatefulSet
    Row("StatefulSet", {"spec.replica": 2}, "spec.replica"),
    Row("StatefulSet", {"spec.replicas": -1}, "spec.replicas"),
    Row("StatefulSet", {"spec.selector": DELETE}, "spec.selector"),
    Row("StatefulSet", {"spec.selector": {}}, "spec.selector"),
    Row("StatefulSet", {"spec.selector.matchLabels.app": "trains"}, "spec.template.metadata.labels"),
    Row("StatefulSet", {"spec.template.metadata.labels": DELETE}, "spec.template.metadata.labels"),
    Row(
        "StatefulSet",
        {"spec.selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["train", "test"]}]}},
        "",
    ),
    Row(
        "StatefulSet",
        {"spec.selector.matchExpressions": [{"key": "app", "operator": "Exists", "values": ["train"]}]},
        "spec.selector.matchExpressions.0.values",
    ),
    Row("StatefulSet", {f"{T}.restartPolicy": "OnFailure"}, f"{T}.restartPolicy"),
    Row("StatefulSet", {f"{T}.restartPolicy": DELETE}, ""),
    Row("StatefulSet", {f"{T}.activeDeadlineSeconds": 60}, f"{T}.activeDeadlineSeconds"),
    Row("StatefulSet", {"spec.serviceName": "Train_1"}, "spec.serviceName"),
    Row("StatefulSet", {"spec.podManagementPolicy": "parallel"}, "spec.podManagementPolicy"),
    Row("StatefulSet", {"spec.updateStrategy": {"type": "Recreate"}}, "spec.updateStrategy.type"),
    Row(
        "StatefulSet",
        {"spec.updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}},
        "spec.updateStrategy.rollingUpdate",
    ),
    Row(
        "StatefulSet",
        {"spec.updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}},
        "spec.updateStrategy.rollingUpdate.partition",
    ),
    Row("StatefulSet", {"spec.ordinals": {"start": -1}}, "spec.ordinals.start"),
    Row("StatefulSet", {"spec.minReadySeconds": -1}, "spec.minReadySeconds"),
    Row(
        "StatefulSet",
        {"spec.persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Keep"}},
        "spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
    ),
    Row(
        "StatefulSet",
        {
            "spec.volumeClaimTemplates": [
                {
                    "metadata": {"name": "own"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
                }
            ],
            f"{C}.volumeMounts.1": {"name": "own", "mountPath": "/own"},
        },
        "",
    ),
    # metadata
    Row("Job", {"metadata.name": "Train_1"}, "metadata.name"),
    Row("Job", {"metadata.name": "t" * 62}, "metadata.name"),
    Row("Job", {"metadata.label": {"a": "b"}}, "metadata.label"),
    Row("Job", {"metadata.labels.team": "a b"}, "metadata.labels.team"),
    Row("Job", {"metadata.labels.team": 1}, "metadata.labels.team"),
    Row("Job", {"metadata.annotations": {"a b": "c"}}, "metadata.annotations.a b"),
    Row("Job", {"spec.template.metadata.labels": {"app": "-"}}, "spec.template.metadata.labels.app"),
    Row("Pod", {"metadata.name": "train_0"}, "metadata.name"),
    # pods
    Row("Job", {f"{T}.backoffLimit": 3}, f"{T}.backoffLimit"),
    Row("Pod", {"spec.restartPolicy": "Sometimes"}, "spec.restartPolicy"),
    *(
        Row(kind, {f"{pod}.ephemeralContainers": [{"name": "x", "image": "x:1"}]}, f"{pod}.ephemeralContainers")
        for kind, pod in (("Pod", "spec"), ("Job", "spec.template.spec"))
    ),
    Row("Pod", {"spec.activeDeadlineSeconds": 0}, "spec.activeDeadlineSeconds"),
    Row("Job", {f"{T}.hostname": "Train.0"}, f"{T}.hostname"),
    Row("Job", {f"{T}.subdomain": "train.default"}, f"{T}.subdomain"),
    Row("Job", {f"{T}.serviceAccountName": "my_account"}, f"{T}.serviceAccountName"),
    Row("Job", {f"{T}.dnsPolicy": "None"}, f"{T}.dnsPolicy"),
    Row("Job", {f"{T}.nodeSelector": {"gpu": "a b"}}, f"{T}.nodeSelector.gpu"),
    Row("Job", {f"{T}.nodeSelector": {"gpu": True}}, f"{T}.nodeSelector.gpu"),
    Row("Job", {f"{T}.tolerations": [{"operator": "Exists"}]}, ""),
    Row("Job", {f"{T}.tolerations": [{"key": "gpu", "operator": "Exists", "value": "a"}]}, f"{T}.tolerations.0.value"),
    Row("Job", {f"{T}.tolerations": [{"effect": "NoSchedule"}]}, f"{T}.tolerations.0"),
    Row("Job", {f"{T}.tolerations": [{"key": "gpu", "effect": "NoStart"}]}, f"{T}.tolerations.0.effect"),
    Row(
        "Job",
        {f"{T}.tolerations": [{"key": "gpu", "effect": "NoSchedule", "tolerationSeconds": 5}]},
        f"{T}.tolerations.0.tolerationSeconds",
    ),
    Row("Job", {f"{T}.affinity": _affinity(operator="In", values=["a"])}, ""),
    *(
        Row(
            "Job",
            {f"{T}.affinity": _affinity(**expression)},
            f"{T}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0."
            f"matchExpressions.0.{field}",
        )
        for expression, field in (
            ({"operator": "In"}, "values"),
            ({"operator": "Exists", "values": ["a"]}, "values"),
            ({"operator": "Gt", "values": ["1", "2"]}, "values"),
            ({"operator": "Is", "values": ["a"]}, "operator"),
        )
    ),
    Row("Job", {f"{T}.topologySpreadConstraints": _spread()}, ""),
    Row("Job", {f"{T}.topologySpreadConstraints": _spread(maxSkew=0)}, f"{T}.topologySpreadConstraints.0.maxSkew"),
    Row(
        "Job",
        {f"{T}.topologySpreadConstraints": _spread(whenUnsatisfiable="Never")},
        f"{T}.topologySpreadConstraints.0.whenUnsatisfiable",
    ),
    Row("Job", {f"{T}.hostPID": True, f"{T}.shareProcessNamespace": True}, f"{T}.shareProcessNamespace"),
    Row("Job", {f"{T}.securityContext": {"runAsUser": -1}}, f"{T}.securityContext.runAsUser"),
    Row("Job", {f"{T}.hostNetwork": True}, ""),
    # containers
    Row("Job", {f"{C}.imagePullPolice": "Always"}, f"{C}.imagePullPolice"),
    Row("Job", {f"{C}.image": DELETE}, f"{C}.image"),
    Row("Pod", {"spec.containers.0.image": ""}, "spec.containers.0.image"),
    Row("StatefulSet", {f"{C}.image": DELETE}, f"{C}.image"),
    Row("Pod", {"spec.containers.0.image": " train:1"}, "spec.containers.0.image"),
    Row("Job", {f"{C}.name": "Main"}, f"{C}.name"),
    Row("Job", {f"{C}.name": DELETE}, f"{C}.name"),
    Row("Job", {f"{T}.containers.1": {"name": "main", "image": "a"}}, f"{T}.containers.1.name"),
    Row("Job", {f"{T}.initContainers": [{"name": "main", "image": "a"}]}, f"{T}.initContainers.0.name"),
    Row(
        "Job",
        {f"{T}.initContainers": [{"name": "init", "image": "a", "readinessProbe": HTTP}]},
        f"{T}.initContainers.0.readinessProbe",
    ),
    Row("Job", {f"{C}.imagePullPolicy": "always"}, f"{C}.imagePullPolicy"),
    Row("Job", {f"{C}.command": "torchrun train.py"}, f"{C}.command"),
    Row("Job", {f"{C}.args": [1]}, f"{C}.args.0"),
    Row("Job", {f"{C}.ports.0.containerPort": 70000}, f"{C}.ports.0.containerPort"),
    Row("Job", {f"{C}.ports.0.containerPort": "29500"}, f"{C}.ports.0.containerPort"),
    Row("Job", {f"{C}.ports.0.name": "master_port"}, f"{C}.ports.0.name"),
    Row("Job", {f"{C}.ports.0.name": "a-port-with-a-long-name"}, f"{C}.ports.0.name"),
    Row("Job", {f"{C}.ports.1": {"name": "rendezvous", "containerPort": 1}}, f"{C}.ports.1.name"),
    Row("Job", {f"{C}.ports.0.protocol": "http"}, f"{C}.ports.0.protocol"),
    Row("Job", {f"{T}.hostNetwork": True, f"{C}.ports.0.hostPort": 29501}, f"{C}.ports.0.hostPort"),
    Row("Job", {f"{C}.env.1.value": 3}, f"{C}.env.1.value"),
    Row("Job", {f"{C}.env.1.name": "A=B"}, f"{C}.env.1.name"),
    Row("Job", {f"{C}.env.0.value": "0"}, f"{C}.env.0.name"),
    Row("Job", {f"{C}.env.0.valueFrom": {}}, f"{C}.env.0.valueFrom"),
    Row("Job", {f"{C}.env.0.valueFrom.fieldRef.fieldPath": "status.phase"}, f"{C}.env.0.valueFrom.fieldRef.fieldPath"),
    Row(
        "Job",
        {f"{C}.env.0.valueFrom": {"resourceFieldRef": {"resource": "limits.gpu"}}},
        f"{C}.env.0.valueFrom.resourceFieldRef.resource",
    ),
    Row("Job", {f"{C}.envFrom": [{}]}, f"{C}.envFrom.0"),
    Row("Job", {f"{C}.resources.requests.cpu": "two"}, f"{C}.resources.requests.cpu"),
    Row("Job", {f"{C}.resources.limits.memory": "8GB"}, f"{C}.resources.limits.memory"),
    Row("Job", {f"{C}.resources.limits.memory": "-1"}, f"{C}.resources.limits.memory"),
    Row("Job", {f"{C}.resources.limits.nvidia\\.com/gpu": "0.5"}, f"{C}.resources.limits.nvidia\\.com/gpu"),
    Row("Job", {f"{C}.resources.limits.gpu": 1}, f"{C}.resources.limits.gpu"),
    Row("Job", {f"{C}.resources.requests.memory": "9Gi"}, f"{C}.resources.requests.memory"),
    Row("Job", {f"{C}.resources.requests.amd\\.com/gpu": 1}, f"{C}.resources.requests.amd\\.com/gpu"),
    Row("Job", {f"{C}.resources.claims": [{"name": "gpu"}]}, f"{C}.resources.claims.0"),
    Row("Job", {f"{C}.volumeMounts.0.name": "dataset"}, f"{C}.volumeMounts.0.name"),
    Row(
        "Job",
        {f"{C}.resources.limits.hugepages-2Mi": "4Mi", f"{C}.resources.requests.hugepages-2Mi": "2Mi"},
        f"{C}.resources.requests.hugepages-2Mi",
    ),
    Row("Job", {f"{C}.resources.limits.hugepages-2Mi": "3Mi"}, f"{C}.resources.limits.hugepages-2Mi"),
    Row(
        "Job",
        {f"{T}.volumes.1": {"name": "tmp", "projected": {"sources": [{"serviceAccountToken": {"path": "../a"}}]}}},
        f"{T}.volumes.1.projected.sources.0.serviceAccountToken.path",
    ),
    Row("Job", {f"{C}.volumeMounts.0.mountPath": ""}, f"{C}.volumeMounts.0.mountPath"),
    Row("Job", {f"{C}.volumeMounts.1": {"name": "tmp", "mountPath": "/data"}}, f"{C}.volumeMounts.1.mountPath"),
    Row("Job", {f"{C}.volumeMounts.0.subPath": "../a"}, f"{C}.volumeMounts.0.subPath"),
    Row("Job", {f"{C}.livenessProbe": {}}, f"{C}.livenessProbe"),
    Row("Job", {f"{C}.livenessProbe": {**HTTP, "exec": {"command": ["true"]}}}, f"{C}.livenessProbe"),
    Row("Job", {f"{C}.livenessProbe": {**HTTP, "successThreshold": 2}}, f"{C}.livenessProbe.successThreshold"),
    Row("Job", {f"{C}.lifecycle": {"preStop": {}}}, f"{C}.lifecycle.preStop"),
    Row(
        "Job",
        {f"{C}.securityContext": {"privileged": True, "allowPrivilegeEscalation": False}},
        f"{C}.securityContext.allowPrivilegeEscalation",
    ),
    # volumes
    Row("Job", {f"{T}.volumes.0.name": "Data"}, f"{T}.volumes.0.name"),
    Row("Job", {f"{T}.volumes.1.name": "data"}, f"{T}.volumes.1.name"),
    Row("Job", {f"{T}.volumes.1": {"name": "tmp"}}, ""),
    Row("Job", {f"{T}.volumes.1.hostPath": {"path": "/a"}}, f"{T}.volumes.1.hostPath"),
    Row("Job", {f"{T}.volumes.1": {"name": "tmp", "hostPath": {"path": "/a/../b"}}}, f"{T}.volumes.1.hostPath.path"),
    Row("Job", {f"{T}.volumes.1": {"name": "tmp", "configMap": {}}}, f"{T}.volumes.1.configMap.name"),
    Row("Job", {f"{T}.volumes.1": {"name": "tmp", "secret": {"name": "a"}}}, f"{T}.volumes.1.secret.name"),
    Row("Job", {f"{T}.volumes.1": {"name": "tmp", "secret": {}}}, f"{T}.volumes.1.secret.secretName"),
    Row(
        "Job", {f"{T}.volumes.0.persistentVolumeClaim.claimName": ""}, f"{T}.volumes.0.persistentVolumeClaim.claimName"
    ),
    Row("Job", {f"{T}.volumes.1.emptyDir.sizeLimit": "-1"}, f"{T}.volumes.1.emptyDir.sizeLimit"),
    # names and numbers that the API server accepts in some objects only
    Row("Job", {**SINGLE, "metadata.name": "resnet50-v1.5"}, "", "TC5050"),
    Row("Job", {"metadata.name": "resnet50-v1.5"}, "metadata.name"),
    Row("Job", {**SINGLE, "metadata.name": "50-resnet"}, "", "TC5050"),
    Row("Job", {**SINGLE, "metadata.name": "t" * 63}, ""),
    Row("Job", {**SINGLE, "metadata.name": "t" * 64}, "metadata.name"),
    Row("StatefulSet", {"metadata.name": "resnet50-v1.5"}, "metadata.name"),
    Row("Pod", {"metadata.name": "resnet50-v1.5"}, "", "TC5050"),
    Row("Pod", {"metadata.name": "t" * 100}, ""),
    Row("Job", {f"{T}.serviceAccountName": "team.trainer"}, ""),
    Row("Job", {f"{T}.priorityClassName": "high.priority"}, ""),
    Row("Job", {"metadata.annotations": {"Example.com/a": "b"}}, ""),
    Row("Job", {"metadata.labels": {"a": ""}}, ""),
    Row("Job", {"spec.parallelism": 100_001, "spec.completions": 100_001}, "spec.parallelism"),
    Row("Job", {"spec.backoffLimit": 2**31 - 1}, ""),
    Row("Job", {"spec.backoffLimit": 2**31}, "spec.backoffLimit"),
    # values that the kubelet rejects
    *(
        Row("Job", {f"{C}.image": image}, "", "TC4086")
        for image in (
            "my image:1",
            "train:1 ",
            "TRAIN:1",
            "registry.example/Train:1",
            "train:",
            "http://registry/train:1",
        )
    ),
    *(Row("Job", {f"{C}.image": image}, "") for image in ("localhost:5000/a/b:1", "registry.example/a__b:1_0.x")),
    *(Row("Job", {f"{T}.volumes.1.emptyDir.medium": name}, "", "TC2005") for name in ("memory", "disk")),
    *(Row("Job", {f"{T}.volumes.1.emptyDir.medium": name}, "") for name in ("Memory", "HugePages-2Mi", "")),
    Row("Job", {"spec.activeDeadlineSeconds": 0}, "", "TC4086"),
    # priorities that the admission plugin rejects in pods, see test_api_verdicts.py
    *(Row("Job", {f"{T}.priority": value}, "", "TC4087") for value in (5, -1)),
    Row("Job", {f"{T}.priority": 5, f"{T}.priorityClassName": "system-node-critical"}, "", "TC4086"),
    Row("Job", {f"{T}.priority": 2_000_001_000, f"{T}.priorityClassName": "system-node-critical"}, ""),
    Row("Job", {f"{T}.priority": 0}, ""),
    Row("Job", {f"{T}.priority": 5, f"{T}.priorityClassName": "high"}, ""),
    # values that the cluster doesn't use as they are written
    *(Row(kind, {f"{T}.terminationGracePeriodSeconds": -1}, "", "TC4087") for kind in ("Job", "StatefulSet")),
    Row("Pod", {"spec.terminationGracePeriodSeconds": -1}, "", "TC4087"),
    Row("Job", {f"{C}.env.2": {"name": "EPOCHS", "value": "4"}}, "", "TC4087"),
    Row("Job", {f"{C}.volumeMounts.1": {"name": "tmp", "mountPath": "/data/"}}, "", "TC4087"),
    Row("Job", {f"{C}.volumeMounts.1": {"name": "tmp", "mountPath": "cache"}}, "", "TC4087"),
    Row("Job", {f"{C}.volumeMounts.1": {"name": "tmp", "mountPath": "/a:b"}}, "", "TC4087"),
    # variables
    *(Row("Job", {f"{C}.env.1.name": name}, "", "TC5050") for name in ("A B", "a/b", "A:B", "(A)")),
    *(Row("Job", {f"{C}.env.1.name": name}, "") for name in ("1A", "1", "A.B", "A-B", ".A")),
    Row("Job", {f"{C}.env.0.value": ""}, ""),
    *(Row("Job", {f"{C}.env.1.name": name}, f"{C}.env.1.name") for name in ("", "\u00e9", "A=")),
    Row("Job", {f"{C}.envFrom": [{"configMapRef": {"name": "A_b"}}]}, f"{C}.envFrom.0.configMapRef.name"),
    *(
        Row(
            "Job",
            {f"{C}.env.1": {"name": "X", "valueFrom": {reference: {"name": name, "key": key}}}},
            f"{C}.env.1.valueFrom.{reference}.{field}",
        )
        for reference, name, key, field in (
            ("secretKeyRef", "s", "a b", "key"),
            ("secretKeyRef", "", "a", "name"),
            ("configMapKeyRef", "S_", "a", "name"),
        )
    ),
    # capabilities and quantities
    Row(
        "Job",
        {f"{C}.securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"add": ["SYS_ADMIN"]}}},
        "",
    ),
    Row(
        "Job",
        {f"{C}.securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN"]}}},
        f"{C}.securityContext.allowPrivilegeEscalation",
    ),
    *(Row("Job", {f"{C}.resources.limits.nvidia\\.com/gpu": count}, "", "TC5050") for count in ("1.0", "1000m", "1k")),
    Row("Job", {f"{C}.resources.requests.cpu": "0.0001"}, ""),
    Row("Job", {f"{C}.resources.requests.cpu": "1e0"}, ""),
    # empty values, for which the API server sets the default, and null in mappings
    *(Row("Job", {f"{C}.{field}": ""}, "") for field in ("imagePullPolicy", "terminationMessagePolicy")),
    *(Row("Job", {f"{C}.{field}": ""}, f"{C}.{field}") for field in ("restartPolicy", "securityContext.procMount")),
    Row("Job", {f"{T}.dnsPolicy": "", f"{T}.schedulerName": ""}, ""),
    Row("Job", {f"{T}.preemptionPolicy": ""}, f"{T}.preemptionPolicy"),
    Row("Job", {f"{C}.ports.0.protocol": ""}, ""),
    Row("Job", {f"{C}.livenessProbe": {"httpGet": {"port": 80, "scheme": ""}}}, ""),
    Row("Job", {f"{C}.securityContext.seccompProfile.type": ""}, f"{C}.securityContext.seccompProfile.type"),
    Row("Job", {f"{C}.volumeMounts.0.mountPropagation": ""}, f"{C}.volumeMounts.0.mountPropagation"),
    Row("Job", {f"{T}.volumes.1": {"name": "tmp", "image": {"reference": "data:1", "pullPolicy": ""}}}, ""),
    Row("Job", {f"{T}.tolerations": [{"key": "gpu", "operator": "", "effect": ""}]}, ""),
    Row("Job", {f"{T}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution": None}, ""),
    *(
        Row(
            "Job",
            {f"{T}.affinity.nodeAffinity.{_PREFERRED}": [{"weight": 1, "preference": {"matchExpressions": [term]}}]},
            field,
        )
        for term, field in (
            ({"key": "gpu", "operator": "In", "values": ["A100."]}, ""),
            (
                {"key": "gpu.", "operator": "In", "values": ["A100"]},
                f"{T}.affinity.nodeAffinity.{_PREFERRED}.0.preference.matchExpressions.0.key",
            ),
        )
    ),
    Row("Job", {"spec.completionMode": ""}, "spec.completionMode"),
    Row("Job", {"spec.podReplacementPolicy": ""}, "spec.podReplacementPolicy"),
    Row(
        "Job",
        {"spec.podFailurePolicy": _rules({"action": "Ignore", "onPodConditions": [{"type": "A", "status": ""}]})},
        "",
    ),
    Row("Job", {"spec.successPolicy": _rules({"succeededIndexes": ""})}, ""),
    Row("Job", {"spec.successPolicy": _rules({"succeededCount": 0})}, ""),
    Row("Job", {"spec.activeDeadlineSeconds": 2**31}, ""),
    Row("StatefulSet", {"spec.updateStrategy": {"type": ""}, f"{T}.restartPolicy": ""}, ""),
    Row("StatefulSet", {"spec.podManagementPolicy": ""}, ""),
    Row("StatefulSet", {"spec.persistentVolumeClaimRetentionPolicy": {"whenDeleted": "", "whenScaled": ""}}, ""),
    Row("Pod", {"spec.restartPolicy": ""}, ""),
    *(Row("Job", {f"metadata.{field}": {"a": None}}, "") for field in ("labels", "annotations")),
    Row("Job", {f"{T}.nodeSelector": {"a": None}}, ""),
    Row("Job", {f"{C}.resources.requests.cpu": None}, ""),
    # values of single fields
    *(Row("Job", {f"{C}.env.1": _from_file(path=path)}, "") for path in ("env", "/env", "..env")),
    *(
        Row("Job", {f"{T}.{field}": value}, f"{T}.{field}{inner}")
        for field, value, inner in (
            ("tolerations", [{"key": "a b", "operator": "Exists"}], ".0.key"),
            ("tolerations", [{"key": "a", "value": "a b"}], ".0.value"),
            ("topologySpreadConstraints", _spread(topologyKey=""), ".0.topologyKey"),
            ("topologySpreadConstraints", _spread(matchLabelKeys=["a b"]), ".0.matchLabelKeys.0"),
            ("topologySpreadConstraints", _spread(matchLabelKeys=["a"], labelSelector=None), ".0.matchLabelKeys"),
            ("topologySpreadConstraints", [*_spread(), *_spread(maxSkew=2)], ".1"),
            ("runtimeClassName", "", ""),
            ("dnsConfig", {"nameservers": ["dns.example"]}, ".nameservers.0"),
            ("dnsConfig", {"searches": ["svc.example.", "_tcp.example", "A"]}, ".searches.2"),
            (
                "affinity",
                _pods(namespaceSelector={"matchLabels": {"a": "/a"}}),
                POD_TERM + ".namespaceSelector.matchLabels.a",
            ),
            ("affinity", _pods(mismatchLabelKeys=["a"]), POD_TERM + ".mismatchLabelKeys"),
            ("dnsConfig", {"nameservers": ["10.0.0.1"] * 4}, ".nameservers"),
            ("dnsConfig", {"options": [{"name": ""}]}, ".options.0.name"),
            ("hostAliases", [{"ip": "master", "hostnames": ["a"]}], ".0.ip"),
            ("hostAliases", [{"ip": "10.0.0.1", "hostnames": ["a_b"]}], ".0.hostnames.0"),
            ("readinessGates", [{"conditionType": "a b"}], ".0.conditionType"),
            ("schedulingGates", [{"name": "a b"}], ".0.name"),
            ("securityContext", {"supplementalGroups": [-1]}, ".supplementalGroups.0"),
            ("securityContext", {"sysctls": [{"name": "A B", "value": "1"}]}, ".sysctls.0.name"),
            ("securityContext", {"seccompProfile": {"type": "Localhost"}}, ".seccompProfile"),
            ("resourceClaims", [{"name": "a"}], ".0"),
            ("resourceClaims", [{"name": "a", "resourceClaimName": "A_"}], ".0.resourceClaimName"),
            ("hostnameOverride", "A_", ""),
        )
    ),
    Row("Job", {f"{T}.dnsConfig": {"nameservers": ["10.0.0.1"], "options": [{"name": "ndots", "value": "1"}]}}, ""),
    Row("Job", {f"{T}.topologySpreadConstraints": [*_spread(), *_spread(whenUnsatisfiable="ScheduleAnyway")]}, ""),
    Row("Job", {f"{T}.resourceClaims": [{"name": "a", "resourceClaimName": "c"}]}, ""),
    Row("Job", {f"{T}.hostUsers": False}, ""),
    Row("Job", {f"{T}.hostUsers": False, f"{T}.hostPID": True}, f"{T}.hostUsers"),
    Row("Job", {f"{T}.hostnameOverride": "a", f"{T}.hostNetwork": True}, f"{T}.hostnameOverride"),
    *(
        Row("Job", {f"{C}.livenessProbe": {**HTTP, field: least - 1}}, f"{C}.livenessProbe.{field}")
        for least, field in ((0, "periodSeconds"), (0, "failureThreshold"), (1, "terminationGracePeriodSeconds"))
    ),
    Row("Job", {f"{C}.livenessProbe": {**HTTP, "periodSeconds": 0, "failureThreshold": 0, "timeoutSeconds": 0}}, ""),
    Row(
        "Job",
        {f"{C}.readinessProbe": {**HTTP, "terminationGracePeriodSeconds": 5}},
        f"{C}.readinessProbe.terminationGracePeriodSeconds",
    ),
    Row("Job", {f"{C}.livenessProbe": {"exec": {}}}, f"{C}.livenessProbe.exec.command"),
    *(
        Row("Job", {f"{C}.livenessProbe": {handler: {"port": port}}}, f"{C}.livenessProbe.{handler}.port")
        for handler, port in (
            ("httpGet", 0),
            ("httpGet", "80"),
            ("tcpSocket", "a_b"),
            ("tcpSocket", 70000),
            ("grpc", 0),
        )
    ),
    *(Row("Job", {f"{C}.livenessProbe": {"httpGet": {"port": port}}}, "") for port in ("rendezvous", 65535)),
    Row("Job", {f"{C}.lifecycle": {"preStop": {"sleep": {"seconds": 31}}}}, f"{C}.lifecycle.preStop.sleep.seconds"),
    Row(
        "Job", {f"{C}.lifecycle": {"preStop": {"sleep": {"seconds": 31}}}, f"{T}.terminationGracePeriodSeconds": 60}, ""
    ),
    *(
        Row("Job", {f"{C}.{field}": value}, f"{C}.{field}{inner}")
        for field, value, inner in (
            ("env.0.valueFrom.fieldRef.fieldPath", "", ""),
            (
                "env.1",
                {"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": ""}}},
                ".valueFrom.secretKeyRef.key",
            ),
            (
                "env.1",
                {"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": ".."}}},
                ".valueFrom.secretKeyRef.key",
            ),
            ("env.1", _from_file(volumeName="data"), ".valueFrom.fileKeyRef.volumeName"),
            ("env.1", _from_file(volumeName="none"), ".valueFrom.fileKeyRef.volumeName"),
            ("env.1", _from_file(path="../a"), ".valueFrom.fileKeyRef.path"),
            ("envFrom", [{"configMapRef": {}}], ".0.configMapRef.name"),
            ("envFrom", [{"prefix": "A=", "configMapRef": {"name": "a"}}], ".0.prefix"),
            ("resizePolicy", [{"resourceName": "nvidia.com/gpu", "restartPolicy": "NotRequired"}], ".0.resourceName"),
            ("resizePolicy", [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}], ".0.restartPolicy"),
            ("resizePolicy", [{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * 2, ".1"),
            ("restartPolicyRules", [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}], ""),
            (
                "securityContext",
                {"seccompProfile": {"type": "Localhost", "localhostProfile": "/a"}},
                ".seccompProfile.localhostProfile",
            ),
            (
                "securityContext",
                {"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "a"}},
                ".seccompProfile.localhostProfile",
            ),
            ("securityContext", {"procMount": "Unmasked"}, ".procMount"),
            ("volumeMounts.0.mountPropagation", "Bidirectional", ""),
            ("volumeMounts.0.recursiveReadOnly", "Enabled", ""),
        )
    ),
    Row("Job", {f"{C}.securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "a/b.json"}}}, ""),
    Row("Job", {f"{C}.volumeMounts.0.recursiveReadOnly": "Enabled", f"{C}.volumeMounts.0.readOnly": True}, ""),
    *(
        Row("Job", {f"{T}.volumes.1": {"name": "tmp", **volume}}, f"{T}.volumes.1.{field}" if field else "")
        for volume, field in (
            ({"nfs": {"server": "", "path": "/a"}}, "nfs.server"),
            ({"nfs": {"server": "s", "path": "a"}}, "nfs.path"),
            ({"hostPath": {"path": ""}}, "hostPath.path"),
            ({"configMap": {"name": "a", "items": [{"key": "", "path": "b"}]}}, "configMap.items.0.key"),
            ({"csi": {"driver": "Bad_Driver"}}, "csi.driver"),
            ({"csi": {"driver": "EFS.csi.example"}}, ""),
            ({"csi": {"driver": "a", "nodePublishSecretRef": {"name": "A"}}}, "csi.nodePublishSecretRef.name"),
            ({"projected": {"sources": [{"configMap": {}}]}}, "projected.sources.0.configMap.name"),
            (
                {"projected": {"sources": [{"configMap": {"name": "a"}, "secret": {"name": "b"}}]}},
                "projected.sources.0",
            ),
            (
                {"projected": {"sources": [_file("configMap", "a"), _file("secret", "a")]}},
                "projected.sources.1",
            ),
            ({"projected": {"sources": [_file("configMap", "a"), _file("secret", "b")]}}, ""),
            ({"projected": {"sources": [{"configMap": {"name": "a"}}, {"secret": {"name": "b"}}]}}, ""),
            (
                {"projected": {"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 60}}]}},
                "projected.sources.0.serviceAccountToken.expirationSeconds",
            ),
            ({"downwardAPI": {"items": [{"path": "l"}]}}, "downwardAPI.items.0"),
            ({"downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels['a']"}}]}}, ""),
            (
                {"downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "spec.nodeName"}}]}},
                "downwardAPI.items.0.fieldRef.fieldPath",
            ),
            (
                {"downwardAPI": {"items": [{"path": "l", "resourceFieldRef": {"resource": "limits.cpu"}}]}},
                "downwardAPI.items.0.resourceFieldRef.containerName",
            ),
            ({"ephemeral": {}}, "ephemeral.volumeClaimTemplate"),
            (_claim(), ""),
            (_claim(accessModes=[]), "ephemeral.volumeClaimTemplate.spec.accessModes"),
            (
                _claim(accessModes=["ReadWriteOnce", "ReadWriteOncePod"]),
                "ephemeral.volumeClaimTemplate.spec.accessModes",
            ),
            (_claim(resources={}), "ephemeral.volumeClaimTemplate.spec.resources"),
            (_claim(storageClassName="A_b"), "ephemeral.volumeClaimTemplate.spec.storageClassName"),
            (_claim_with({"labels": {"a": "b"}, "name": "data"}), "ephemeral.volumeClaimTemplate.metadata"),
            (_claim_with({"labels": {"a": "b"}, "name": "", "creationTimestamp": None}), ""),
        )
    ),
    Row(
        "StatefulSet",
        {"spec.volumeClaimTemplates": [{"metadata": {"name": "own"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]},
        "spec.volumeClaimTemplates.0.spec",
    ),
    # a Job's policies
    Row("Job", {"spec.managedBy": ""}, "spec.managedBy"),
    Row("Job", {"spec.podFailurePolicy": _rules(*[EXIT] * 21)}, "spec.podFailurePolicy.rules"),
    Row(
        "Job",
        {"spec.podFailurePolicy": _rules({"action": "Ignore", "onPodConditions": [{"type": "a b"}]})},
        "spec.podFailurePolicy.rules.0.onPodConditions.0.type",
    ),
    *(
        Row("Job", {"spec.successPolicy": _rules(rule)}, f"spec.successPolicy.rules.0.{field}" if field else "")
        for rule, field in (
            ({"succeededIndexes": "0-1"}, ""),
            ({"succeededIndexes": "1,0"}, "succeededIndexes"),
            ({"succeededIndexes": "0-0"}, "succeededIndexes"),
            ({"succeededIndexes": "0-1", "succeededCount": 2}, ""),
            ({"succeededIndexes": "0", "succeededCount": 2}, "succeededCount"),
        )
    ),
    Row("Job", {"metadata.generateName": "Train_"}, "metadata.generateName"),
    Row("Job", {"metadata.generateName": "train-"}, ""),
    # rarely used fields
    Row(
        "Job",
        {f"{T}.volumes.1": {"name": "tmp", "configMap": {"name": "a", "items": [{"key": "a", "path": "..data"}]}}},
        f"{T}.volumes.1.configMap.items.0.path",
    ),
    Row(
        "StatefulSet",
        {"spec.selector.matchExpressions": [{"key": "", "operator": "DoesNotExist"}]},
        "spec.selector.matchExpressions.0.key",
    ),
    Row("StatefulSet", {f"{T}.hostname": "a.b", f"{T}.subdomain": "A_"}, ""),
    Row("Job", {f"{T}.hostname": "a.b"}, f"{T}.hostname"),
    Row("Job", {"spec.manualSelector": True}, "spec.selector"),
    Row("Job", {"spec.selector": {"matchLabels": {}}}, ""),
    Row("Job", {"spec.selector": {"matchLabels": {"job-name": "train"}}}, ""),
    Row("Job", {"spec.selector": {"matchLabels": {"job-name": "other"}}}, "spec.selector"),
    Row("Job", {"spec.podFailurePolicy": {}}, ""),
    Row(
        "Job",
        {f"{T}.dnsConfig": {"searches": ["a" * 60 + f".{number:03}" for number in range(32)]}},
        f"{T}.dnsConfig.searches",
    ),
    Row("Job", {"spec.backoffLimit": 2**31}, "spec.backoffLimit"),
    Row("Job", {"spec.template.metadata.creationTimestamp": "today"}, "spec.template.metadata.creationTimestamp"),
    Row("Job", {f"{C}.volumeDevices": [{"name": "data", "devicePath": "/dev/a"}], f"{C}.volumeMounts": []}, ""),
    Row(
        "Job",
        {f"{C}.volumeDevices": [{"name": "data", "devicePath": "../a"}], f"{C}.volumeMounts": []},
        f"{C}.volumeDevices.0.devicePath",
    ),
    *(
        Row("Job", {f"{C}.volumeDevices": [{"name": name, "devicePath": "/dev/a"}]}, f"{C}.volumeDevices.0.name")
        for name in ("data", "none", "tmp")
    ),
    *(
        Row("Job", {f"{C}.env.1": {"name": "X", "valueFrom": source}}, f"{C}.env.1.valueFrom.{field}" if field else "")
        for source, field in (
            ({"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}, ""),
            ({"fieldRef": {"apiVersion": "v2", "fieldPath": "metadata.name"}}, "fieldRef.apiVersion"),
            ({"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}, ""),
            ({"resourceFieldRef": {"resource": "limits.memory", "divisor": "2Mi"}}, "resourceFieldRef.divisor"),
            ({"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1Mi"}}, "resourceFieldRef.divisor"),
            ({"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}, ""),
            ({"resourceFieldRef": {"resource": ""}}, "resourceFieldRef.resource"),
        )
    ),
    *(
        Row("Job", {f"{T}.{changed}": value}, f"{T}.{changed}{inner}" if inner is not None else "")
        for changed, value, inner in (
            ("resources", {"requests": {"cpu": "4"}}, None),
            ("resources", {"requests": {"cpu": "1"}}, ".requests.cpu"),
            ("resources", {"limits": {"memory": "1Gi"}}, ".limits.memory"),
            ("resources", {"limits": {"nvidia.com/gpu": 1}}, ".limits.nvidia\\.com/gpu"),
            ("overhead", {"cpu": "1"}, None),
            ("overhead", {"cpu": "-1"}, ".cpu"),
            ("overhead", {"gpu": "1"}, ".gpu"),
            ("securityContext", {"windowsOptions": {"runAsUserName": "ContainerUser"}}, None),
            ("securityContext", {"windowsOptions": {"runAsUserName": ""}}, ".windowsOptions.runAsUserName"),
            ("securityContext", {"windowsOptions": {"runAsUserName": "a*b"}}, ".windowsOptions.runAsUserName"),
            (
                "securityContext",
                {"windowsOptions": {"gmsaCredentialSpecName": "A_"}},
                ".windowsOptions.gmsaCredentialSpecName",
            ),
            ("securityContext", {"windowsOptions": {"gmsaCredentialSpec": ""}}, ".windowsOptions.gmsaCredentialSpec"),
            ("affinity", _fields(key="metadata.name", operator="In", values=["node-1"]), None),
            ("affinity", _fields(key="metadata.name", operator="Exists"), f".{_FIELD_TERMS}.0.operator"),
            ("affinity", _fields(key="a", operator="In", values=["b"]), f".{_FIELD_TERMS}.0.key"),
        )
    ),
    *(
        Row("Job", {f"{T}.volumes.1": {"name": "tmp", **volume}}, f"{T}.volumes.1.{field}" if field else "")
        for volume, field in (
            ({"fc": {"wwids": ["a"]}}, ""),
            ({"fc": {}}, "fc.targetWWNs"),
            ({"fc": {"targetWWNs": ["a"], "wwids": ["a"], "lun": 1}}, "fc.targetWWNs"),
            ({"fc": {"targetWWNs": ["a"]}}, "fc.lun"),
            ({"fc": {"targetWWNs": ["a"], "lun": 256}}, "fc.lun"),
            ({"azureFile": {"secretName": "a", "shareName": "b"}}, ""),
            ({"azureFile": {"secretName": "", "shareName": "b"}}, "azureFile.secretName"),
            ({"azureDisk": {"diskName": "a", "diskURI": "https://a"}}, ""),
            ({"azureDisk": {"diskName": "a", "diskURI": "https://a", "kind": "Managed"}}, "azureDisk.diskURI"),
            ({"iscsi": {"targetPortal": "a", "iqn": "iqn.2026-01.com.example:a", "lun": 0}}, ""),
            ({"iscsi": {"targetPortal": "a", "iqn": "a", "lun": 0}}, "iscsi.iqn"),
            ({"iscsi": {"targetPortal": "a", "iqn": "eui.0123456789abcdef", "lun": 256}}, "iscsi.lun"),
            ({"flexVolume": {"driver": "a/b", "options": {"kubernetes.io/a": "b"}}}, "flexVolume.options"),
            ({"cinder": {"volumeID": "a", "secretRef": {}}}, "cinder.secretRef.name"),
            ({"gcePersistentDisk": {"pdName": "a", "partition": 256}}, "gcePersistentDisk.partition"),
        )
    ),
]
