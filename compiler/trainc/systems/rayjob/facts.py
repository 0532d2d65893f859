"""Constants of KubeRay 1.5: https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator"""

from __future__ import annotations

# Labels of pods: controllers/ray/utils/constant.go, labelPod of controllers/ray/common/pod.go
CLUSTER_LABEL = "ray.io/cluster"  # the name of the RayCluster, which is random, and in the status of the RayJob
CLUSTER_FIELD = "rayClusterName"
NODE_TYPE_LABEL = "ray.io/node-type"
GROUP_LABEL = "ray.io/group"
NODE_LABEL = "ray.io/is-ray-node"
ID_LABEL = "ray.io/identifier"
NAME_LABEL, CREATED_BY_LABEL = "app.kubernetes.io/name", "app.kubernetes.io/created-by"
LABELS = (CLUSTER_LABEL, NODE_TYPE_LABEL, GROUP_LABEL, NODE_LABEL, ID_LABEL)
# Those of objects that belong to a RayJob.
JOB_LABEL, JOB_KIND_LABEL = "ray.io/originated-from-cr-name", "ray.io/originated-from-crd"
HEAD, HEAD_GROUP, WORKER = "head", "headgroup", "worker"
APPLICATION, COMPONENT = "kuberay", "kuberay-operator"
# Resource that has the pods of a RayJob, as kubectl calls it, and the label of the submitter's pod, whose Job has the
# RayJob's name.
CLUSTERS, SUBMITTER_LABEL = "raycluster.ray.io", "job-name"
# The group of workers that trainc emits.
GROUP = "workers"
MANAGER = "ray.io/kuberay-operator"

# Names and ports: constant.go
GCS_PORT_NAME, DASHBOARD_PORT_NAME, METRICS_PORT_NAME, CLIENT_PORT_NAME = "gcs-server", "dashboard", "metrics", "client"
GCS_PORT, DASHBOARD_PORT, METRICS_PORT, CLIENT_PORT, AGENT_PORT = 6379, 8265, 8080, 10001, 52365
# MaxRayJobNameLength: that of a RayCluster, whose Services append 10 characters, without the suffix of 6.
NAME_LENGTH, LABEL_LENGTH = 47, 63
INIT_CONTAINER = "wait-gcs-ready"
SHARED_MEMORY = "shared-mem"
ANY_ADDRESS = "0.0.0.0"  # noqa: S104  # KubeRay's default of the dashboard's host
VERSION = "v1.5.0"  # KUBERAY_VERSION
CONTAINER_COMMAND = ("/bin/bash", "-c", "--")  # GetContainerCommand of utils/util.go
FILES = "ulimit -n 65536"
# Parameters that KubeRay writes as they are although the value is a boolean: convertParamMap of common/pod.go
BOOLEAN_TEXTS = ("log-color", "include-dashboard")

# apis/ray/v1/rayjob_types.go
K8S_JOB, HTTP, INTERACTIVE, SIDECAR = "K8sJobMode", "HTTPMode", "InteractiveMode", "SidecarMode"
SUBMITTER = "ray-job-submitter"
