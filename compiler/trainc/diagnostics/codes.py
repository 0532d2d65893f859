"""Every code that a diagnostic can have. A code is never given to something else, even after it has gone.

TC1xxx YAML, TC2xxx schema, TC3xxx meaning of the job, TC4xxx back ends, TC5xxx other systems' jobs,
TC9xxx trainc and its surroundings.
"""

from __future__ import annotations


class Code:
    """A code and its name."""

    __slots__ = ("id", "name")

    def __init__(self, id: str, name: str) -> None:
        self.id = id
        self.name = name

    @property
    def url(self) -> str:
        """The page that explains it: the only place that knows where the pages are."""
        return f"https://trainc.dev/errors/{self.id}"

    def __repr__(self) -> str:
        return f"{self.id} {self.name}"


UNREADABLE = Code("TC1001", "unreadable-file")
NOT_TEXT = Code("TC1002", "not-text")
SYNTAX = Code("TC1003", "yaml-syntax")
DUPLICATE_KEY = Code("TC1004", "duplicate-key")
BAD_ALIAS = Code("TC1005", "bad-alias")
BAD_KEY = Code("TC1006", "bad-key")
TOO_DEEP = Code("TC1007", "too-deep")
TOO_LARGE = Code("TC1008", "too-large")
UNKNOWN_TAG = Code("TC1009", "unknown-tag")
EMPTY = Code("TC1010", "empty-input")
BAD_OVERRIDE = Code("TC1011", "bad-override")
WRONG_COMMENT = Code("TC1012", "wrong-ignore-comment")

NOT_A_JOB = Code("TC2001", "not-a-training-job")
UNKNOWN_FIELD = Code("TC2002", "unknown-field")
MISSING_FIELD = Code("TC2003", "missing-field")
WRONG_TYPE = Code("TC2004", "wrong-type")
WRONG_VALUE = Code("TC2005", "wrong-value")
NOT_ONE_OF = Code("TC2006", "not-exactly-one")
WRONG_QUANTITY = Code("TC2007", "wrong-quantity")

