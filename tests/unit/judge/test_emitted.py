"""What the API server rejects in the objects of trainc's own jobs, at its place in the job file."""

from __future__ import annotations

import copy

import pytest
import yaml

from tests.support.api_verdicts import DELETE, REJECTED, ROWS, C, Object, Row, T, steps_of
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.judge.position import steps_to
from trainc.schema.paths import Path
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Place, Source
from trainc.target import Target

# Rows whose two items become one in a strategic-merge patch: their merge key is the same.
MERGED = (f"{T}.containers.1", f"{C}.volumeMounts.1", f"{T}.volumes.1.name")
JOB: Object = {
    "apiVersion": "trainc.dev/v1alpha1",
    "kind": "TrainingJob",
    "metadata": {"name": "train"},
    "spec": {
        "image": "registry.example/train:1.0",
        "launch": {"torchrun": {}},
        "run": {"python": ["train.py", "--resume"]},
        "workers": 2,
        "resources": {"cpu": 2, "memory": "8Gi"},
    },
}


def patch_of(row: Row) -> Object | None:
    """Return the fields of the pod that a row changes, as podTemplate; None if it changes others."""
    pod = row.manifest["spec"]["template"]["spec"] if row.kind != "Pod" else {}
    spec: Object = {}
    main: Object = {"name": "main"}
    for path in row.changes:
        if not path.startswith(f"{T}."):
            return None
        field = steps_of(path)[3:]
        if field[:2] == ("containers", 0):
            if len(field) < 3 or field[2] in ("name", "image", "command", "args", "resources"):
                return None
            main[str(field[2])] = pod["containers"][0].get(field[2])
        else:
            spec[str(field[0])] = pod[str(field[0])]
    if {"volumeMounts", "env"} & main.keys() or "volumes" in spec:
        spec["volumes"] = pod["volumes"]
        main["volumeMounts"] = pod["containers"][0]["volumeMounts"]
    others = spec.pop("containers", [])[1:]
    return {"spec": {**spec, "containers": [main, *others]}}


def wrapped_rows() -> list[Row]:
    """Return the rows about pods that a job file can have in podTemplate."""
    rows = [row for row in ROWS if row.kind == "Job" and row.changes and DELETE not in row.changes.values()]
    return [row for row in rows if patch_of(row) is not None and not _is_merged(row)]


def _is_merged(row: Row) -> bool:
    spreads = row.changes.get(f"{T}.topologySpreadConstraints", ())
    return len(spreads) > 1 or (bool(row.field) and not row.changes.keys().isdisjoint(MERGED))


def text_of(**spec: object) -> str:
    job = copy.deepcopy(JOB)
    job["spec"] |= spec
    text: str = yaml.safe_dump(job, sort_keys=False)
    return text


def diagnostics_of(text: str, backend: str = "job") -> list[Diagnostic]:
    return run([Source("job.yaml", text)], Target(backend=backend)).diagnostics


def place_of(text: str, *path: str | int) -> Place:
    document = load(Source("job.yaml", text))[0][0]
    assert isinstance(document, Mapping)
    return steps_to(document, path)[-1].span.place


def line_of(text: str, *path: str | int) -> int:
    _, line, *_ = place_of(text, *path)
    return line


@pytest.mark.sample(40)
@pytest.mark.parametrize("backend", ["job", "jobset"])
@pytest.mark.parametrize("row", wrapped_rows(), ids=str)
def test_a_pod_template_is_judged_as_by_the_api_server(row: Row, backend: str) -> None:
    text = text_of(podTemplate=patch_of(row))
    errors = [each for each in diagnostics_of(text, backend) if each.severity == "error"]
    if not row.field:
        assert not [each for each in errors if each.code.id in {"TC3025", *REJECTED}], errors
        return
    steps = steps_of(row.field)[3:]
    line = line_of(text, "spec", "podTemplate", "spec", *steps)
    assert any(each.span.line == line for each in errors), [(each.span.line, each.message) for each in errors]


