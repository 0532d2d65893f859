"""`podTemplate` is merged like `kubectl patch --type=strategic`, which the tests run.

Only the order of merged lists differs: kubectl puts new items first, trainc puts them last, so that the user's
variables can refer to the launcher's.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
import yaml

from tests.support.yaml_readers import needs_kubectl
from trainc.emit.manifest import Manifest
from trainc.emit.patch import apply_patch
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source

BASE = """
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  template:
    metadata:
      labels: {a: b, team: vision}
      annotations: {note: x}
      finalizers: [example.com/a]
    spec:
      restartPolicy: Never
      nodeSelector: {zone: a, gpu: h100}
      securityContext: {runAsUser: 1, fsGroup: 2, sysctls: [{name: a, value: b}]}
      tolerations: [{key: a, operator: Exists}, {key: b, operator: Exists}]
      imagePullSecrets: [{name: registry}]
      hostAliases: [{ip: 10.0.0.1, hostnames: [a, b]}]
      topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]
      dnsConfig: {nameservers: [10.0.0.2], options: [{name: ndots, value: "2"}]}
      affinity:
        nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]}
      initContainers: [{name: fetch, image: "busybox:1", command: [sh]}]
      containers:
      - name: main
        image: train:1
        command: [torchrun]
        args: [train.py, --epochs, "3"]
        env:
        - {name: A, value: "1"}
        - {name: B, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
        envFrom: [{configMapRef: {name: a}}]
        ports: [{name: rdzv, containerPort: 29400}]
        resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, nvidia.com/gpu: 1}}
        volumeMounts: [{name: dshm, mountPath: /dev/shm}, {name: data, mountPath: /data, readOnly: true}]
        securityContext: {capabilities: {add: [A], drop: [B]}}
      - {name: sidecar, image: "log:1"}
      volumes: [{name: dshm, emptyDir: {medium: Memory}}, {name: data, hostPath: {path: /data}}]
