"""Well-known names, defaults and limits: trainc's own, Kubernetes' and Linux'."""

# Labels of every object and pod of a job; the training container.
GROUP = "trainc.dev"
API_VERSION, KIND = f"{GROUP}/v1alpha1", "TrainingJob"
JOB_LABEL, ROLE_LABEL = f"{GROUP}/job", f"{GROUP}/role"
MAIN = "main"
# What all jobs of a repository have in common: the kind, and the name of its file.
PROJECT_KIND, PROJECT_FILE = "Project", "trainc.yaml"
CLUSTER_KIND = "Cluster"
# Kinds of the configuration of trainc's KRM function.
GENERATOR, TRANSFORMER = "TrainingJobGenerator", "TrainingJobTransformer"
# Annotation of the workers' object: what trainc adds to the program's command line, with the fields that add it.
ADDED = f"{GROUP}/added-to-command"
# The same, in mode debug: the shell command that starts the program, and on which pods.
DEBUG = f"{GROUP}/debug-command"
EACH_POD, WORKER_0, LAUNCHER_POD = "in each pod", "on worker 0", "on the launcher pod"

# https://kubernetes.io/docs/reference/labels-annotations-taints/
HOSTNAME_LABEL = "kubernetes.io/hostname"
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"  # kubectl's copy of an applied manifest
# https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
DELAYED_BINDING = "WaitForFirstConsumer"
# https://kueue.sigs.k8s.io/docs/reference/labels-and-annotations/
QUEUE_LABEL, QUEUE_PRIORITY_LABEL = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"
MINIMUM_ANNOTATION = "kueue.x-k8s.io/job-min-parallelism"  # least number of pods for which Kueue admits a Job
# https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
NVIDIA_GPU = "nvidia.com/gpu"
# Backends of torch.distributed's process groups: https://pytorch.org/docs/stable/distributed.html
PROCESS_GROUPS = ("nccl", "gloo", "mpi", "ucc", "xccl", "hccl")
# Seconds between SIGTERM and SIGKILL: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
GRACE_PERIOD = 30
# Bytes, of the container runtime's: https://docs.docker.com/reference/cli/docker/container/run/
SHM_PATH, DEFAULT_SHM = "/dev/shm", 64 * 2**20  # noqa: S108  in the container; not a temporary file of trainc's
# Bytes of one argument or variable, MAX_ARG_STRLEN: https://man7.org/linux/man-pages/man2/execve.2.html
MAX_ARGUMENT = 131072
# Bytes of a ConfigMap's values: https://kubernetes.io/docs/concepts/configuration/configmap/#motivation
MAX_CONFIG_MAP = 1024 * 1024
# Workers of a job: the maximum of spec.workers in the schema, and of an Indexed Job's parallelism:
# https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
MAX_WORKERS = 100_000


def is_node_memory(path: str) -> bool:
    """Return whether a path of a node is in its memory: https://man7.org/linux/man-pages/man7/shm_overview.7.html"""
    return f"{path}/".startswith((f"{SHM_PATH}/", "/run/shm/"))


def is_own_group(api_version: str) -> bool:
    """Return whether an API version is of trainc's group, or of one with its name as in `trainc/v1`."""
    group, slash, _ = api_version.partition("/")
    return bool(slash) and (group == GROUP or group.partition(".")[0] == "trainc")


def is_etcd(image: str) -> bool:
    """Return whether the name of an image is that of an etcd server, such as `quay.io/coreos/etcd:v3.5.21`."""
    return image.rpartition("/")[2].startswith("etcd")
