"""Changes of healthy Jobs, StatefulSets and Pods, and the field that the API server rejects after each.

`tests/cluster/test_api_verdicts.py` asks a real API server about every row, and a unit test asks `trainc check`.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

Object = dict[str, Any]
# Codes of errors about what the API server rejects in a pod.
REJECTED = frozenset(("TC3009", "TC3010", "TC3011", "TC3015", "TC3100", "TC3101", "TC4090"))
DELETE = object()
STANDALONE = ["torchrun", "--standalone", "train.py", "--checkpoint=/data/ckpt"]
TORCHRUN = ["torchrun", "--nnodes=2", "--nproc-per-node=1", "--node-rank=$(RANK)", "--master-addr=train-0.train"]
NUMBER = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}
ORDINAL = {"fieldRef": {"fieldPath": "metadata.labels['apps.kubernetes.io/pod-index']"}}


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


DISRUPTED: Object = {"type": "DisruptionTarget"}
UNPRIVILEGED: Object = {"allowPrivilegeEscalation": False}
EXIT: Object = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}}
HTTP = {"httpGet": {"path": "/", "port": 80}}


def _exit_codes(**codes: Any) -> Object:
    return _rules({**EXIT, "onExitCodes": {**EXIT["onExitCodes"], **codes}})


def _conditions(condition: Object) -> Object:
    return _rules({"action": "Ignore", "onPodConditions": [condition]})


def _spread(**fields: Any) -> list[Object]:
    own = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    return [{**own, "labelSelector": {"matchLabels": {"app": "train"}}, **fields}]


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NODE_LABEL = f".nodeAffinity.{_REQUIRED}.nodeSelectorTerms.0.matchExpressions.0"
NODE_FIELD = f".nodeAffinity.{_REQUIRED}.nodeSelectorTerms.0.matchFields.0"
POD_TERM = f".podAffinity.{_REQUIRED}.0"


def _zones(**expression: Any) -> Object:
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", **expression}]}]}}}


def _fields(**expression: Any) -> Object:
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchFields": [expression]}]}}}


def _preferred(key: str, value: str) -> list[Object]:
    expression = {"key": key, "operator": "In", "values": [value]}
    return [{"weight": 1, "preference": {"matchExpressions": [expression]}}]


def _pods(**term: Any) -> Object:
    return {"podAffinity": {_REQUIRED: [{"topologyKey": "zone", **term}]}}


def _from_file(**reference: Any) -> Object:
    return {"fileKeyRef": {"volumeName": "tmp", "path": "env", "key": "A", **reference}}


HUGE_PAGES: Object = {"memory": "8Gi", "hugepages-2Mi": "4Mi"}
CLAIM: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
OWN_CLAIM: Object = {"metadata": {"name": "own"}, "spec": CLAIM}


def _claim(metadata: Object | None = None, **spec: Any) -> Object:
    template = {"spec": {**CLAIM, **spec}, **({"metadata": metadata} if metadata else {})}
    return {"ephemeral": {"volumeClaimTemplate": template}}


EPHEMERAL, PROJECTED, DOWNWARD = ".ephemeral.volumeClaimTemplate", ".projected.sources", ".downwardAPI.items.0"
TOKEN: Object = {"path": "t", "expirationSeconds": 60}


def _file(kind: str, path: str) -> Object:
    """Return a source of a projected volume."""
    return {kind: {"name": "settings", "items": [{"key": "a", "path": path}]}}


def _projected(*sources: Object) -> Object:
    return {"projected": {"sources": list(sources)}}


def _downward(**source: Object) -> Object:
    return {"downwardAPI": {"items": [{"path": "l", **source}]}}


HERE, ACCEPTED = "", None


def _rows(kind: str, part: str, *cases: tuple[str, Any, str | None]) -> list[Row]:
    """Return a row for each case: a field of a part of the object, its value, and where the API server rejects it.

    `HERE` is the field itself, a path is below it, and `ACCEPTED` is nowhere, also with a code of trainc's diagnostic.
    """
    rows = []
    for field, value, outcome in cases:
        path, code = f"{part}.{field}", outcome if outcome and outcome.startswith("TC") else ""
        rows.append(Row(kind, {path: value}, "" if outcome is ACCEPTED or code else f"{path}{outcome}", code))
    return rows


def _volumes(*cases: tuple[Object, str | None]) -> list[Row]:
    """Return rows with sources of the volume `tmp`."""
    return _rows("Job", T, *(("volumes.1", {"name": "tmp", **source}, outcome) for source, outcome in cases))


def _sources(*cases: tuple[Object, str | None]) -> list[Row]:
    """Return rows with sources of a variable; a path is below `valueFrom`."""
    rows = (({"name": "X", "valueFrom": source}, outcome) for source, outcome in cases)
    return _rows("Job", C, *(("env.1", variable, outcome and f".valueFrom{outcome}") for variable, outcome in rows))


ROWS = [
    *(Row(kind, {}, "") for kind in BASES),
    *_rows(
        "Job",
        "metadata",
        ("name", "Train_1", HERE),
        ("name", "t" * 62, HERE),
        ("name", "resnet50-v1.5", HERE),
        ("generateName", "Train_", HERE),
        ("generateName", "train-", ACCEPTED),
        ("label", {"a": "b"}, HERE),
        ("labels", {"a": ""}, ACCEPTED),
        ("labels", {"a": None}, ACCEPTED),
        ("labels.team", "a b", HERE),
        ("labels.team", 1, HERE),
        ("annotations", {"a b": "c"}, ".a b"),
        ("annotations", {"Example.com/a": "b"}, ACCEPTED),
        ("annotations", {"a": None}, ACCEPTED),
    ),
    # names that only a Job of one pod may have
    Row("Job", {**SINGLE, "metadata.name": "resnet50-v1.5"}, "", "TC5050"),
    Row("Job", {**SINGLE, "metadata.name": "50-resnet"}, "", "TC5050"),
    Row("Job", {**SINGLE, "metadata.name": "t" * 63}, ""),
    Row("Job", {**SINGLE, "metadata.name": "t" * 64}, "metadata.name"),
    *_rows(
        "Job",
        "spec",
        ("backofLimit", 3, HERE),
        ("parallelism", -1, HERE),
        ("completions", DELETE, HERE),
        ("completionMode", "indexed", HERE),
        ("completionMode", "", HERE),
        ("backoffLimit", -1, HERE),
        ("backoffLimit", "3", HERE),
        ("backoffLimit", 2**31 - 1, ACCEPTED),
        ("backoffLimit", 2**31, HERE),
        ("activeDeadlineSeconds", -1, HERE),
        ("activeDeadlineSeconds", 0, "TC4086"),  # the kubelet rejects it
        ("activeDeadlineSeconds", 2**31, ACCEPTED),
        ("ttlSecondsAfterFinished", -1, HERE),
        ("suspend", "no", HERE),
        ("managedBy", "me", HERE),
        ("managedBy", "", HERE),
        ("maxFailedIndexes", 1, HERE),
        ("podReplacementPolicy", "Always", HERE),
        ("podReplacementPolicy", "", HERE),
        ("podFailurePolicy", {}, ACCEPTED),
        ("podFailurePolicy", _rules(EXIT), ACCEPTED),
        ("podFailurePolicy", _rules(*[EXIT] * 21), ".rules"),
        ("podFailurePolicy", _rules({**EXIT, "action": "FailIndex"}), ".rules.0.action"),
        ("podFailurePolicy", _rules({**EXIT, "action": "Fail"}), ".rules.0.action"),
        ("podFailurePolicy", _rules({"action": "Ignore"}), ".rules.0"),
        ("podFailurePolicy", _rules({**EXIT, "onPodConditions": [{**DISRUPTED, "status": "True"}]}), ".rules.0"),
        ("podFailurePolicy", _conditions(DISRUPTED), ACCEPTED),
        ("podFailurePolicy", _conditions({"type": "A", "status": ""}), ACCEPTED),
        ("podFailurePolicy", _conditions({"type": "a b"}), ".rules.0.onPodConditions.0.type"),
        ("podFailurePolicy", _exit_codes(values=[0, 1]), ".rules.0.onExitCodes.values.0"),
        ("podFailurePolicy", _exit_codes(values=[2, 1]), ".rules.0.onExitCodes.values"),
        ("podFailurePolicy", _exit_codes(values=[1, 1]), ".rules.0.onExitCodes.values"),
        ("podFailurePolicy", _exit_codes(values=[]), ".rules.0.onExitCodes.values"),
        ("podFailurePolicy", _exit_codes(operator="Is"), ".rules.0.onExitCodes.operator"),
        ("podFailurePolicy", _exit_codes(containerName="trainer"), ".rules.0.onExitCodes.containerName"),
        ("successPolicy", _rules(), ".rules"),
        ("successPolicy", _rules({}), ".rules.0"),
        ("successPolicy", _rules({"succeededIndexes": "0"}), ACCEPTED),
        ("successPolicy", _rules({"succeededIndexes": "2"}), ".rules.0.succeededIndexes"),
        ("successPolicy", _rules({"succeededIndexes": ""}), ACCEPTED),
        ("successPolicy", _rules({"succeededIndexes": "0-1"}), ACCEPTED),
        ("successPolicy", _rules({"succeededIndexes": "1,0"}), ".rules.0.succeededIndexes"),
        ("successPolicy", _rules({"succeededIndexes": "0-0"}), ".rules.0.succeededIndexes"),
        ("successPolicy", _rules({"succeededCount": 3}), ".rules.0.succeededCount"),
        ("successPolicy", _rules({"succeededCount": 0}), ACCEPTED),
        ("successPolicy", _rules({"succeededIndexes": "0-1", "succeededCount": 2}), ACCEPTED),
        ("successPolicy", _rules({"succeededIndexes": "0", "succeededCount": 2}), ".rules.0.succeededCount"),
        ("selector", {"matchLabels": {"app": "train"}}, HERE),
        ("selector", {"matchLabels": {}}, ACCEPTED),
        ("selector", {"matchLabels": {"job-name": "train"}}, ACCEPTED),
        ("selector", {"matchLabels": {"job-name": "other"}}, HERE),
        ("template.metadata.labels", {"app": "-"}, ".app"),
        ("template.metadata.creationTimestamp", "today", HERE),
    ),
    # fields of a Job beside others
    Row("Job", {"spec.suspend": None, f"{C}.args": None, f"{T}.nodeSelector": None}, ""),
    Row("Job", {"spec.completions": DELETE, "spec.parallelism": DELETE, f"{C}.command": STANDALONE}, ""),
    Row("Job", {"spec.parallelism": 100_001, "spec.completions": 100_001}, "spec.parallelism"),
    Row("Job", {"spec.backoffLimitPerIndex": 1, "spec.maxFailedIndexes": 1}, ""),
    Row("Job", {"spec.backoffLimitPerIndex": 1, "spec.maxFailedIndexes": 3}, "spec.maxFailedIndexes"),
    Row("Job", {"spec.backoffLimitPerIndex": 1, "spec.completionMode": "NonIndexed"}, "spec.backoffLimitPerIndex"),
    Row("Job", {"spec.podFailurePolicy": _rules(EXIT), f"{T}.restartPolicy": "OnFailure"}, f"{T}.restartPolicy"),
    Row(
        "Job",
        {"spec.podFailurePolicy": _rules(EXIT), "spec.podReplacementPolicy": "TerminatingOrFailed"},
        "spec.podReplacementPolicy",
    ),
    Row(
        "Job",
        {"spec.successPolicy": _rules({"succeededIndexes": "0"}), "spec.completionMode": "NonIndexed"},
        "spec.successPolicy",
    ),
    Row("Job", {"spec.manualSelector": True}, "spec.selector"),
    Row("Job", {"spec.manualSelector": True, "spec.selector": {"matchLabels": {"app": "train"}}}, ""),
    Row(
        "Job",
        {"spec.manualSelector": True, "spec.selector": {"matchLabels": {"app": "trains"}}},
        "spec.template.metadata.labels",
    ),
    *_rows(
        "StatefulSet",
        "spec",
        ("replica", 2, HERE),
        ("replicas", -1, HERE),
        ("selector", DELETE, HERE),
        ("selector", {}, HERE),
        ("selector", {"matchExpressions": [{"key": "app", "operator": "In", "values": ["train", "test"]}]}, ACCEPTED),
        ("selector.matchExpressions", [{"key": "app", "operator": "Exists", "values": ["train"]}], ".0.values"),
        ("selector.matchExpressions", [{"key": "", "operator": "DoesNotExist"}], ".0.key"),
        ("template.metadata.labels", DELETE, HERE),
        ("serviceName", "Train_1", HERE),
        ("podManagementPolicy", "parallel", HERE),
        ("podManagementPolicy", "", ACCEPTED),
        ("updateStrategy", {"type": "Recreate"}, ".type"),
        ("updateStrategy", {"type": "OnDelete", "rollingUpdate": {"partition": 1}}, ".rollingUpdate"),
        ("updateStrategy", {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}, ".rollingUpdate.partition"),
        ("ordinals", {"start": -1}, ".start"),
        ("minReadySeconds", -1, HERE),
        ("persistentVolumeClaimRetentionPolicy", {"whenDeleted": "Keep"}, ".whenDeleted"),
        ("persistentVolumeClaimRetentionPolicy", {"whenDeleted": "", "whenScaled": ""}, ACCEPTED),
        ("volumeClaimTemplates", [{**OWN_CLAIM, "spec": {"accessModes": ["ReadWriteOnce"]}}], ".0.spec"),
    ),
    *_rows(
        "StatefulSet",
        T,
        ("restartPolicy", "OnFailure", HERE),
        ("restartPolicy", DELETE, ACCEPTED),
        ("activeDeadlineSeconds", 60, HERE),
        ("terminationGracePeriodSeconds", -1, "TC4087"),
        ("containers.0.image", DELETE, HERE),
    ),
    Row("StatefulSet", {"metadata.name": "resnet50-v1.5"}, "metadata.name"),
    Row("StatefulSet", {"spec.selector.matchLabels.app": "trains"}, "spec.template.metadata.labels"),
    Row("StatefulSet", {"spec.updateStrategy": {"type": ""}, f"{T}.restartPolicy": ""}, ""),
    Row("StatefulSet", {f"{T}.hostname": "a.b", f"{T}.subdomain": "A_"}, ""),
    Row(
        "StatefulSet",
        {"spec.volumeClaimTemplates": [OWN_CLAIM], f"{C}.volumeMounts.1": {"name": "own", "mountPath": "/own"}},
        "",
    ),
    *_rows(
        "Pod",
        "metadata",
        ("name", "train_0", HERE),
        ("name", "resnet50-v1.5", "TC5050"),
        ("name", "t" * 100, ACCEPTED),
    ),
    *_rows(
        "Pod",
        "spec",
        ("restartPolicy", "Sometimes", HERE),
        ("restartPolicy", "", ACCEPTED),
        ("activeDeadlineSeconds", 0, HERE),
        ("terminationGracePeriodSeconds", -1, "TC4087"),
        ("ephemeralContainers", [{"name": "x", "image": "x:1"}], HERE),
        ("containers.0.image", "", HERE),
        ("containers.0.image", " train:1", HERE),
    ),
    *_rows(
        "Job",
        T,
        ("restartPolicy", "Always", HERE),
        ("restartPolicy", DELETE, HERE),
        ("backoffLimit", 3, HERE),
        ("ephemeralContainers", [{"name": "x", "image": "x:1"}], HERE),
        ("hostname", "Train.0", HERE),
        ("hostname", "a.b", HERE),
        ("hostnameOverride", "A_", HERE),
        ("subdomain", "train.default", HERE),
        ("serviceAccountName", "my_account", HERE),
        ("serviceAccountName", "team.trainer", ACCEPTED),
        ("priorityClassName", "high.priority", ACCEPTED),
        ("preemptionPolicy", "", HERE),
        ("runtimeClassName", "", HERE),
        ("terminationGracePeriodSeconds", -1, "TC4087"),
        ("hostNetwork", True, ACCEPTED),
        ("hostUsers", False, ACCEPTED),
        # priorities that the admission plugin rejects in pods, see test_api_verdicts.py
        ("priority", 5, "TC4087"),
        ("priority", -1, "TC4087"),
        ("priority", 0, ACCEPTED),
        ("dnsPolicy", "None", HERE),
        ("dnsConfig", {"nameservers": ["dns.example"]}, ".nameservers.0"),
        ("dnsConfig", {"nameservers": ["10.0.0.1"] * 4}, ".nameservers"),
        ("dnsConfig", {"nameservers": ["10.0.0.1"], "options": [{"name": "ndots", "value": "1"}]}, ACCEPTED),
        ("dnsConfig", {"searches": ["svc.example.", "_tcp.example", "A"]}, ".searches.2"),
        ("dnsConfig", {"searches": ["a" * 60 + f".{number:03}" for number in range(32)]}, ".searches"),
        ("dnsConfig", {"options": [{"name": ""}]}, ".options.0.name"),
        ("hostAliases", [{"ip": "master", "hostnames": ["a"]}], ".0.ip"),
        ("hostAliases", [{"ip": "10.0.0.1", "hostnames": ["a_b"]}], ".0.hostnames.0"),
        ("readinessGates", [{"conditionType": "a b"}], ".0.conditionType"),
        ("schedulingGates", [{"name": "a b"}], ".0.name"),
        ("nodeSelector", {"gpu": "a b"}, ".gpu"),
        ("nodeSelector", {"gpu": True}, ".gpu"),
        ("nodeSelector", {"a": None}, ACCEPTED),
        ("tolerations", [{"operator": "Exists"}], ACCEPTED),
        ("tolerations", [{"key": "gpu", "operator": "Exists", "value": "a"}], ".0.value"),
        ("tolerations", [{"effect": "NoSchedule"}], ".0"),
        ("tolerations", [{"key": "gpu", "effect": "NoStart"}], ".0.effect"),
        ("tolerations", [{"key": "gpu", "effect": "NoSchedule", "tolerationSeconds": 5}], ".0.tolerationSeconds"),
        ("tolerations", [{"key": "gpu", "operator": "", "effect": ""}], ACCEPTED),
        ("tolerations", [{"key": "a b", "operator": "Exists"}], ".0.key"),
        ("tolerations", [{"key": "a", "value": "a b"}], ".0.value"),
        ("affinity", _zones(operator="In", values=["a"]), ACCEPTED),
        ("affinity", _zones(operator="In"), f"{NODE_LABEL}.values"),
        ("affinity", _zones(operator="Exists", values=["a"]), f"{NODE_LABEL}.values"),
        ("affinity", _zones(operator="Gt", values=["1", "2"]), f"{NODE_LABEL}.values"),
        ("affinity", _zones(operator="Is", values=["a"]), f"{NODE_LABEL}.operator"),
        ("affinity", _fields(key="metadata.name", operator="In", values=["node-1"]), ACCEPTED),
        ("affinity", _fields(key="metadata.name", operator="Exists"), f"{NODE_FIELD}.operator"),
        ("affinity", _fields(key="a", operator="In", values=["b"]), f"{NODE_FIELD}.key"),
        (
            "affinity",
            _pods(namespaceSelector={"matchLabels": {"a": "/a"}}),
            f"{POD_TERM}.namespaceSelector.matchLabels.a",
        ),
        ("affinity", _pods(mismatchLabelKeys=["a"]), f"{POD_TERM}.mismatchLabelKeys"),
        (f"affinity.nodeAffinity.{_REQUIRED}", None, ACCEPTED),
        (f"affinity.nodeAffinity.{_PREFERRED}", _preferred("gpu", "A100."), ACCEPTED),
        (f"affinity.nodeAffinity.{_PREFERRED}", _preferred("gpu.", "A100"), ".0.preference.matchExpressions.0.key"),
        ("topologySpreadConstraints", _spread(), ACCEPTED),
        ("topologySpreadConstraints", _spread(maxSkew=0), ".0.maxSkew"),
        ("topologySpreadConstraints", _spread(whenUnsatisfiable="Never"), ".0.whenUnsatisfiable"),
        ("topologySpreadConstraints", _spread(topologyKey=""), ".0.topologyKey"),
        ("topologySpreadConstraints", _spread(matchLabelKeys=["a b"]), ".0.matchLabelKeys.0"),
        ("topologySpreadConstraints", _spread(matchLabelKeys=["a"], labelSelector=None), ".0.matchLabelKeys"),
        ("topologySpreadConstraints", [*_spread(), *_spread(maxSkew=2)], ".1"),
        ("topologySpreadConstraints", [*_spread(), *_spread(whenUnsatisfiable="ScheduleAnyway")], ACCEPTED),
        ("securityContext", {"runAsUser": -1}, ".runAsUser"),
        ("securityContext", {"supplementalGroups": [-1]}, ".supplementalGroups.0"),
        ("securityContext", {"sysctls": [{"name": "A B", "value": "1"}]}, ".sysctls.0.name"),
        ("securityContext", {"seccompProfile": {"type": "Localhost"}}, ".seccompProfile"),
        ("securityContext", {"windowsOptions": {"runAsUserName": "ContainerUser"}}, ACCEPTED),
        ("securityContext", {"windowsOptions": {"runAsUserName": ""}}, ".windowsOptions.runAsUserName"),
        ("securityContext", {"windowsOptions": {"runAsUserName": "a*b"}}, ".windowsOptions.runAsUserName"),
        (
            "securityContext",
            {"windowsOptions": {"gmsaCredentialSpecName": "A_"}},
            ".windowsOptions.gmsaCredentialSpecName",
        ),
        ("securityContext", {"windowsOptions": {"gmsaCredentialSpec": ""}}, ".windowsOptions.gmsaCredentialSpec"),
        ("resourceClaims", [{"name": "a", "resourceClaimName": "c"}], ACCEPTED),
        ("resourceClaims", [{"name": "a"}], ".0"),
        ("resourceClaims", [{"name": "a", "resourceClaimName": "A_"}], ".0.resourceClaimName"),
        ("resources", {"requests": {"cpu": "4"}}, ACCEPTED),
        ("resources", {"requests": {"cpu": "1"}}, ".requests.cpu"),
        ("resources", {"limits": {"memory": "1Gi"}}, ".limits.memory"),
        ("resources", {"limits": {"nvidia.com/gpu": 1}}, ".limits.nvidia\\.com/gpu"),
        ("overhead", {"cpu": "1"}, ACCEPTED),
        ("overhead", {"cpu": "-1"}, ".cpu"),
        ("overhead", {"gpu": "1"}, ".gpu"),
        ("containers.1", {"name": "main", "image": "a"}, ".name"),
        ("initContainers", [{"name": "main", "image": "a"}], ".0.name"),
        ("initContainers", [{"name": "init", "image": "a", "readinessProbe": HTTP}], ".0.readinessProbe"),
        ("volumes.0.name", "Data", HERE),
        ("volumes.1.name", "data", HERE),
        ("volumes.1.hostPath", {"path": "/a"}, HERE),
        ("volumes.0.persistentVolumeClaim.claimName", "", HERE),
        ("volumes.1.emptyDir.sizeLimit", "-1", HERE),
        *(("volumes.1.emptyDir.medium", name, "TC2005") for name in ("memory", "disk")),
        *(("volumes.1.emptyDir.medium", name, ACCEPTED) for name in ("Memory", "HugePages-2Mi", "")),
    ),
    # fields of a pod beside others
    Row("Job", {f"{T}.priority": 5, f"{T}.priorityClassName": "system-node-critical"}, "", "TC4086"),
    Row("Job", {f"{T}.priority": 2_000_001_000, f"{T}.priorityClassName": "system-node-critical"}, ""),
    Row("Job", {f"{T}.priority": 5, f"{T}.priorityClassName": "high"}, ""),
    Row("Job", {f"{T}.hostPID": True, f"{T}.shareProcessNamespace": True}, f"{T}.shareProcessNamespace"),
    Row("Job", {f"{T}.hostUsers": False, f"{T}.hostPID": True}, f"{T}.hostUsers"),
    Row("Job", {f"{T}.hostnameOverride": "a", f"{T}.hostNetwork": True}, f"{T}.hostnameOverride"),
    Row("Job", {f"{T}.dnsPolicy": "", f"{T}.schedulerName": ""}, ""),
    *_rows(
        "Job",
        C,
        ("imagePullPolice", "Always", HERE),
        ("imagePullPolicy", "always", HERE),
        ("imagePullPolicy", "", ACCEPTED),
        ("terminationMessagePolicy", "", ACCEPTED),
        ("restartPolicy", "", HERE),
        ("name", "Main", HERE),
        ("name", DELETE, HERE),
        ("image", DELETE, HERE),
        *(("image", name, "TC4086") for name in ("my image:1", "train:1 ", "TRAIN:1", "train:")),
        *(("image", name, "TC4086") for name in ("registry.example/Train:1", "http://registry/train:1")),
        *(("image", name, ACCEPTED) for name in ("localhost:5000/a/b:1", "registry.example/a__b:1_0.x")),
        ("command", "torchrun train.py", HERE),
        ("args", [1], ".0"),
        ("ports.0.containerPort", 70000, HERE),
        ("ports.0.containerPort", "29500", HERE),
        ("ports.0.name", "master_port", HERE),
        ("ports.0.name", "a-port-with-a-long-name", HERE),
        ("ports.0.protocol", "http", HERE),
        ("ports.0.protocol", "", ACCEPTED),
        ("ports.1", {"name": "rendezvous", "containerPort": 1}, ".name"),
        ("env.1.value", 3, HERE),
        *(("env.1.name", name, HERE) for name in ("", "\u00e9", "A=", "A=B")),
        *(("env.1.name", name, "TC5050") for name in ("A B", "a/b", "A:B", "(A)")),
        *(("env.1.name", name, ACCEPTED) for name in ("1A", "1", "A.B", "A-B", ".A")),
        ("env.2", {"name": "EPOCHS", "value": "4"}, "TC4087"),
        ("env.0.value", "", ACCEPTED),
        ("env.0.valueFrom", {}, HERE),
        ("env.0.valueFrom", {"resourceFieldRef": {"resource": "limits.gpu"}}, ".resourceFieldRef.resource"),
        ("env.0.valueFrom.fieldRef.fieldPath", "status.phase", HERE),
        ("env.0.valueFrom.fieldRef.fieldPath", "", HERE),
        ("envFrom", [{}], ".0"),
        ("envFrom", [{"configMapRef": {}}], ".0.configMapRef.name"),
        ("envFrom", [{"configMapRef": {"name": "A_b"}}], ".0.configMapRef.name"),
        ("envFrom", [{"prefix": "A=", "configMapRef": {"name": "a"}}], ".0.prefix"),
        ("resources.requests.cpu", "two", HERE),
        *(("resources.requests.cpu", quantity, ACCEPTED) for quantity in ("0.0001", "1e0", None)),
        ("resources.requests.memory", "9Gi", HERE),
        ("resources.requests.amd\\.com/gpu", 1, HERE),
        ("resources.limits.memory", "8GB", HERE),
        ("resources.limits.memory", "-1", HERE),
        ("resources.limits.gpu", 1, HERE),
        ("resources.limits.hugepages-2Mi", "3Mi", HERE),
        ("resources", {"limits": HUGE_PAGES, "requests": {"hugepages-2Mi": "2Mi"}}, ".requests.hugepages-2Mi"),
        ("resources.limits.nvidia\\.com/gpu", "0.5", HERE),
        *(("resources.limits.nvidia\\.com/gpu", count, "TC5050") for count in ("1.0", "1000m", "1k")),
        ("resources.claims", [{"name": "gpu"}], ".0"),
        ("resizePolicy", [{"resourceName": "nvidia.com/gpu", "restartPolicy": "NotRequired"}], ".0.resourceName"),
        ("resizePolicy", [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}], ".0.restartPolicy"),
        ("resizePolicy", [{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * 2, ".1"),
        ("restartPolicyRules", [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}], HERE),
        ("volumeMounts.0.name", "dataset", HERE),
        ("volumeMounts.0.mountPath", "", HERE),
        ("volumeMounts.0.subPath", "../a", HERE),
        ("volumeMounts.0.mountPropagation", "", HERE),
        ("volumeMounts.0.mountPropagation", "Bidirectional", HERE),
        ("volumeMounts.0.recursiveReadOnly", "Enabled", HERE),
        ("volumeMounts.1", {"name": "tmp", "mountPath": "/data"}, ".mountPath"),
        ("volumeMounts.1", {"name": "tmp", "mountPath": "/data/"}, "TC4087"),
        ("volumeMounts.1", {"name": "tmp", "mountPath": "cache"}, "TC4087"),
        ("volumeMounts.1", {"name": "tmp", "mountPath": "/a:b"}, "TC4087"),
        *(("volumeDevices", [{"name": name, "devicePath": "/dev/a"}], ".0.name") for name in ("data", "none", "tmp")),
        ("livenessProbe", {}, HERE),
        ("livenessProbe", {"exec": {}}, ".exec.command"),
        ("livenessProbe", {**HTTP, "exec": {"command": ["true"]}}, HERE),
        ("livenessProbe", {**HTTP, "successThreshold": 2}, ".successThreshold"),
        ("livenessProbe", {**HTTP, "periodSeconds": -1}, ".periodSeconds"),
        ("livenessProbe", {**HTTP, "failureThreshold": -1}, ".failureThreshold"),
        ("livenessProbe", {**HTTP, "terminationGracePeriodSeconds": 0}, ".terminationGracePeriodSeconds"),
        ("livenessProbe", {**HTTP, "periodSeconds": 0, "failureThreshold": 0, "timeoutSeconds": 0}, ACCEPTED),
        ("livenessProbe", {"httpGet": {"port": 80, "scheme": ""}}, ACCEPTED),
        ("livenessProbe", {"httpGet": {"port": "rendezvous"}}, ACCEPTED),
        ("livenessProbe", {"httpGet": {"port": 65535}}, ACCEPTED),
        ("livenessProbe", {"httpGet": {"port": 0}}, ".httpGet.port"),
        ("livenessProbe", {"httpGet": {"port": "80"}}, ".httpGet.port"),
        ("livenessProbe", {"tcpSocket": {"port": "a_b"}}, ".tcpSocket.port"),
        ("livenessProbe", {"tcpSocket": {"port": 70000}}, ".tcpSocket.port"),
        ("livenessProbe", {"grpc": {"port": 0}}, ".grpc.port"),
        ("readinessProbe", {**HTTP, "terminationGracePeriodSeconds": 5}, ".terminationGracePeriodSeconds"),
        ("lifecycle", {"preStop": {}}, ".preStop"),
        ("lifecycle", {"preStop": {"sleep": {"seconds": 31}}}, ".preStop.sleep.seconds"),
        ("securityContext", {"privileged": True, **UNPRIVILEGED}, ".allowPrivilegeEscalation"),
        ("securityContext", {**UNPRIVILEGED, "capabilities": {"add": ["SYS_ADMIN"]}}, ACCEPTED),
        ("securityContext", {**UNPRIVILEGED, "capabilities": {"add": ["CAP_SYS_ADMIN"]}}, ".allowPrivilegeEscalation"),
        ("securityContext", {"procMount": "Unmasked"}, ".procMount"),
        ("securityContext.procMount", "", HERE),
        ("securityContext.seccompProfile.type", "", HERE),
        ("securityContext", {"seccompProfile": {"type": "Localhost", "localhostProfile": "a/b.json"}}, ACCEPTED),
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
    ),
    *_sources(
        *((_from_file(path=path), ACCEPTED) for path in ("env", "/env", "..env")),
        (_from_file(path="../a"), ".fileKeyRef.path"),
        (_from_file(volumeName="data"), ".fileKeyRef.volumeName"),
        (_from_file(volumeName="none"), ".fileKeyRef.volumeName"),
        ({"secretKeyRef": {"name": "s", "key": "a b"}}, ".secretKeyRef.key"),
        ({"secretKeyRef": {"name": "s", "key": ""}}, ".secretKeyRef.key"),
        ({"secretKeyRef": {"name": "s", "key": ".."}}, ".secretKeyRef.key"),
        ({"secretKeyRef": {"name": "", "key": "a"}}, ".secretKeyRef.name"),
        ({"configMapKeyRef": {"name": "S_", "key": "a"}}, ".configMapKeyRef.name"),
        ({"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}, ACCEPTED),
        ({"fieldRef": {"apiVersion": "v2", "fieldPath": "metadata.name"}}, ".fieldRef.apiVersion"),
        ({"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}, ACCEPTED),
        ({"resourceFieldRef": {"resource": "limits.memory", "divisor": "2Mi"}}, ".resourceFieldRef.divisor"),
        ({"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1Mi"}}, ".resourceFieldRef.divisor"),
        ({"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}, ACCEPTED),
        ({"resourceFieldRef": {"resource": ""}}, ".resourceFieldRef.resource"),
    ),
    # fields of a container beside others
    Row("Job", {f"{C}.env.0.value": "0"}, f"{C}.env.0.name"),
    Row("Job", {f"{T}.hostNetwork": True, f"{C}.ports.0.hostPort": 29501}, f"{C}.ports.0.hostPort"),
    Row("Job", {f"{C}.volumeMounts.0.recursiveReadOnly": "Enabled", f"{C}.volumeMounts.0.readOnly": True}, ""),
    Row("Job", {f"{C}.volumeDevices": [{"name": "data", "devicePath": "/dev/a"}], f"{C}.volumeMounts": []}, ""),
    Row(
        "Job",
        {f"{C}.volumeDevices": [{"name": "data", "devicePath": "../a"}], f"{C}.volumeMounts": []},
        f"{C}.volumeDevices.0.devicePath",
    ),
    Row(
        "Job", {f"{C}.lifecycle": {"preStop": {"sleep": {"seconds": 31}}}, f"{T}.terminationGracePeriodSeconds": 60}, ""
    ),
    *_volumes(
        ({}, ACCEPTED),
        ({"nfs": {"server": "", "path": "/a"}}, ".nfs.server"),
        ({"nfs": {"server": "s", "path": "a"}}, ".nfs.path"),
        ({"hostPath": {"path": ""}}, ".hostPath.path"),
        ({"hostPath": {"path": "/a/../b"}}, ".hostPath.path"),
        ({"image": {"reference": "data:1", "pullPolicy": ""}}, ACCEPTED),
        ({"secret": {"name": "a"}}, ".secret.name"),
        ({"secret": {}}, ".secret.secretName"),
        ({"configMap": {}}, ".configMap.name"),
        ({"configMap": {"name": "a", "items": [{"key": "", "path": "b"}]}}, ".configMap.items.0.key"),
        ({"configMap": {"name": "a", "items": [{"key": "a", "path": "..data"}]}}, ".configMap.items.0.path"),
        ({"csi": {"driver": "Bad_Driver"}}, ".csi.driver"),
        ({"csi": {"driver": "EFS.csi.example"}}, ACCEPTED),
        ({"csi": {"driver": "a", "nodePublishSecretRef": {"name": "A"}}}, ".csi.nodePublishSecretRef.name"),
        (_projected({"configMap": {}}), f"{PROJECTED}.0.configMap.name"),
        (_projected({"configMap": {"name": "a"}, "secret": {"name": "b"}}), f"{PROJECTED}.0"),
        (_projected({"configMap": {"name": "a"}}, {"secret": {"name": "b"}}), ACCEPTED),
        (_projected(_file("configMap", "a"), _file("secret", "a")), f"{PROJECTED}.1"),
        (_projected(_file("configMap", "a"), _file("secret", "b")), ACCEPTED),
        (_projected({"serviceAccountToken": TOKEN}), f"{PROJECTED}.0.serviceAccountToken.expirationSeconds"),
        (_projected({"serviceAccountToken": {"path": "../t"}}), f"{PROJECTED}.0.serviceAccountToken.path"),
        (_downward(), DOWNWARD),
        (_downward(fieldRef={"fieldPath": "metadata.labels['a']"}), ACCEPTED),
        (_downward(fieldRef={"fieldPath": "spec.nodeName"}), f"{DOWNWARD}.fieldRef.fieldPath"),
        (_downward(resourceFieldRef={"resource": "limits.cpu"}), f"{DOWNWARD}.resourceFieldRef.containerName"),
        ({"ephemeral": {}}, EPHEMERAL),
        (_claim(), ACCEPTED),
        (_claim(accessModes=[]), f"{EPHEMERAL}.spec.accessModes"),
        (_claim(accessModes=["ReadWriteOnce", "ReadWriteOncePod"]), f"{EPHEMERAL}.spec.accessModes"),
        (_claim(resources={}), f"{EPHEMERAL}.spec.resources"),
        (_claim(storageClassName="A_b"), f"{EPHEMERAL}.spec.storageClassName"),
        (_claim({"labels": {"a": "b"}, "name": "data"}), f"{EPHEMERAL}.metadata"),
        (_claim({"labels": {"a": "b"}, "name": "", "creationTimestamp": None}), ACCEPTED),
        ({"fc": {"wwids": ["a"]}}, ACCEPTED),
        ({"fc": {}}, ".fc.targetWWNs"),
        ({"fc": {"targetWWNs": ["a"], "wwids": ["a"], "lun": 1}}, ".fc.targetWWNs"),
        ({"fc": {"targetWWNs": ["a"]}}, ".fc.lun"),
        ({"fc": {"targetWWNs": ["a"], "lun": 256}}, ".fc.lun"),
        ({"azureFile": {"secretName": "a", "shareName": "b"}}, ACCEPTED),
        ({"azureFile": {"secretName": "", "shareName": "b"}}, ".azureFile.secretName"),
        ({"azureDisk": {"diskName": "a", "diskURI": "https://a"}}, ACCEPTED),
        ({"azureDisk": {"diskName": "a", "diskURI": "https://a", "kind": "Managed"}}, ".azureDisk.diskURI"),
        ({"iscsi": {"targetPortal": "a", "iqn": "iqn.2026-01.com.example:a", "lun": 0}}, ACCEPTED),
        ({"iscsi": {"targetPortal": "a", "iqn": "a", "lun": 0}}, ".iscsi.iqn"),
        ({"iscsi": {"targetPortal": "a", "iqn": "eui.0123456789abcdef", "lun": 256}}, ".iscsi.lun"),
        ({"flexVolume": {"driver": "a/b", "options": {"kubernetes.io/a": "b"}}}, ".flexVolume.options"),
        ({"cinder": {"volumeID": "a", "secretRef": {}}}, ".cinder.secretRef.name"),
        ({"gcePersistentDisk": {"pdName": "a", "partition": 256}}, ".gcePersistentDisk.partition"),
    ),
]
