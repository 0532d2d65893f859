"""Values of fields that healthy jobs have, where the schema's examples, enumerations and bounds don't suffice."""

from __future__ import annotations

from typing import Any

Values = tuple[Any, ...]

_PROBE = {"tcpSocket": {"port": 29500}, "periodSeconds": 30, "failureThreshold": 10}
_EXEC = {"exec": {"command": ["true"]}}
_WORKERS = {"labelSelector": {"matchLabels": {"team": "vision"}}, "topologyKey": "kubernetes.io/hostname"}
_ZONE = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}
_REQUIRED, _PREFERRED = (f"{kind}DuringSchedulingIgnoredDuringExecution" for kind in ("required", "preferred"))
_SIDECAR = {"name": "logs", "image": "busybox:1.37", "command": ["sleep", "infinity"]}

# By definition, or by definition and field, of trainingjob.json or the definition of kubernetes.json that it refers to.
VALUES: dict[str, Values] = {
    "Spec.workers": (1, 2, 3, 4),
    "Spec.imagePullSecrets": ([{"name": "registry"}],),
    "Elastic.minReplicas": (1, 2),
    "Elastic.maxReplicas": (2, 3, 4),
    "Quantity": (1, 2, "500m", "4Gi", "1.5"),
    "Spec.sharedMemory": ("1Gi", "512Mi", False),
    "Resources.cpu": (1, 4, "1500m", "2"),
    "Resources.memory": ("4Gi", "16Gi", "2000M"),
    "Resources.ephemeralStorage": ("10Gi", "5G"),
    "Resources.gpu": (1, 2, {"count": 2, "resource": "amd.com/gpu"}, {"count": 1, "memory": 8000, "cores": 50}),
    "Resources.claims": (
        [{"name": "nics", "resourceClaimTemplateName": "all-nics"}],
        [{"name": "gpus", "resourceClaimName": "shared-gpus", "request": "gpu"}],
    ),
    "DeviceClaim": ({"name": "nics", "resourceClaimTemplateName": "all-nics"},),
    "Network.networks": (["rdma-net"], ["research/rdma-a", "rdma-b"]),
    "Resources.requests": ({"cpu": "1"}, {"memory": "2Gi"}, {"ephemeral-storage": "1Gi"}),
    "Resources.limits": ({"cpu": "16"}, {"memory": "64Gi"}, {"cpu": 8, "memory": "32Gi"}),
    "Resources.*": ({"rdma/hca": 1}, {"example.com/nic": 2}),
    "Labels": ({"team": "vision"}, {"example.com/cost-center": "4711", "tier": ""}),
    "Words": (
        ["train.py"],
        ["train.py", "--epochs", 3, "--amp", True, "no", 0.5],
        ["train.py", "a b", "$$(HOSTNAME)", ""],
    ),
    "Word": ("--fast", 3),
    "Run.exec": (["./train", "--fast"], ["bash", "-c", "exec python train.py"]),
    "Run.module": (["mypkg.train"], ["mypkg.train", "--lr", 0.1]),
    "EnvMap": (
        {"NCCL_DEBUG": "INFO", "EPOCHS": 3, "AMP": True},
        {"TOKEN": {"valueFrom": {"secretKeyRef": {"name": "token", "key": "value", "optional": True}}}},
        {"NODE": {"valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}, "ON": "$(NODE)-x"},
        {"CPUS": {"valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}}},
    ),
    "EnvList": (
        [{"name": "A", "value": "1"}, {"name": "B", "value": ""}, {"name": "C"}],
        [{"name": "LEVEL", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "level"}}}],
    ),
    "EnvFromSource": ({"configMapRef": {"name": "settings"}, "prefix": "A_"}, {"secretRef": {"name": "keys"}}),
    "Affinity": (
        {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [_ZONE]}}},
        {"nodeAffinity": {_PREFERRED: [{"weight": 50, "preference": _ZONE}]}},
        {"podAntiAffinity": {_REQUIRED: [_WORKERS]}},
        {"podAffinity": {_PREFERRED: [{"weight": 1, "podAffinityTerm": _WORKERS}]}},
    ),
    "Toleration": (
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "value": "vision"},
        {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
    ),
    "TopologySpreadConstraint": (
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
        {"maxSkew": 2, "topologyKey": "rack", "whenUnsatisfiable": "ScheduleAnyway", "nodeTaintsPolicy": "Honor"},
    ),
    "Scheduling.priorityClassName": ("training-high",),  # which the tests' cluster has
    "Lifecycle.activeDeadlineSeconds": (3600, 86400),  # longer than the test
    "Codes": ([2], [2, 126, 127], [130, 137, 143]),
    "MetricSpec": (
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}},
        {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "4Gi"}}},
    ),
    "Sysctl": ({"name": "net.ipv4.tcp_keepalive_time", "value": "600"},),
    "SecurityContext.seccompProfile": ({"type": "RuntimeDefault"}, {"type": "Localhost", "localhostProfile": "a.json"}),
    "SecurityContext.seLinuxChangePolicy": ("Recursive",),  # before 1.37 MountOption needs a feature gate
    "Capabilities": ({"drop": ["ALL"]}, {"add": ["IPC_LOCK"]}),
    "Port": (29400, 29511, 12345),
    "Volume.files": (["src/"],),  # beside the examples
    "Volume.emptyDir": ({}, {"sizeLimit": "10Gi"}, {"medium": "Memory", "sizeLimit": "1Gi"}),
    "Volume.configMap": (
        {"name": "settings"},
        {"name": "settings", "items": [{"key": "a", "path": "b"}], "defaultMode": 256},
    ),
    "MountPath": ("/mnt/data", "/data"),
    "StoredPath.path": ("/data/last.pt",),
    "ShareFile.directory": ("/data/share",),
    "StoredPath.volume": ("data",),
    "ShareFile.volume": ("data",),
    "LauncherPod.sshAuthMountPath": ("/root/.ssh", "/home/mpiuser/.ssh"),
    "Rendezvous.endpoint": ("etcd.research:2379", "10.0.0.1:29400"),
    "Rendezvous.id": ("run-1",),
    "Torchrun.localRanksFilter": ([0], [0, 1]),
    "Torchrun.nprocPerNode": (1, 2, "auto", "cpu", "gpu"),
    "Torchrun.role": ("trainer",),
    "Torchrun.torchVersion": ("2.5.1",),  # of the example's image
    "Torchrun.monitorInterval": (0.5, 5),
    "Torchrun.logLinePrefixTemplate": ("[${rank}]: ",),
    "Torchrun.signals": (["SIGTERM", "SIGUSR1"],),
    "Filters": (["loss"], ["loss", "a b"]),
    "Streams": (0, 3, "0:3", "0:1,1:2"),
    "Rendezvous.backend": ("c10d", "static", "etcd-v2"),
    "Accelerate.configFile": ({"distributed_type": "MULTI_GPU", "mixed_precision": "bf16"},),
    "AccelerateFsdp.transformerLayerClsToWrap": (["LlamaDecoderLayer"],),
    "Mpirun.forwardEnv": (["PATH"], []),
    "Ray.objectStoreMemory": ("100Mi",),
    "Scheduling.queue": ("team-a", {"name": "team-a", "priorityClass": "research-high"}),
    "Scheduling.runtime": ("torch-distributed", {"name": "torch-distributed", "kind": "ClusterTrainingRuntime"}),
    "TopologyKey": ("zone", "topology.kubernetes.io/zone"),
}

