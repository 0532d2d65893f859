"""The generated Kubernetes types are up to date, accept a full pod template and reject common mistakes."""

from __future__ import annotations

import copy
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from ruamel.yaml import YAML

from tools import kubernetes_types

SCHEMAS = Path(__file__).resolve().parents[3] / "schemas"
GENERATED = ("kubernetes.json", "merge-keys.json")
DOCUMENT: dict[str, Any] = json.loads((SCHEMAS / "kubernetes.json").read_text("utf-8"))
DEFINITIONS: dict[str, Any] = DOCUMENT["definitions"]
MERGE_KEYS: dict[str, Any] = json.loads((SCHEMAS / "merge-keys.json").read_text("utf-8"))
POD = ["spec", "containers", 0]

NO_SOURCE = find_spec("kubernetes_validate") is None

TEMPLATE: dict[str, Any] = YAML(typ="safe").load("""
metadata:
  labels: {app: resnet, rank: "0"}
  annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}
spec:
  activeDeadlineSeconds: 86400
  automountServiceAccountToken: false
  dnsConfig: {nameservers: [10.0.0.10], searches: [svc.cluster.local], options: [{name: ndots, value: "2"}]}
  dnsPolicy: ClusterFirstWithHostNet
  enableServiceLinks: false
  hostAliases: [{ip: 10.1.2.3, hostnames: [storage]}]
  hostIPC: true
  hostNetwork: true
  hostname: worker-0
  imagePullSecrets: [{name: registry}]
  nodeSelector: {cloud.google.com/gke-accelerator: nvidia-h100-80gb}
  os: {name: linux}
  preemptionPolicy: Never
  priorityClassName: research
  readinessGates: [{conditionType: example.com/fabric}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: eight-gpus}]
  restartPolicy: OnFailure
  runtimeClassName: nvidia
  schedulerName: volcano
  schedulingGates: [{name: example.com/quota}]
  serviceAccountName: trainer
  setHostnameAsFQDN: false
  subdomain: resnet
  terminationGracePeriodSeconds: 120
  securityContext:
    appArmorProfile: {type: RuntimeDefault}
    fsGroup: 2000
    fsGroupChangePolicy: OnRootMismatch
    runAsGroup: 1000
    runAsNonRoot: true
    runAsUser: 1000
    seLinuxOptions: {level: "s0:c123,c456"}
    seccompProfile: {type: Localhost, localhostProfile: profiles/train.json}
    supplementalGroups: [3000]
    sysctls: [{name: net.core.somaxconn, value: "1024"}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: nvidia.com/gpu.memory, operator: Gt, values: ["40000"]}
          - {key: spot, operator: DoesNotExist}
          matchFields: [{key: metadata.name, operator: In, values: [node-1]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 10, preference: {matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}}
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm: {topologyKey: example.com/rack, labelSelector: {matchLabels: {app: resnet}}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        namespaces: [team]
        labelSelector: {matchExpressions: [{key: app, operator: In, values: [resnet]}]}
  tolerations:
  - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 30}
  - {key: team, operator: Equal, value: research, effect: ""}
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/rack
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: {matchLabels: {app: resnet}}
    matchLabelKeys: [batch.kubernetes.io/controller-uid]
    nodeAffinityPolicy: Honor
    nodeTaintsPolicy: Ignore
  initContainers:
  - {name: logger, image: "fluent-bit:3", restartPolicy: Always}
  - {name: prepare, image: "busybox:1.36", command: [mkdir, -p, /out/ckpt]}
  containers:
  - name: trainer
    image: registry.example.com/train@sha256:0000
    imagePullPolicy: IfNotPresent
    command: [torchrun]
    args: [--nnodes=4, train.py]
    workingDir: /workspace
    stdin: false
    tty: false
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: FallbackToLogsOnError
    env:
    - {name: NCCL_DEBUG, value: INFO}
    - {name: EMPTY}
    - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: CPUS, valueFrom: {resourceFieldRef: {containerName: trainer, resource: limits.cpu, divisor: 1}}}
    - {name: TOKEN, valueFrom: {secretKeyRef: {name: wandb, key: token, optional: true}}}
    - {name: LR, valueFrom: {configMapKeyRef: {name: hyper, key: lr}}}
    envFrom: [{configMapRef: {name: common}}, {prefix: S_, secretRef: {name: cloud, optional: false}}]
    ports: [{name: rdzv, containerPort: 29500, protocol: TCP}, {containerPort: 9090, hostPort: 9090}]
    resources:
      requests: {cpu: 500m, memory: 1.5Gi, nvidia.com/gpu: 8, ephemeral-storage: 1e10}
      limits: {cpu: 32.5, memory: 256Gi, nvidia.com/gpu: "8", rdma/ib: 1, hugepages-2Mi: +64Mi}
      claims: [{name: gpus, request: all}]
    resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
    startupProbe: {exec: {command: [test, -f, /tmp/up]}, failureThreshold: 60, periodSeconds: 10}
    readinessProbe: {tcpSocket: {port: rdzv}, initialDelaySeconds: 5, timeoutSeconds: 2, successThreshold: 1}
    livenessProbe:
      httpGet: {path: /healthz, port: 9090, scheme: HTTP, httpHeaders: [{name: X-Probe, value: "1"}]}
      terminationGracePeriodSeconds: 10
    lifecycle: {preStop: {sleep: {seconds: 5}}, postStart: {exec: {command: ["true"]}}}
    securityContext:
      allowPrivilegeEscalation: false
      capabilities: {add: [IPC_LOCK], drop: [ALL]}
      privileged: false
      procMount: Default
      readOnlyRootFilesystem: true
    volumeDevices: [{name: pvc, devicePath: /dev/xvda}]
    volumeMounts:
    - {name: empty, mountPath: /dev/shm}
    - {name: pvc, mountPath: /data, subPath: imagenet, readOnly: true, recursiveReadOnly: IfPossible}
    - {name: host, mountPath: /lib/modules, mountPropagation: HostToContainer}
    - {name: pvc, mountPath: /out, subPathExpr: $(POD_IP)}
  - {name: exporter, image: "dcgm:3", livenessProbe: {grpc: {port: 9400, service: health}}}
  volumes:
  - {name: aws, awsElasticBlockStore: {volumeID: vol-1, fsType: ext4, partition: 1}}
  - {name: azuredisk, azureDisk: {diskName: d, diskURI: u, cachingMode: ReadOnly, kind: Managed}}
  - {name: azurefile, azureFile: {secretName: s, shareName: t}}
  - {name: ceph, cephfs: {monitors: ["10.0.0.1:6789"], secretRef: {name: ceph}}}
  - {name: cinder, cinder: {volumeID: v}}
  - {name: config, configMap: {name: hyper, defaultMode: 0o644, items: [{key: lr, path: lr.txt, mode: 256}]}}
  - {name: csi, csi: {driver: example.com, volumeAttributes: {bucket: b}, nodePublishSecretRef: {name: s}}}
  - {name: downward, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
  - {name: empty, emptyDir: {medium: Memory, sizeLimit: 64Gi}}
  - {name: huge, emptyDir: {medium: HugePages-2Mi}}
  - name: ephemeral
    ephemeral:
      volumeClaimTemplate:
        metadata: {labels: {app: resnet}}
        spec:
          accessModes: [ReadWriteOnce]
          resources: {requests: {storage: 1Ti}}
          storageClassName: local-nvme
          volumeMode: Filesystem
          dataSource: {kind: PersistentVolumeClaim, name: imagenet}
  - {name: fc, fc: {targetWWNs: ["500a0982991b8dc5"], lun: 2}}
  - {name: flex, flexVolume: {driver: example.com/lvm, options: {size: 1g}}}
  - {name: flocker, flocker: {datasetName: d}}
  - {name: gce, gcePersistentDisk: {pdName: p}}
  - {name: git, gitRepo: {repository: "https://example.com/r.git", revision: main}}
  - {name: gluster, glusterfs: {endpoints: e, path: p}}
  - {name: host, hostPath: {path: /lib/modules, type: Directory}}
  - {name: image, image: {reference: "registry.example.com/weights:1", pullPolicy: IfNotPresent}}
  - {name: iscsi, iscsi: {targetPortal: "10.0.2.15:3260", iqn: "iqn.2001-04.com.example:x", lun: 0}}
  - {name: nfs, nfs: {server: nfs.example.com, path: /export, readOnly: true}}
  - {name: pvc, persistentVolumeClaim: {claimName: imagenet, readOnly: false}}
  - {name: photon, photonPersistentDisk: {pdID: p}}
  - {name: portworx, portworxVolume: {volumeID: v}}
  - name: projected
    projected:
      sources:
      - {serviceAccountToken: {path: token, expirationSeconds: 3600, audience: vault}}
      - {configMap: {name: hyper}}
      - {secret: {name: wandb}}
      - {downwardAPI: {items: [{path: cpu, resourceFieldRef: {containerName: c, resource: limits.cpu}}]}}
      - {clusterTrustBundle: {name: roots, path: ca.pem}}
  - {name: quobyte, quobyte: {registry: "r:7861", volume: v}}
  - {name: rbd, rbd: {monitors: ["10.0.0.1:6789"], image: i}}
  - {name: scaleio, scaleIO: {gateway: "https://example.com", system: s, secretRef: {name: s}, volumeName: v}}
  - {name: secret, secret: {secretName: ssh, defaultMode: 256, optional: true}}
  - {name: storageos, storageos: {volumeName: v}}
  - {name: vsphere, vsphereVolume: {volumePath: "[ds] d.vmdk"}}
""")