"""


def _main(fields: str) -> str:
    return "spec: {containers: [{name: main, %s}]}" % fields  # noqa: UP031  braces all over


PATCHES = {
    "nothing": "{}",
    "a field of the pod": "spec: {hostNetwork: true, dnsPolicy: Default}",
    "an existing field": "spec: {restartPolicy: OnFailure}",
    "null removes a field": "spec: {restartPolicy: null}",
    "null for a missing field": "spec: {hostname: null}",
    "null removes a mapping": "spec: {nodeSelector: null}",
    "null removes a list": "spec: {tolerations: null, imagePullSecrets: null}",
    "a mapping is merged": "spec: {nodeSelector: {zone: b, rack: c}}",
    "null in a mapping": "spec: {nodeSelector: {zone: null}}",
    "a mapping is replaced": "spec: {nodeSelector: {$patch: replace, rack: c}}",
    "a mapping is emptied": "spec: {nodeSelector: {$patch: replace}}",
    "a mapping is deleted": "spec: {nodeSelector: {$patch: delete}}",
    "an object is merged": "spec: {securityContext: {runAsUser: 5, runAsGroup: 6}}",
    "an object is replaced": "spec: {securityContext: {$patch: replace, runAsUser: 5}}",
    "an object is deleted": "spec: {securityContext: {$patch: delete}}",
    "null in a new object": "spec: {os: {name: null}, preemptionPolicy: null}",
    "nested objects are merged": "spec: {affinity: {podAffinity: {}, nodeAffinity: {}}}",
    "labels and annotations": "metadata: {labels: {team: null, c: d}, annotations: {note: y, more: z}}",
    "plain values with a merge key are a union": "metadata: {finalizers: [example.com/b]}",
    "tolerations are atomic": "spec: {tolerations: [{key: c, operator: Exists}]}",
    "an empty list replaces": "spec: {tolerations: []}",
    "an empty list of a merged list changes nothing": "spec: {imagePullSecrets: []}",
    "a list of plain values is replaced": _main("args: [other.py]"),
    "a command is removed": _main("command: null, args: null"),
    "capabilities are replaced one by one": _main("securityContext: {capabilities: {add: [C, D]}}"),
    "envFrom is atomic": _main("envFrom: [{secretRef: {name: s}}]"),
    "a variable is changed": _main('env: [{name: A, value: "2"}]'),
    "a variable is added": _main("env: [{name: C, value: x}, {name: D, value: y}]"),
    "a variable gets a source": _main("env: [{name: A, value: null, valueFrom: {fieldRef: {fieldPath: a}}}]"),
    "a variable is deleted": _main("env: [{name: A, $patch: delete}]"),
    "a missing variable is deleted": _main("env: [{name: Z, $patch: delete}]"),
    "variables are replaced": _main("env: [{name: C, value: x}, {$patch: replace}]"),
    "variables are all removed": _main("env: [{$patch: replace}]"),
    "a container is added": "spec: {containers: [{name: new, image: b, env: [{name: A, value: b}]}]}",
    "a container is deleted": "spec: {containers: [{name: sidecar, $patch: delete}]}",
    "a container is added without nulls": "spec: {containers: [{name: new, image: null, args: [a]}]}",
    "an init container is changed": "spec: {initContainers: [{name: fetch, command: [a]}]}",
    "init containers are added": "spec: {initContainers: [{name: one, image: a}, {name: two, image: b}]}",
    "ports are merged by number": _main("ports: [{containerPort: 29400, name: other}, {containerPort: 80}]"),
    "resources are merged": _main("resources: {limits: {memory: 2Gi, nvidia.com/gpu: null}}"),
    "resources are replaced": _main("resources: {$patch: replace, limits: {cpu: 2}}"),
    "mounts are merged by path": _main("volumeMounts: [{mountPath: /data, subPath: a}, {mountPath: /x, name: data}]"),
    "a mount is deleted": _main("volumeMounts: [{mountPath: /data, $patch: delete}]"),
    "a volume is added": "spec: {volumes: [{name: new, emptyDir: {sizeLimit: 1Gi}}]}",
    "a volume is deleted": "spec: {volumes: [{name: data, $patch: delete}]}",
    "a volume's source is changed": "spec: {volumes: [{name: dshm, emptyDir: {sizeLimit: 1Gi}}]}",
    "pull secrets are merged by name": "spec: {imagePullSecrets: [{name: other}, {name: registry}]}",
    "host aliases are merged by address": "spec: {hostAliases: [{ip: 10.0.0.1, hostnames: [c]}, {ip: 10.0.0.9}]}",
    "spread is merged by key": "spec: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 2}, {topologyKey: b}]}",
    "lists inside an object are replaced": "spec: {dnsConfig: {options: [{name: x}], searches: [a]}}",
    "a missing merged list": "spec: {resourceClaims: [{name: a, resourceClaimName: b}]}",
    "an item of a missing list is deleted": "spec: {resourceClaims: [{name: a, $patch: delete}]}",
}


def merge_with_trainc(patch: str) -> Any:
    """Return the Job with the patch in its pod template, by the compiler."""
    (base,), problems = load(Source("base.yaml", BASE))
    assert problems == []
    assert isinstance(base, Mapping)
    manifest = Manifest(kind="Job", name="a", namespace=None, object=base)
    documents, problems = load(Source("patch.yaml", patch))
    assert problems == []
    assert isinstance(documents[0], Mapping)
    result = apply_patch(manifest, (("spec", "template"),), documents[0])
    values = yaml.safe_load(result.text)
    assert result.data() == values  # of the merged tree, which isn't parsed again
    return values


def merge_with_kubectl(patch: Any) -> Any:
    """Return the same merged by kubectl."""
    text = json.dumps({"spec": {"template": patch}})
    command = ["kubectl", "patch", "--local", "--type=strategic", "-f", "-", "-o", "json", "-p", text]
    process = subprocess.run(command, input=BASE, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    # It keeps nulls in new objects, which the API server drops.
    return json.loads(process.stdout, object_pairs_hook=lambda pairs: {k: v for k, v in pairs if v is not None})


def sort_lists(value: Any) -> Any:
    """Return a value with its lists of objects sorted: the comparison ignores their order."""
    if isinstance(value, dict):
        # The only merged list of strings.
        return {key: sorted(inner) if key == "finalizers" else sort_lists(inner) for key, inner in value.items()}
    if isinstance(value, list):
        inner = [sort_lists(item) for item in value]
        return sorted(inner, key=_text) if all(isinstance(item, dict) for item in inner) else inner
    return value


@pytest.mark.sample(15)
@needs_kubectl
@pytest.mark.parametrize("case", PATCHES)
def test_merge_equals_kubectl(case: str) -> None:
    assert sort_lists(merge_with_trainc(PATCHES[case])) == sort_lists(merge_with_kubectl(yaml.safe_load(PATCHES[case])))


@needs_kubectl
def test_volume_with_a_new_source_drops_the_old_one() -> None:
    """`kubectl apply` sends $retainKeys for volumes: with both sources the API server would refuse the pod."""
    volume = {"name": "dshm", "hostPath": {"path": "/x"}}
    expected = merge_with_kubectl({"spec": {"volumes": [{"$retainKeys": ["name", "hostPath"], **volume}]}})
    assert volume in expected["spec"]["template"]["spec"]["volumes"]
    assert sort_lists(merge_with_trainc(json.dumps({"spec": {"volumes": [volume]}}))) == sort_lists(expected)


def test_new_items_come_last() -> None:
    patch = _main("env: [{name: C, value: x}, {name: A, value: y}, {name: D, value: z}]")
    template = merge_with_trainc(patch)["spec"]["template"]
    assert [entry["name"] for entry in template["spec"]["containers"][0]["env"]] == ["A", "B", "C", "D"]
    patch = "spec: {containers: [{name: z, image: a}, {name: a, image: b}], initContainers: [{name: b, image: c}]}"
    spec = merge_with_trainc(patch)["spec"]["template"]["spec"]
    assert [container["name"] for container in spec["containers"]] == ["main", "sidecar", "z", "a"]
    assert [container["name"] for container in spec["initContainers"]] == ["fetch", "b"]


@pytest.mark.parametrize("directive", ["replace", "merge"])
def test_directive_without_a_counterpart_is_dropped(directive: str) -> None:
    """kubectl drops such an object or rejects the directive; its meaning is clear even so."""
    spec = merge_with_trainc(f"spec: {{overhead: {{$patch: {directive}, cpu: 1}}}}")["spec"]["template"]["spec"]
    assert spec["overhead"] == {"cpu": 1}


def test_patch_changes_only_the_pod_template() -> None:
    merged, original = merge_with_trainc("spec: {hostNetwork: true}"), yaml.safe_load(BASE)
    del merged["spec"]["template"], original["spec"]["template"]
    assert merged == original


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