# Patches of the pod template, by the field of PodSpec.
POD_VALUES: dict[str, Values] = {
    "affinity": VALUES["Affinity"],
    "automountServiceAccountToken": (True, False),
    "dnsConfig": ({"options": [{"name": "ndots", "value": "2"}], "searches": ["example.com"]},),
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default"),
    "enableServiceLinks": (True, False),
    "hostAliases": ([{"ip": "10.0.0.9", "hostnames": ["data.example.com"]}],),
    "hostIPC": (True, False),
    "hostPID": (True, False),
    "hostUsers": (True, False),
    "imagePullSecrets": ([{"name": "registry"}],),
    "initContainers": (
        [{"name": "fetch", "image": "busybox:1.37", "command": ["sh", "-c", "true"]}],
        [{**_SIDECAR, "restartPolicy": "Always"}],
    ),
    "nodeSelector": ({"disk": "ssd"},),
    "os": ({"name": "linux"},),
    "preemptionPolicy": ("PreemptLowerPriority",),
    "priorityClassName": ("training-high",),
    "readinessGates": ([{"conditionType": "example.com/warm"}],),
    "resourceClaims": ([{"name": "gpu", "resourceClaimTemplateName": "gpu"}],),
    "schedulerName": ("default-scheduler", "other"),
    "schedulingGates": ([{"name": "example.com/quota"}],),
    "securityContext": ({"runAsUser": 1000, "fsGroup": 1000}, {"supplementalGroups": [1, 2]}),
    "serviceAccountName": ("trainer",),
    "shareProcessNamespace": (True, False),
    "terminationGracePeriodSeconds": (0, 60),
    "tolerations": (list(VALUES["Toleration"]),),
    "topologySpreadConstraints": tuple(
        [{**each, "labelSelector": _WORKERS["labelSelector"]}] for each in VALUES["TopologySpreadConstraint"]
    ),
    "volumes": ([{"name": "cache", "emptyDir": {}}], [{"name": "sys", "hostPath": {"path": "/sys"}}]),
}
# And of the training container, by the field of Container.
CONTAINER_VALUES: dict[str, Values] = {
    "env": ([{"name": "PATCHED", "value": "1"}],),
    "envFrom": tuple([each] for each in VALUES["EnvFromSource"]),
    "imagePullPolicy": ("Always", "IfNotPresent"),
    "lifecycle": ({"preStop": _EXEC}, {"preStop": {"sleep": {"seconds": 5}}}, {"postStart": _EXEC}),
    "livenessProbe": (_PROBE, {**_EXEC, "initialDelaySeconds": 60}),
    "ports": ([{"containerPort": 8080}], [{"name": "metrics", "containerPort": 9090, "protocol": "TCP"}]),
    "readinessProbe": (_PROBE, {"httpGet": {"path": "/ready", "port": 8080}}),
    "resizePolicy": ([{"resourceName": "cpu", "restartPolicy": "NotRequired"}],),
    "resources": ({"limits": {"example.com/nic": 1}}, {"requests": {"cpu": "250m"}}),
    "securityContext": ({"capabilities": {"add": ["IPC_LOCK"]}}, {"readOnlyRootFilesystem": True}),
    "startupProbe": (_PROBE,),
    "stdin": (True, False),
    "terminationMessagePath": ("/dev/termination-log", "/tmp/message"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError"),
    "tty": (True, False),
}
# Fields of both that no healthy job patches, by the reason.
UNPATCHED: dict[str, tuple[str, ...]] = {
    "the job file's own fields": (
        "restartPolicy",
        "hostNetwork",
        "containers",
        "image",
        "args",
        "command",
        "workingDir",
    ),
    "trainc's own": ("hostname", "subdomain", "setHostnameAsFQDN", "name", "volumeMounts"),
    "newer or optional in a cluster": (
        "evictionResponders",
        "hostnameOverride",
        "schedulingGroup",
        "restartPolicyRules",
    ),
    "decided by objects of the cluster": ("nodeName", "runtimeClassName", "overhead", "priority", "volumeDevices"),
    "never in a template": ("ephemeralContainers", "$patch"),
    "an alias, or only beside another field": ("serviceAccount", "stdinOnce"),
    "shorter than the test, or with resources of its own": ("activeDeadlineSeconds", "resources"),
}