# Fields of a job file and a value that Kubernetes 1.36 rejects there, as the rows of api_verdicts.py about the same
# fields of a pod; and the field of the error.
SPREAD = {"maxSkew": 0, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
IN = {"matchExpressions": [{"key": "zone", "operator": "In"}]}
NODES = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [IN]}}}
TOKEN = {"path": "a", "expirationSeconds": 1}
VOLUME = {"name": "extra", "mountPath": "/extra"}
NATIVE: list[tuple[Object, Path]] = [
    (
        {"env": {"A": {"valueFrom": {"fieldRef": {"fieldPath": "spec.nope"}}}}},
        ("env", "A", "valueFrom", "fieldRef", "fieldPath"),
    ),
    (
        {"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "status.phase"}}}]},
        ("env", 1, "valueFrom", "fieldRef", "fieldPath"),
    ),
    (
        {"env": {"A": {"valueFrom": {"resourceFieldRef": {"resource": "limits.gpu"}}}}},
        ("env", "A", "valueFrom", "resourceFieldRef", "resource"),
    ),
    ({"env": {"A": {"valueFrom": {}}}}, ("env", "A", "valueFrom")),
    ({"envFrom": [{}]}, ("envFrom", 0)),
    (
        {"scheduling": {"tolerations": [{"key": "a"}, {"key": "gpu", "operator": "Exists", "value": "a"}]}},
        ("scheduling", "tolerations", 1, "value"),
    ),
    ({"scheduling": {"tolerations": [{"effect": "NoSchedule"}]}}, ("scheduling", "tolerations", 0)),
    (
        {"scheduling": {"topologySpreadConstraints": [SPREAD]}},
        ("scheduling", "topologySpreadConstraints", 0, "maxSkew"),
    ),
    (
        {"scheduling": {"affinity": NODES}},
        (
            *("scheduling", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
            *("nodeSelectorTerms", 0, "matchExpressions", 0),
        ),
    ),
    ({"securityContext": {"sysctls": [{"name": "A b", "value": "1"}]}}, ("securityContext", "sysctls", 0, "name")),
    (
        {"securityContext": {"seccompProfile": {"type": "Localhost"}}},
        ("securityContext", "seccompProfile"),
    ),
    (
        {"volumes": [{**VOLUME, "configMap": {"items": [{"key": "a", "path": "a"}]}}]},
        ("volumes", 0, "configMap"),
    ),
    ({"volumes": [{**VOLUME, "nfs": {"server": "a", "path": "b"}}]}, ("volumes", 0, "nfs", "path")),
    (
        {
            "volumes": [
                {**VOLUME, "projected": {"sources": [{"serviceAccountToken": {"path": "a", "expirationSeconds": 1}}]}}
            ]
        },
        ("volumes", 0, "projected", "sources", 0, "serviceAccountToken", "expirationSeconds"),
    ),
    (
        {"volumes": [{**VOLUME, "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}]},
        ("volumes", 0, "ephemeral", "volumeClaimTemplate", "spec"),
    ),
]
BACKENDS = ["job", "pods", "statefulset", "jobset", "trainjob", "pytorchjob", "vcjob"]


@pytest.mark.sample(30)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("spec", "path"), NATIVE, ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else ""
)
def test_a_field_of_the_job_file_is_judged_in_its_place(
    spec: Object, path: tuple[str | int, ...], backend: str
) -> None:
    text = text_of(**spec)
    (error,) = [each for each in diagnostics_of(text, backend) if each.severity == "error"]
    assert error.span.place == place_of(text, "spec", *path), error.message
    assert error.help


def test_equal_values_are_reported_once_each() -> None:
    wrong = {"valueFrom": {"fieldRef": {"fieldPath": "spec.nope"}}}
    text = text_of(env={"B": wrong, "A": copy.deepcopy(wrong)}, workers=8)
    lines = [each.span.line for each in diagnostics_of(text, "pods") if each.code.id == "TC4090"]
    expected = [line_of(text, "spec", "env", name, "valueFrom", "fieldRef", "fieldPath") for name in "BA"]
    assert lines == expected


def test_the_autoscaler_of_a_stateful_set_is_judged() -> None:
    """The verdicts are those of companion_verdicts.py."""
    target = {"type": "Utilization", "averageUtilization": 0}
    elastic = {
        "minReplicas": 1,
        "maxReplicas": 4,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
        "behavior": {"scaleUp": {"stabilizationWindowSeconds": 7200}},
    }
    text = text_of(elastic=elastic, workers=1)
    errors = [each for each in diagnostics_of(text, "statefulset") if each.severity == "error"]
    metric = ("spec", "elastic", "metrics", 0, "resource", "target", "averageUtilization")
    window = ("spec", "elastic", "behavior", "scaleUp", "stabilizationWindowSeconds")
    assert [each.span.line for each in errors] == [line_of(text, *metric), line_of(text, *window)]


def test_a_job_with_another_error_gets_those_of_its_pods_too() -> None:
    mount: Object = {"name": "main", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    resources = {"requests": {"cpu": 8}, "limits": {"cpu": 4}}
    errors = {"TC3015": ("resources", "requests", "cpu"), "TC3011": ("podTemplate", "spec", "containers", 0)}
    text = text_of(resources=resources, podTemplate={"spec": {"containers": [mount]}})
    places = {each.code.id: each.span.line for each in diagnostics_of(text) if each.severity == "error"}
    assert places.keys() == errors.keys()
    assert places["TC3015"] == line_of(text, "spec", *errors["TC3015"])
    assert places["TC3011"] == line_of(text, "spec", *errors["TC3011"], "volumeMounts", 0, "name")


def test_a_template_that_removes_the_container_has_no_other_error() -> None:
    removed: Object = {"name": "main", "$patch": "delete"}
    mount: Object = {"name": "side", "image": "a", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    text = text_of(podTemplate={"spec": {"containers": [removed, mount]}})
    assert {each.code.id for each in diagnostics_of(text) if each.severity == "error"} == {"TC3014"}


def test_pods_that_a_runtime_of_the_cluster_completes_are_not_judged_by_themselves() -> None:
    mount: Object = {"name": "main", "volumeMounts": [{"name": "of-the-runtime", "mountPath": "/data"}]}
    text = text_of(
        resources={"requests": {"cpu": 8}, "limits": {"cpu": 4}},
        scheduling={"runtime": {"name": "ours"}},
        podTemplate={"spec": {"containers": [mount]}},
    )
    assert {each.code.id for each in diagnostics_of(text, "trainjob") if each.severity == "error"} == {"TC3015"}
