"""Codes of all diagnostics. A code is never reused, even after its rule was removed.

TC1xxx YAML, TC2xxx schema, TC3xxx meaning of the job, TC4xxx back ends, TC5xxx imported jobs, TC6xxx project files,
TC7xxx clusters, TC9xxx trainc itself.
"""

from __future__ import annotations

from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SITE = ""  # address at which docs/ is published; empty until it is: no message may point to a host that doesn't exist
_TOPICS = {
    "1": "yaml",
    "2": "schema",
    "3": "job",
    "4": "backend",
    "5": "import",
    "6": "project",
    "7": "cluster",
    "9": "internal",
}


class Code:
    """Code of a diagnostic, and the name by which comments and options may refer to it.

    Checks of other distributions have codes with a prefix and `pages` of their own, the address of a folder or empty.
    """

    __slots__ = ("id", "name", "pages")

    def __init__(self, id: str, name: str, pages: str | None = None) -> None:
        self.id = id
        self.name = name
        self.pages = pages

    def __reduce__(self) -> tuple[Callable[..., Code], tuple[str, str, str | None]]:  # for pickle
        return _code, (self.id, self.name, self.pages)

    @property
    def url(self) -> str:
        """Address of the page that explains the code; empty if there is none."""
        pages = (SITE and f"{SITE}/errors") if self.pages is None else self.pages
        return f"{pages}/{self.id}" if pages else ""

    @property
    def has_page(self) -> bool:
        """Return whether docs/errors explains the code, not another distribution."""
        return self.pages is None

    @property
    def explanation(self) -> str:
        """Command or address that explains the code."""
        return f"trainc explain {self.id}" if self.has_page else self.url

    @property
    def topic(self) -> str:
        """Return the topic of the code, which its first digit tells; that of a check of another distribution."""
        return _TOPICS.get(self.id[2], "job") if self.has_page else "plugin"

    def __repr__(self) -> str:
        return f"{self.id} {self.name}"


UNREADABLE_FILE = Code("TC1001", "unreadable-file")
INVALID_CHARACTERS = Code("TC1002", "invalid-characters")
YAML_SYNTAX = Code("TC1003", "yaml-syntax")
DUPLICATE_KEY = Code("TC1004", "duplicate-key")
INVALID_ALIAS = Code("TC1005", "invalid-alias")
NON_STRING_KEY = Code("TC1006", "non-string-key")
NESTING_TOO_DEEP = Code("TC1007", "nesting-too-deep")
FILE_TOO_LARGE = Code("TC1008", "file-too-large")
UNSUPPORTED_TAG = Code("TC1009", "unsupported-tag")
EMPTY_INPUT = Code("TC1010", "empty-input")
INVALID_OVERRIDE = Code("TC1011", "invalid-override")
INVALID_IGNORE_COMMENT = Code("TC1012", "invalid-ignore-comment")
TOO_MANY_DIAGNOSTICS = Code("TC1013", "too-many-diagnostics")
NO_LAUNCH_COMMAND = Code("TC1014", "no-launch-command")
UNSPECIFIED_BY_COMMAND = Code("TC1015", "unspecified-by-command")

NOT_A_TRAINING_JOB = Code("TC2001", "not-a-training-job")
UNKNOWN_FIELD = Code("TC2002", "unknown-field")
MISSING_FIELD = Code("TC2003", "missing-field")
WRONG_TYPE = Code("TC2004", "wrong-type")
INVALID_VALUE = Code("TC2005", "invalid-value")
NOT_EXACTLY_ONE = Code("TC2006", "not-exactly-one")
INVALID_QUANTITY = Code("TC2007", "invalid-quantity")