REMOVED = object()
MISTAKES: dict[str, tuple[list[Any], object]] = {
    "a field in the wrong case": (["spec", "nodeselector"], {"a": "b"}),
    "a field of the pod on a container": ([*POD, "nodeSelector"], {"a": "b"}),
    "an env value that is a number": ([*POD, "env", 0, "value"], 1),
    "an env value that is a boolean": ([*POD, "env", 0, "value"], True),
    "env as a map": ([*POD, "env"], {"NCCL_DEBUG": "INFO"}),
    "a command that is one string": ([*POD, "command"], "torchrun train.py"),
    "a port in quotes": ([*POD, "ports", 0, "containerPort"], "29500"),
    "a protocol in small letters": ([*POD, "ports", 0, "protocol"], "tcp"),
    "a misspelt pull policy": ([*POD, "imagePullPolicy"], "IfNotpresent"),
    "a quantity with a space": ([*POD, "resources", "limits", "memory"], "16 Gi"),
    "a quantity in GB": ([*POD, "resources", "limits", "memory"], "16GB"),
    "a quantity that is a boolean": ([*POD, "resources", "limits", "cpu"], True),
    "limits outside resources": ([*POD, "limits"], {"cpu": 1}),
    "a container without a name": ([*POD, "name"], REMOVED),
    "a mount without a path": ([*POD, "volumeMounts", 0, "mountPath"], REMOVED),
    "a probe without its port": ([*POD, "readinessProbe", "tcpSocket", "port"], REMOVED),
    "a user id in quotes": (["spec", "securityContext", "runAsUser"], "1000"),
    "a null": (["spec", "affinity"], None),
    "a restart policy of another tool": (["spec", "restartPolicy"], "unless-stopped"),
    "no containers": (["spec", "containers"], REMOVED),
    "a label that is a boolean": (["metadata", "labels", "app"], True),
    "a node selector value that is a boolean": (["spec", "nodeSelector", "spot"], True),
    "a misspelt toleration effect": (["spec", "tolerations", 0, "effect"], "NoSchedul"),
    "a misspelt toleration operator": (["spec", "tolerations", 0, "operator"], "Exist"),
    "a misspelt spread rule": (["spec", "topologySpreadConstraints", 0, "whenUnsatisfiable"], "Schedule"),
    "one toleration instead of a list": (["spec", "tolerations"], {"operator": "Exists"}),
    "an unknown volume type": (["spec", "volumes", 0, "emptydir"], {}),
    "an unknown medium": (["spec", "volumes", 8, "emptyDir", "medium"], "memory"),
}