NAME_TOO_LONG = Code("TC3001", "name-too-long")
DUPLICATE_OBJECT = Code("TC3002", "duplicate-object")
ELASTIC_BOUNDS = Code("TC3003", "elastic-bounds")
NOT_ELASTIC = Code("TC3004", "launcher-not-elastic")
STANDALONE_PEERS = Code("TC3005", "standalone-with-peers")
ETCD_ENDPOINT = Code("TC3006", "etcd-without-endpoint")
OWNED_ENV = Code("TC3007", "env-owned-by-launcher")
DUPLICATE_ENV = Code("TC3008", "duplicate-env")
DUPLICATE_VOLUME = Code("TC3009", "duplicate-volume")
DUPLICATE_MOUNT = Code("TC3010", "duplicate-mount")
UNKNOWN_VOLUME = Code("TC3011", "unknown-volume")
SHARED_MEMORY = Code("TC3012", "shared-memory-over-limit")
DIRECT_FLAG = Code("TC3013", "deepspeed-flag-not-direct")
TEMPLATE_CONFLICT = Code("TC3014", "pod-template-conflict")
REQUEST_OVER_LIMIT = Code("TC3015", "request-over-limit")
WORLD_INFO_TOO_LONG = Code("TC3016", "world-info-too-long")
GPU_GIVEN_TWICE = Code("TC3017", "gpu-given-twice")
UNREACHED_FLAG = Code("TC3018", "flag-reaches-nobody")
RESERVED_LABEL = Code("TC3019", "reserved-label")
HIDDEN_EXIT_CODE = Code("TC3020", "exit-code-not-seen")
NEEDS_TORCH = Code("TC3021", "needs-newer-torch")
GRACE_TOO_SHORT = Code("TC3022", "grace-period-too-short")
SHARE_FILE_AGAIN = Code("TC3023", "share-file-used-again")
HOST_NETWORK_DNS = Code("TC3024", "host-network-without-dns")
IMPOSSIBLE_QUANTITY = Code("TC3025", "impossible-quantity")
TWO_PORTS = Code("TC3026", "two-ports")
TEMPLATE_UNSEEN = Code("TC3027", "pod-template-unseen")
ENDLESS_SIDECAR = Code("TC3028", "endless-sidecar")
NEEDS_DEEPSPEED = Code("TC3030", "needs-newer-deepspeed")
SSH_FLAG = Code("TC3031", "deepspeed-flag-not-ssh")
SSH_SECRET = Code("TC3032", "ssh-without-keys")
ONLY_WITH_SSH = Code("TC3033", "only-with-ssh")
PORT_TAKEN = Code("TC3034", "port-taken-twice")
REMOTE_SHELL = Code("TC3035", "changed-by-remote-shell")
AUTOTUNE_LIMIT = Code("TC3036", "autotune-cannot")
AUTOTUNE_EXIT = Code("TC3037", "autotune-hides-failure")
QUEUE_GIVEN_TWICE = Code("TC3040", "queue-given-twice")
NOT_SPOT = Code("TC3041", "selector-against-spot")
TOPOLOGY_CONFLICT = Code("TC3042", "topology-conflict")
RDMA_GIVEN_TWICE = Code("TC3043", "rdma-given-twice")
HOST_NETWORK_MEETING = Code("TC3044", "host-network-rendezvous")
MANAGED_ETCD = Code("TC3050", "managed-etcd-not-used")
PER_INDEX = Code("TC3051", "per-index-without-replacement")
UNHEARD_SIGTERM = Code("TC3052", "sigterm-not-heard")
GRACE_UNUSED = Code("TC3053", "grace-period-not-used")
NOT_SHARED = Code("TC3054", "share-file-not-shared")
CLEAN_OR_KEEP = Code("TC3055", "kept-and-cleaned-up")
NO_PATH = Code("TC3058", "path-not-known")
NESTED_LAUNCHER = Code("TC3060", "launcher-in-launcher")
FIXED_WORLD = Code("TC3061", "fixed-nodes-against-workers")
DEAD_ELASTIC = Code("TC3062", "fixed-nodes-against-elastic")
FIXED_PROCESSES = Code("TC3063", "fixed-processes-against-field")
FIXED_MEETING = Code("TC3064", "fixed-meeting-point")
NO_SUCH_PROGRAM = Code("TC3065", "program-is-no-file")
UNREAD_VARIABLE = Code("TC3066", "variable-not-read")
UNREADABLE_VARIABLE = Code("TC3067", "variable-not-readable")
LAUNCHER_OPTION = Code("TC3068", "launcher-has-no-option")
PROCESSES_AND_GPUS = Code("TC3069", "processes-against-gpus")
SHARED_MEMORY_OFF = Code("TC3070", "shared-memory-off")
SHARED_MEMORY_OF_NODE = Code("TC3071", "shared-memory-of-the-node")
SHARED_MEMORY_ON_DISK = Code("TC3072", "shared-memory-on-disk")
SHARED_MEMORY_UNBOUNDED = Code("TC3073", "shared-memory-unbounded")
SHARE_OF_ANOTHER_GPU = Code("TC3074", "share-of-another-gpu")
UNKNOWN_DEVICE = Code("TC3075", "unknown-device")
ODD_QUANTITY = Code("TC3076", "odd-quantity")
CLAIM_NOT_SHARED = Code("TC3077", "claim-not-shared")
NO_CHECKPOINT = Code("TC3078", "no-checkpoint")
LOST_PATH = Code("TC3079", "path-lost-with-pod")
READ_ONLY_PATH = Code("TC3080", "path-read-only")
TOO_MANY_THREADS = Code("TC3081", "too-many-threads")
DEADLINE_TOO_SHORT = Code("TC3082", "deadline-too-short")
BACKOFF_BELOW_WORKERS = Code("TC3085", "backoff-limit-below-workers")
USELESS_RESTART = Code("TC3086", "restart-leads-to-nothing")
PLAIN_SECRET = Code("TC3087", "secret-in-plain-text")
MOVING_IMAGE = Code("TC3088", "image-not-pinned")
RDMA_UNLOCKED = Code("TC3089", "rdma-without-memory-lock")
RDMA_DISABLED = Code("TC3090", "rdma-turned-off")
WRONG_INTERFACE = Code("TC3091", "interface-reaches-nobody")
ETCD_WITHOUT_V2 = Code("TC3092", "etcd-too-new")
RENDEZVOUS_CONF = Code("TC3093", "rendezvous-option-unread")
NO_HOST = Code("TC3094", "endpoint-without-host")
SSHD_BLOCKED = Code("TC3095", "sshd-blocked")
BEHIND_SEPARATOR = Code("TC3096", "arguments-behind-separator")
PULL_SECRET_TWICE = Code("TC3097", "pull-secret-given-twice")
PORT_OF_NODE = Code("TC3098", "port-of-the-node")
QUOTA_NAME = Code("TC3099", "resource-named-like-a-quota")

UNSUPPORTED_FIELD = Code("TC4001", "unsupported-by-backend")
RUNS_AGAIN = Code("TC4002", "program-runs-again")
HPA_WITHOUT_REQUEST = Code("TC4003", "autoscaler-without-request")
NEEDS_VERSION = Code("TC4004", "needs-newer-kubernetes")
DOMAIN_WITHOUT_NAMESPACE = Code("TC4005", "domain-without-namespace")
JOB_IS_FIXED = Code("TC4006", "job-cannot-be-changed")
SCALE_DOWNS = Code("TC4008", "restarts-below-scale-downs")
CLOSED_RENDEZVOUS = Code("TC4009", "rendezvous-id-used-again")
NO_SUCH_CONTAINER = Code("TC4010", "autoscaler-of-no-container")
NO_SUCH_METRIC = Code("TC4011", "autoscaler-without-metric")
BEHAVIOR_UNUSED = Code("TC4012", "behavior-without-autoscaler")
MESH_SIDECAR = Code("TC4015", "mesh-sidecar-never-ends")
MISPLACED_MARK = Code("TC4016", "mark-on-wrong-object")
DEPRECATED = Code("TC4017", "deprecated-by-kubernetes")
GITOPS = Code("TC4018", "gitops-and-jobs")
QUEUE_NOT_ELASTIC = Code("TC4040", "queue-not-elastic")
NOT_REPLACED = Code("TC4041", "spot-pod-not-replaced")

FOREIGN_DROPPED = Code("TC5001", "not-carried-over")
FOREIGN_CHANGED = Code("TC5002", "said-in-another-way")
FOREIGN_WRONG = Code("TC5003", "wrong-in-its-own-system")

INTERNAL = Code("TC9001", "internal-error")
CANT_WRITE = Code("TC9002", "cannot-write")