NAME_TOO_LONG = Code("TC3001", "name-too-long")
DUPLICATE_OBJECT = Code("TC3002", "duplicate-object")
ELASTIC_BOUNDS = Code("TC3003", "elastic-bounds")
LAUNCHER_NOT_ELASTIC = Code("TC3004", "launcher-not-elastic")
STANDALONE_CONFLICT = Code("TC3005", "standalone-conflict")
ETCD_WITHOUT_ENDPOINT = Code("TC3006", "etcd-without-endpoint")
RESERVED_ENV = Code("TC3007", "reserved-env")
DUPLICATE_ENV = Code("TC3008", "duplicate-env")
DUPLICATE_VOLUME = Code("TC3009", "duplicate-volume")
DUPLICATE_MOUNT = Code("TC3010", "duplicate-mount")
UNKNOWN_VOLUME = Code("TC3011", "unknown-volume")
SHARED_MEMORY_OVER_LIMIT = Code("TC3012", "shared-memory-over-limit")
DEEPSPEED_DIRECT_FLAG = Code("TC3013", "deepspeed-direct-flag")
POD_TEMPLATE_CONFLICT = Code("TC3014", "pod-template-conflict")
REQUEST_OVER_LIMIT = Code("TC3015", "request-over-limit")
WORLD_INFO_TOO_LONG = Code("TC3016", "world-info-too-long")
DUPLICATE_GPU = Code("TC3017", "duplicate-gpu")
OPTION_NOT_PASSED = Code("TC3018", "option-not-passed")
RESERVED_LABEL = Code("TC3019", "reserved-label")
HIDDEN_EXIT_CODE = Code("TC3020", "hidden-exit-code")
TORCH_TOO_OLD = Code("TC3021", "torch-too-old")
GRACE_PERIOD_TOO_SHORT = Code("TC3022", "grace-period-too-short")
SHARE_FILE_REUSED = Code("TC3023", "share-file-reused")
HOST_NETWORK_WITHOUT_DNS = Code("TC3024", "host-network-without-dns")
IMPOSSIBLE_QUANTITY = Code("TC3025", "impossible-quantity")
DUPLICATE_PORT = Code("TC3026", "duplicate-port")
POD_TEMPLATE_OVERRIDE = Code("TC3027", "pod-template-override")
ENDLESS_SIDECAR = Code("TC3028", "endless-sidecar")
DEEPSPEED_TOO_OLD = Code("TC3030", "deepspeed-too-old")
DEEPSPEED_SSH_FLAG = Code("TC3031", "deepspeed-ssh-flag")
SSH_WITHOUT_KEYS = Code("TC3032", "ssh-without-keys")
REQUIRES_SSH = Code("TC3033", "requires-ssh")
PORT_CONFLICT = Code("TC3034", "port-conflict")
UNSAFE_IN_REMOTE_SHELL = Code("TC3035", "unsafe-in-remote-shell")
AUTOTUNE_UNSUPPORTED = Code("TC3036", "autotune-unsupported")
AUTOTUNE_HIDES_FAILURE = Code("TC3037", "autotune-hides-failure")
DUPLICATE_QUEUE = Code("TC3040", "duplicate-queue")
SPOT_SELECTOR_CONFLICT = Code("TC3041", "spot-selector-conflict")
TOPOLOGY_CONFLICT = Code("TC3042", "topology-conflict")
DUPLICATE_RDMA = Code("TC3043", "duplicate-rdma")
HOST_NETWORK_RENDEZVOUS = Code("TC3044", "host-network-rendezvous")
ROLE_PODS_DIFFER = Code("TC3045", "role-pods-differ")
RANDOM_POD_NAME = Code("TC3046", "random-pod-name")
UNUSED_MANAGED_ETCD = Code("TC3050", "unused-managed-etcd")
BACKOFF_PER_INDEX_CONFLICT = Code("TC3051", "backoff-per-index-conflict")
SIGTERM_IGNORED = Code("TC3052", "sigterm-ignored")
UNUSED_GRACE_PERIOD = Code("TC3053", "unused-grace-period")
SHARE_FILE_NOT_SHARED = Code("TC3054", "share-file-not-shared")
CLEAN_POD_POLICY_CONFLICT = Code("TC3055", "clean-pod-policy-conflict")
UNKNOWN_PATH = Code("TC3058", "unknown-path")
NESTED_LAUNCHER = Code("TC3060", "nested-launcher")
NODE_COUNT_MISMATCH = Code("TC3061", "node-count-mismatch")
ELASTIC_NODE_COUNT_MISMATCH = Code("TC3062", "elastic-node-count-mismatch")
PROCESS_COUNT_MISMATCH = Code("TC3063", "process-count-mismatch")
RENDEZVOUS_MISMATCH = Code("TC3064", "rendezvous-mismatch")
INVALID_PROGRAM = Code("TC3065", "invalid-program")
UNKNOWN_TORCHRUN_VARIABLE = Code("TC3066", "unknown-torchrun-variable")
INVALID_TORCHRUN_VARIABLE = Code("TC3067", "invalid-torchrun-variable")
INVALID_LAUNCHER_OPTION = Code("TC3068", "invalid-launcher-option")
GPU_COUNT_MISMATCH = Code("TC3069", "gpu-count-mismatch")
SHARED_MEMORY_DISABLED = Code("TC3070", "shared-memory-disabled")
SHARED_MEMORY_HOST_PATH = Code("TC3071", "shared-memory-host-path")
SHARED_MEMORY_ON_DISK = Code("TC3072", "shared-memory-on-disk")
SHARED_MEMORY_UNBOUNDED = Code("TC3073", "shared-memory-unbounded")
GPU_SHARE_MISMATCH = Code("TC3074", "gpu-share-mismatch")
UNKNOWN_DEVICE = Code("TC3075", "unknown-device")
IMPLAUSIBLE_CPU = Code("TC3076", "implausible-cpu")
CLAIM_NOT_SHARED = Code("TC3077", "claim-not-shared")
NO_CHECKPOINT = Code("TC3078", "no-checkpoint")
EPHEMERAL_PATH = Code("TC3079", "ephemeral-path")
READ_ONLY_PATH = Code("TC3080", "read-only-path")
TOO_MANY_THREADS = Code("TC3081", "too-many-threads")
DEADLINE_TOO_SHORT = Code("TC3082", "deadline-too-short")
BACKOFF_LIMIT_BELOW_WORKERS = Code("TC3085", "backoff-limit-below-workers")
FUTILE_RESTART = Code("TC3086", "futile-restart")
PLAIN_TEXT_SECRET = Code("TC3087", "plain-text-secret")
MUTABLE_IMAGE_TAG = Code("TC3088", "mutable-image-tag")
RDMA_WITHOUT_IPC_LOCK = Code("TC3089", "rdma-without-ipc-lock")
RDMA_DISABLED = Code("TC3090", "rdma-disabled")
UNUSABLE_INTERFACE = Code("TC3091", "unusable-interface")
ETCD_TOO_NEW = Code("TC3092", "etcd-too-new")
INVALID_RENDEZVOUS_OPTION = Code("TC3093", "invalid-rendezvous-option")
UNHOSTED_ENDPOINT = Code("TC3094", "unhosted-endpoint")
SSHD_BLOCKED = Code("TC3095", "sshd-blocked")
ARGUMENTS_AFTER_SEPARATOR = Code("TC3096", "arguments-after-separator")
DUPLICATE_PULL_SECRET = Code("TC3097", "duplicate-pull-secret")
HOST_PORT_CONFLICT = Code("TC3098", "host-port-conflict")
QUOTA_RESOURCE_NAME = Code("TC3099", "quota-resource-name")
INVALID_POD_PATH = Code("TC3100", "invalid-pod-path")
INVALID_POD_NAME = Code("TC3101", "invalid-pod-name")
WORKERS_WITH_AUTOSCALER = Code("TC3107", "workers-with-autoscaler")
NEVER_GROWS = Code("TC3108", "never-grows")
INDEX_NOT_IN_NAME = Code("TC3110", "index-not-in-name")
UNUSED_PROCESS_VARIABLE = Code("TC3111", "unused-process-variable")
LITERAL_RANK = Code("TC3112", "literal-rank")
UNSET_LAUNCHER_VARIABLE = Code("TC3113", "unset-launcher-variable")
PORT_OUT_OF_RANGE = Code("TC3114", "port-out-of-range")
LOCAL_FALLBACK = Code("TC3115", "local-fallback")
POD_SECURITY_VIOLATION = Code("TC3120", "pod-security-violation")
ROOT_IMAGE = Code("TC3121", "root-image")
SHELL_VARIABLE = Code("TC3130", "shell-variable")
UNFILLED_PLACEHOLDER = Code("TC3131", "unfilled-placeholder")
TORCHRUN_MISSING = Code("TC3150", "torchrun-missing")
UNSUPPORTED_PROCESS_COUNT = Code("TC3151", "unsupported-process-count")
UNKNOWN_RENDEZVOUS_BACKEND = Code("TC3152", "unknown-rendezvous-backend")
TORCHELASTIC_LACKS_OPTION = Code("TC3153", "torchelastic-lacks-option")
MPIRUN_OPTION = Code("TC3160", "mpirun-option")
MPI_ENV_FROM = Code("TC3161", "mpi-env-from")
MPI_POD_VARIABLE = Code("TC3162", "mpi-pod-variable")
MPI_IMPLEMENTATION = Code("TC3163", "mpi-implementation")
HOSTFILE_OF_OTHER_MPI = Code("TC3164", "hostfile-of-other-mpi")
SSH_KEYS_OF_ROOT = Code("TC3165", "ssh-keys-of-root")
MPI_POLICY = Code("TC3166", "mpi-policy")
IMAGE_WITHOUT_PYTHON = Code("TC3167", "image-without-python")
INSTALL_PER_PROCESS = Code("TC3168", "install-per-process")
VISIBLE_DEVICES = Code("TC3171", "visible-devices")
WORLD_SIZE_MISMATCH = Code("TC3172", "world-size-mismatch")
MPI_PROCESS_COUNT = Code("TC3173", "mpi-process-count")
MPI_AS_ROOT = Code("TC3174", "mpi-as-root")
MPI_HOSTFILE = Code("TC3175", "mpi-hostfile")
MPI_FABRIC = Code("TC3176", "mpi-fabric")
LAUNCHER_DEVICES = Code("TC3177", "launcher-devices")
WORKERS_KEEP_RUNNING = Code("TC3178", "workers-keep-running")
LAUNCHER_WAITS_FOR_GANG = Code("TC3179", "launcher-waits-for-gang")
GPUS_UNSPECIFIED = Code("TC3183", "gpus-unspecified")
RELATIVE_WORKING_DIR = Code("TC3184", "relative-working-dir")
PARALLEL_SIZES = Code("TC3185", "parallel-sizes")
ACCELERATE_OPTION = Code("TC3186", "accelerate-option")
ACCELERATE_TOO_OLD = Code("TC3187", "accelerate-too-old")
ACCELERATE_CONFLICT = Code("TC3188", "accelerate-conflict")
ACCELERATE_CONFIG = Code("TC3189", "accelerate-config")
RAY_OPTION = Code("TC3190", "ray-option")
RAY_OBJECT_STORE = Code("TC3191", "ray-object-store")
RAY_IN_PROGRAM = Code("TC3192", "ray-in-program")
RAY_CLUSTER_SIZE = Code("TC3193", "ray-cluster-size")
UNDEFINED_REFERENCE = Code("TC3200", "undefined-reference")
BARE_INITIALIZE = Code("TC3201", "bare-initialize")
TPU_WORKERS = Code("TC3202", "tpu-workers")
TPU_TOPOLOGY = Code("TC3203", "tpu-topology")
JAX_ON_TPUS = Code("TC3204", "jax-on-tpus")
JAX_WORLD = Code("TC3205", "jax-world")
UNKNOWN_WRAPPER = Code("TC3214", "unknown-wrapper")
SLURM_COMMAND = Code("TC3215", "srun-in-pod")
TRAINER_SIZE = Code("TC3216", "trainer-size")
NO_FABRIC = Code("TC3220", "no-fabric")
FABRIC_CONFLICT = Code("TC3221", "fabric-conflict")
FABRIC_DEVICES = Code("TC3222", "fabric-devices")
FABRIC_NETWORKS = Code("TC3223", "fabric-networks")
DEVICE_CLAIM = Code("TC3224", "device-claim")
SUBMITTER = Code("TC3240", "submits-another-job")
SUDO_RESETS_ENVIRONMENT = Code("TC3241", "sudo-resets-environment")