def error_paths(definition: str, value: object) -> list[list[Any]]:
    """Return the path of each error in a value of a type."""
    validator = Draft7Validator({**DOCUMENT, "$ref": f"#/definitions/{definition}"})
    return [list(error.absolute_path) for error in validator.iter_errors(value)]


def resource_metric(kind: str, target: str) -> dict[str, Any]:
    return {"type": kind, "resource": {"name": "cpu", "target": {"type": target, "averageUtilization": 80}}}


def claim(mode: str) -> dict[str, Any]:
    return {"spec": {"accessModes": [mode], "resources": {"requests": {"storage": "1Ti"}}}}


@pytest.mark.skipif(NO_SOURCE, reason="kubernetes-validate, the source of the types, is not installed")
@pytest.mark.parametrize("name", GENERATED)
def test_the_committed_file_is_up_to_date(name: str) -> None:
    committed = (SCHEMAS / name).read_text("utf-8")
    assert committed == kubernetes_types.generate()[name], "run python tools/kubernetes_types.py"


def test_the_document_is_a_draft_07_schema_without_dangling_references() -> None:
    Draft7Validator.check_schema(DOCUMENT)
    text = json.dumps(DEFINITIONS)
    references = {part.partition('"')[0] for part in text.split("#/definitions/")[1:]}
    assert references <= DEFINITIONS.keys()
    for keyword in ('"description": "', '"format": "', '"null"', "x-kubernetes"):
        assert keyword not in text


def test_objects_reject_unknown_properties() -> None:
    for name, definition in DEFINITIONS.items():
        assert ("properties" in definition) <= (definition.get("additionalProperties") is False), name


def test_a_full_pod_template_is_accepted() -> None:
    assert error_paths("PodTemplateSpec", TEMPLATE) == []


