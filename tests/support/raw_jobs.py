"""Jobs with random values in the fields that go unchanged into the pods, by the schema of Kubernetes' types."""

from __future__ import annotations

import copy
import random
from typing import Any

import yaml

from trainc.schema.documents import KUBERNETES, PATCH, Schema, document, resolve

JOB: dict[str, Any] = {
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
# Values of fields that have no enumeration: most are valid somewhere.
TEXTS = (
    *("a", "b", "main", "gpu", "example.com/gpu", "metadata.name", "status.podIP", "limits.cpu", "/a", "a/b", "a.b"),
    *("In", "Exists", "Equal", "NoSchedule", "NoExecute", "RuntimeDefault", "Localhost", "Always", "DoNotSchedule"),
    *("", "A", "a b", "..", "-a", "spec.nope", "1Gi", "500m", "10.0.0.1"),
)
NUMBERS = (0, 1, 2, 30, 600, 8080, -1, 70000)
# Fields of a pod and of its training container in podTemplate, of which no rule says that they are trainc's own.
POD_FIELDS = (
    *("tolerations", "affinity", "topologySpreadConstraints", "dnsConfig", "hostAliases", "readinessGates"),
    *("schedulingGates", "securityContext", "volumes", "initContainers", "terminationGracePeriodSeconds", "hostPID"),
    *("shareProcessNamespace", "hostIPC", "enableServiceLinks", "hostUsers"),
)
NEWER = ("defaultUser", "user", "mode")  # fields of Kubernetes 1.37, which the tests' API server doesn't have
CONTAINER_FIELDS = (
    *("envFrom", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "securityContext", "ports"),
    *("resizePolicy", "terminationMessagePath", "stdin", "tty"),
)


class RawJobs:
    """Generator of jobs; a seed always gives the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def job(self) -> str:
        """Return a job file with values in one to three fields."""
        job = copy.deepcopy(JOB)
        for _ in range(self._random.randint(1, 3)):
            self._add(job["spec"])
        text: str = yaml.safe_dump(job, sort_keys=False)
        return text

    def _add(self, spec: dict[str, Any]) -> None:
        choice = self._random.randrange(8)
        scheduling = spec.setdefault("scheduling", {})
        if choice == 0:
            scheduling["tolerations"] = [self._of("Toleration")]
        elif choice == 1:
            scheduling["affinity"] = self._of("Affinity")
        elif choice == 2:
            scheduling["topologySpreadConstraints"] = [self._of("TopologySpreadConstraint")]
        elif choice == 3:
            spec["env"] = {"A": {"valueFrom": self._of("EnvVarSource")}}
        elif choice == 4:
            source = self._random.choice(("ConfigMap", "Secret", "EmptyDir", "HostPath", "NFS", "Projected", "CSI"))
            field = source[0].lower() + source[1:] if source not in ("NFS", "CSI") else source.lower()
            spec["volumes"] = [{"name": "extra", "mountPath": "/extra", field: self._of(f"{source}VolumeSource")}]
        else:
            template = spec.setdefault("podTemplate", {"spec": {"containers": [{"name": "main"}]}})["spec"]
            if choice == 5:
                name = self._random.choice(POD_FIELDS)
                template[name] = self._field("PodSpec", name)
            else:
                name = self._random.choice(CONTAINER_FIELDS)
                template["containers"][0][name] = self._field("Container", name)

    def _of(self, type_: str) -> Any:
        return self._value({"$ref": f"#/definitions/{type_}"}, KUBERNETES, 0)

    def _field(self, type_: str, name: str) -> Any:
        return self._value(document(PATCH)["definitions"][type_]["properties"][name], PATCH, 0)

    def _value(self, schema: Schema, base: str, depth: int) -> Any:
        """Return a value that the schema mostly accepts."""
        if "$ref" in schema:
            inner, base = resolve(schema["$ref"], base)
            return self._value(inner, base, depth)
        options = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
        if options:
            return self._value(self._random.choice(options), base, depth)
        if "enum" in schema:
            return self._random.choice([each for each in schema["enum"] if each != "" and each is not None])
        types = schema.get("type", "object")
        kind = types if isinstance(types, str) else next(each for each in types if each != "null")
        if kind == "array":
            return [self._value(schema["items"], base, depth + 1) for _ in range(self._random.choice((0, 1, 1, 1, 2)))]
        if kind == "object":
            return self._mapping(schema, base, depth)
        if kind == "boolean":
            return self._random.random() < 0.5
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", -1), schema.get("maximum", 2**31)
            return self._random.choice([each for each in NUMBERS if low <= each <= high])
        return self._random.choice(TEXTS)

    def _mapping(self, schema: Schema, base: str, depth: int) -> dict[str, Any]:
        fields = {name: field for name, field in schema.get("properties", {}).items() if name not in ("$patch", *NEWER)}
        if not fields:
            extra = schema.get("additionalProperties")
            return {self._random.choice(TEXTS[:3]): self._value(extra, base, depth)} if isinstance(extra, dict) else {}
        optional = [name for name in fields if name not in schema.get("required", ())]
        count = self._random.randint(0 if depth > 3 else 1, 2)
        chosen = self._random.sample(optional, min(count, len(optional)))
        return {name: self._value(fields[name], base, depth + 1) for name in (*schema.get("required", ()), *chosen)}