UNSUPPORTED_BY_BACKEND = Code("TC4001", "unsupported-by-backend")
RESTARTS_AFTER_COMPLETION = Code("TC4002", "restarts-after-completion")
AUTOSCALER_WITHOUT_REQUEST = Code("TC4003", "autoscaler-without-request")
KUBERNETES_TOO_OLD = Code("TC4004", "kubernetes-too-old")
CLUSTER_DOMAIN_WITHOUT_NAMESPACE = Code("TC4005", "cluster-domain-without-namespace")
IMMUTABLE_JOB = Code("TC4006", "immutable-job")
MAX_RESTARTS_BELOW_SCALE_DOWNS = Code("TC4008", "max-restarts-below-scale-downs")
RENDEZVOUS_ID_REUSED = Code("TC4009", "rendezvous-id-reused")
AUTOSCALER_UNKNOWN_CONTAINER = Code("TC4010", "autoscaler-unknown-container")
AUTOSCALER_UNSERVED_METRIC = Code("TC4011", "autoscaler-unserved-metric")
BEHAVIOR_WITHOUT_AUTOSCALER = Code("TC4012", "behavior-without-autoscaler")
ENDLESS_MESH_SIDECAR = Code("TC4015", "endless-mesh-sidecar")
MISPLACED_LABEL = Code("TC4016", "misplaced-label")
DEPRECATED_IN_KUBERNETES = Code("TC4017", "deprecated-in-kubernetes")
GITOPS_CONFLICT = Code("TC4018", "gitops-conflict")
OPERATOR_OVERRIDES_VARIABLE = Code("TC4020", "operator-overrides-variable")
RESERVED_CONTAINER_NAME = Code("TC4021", "reserved-container-name")
NOT_IN_CRD = Code("TC4022", "not-in-crd")
UNNAMED_PORT = Code("TC4023", "unnamed-port")
OPERATOR_ADDS_ARGUMENTS = Code("TC4024", "operator-adds-arguments")
OPERATOR_IGNORES_FAILURE = Code("TC4025", "operator-ignores-failure")
PAUSE_UNSUPPORTED = Code("TC4026", "pause-unsupported")
LAUNCHER_UNSUPPORTED = Code("TC4030", "launcher-unsupported")
RESERVED_MOUNT = Code("TC4031", "reserved-mount")
VARIABLE_FROM_FIRST_WORKER = Code("TC4032", "variable-from-first-worker")
SSH_KEYS_NEED_ROOT = Code("TC4033", "ssh-keys-need-root")
COMMAND_REPLACES_SSHD = Code("TC4034", "command-replaces-sshd")
VARIABLE_NOT_EXPANDED = Code("TC4035", "variable-not-expanded")
QUEUE_NOT_ELASTIC = Code("TC4040", "queue-not-elastic")
SPOT_POD_NOT_REPLACED = Code("TC4041", "spot-pod-not-replaced")
REJECTED_BY_OPERATOR = Code("TC4050", "rejected-by-operator")
IGNORED_BY_OPERATOR = Code("TC4051", "ignored-by-operator")
UNKNOWN_KIND = Code("TC4052", "unknown-kind")
NO_COMMON_WORLD = Code("TC4053", "no-common-world")
DEADLINE_RESTARTS = Code("TC4061", "deadline-restarts")
POLICY_NEEDS_TRAINER = Code("TC4064", "policy-needs-trainer")
MASTER_HAS_ANOTHER_NAME = Code("TC4065", "master-has-another-name")
PROCESSES_BY_CPUS = Code("TC4066", "processes-by-cpus")
CLAIMS_LOST = Code("TC4067", "claims-lost")
WORKERS_RESTART_ALONE = Code("TC4068", "workers-restart-alone")
LAUNCHER_POD = Code("TC4069", "launcher-pod")
GANG_OF_OTHER_SCHEDULER = Code("TC4070", "gang-of-other-scheduler")
GANG_WAITS_FOR_LEADER = Code("TC4081", "gang-waits-for-leader")
NOT_EXCLUSIVE = Code("TC4082", "not-exclusive")
IMAGE_OF_LAUNCHER_ONLY = Code("TC4083", "image-of-launcher-only")
POD_NEVER_STARTS = Code("TC4086", "pod-never-starts")
VALUE_READ_OTHERWISE = Code("TC4087", "value-read-otherwise")
REJECTED_BY_API_SERVER = Code("TC4090", "rejected-by-api-server")
HOSTFILE_NOT_READ = Code("TC4091", "hostfile-not-read")
OPERATOR_NOT_ELASTIC = Code("TC4092", "operator-not-elastic")
TPU_UNSUPPORTED = Code("TC4098", "tpu-unsupported")
LOST_RAY_HEAD = Code("TC4099", "lost-ray-head")