def test_the_pod_template_has_every_volume_type() -> None:
    used = {field for volume in TEMPLATE["spec"]["volumes"] for field in volume}
    assert used == DEFINITIONS["Volume"]["properties"].keys()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_common_mistake_is_reported_at_its_path(mistake: str) -> None:
    path, value = MISTAKES[mistake]
    broken: Any = copy.deepcopy(TEMPLATE)
    parent = broken
    for step in path[:-1]:
        parent = parent[step]
    if value is REMOVED:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    # a missing or unknown field is reported at the object that lacks or has it
    assert error_paths("PodTemplateSpec", broken) in ([path], [path[:-1]])


@pytest.mark.parametrize("quantity", ["1", "0.5", "500m", "+1Ki", "-2", "1.5Gi", "1e3", "1E", "3E-2", ".5", 8, 0.5])
def test_quantities_are_numbers_with_a_suffix_of_kubernetes(quantity: object) -> None:
    assert error_paths("Quantity", quantity) == []


@pytest.mark.parametrize("text", ["", "Gi", "1gb", "1ki", "1KB", "0x10", "1e", "1 Gi", "1,5", "half", None, True])
def test_other_values_are_not_quantities(text: object) -> None:
    assert error_paths("Quantity", text) != []


@pytest.mark.parametrize(
    ("definition", "valid", "invalid"),
    [
        (
            "MetricSpec",
            resource_metric("Resource", "Utilization"),
            resource_metric("resource", "Utilization"),
        ),
        ("MetricSpec", resource_metric("Resource", "AverageValue"), resource_metric("Resource", "Average")),
        ("HPAScalingRules", {"selectPolicy": "Disabled"}, {"selectPolicy": "Off"}),
        ("HPAScalingPolicy", {"type": "Pods", "value": 1, "periodSeconds": 9}, {"type": "Pods", "value": 1}),
        ("HorizontalPodAutoscalerBehavior", {"scaleDown": {}}, {"scaledown": {}}),
        ("EnvFromSource", {"configMapRef": {"name": "common"}}, {"configMap": {"name": "common"}}),
        ("PersistentVolumeClaimTemplate", claim("ReadWriteMany"), claim("RWX")),
        ("SuccessPolicy", {"rules": [{"succeededIndexes": "0"}]}, {"rules": [{"succeededIndexes": 0}]}),
        ("PodFailurePolicy", {"rules": [{"action": "Ignore"}]}, {"rules": [{"action": "Retry"}]}),
    ],
)
def test_other_types_know_their_fields_and_enum_values(definition: str, valid: object, invalid: object) -> None:
    assert error_paths(definition, valid) == []
    assert error_paths(definition, invalid) != []


def test_merge_keys_are_those_of_kubectl() -> None:
    assert MERGE_KEYS["PodSpec"]["containers"] == "name"
    assert MERGE_KEYS["PodSpec"]["volumes"] == {"key": "name", "retainKeys": True}
    assert MERGE_KEYS["PodSpec"]["topologySpreadConstraints"] == "topologyKey"
    assert MERGE_KEYS["Container"]["ports"] == "containerPort"
    assert MERGE_KEYS["Container"]["volumeMounts"] == "mountPath"
    assert MERGE_KEYS["ObjectMeta"]["finalizers"] == ""
    assert "tolerations" not in MERGE_KEYS["PodSpec"], "a patch replaces the tolerations"


def test_merge_keys_are_fields_of_their_list_items() -> None:
    for definition, fields in MERGE_KEYS.items():
        for field, entry in fields.items():
            key = entry["key"] if isinstance(entry, dict) else entry
            items = DEFINITIONS[definition]["properties"][field]["items"]
            if key:
                target = DEFINITIONS[items["$ref"].rpartition("/")[2]]
                assert key in target["properties"], f"{definition}.{field}"
            else:
                assert items == {"type": "string"}, f"{definition}.{field}"


def test_definitions_with_the_same_short_name_are_rejected() -> None:
    root = kubernetes_types.ROOTS[0]
    source: dict[str, Any] = {name: {"type": "object"} for name in kubernetes_types.ROOTS}
    source[root] = {"properties": {"a": {"$ref": "#/$defs/x.v1.Twin"}, "b": {"$ref": "#/$defs/x.v2.Twin"}}}
    source |= {"x.v1.Twin": {"type": "object"}, "x.v2.Twin": {"type": "object"}}
    with pytest.raises(kubernetes_types.SourceChangedError, match=r"would share the name Twin"):
        kubernetes_types.closure(source)


def test_unknown_keywords_are_rejected() -> None:
    field = {"type": "integer", "minimum": 1}
    with pytest.raises(kubernetes_types.SourceChangedError, match=r"Thing.a has keywords .*minimum"):
        kubernetes_types.types({"Thing": {"type": "object", "properties": {"a": field}}})