IMPORT_DROPPED_FIELD = Code("TC5001", "import-dropped-field")
IMPORT_CHANGED_FIELD = Code("TC5002", "import-changed-field")
IMPORT_INVALID = Code("TC5003", "import-invalid")
UNRENDERED_TEMPLATE = Code("TC5004", "unrendered-template")
ROLE_PROGRAMS_DIFFER = Code("TC5005", "role-programs-differ")
IMPORT_CORRECTED = Code("TC5010", "import-corrected")
CUSTOM_COMMAND = Code("TC5011", "custom-launch-command")
IMPORT_UNSUPPORTED_SYSTEM = Code("TC5015", "import-unsupported-system")
UNUSABLE_FILE = Code("TC5016", "unusable-file")
FILES_TOO_LARGE = Code("TC5017", "files-too-large")
NEEDS_SERVER_SIDE_APPLY = Code("TC5018", "needs-server-side-apply")
MISSING_KEY = Code("TC5019", "missing-key")
OTHER_NAMESPACE = Code("TC5020", "other-namespace")
JOB_RECREATED = Code("TC5040", "job-recreated")
TRAINING_RESTARTS = Code("TC5041", "training-restarts")
OLD_PODS_KEPT = Code("TC5042", "old-pods-kept")
WORLD_RESIZED = Code("TC5043", "world-resized")
OBJECT_LEFT = Code("TC5044", "object-left")
CHANGED_IN_CLUSTER = Code("TC5045", "changed-in-cluster")
NOT_CHECKED_FURTHER = Code("TC5050", "not-checked-further")

NOT_A_PROJECT = Code("TC6001", "not-a-project")
OTHER_TRAINC_REQUIRED = Code("TC6002", "other-trainc-required")
PATH_OUTSIDE_REPOSITORY = Code("TC6003", "path-outside-repository")
MISSING_PROJECT_PATH = Code("TC6004", "missing-project-path")
CYCLIC_PROJECT_PATH = Code("TC6005", "cyclic-project-path")
INVALID_BASELINE = Code("TC6006", "invalid-baseline")
UNUSED_IGNORE = Code("TC6007", "unused-ignore")
INVALID_MATRIX = Code("TC6030", "invalid-matrix")
INVALID_EXPRESSION = Code("TC6031", "invalid-expression")
JOBS_WITH_ONE_NAME = Code("TC6032", "jobs-with-one-name")
MATRIX_TOO_LARGE = Code("TC6033", "matrix-too-large")
UNUSED_VARIABLE = Code("TC6034", "unused-variable")
UNMATCHED_EXCLUDE = Code("TC6035", "unmatched-exclude")
JOBS_SUSPENDED = Code("TC6036", "jobs-suspended")
JOBS_NOT_SUSPENDED = Code("TC6037", "jobs-not-suspended")
LIMIT_BY_QUEUE = Code("TC6038", "limit-by-queue")
INVALID_VALUES_FILE = Code("TC6039", "invalid-values-file")
UNKNOWN_ENVIRONMENT = Code("TC6040", "unknown-environment")
POLICY_LABEL = Code("TC6050", "policy-label")
POLICY_REGISTRY = Code("TC6051", "policy-registry")
POLICY_UNPINNED_IMAGE = Code("TC6052", "policy-unpinned-image")
POLICY_QUEUE = Code("TC6053", "policy-queue")
POLICY_GPUS = Code("TC6054", "policy-gpus")
POLICY_HOURS = Code("TC6055", "policy-hours")
POLICY_HOST_PATH = Code("TC6056", "policy-host-path")
POLICY_HOST_NAMESPACE = Code("TC6057", "policy-host-namespace")
POLICY_PRIVILEGED = Code("TC6058", "policy-privileged")
POLICY_UNKNOWN_PODS = Code("TC6059", "policy-unknown-pods")
UNTRUSTED_CHECKS = Code("TC6060", "untrusted-checks")
UNUSABLE_CHECKS = Code("TC6061", "unusable-checks")
# Errors that a project file may ignore for a time.
POLICY = (
    *(POLICY_LABEL, POLICY_REGISTRY, POLICY_UNPINNED_IMAGE, POLICY_QUEUE, POLICY_GPUS, POLICY_HOURS),
    *(POLICY_HOST_PATH, POLICY_HOST_NAMESPACE, POLICY_PRIVILEGED, POLICY_UNKNOWN_PODS),
)

NOT_A_CLUSTER = Code("TC7001", "not-a-cluster")
PODS_DO_NOT_FIT = Code("TC7002", "pods-do-not-fit")
PLACEMENT_DEPENDS = Code("TC7003", "placement-depends")
QUOTA_EXCEEDED = Code("TC7004", "quota-exceeded")
UNKNOWN_IN_CLUSTER = Code("TC7005", "unknown-in-cluster")
KIND_NOT_INSTALLED = Code("TC7006", "kind-not-installed")
POD_SECURITY_OF_NAMESPACE = Code("TC7007", "pod-security-of-namespace")
UNKNOWN_CLUSTER = Code("TC7008", "unknown-cluster")
FABRIC_OF_NODES = Code("TC7009", "fabric-of-nodes")
HOSTS_OF_SLICES = Code("TC7010", "hosts-of-slices")

INTERNAL_ERROR = Code("TC9001", "internal-error")
WRITE_FAILED = Code("TC9002", "write-failed")


def _code(id: str, name: str, pages: str | None) -> Code:
    """Return the code of this module, since codes are compared by identity, or another distribution's."""
    own = {code.id: code for code in globals().values() if isinstance(code, Code)}
    return own[id] if pages is None and id in own else Code(id, name, pages)
