"""Options of torchrun, with the fields and variables that set them.

Read in torch/distributed/run.py of torch 1.9 to 2.15:
https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py. torchrun reads PET_ and the upper-cased name
of an option where the command line lacks it:
https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/argparse_util.py
"""

from __future__ import annotations

from trainc.launchers import option
from trainc.launchers.option import MOST_PROCESSES, Field, Kind, Option, camel_case, text_schema
from trainc.launchers.registry import ONLY_BACKEND
from trainc.launchers.torchrun.traits import PREFIX, TORCHELASTIC
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

PRODUCT = "torch"  # whose version `since` means
# Backends of torch; a package in the image may add others as entry points in the group torchrun.handlers:
# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/registry.py
BACKENDS = ("c10d", "static", "etcd-v2", "etcd")
ETCD = ("etcd", "etcd-v2")
# Modules that start in place of the command; torchelastic has fewer options and other defaults.
MODULES = ("torch.distributed.run", TORCHELASTIC)
TORCHELASTIC_OPTIONS = frozenset(
    (
        *("help", "nnodes", "nproc_per_node", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf", "standalone"),
        *("max_restarts", "monitor_interval", "start_method", "role", "module", "no_python"),
        *("log_dir", "redirects", "tee"),
    )
)
TORCHELASTIC_BACKEND, TORCHELASTIC_RESTARTS, TORCHELASTIC_TIMEOUT = ONLY_BACKEND["torchelastic"], 3, 600
# Seconds that an agent waits for its peers: `join_timeout` of c10d and etcd-v2, RendezvousTimeout of
# elastic/rendezvous/dynamic_rendezvous.py; `timeout` of static and etcd, LaunchConfig of launcher/api.py, both in
# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/
JOIN_TIMEOUT, TIMEOUT = 600, 900
# Words with which torchrun counts the processes on the node itself; others are names of PyTorch's out-of-tree devices,
# like npu: determine_local_world_size of run.py
COUNTED = ("auto", "cpu", "gpu", "xpu")
WORD = "[a-z][a-z0-9_]*"
_LAUNCH = "launch.torchrun"
# Descriptions of the fields below launch.torchrun.
_DESCRIPTIONS = {
    "nprocPerNode": "Processes in each pod: a number, or auto, cpu, gpu, xpu or the name of another device like npu to"
    " let torchrun count on the node. Default: the number of GPUs, or 1.",
    "wrap": "Whether trainc starts the program with torchrun. Use false if the program starts torchrun itself, as a"
    " shell script may: it reads the same PET_* variables.",
    "module": "Python module that starts in place of the command torchrun. torch.distributed.run: the same launcher, in"
    " torch 1.9 without the command. torchelastic.distributed.launch: its predecessor for older versions of torch, in"
    " torchelastic 0.2, with fewer options, the rendezvous backend etcd and 3 restarts by default. 0.2.0 reads no"
    " variables: if the image's name has this version, its options are arguments.",
    "standalone": "Run one pod that hosts its own rendezvous. Default: true with one worker, no elastic and no"
    " rendezvous.",
    "maxRestarts": "How often torchrun restarts the worker processes before the pod fails. Each pod counts failures of"
    " its own processes, from 0 in a new container. In an elastic job they usually fail when a worker is lost, on a"
    " statefulset or pytorchjob also at a scale-down, and may fail when a worker joins. Default: 0; 10 for an elastic"
    " job, and 288 on a statefulset or pytorchjob: a scale-down every five minutes for a day.",
    "monitorInterval": "Seconds between two checks of the worker processes.",
    "torchVersion": "Version of torch in the image, with which trainc rejects options that it lacks. Default: the"
    " version in the image's name, if it has one.",
    "startMethod": "How Python starts the processes. spawn: a fresh interpreter. fork: a copy of the launcher."
    " forkserver: a copy of a server that was started early.",
    "shutdownTimeout": "Seconds between SIGTERM and SIGKILL for the processes when torchrun stops them. Default:"
    " lifecycle.terminationGracePeriodSeconds less 5, or 30.",
    "signals": "Signals that torchrun passes on to the processes. Default: SIGTERM, SIGINT, SIGHUP, SIGQUIT.",
    "role": "Name of the workers' role in logs.",
    "localAddr": "Address that this pod offers as MASTER_ADDR when it has rank 0, instead of the pod's name. podIP: the"
    " pod's address. hostIP: the node's.",
    "virtualLocalRank": "Whether every process sees only its own GPU, as device 0, and has LOCAL_RANK 0.",
    "logDir": "Directory for the processes' log files.",
    "redirects": "Streams that go to log files instead of the console: 0 none, 1 stdout, 2 stderr, 3 both; `0:3,1:1` by"
    " local rank.",
    "tee": "Streams that go to log files and the console: 0 none, 1 stdout, 2 stderr, 3 both; `0:3,1:1` by local rank.",
    "localRanksFilter": "Local ranks whose output reaches the console.",
    "logLinePrefixTemplate": "Prefix of each line that tee prints, made of ${role_name}, ${local_rank}, ${rank} and"
    " ${hostname}.",
    "duplicateStdoutFilters": "Lines of stdout that contain one of these texts are also written to a separate file in"
    " logDir.",
    "duplicateStderrFilters": "The same for stderr.",
    "eventLogHandler": "Name of a handler in the image that receives torchrun's events.",
    "numaBinding": "Cores to which a process is bound. node: the cores of the GPU's NUMA node. socket: the cores of all"
    " NUMA nodes of its socket. exclusive: a share of the NUMA node's cores that no other process has. core-complex:"
    " the cores of one L3 cache.",
    "logsSpecs": "Name of a torchrun.logs_specs entry point in the image, which decides where logs go.",
    "shareStore": "Whether the rendezvous' store also serves the processes. With c10d or etcd-v2 and elastic or"
    " maxRestarts trainc turns that off: the shared store outlives a round and ranks read old addresses"
    " (pytorch#135712).",
    "rendezvous.backend": "c10d: worker 0 hosts it. static: fixed ranks, no restarts across pods. etcd-v2, etcd: an"
    " etcd server, your own (endpoint) or one that is created with the job (managed). Any other name: a backend that a"
    " package in the image registers as an entry point in the group torchrun.handlers (torch 2.5 or newer).",
    "rendezvous.endpoint": "host:port of the rendezvous. Default: worker 0. Required for etcd-v2 and etcd.",
    "rendezvous.managed": "For etcd and etcd-v2: whether an etcd server (a Deployment and a Service) is created with"
    " the job. It runs until the manifests are deleted, also after the job's end. The program's image needs the package"
    " python-etcd.",
    "rendezvous.port": "Port on worker 0. Default: 29400 for c10d, 29500 for static.",
    "rendezvous.id": "Name of the rendezvous. Default: the Job's UID, so that a second run never joins the first;"
    " elsewhere the job's name.",
    "rendezvous.conf": "Options of the rendezvous backend, times in seconds: join_timeout, last_call_timeout,"
    " read_timeout, … With c10d read_timeout is 300, for a worker 0 whose node or image is late; torch's default is"
    " 60.",
}
_CONF = {
    "type": "object",
    "propertyNames": {
        "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
        "patternErrorMessage": "the name of an option: letters, digits and underscores",
    },
    "additionalProperties": {
        "anyOf": [
            text_schema("^[^,=\\s]+$", "a value without spaces, commas and equals signs"),
            {"type": ["number", "boolean"]},
        ]
    },
}


def _option(name: str, kind: Kind = "text", field: str = "", has_variable: bool = True, **row: Any) -> Option:
    variable = f"{PREFIX}{name.upper()}" if has_variable else None
    return Option(name=name, kind=kind, field=field, variable=variable, **row)


def _own(name: str, kind: Kind = "text", key: str = "", **row: Any) -> Option:
    """Return an option with a field below launch.torchrun, by default of the same name."""
    key = key or camel_case(name)
    return _option(name, kind, f"{_LAUNCH}.{key}", description=_DESCRIPTIONS[key], **row)


def _field(key: str, kind: Kind, **row: Any) -> Field:
    return Field(field=f"{_LAUNCH}.{key}", kind=kind, description=_DESCRIPTIONS.get(key, ""), **row)


# Fields of the job file in the order in which lowering writes their variables.
FIELDS: tuple[Field, ...] = (
    _own(
        "nproc_per_node",
        "other",
        examples=(8,),
        schema={
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MOST_PROCESSES},
                {"enum": list(COUNTED)},
                text_schema(f"^{WORD}$", "the name of a device"),
            ]
        },
    ),
    _field("wrap", "switch", default=True),
    _field("module", "choice", examples=(MODULES[0],), schema={"enum": list(MODULES)}),
    _own("standalone", "switch", examples=(True,)),
    _field("rendezvous", "other", schema={"$ref": "#/definitions/Rendezvous"}),
    _own("max_restarts", "count", examples=(3,)),
    _own("monitor_interval", "decimal", default=0.1),
    _field(
        "torchVersion",
        "other",
        examples=("2.9",),
        schema=text_schema(
            "^(1\\.(9|1[0-3])|2\\.[0-9]{1,2})(\\.[0-9]+)?([+-][a-z0-9.]+)?$",
            'a version from 1.9 on, in quotes, like "2.5" or "2.9.1"',
        ),
    ),
    _own("start_method", "choice", default="spawn", schema={"enum": ["spawn", "fork", "forkserver"]}),
    _own("shutdown_timeout", "count", since="2.12", examples=(60,)),
    _own(
        "signals_to_handle",
        "names",
        "signals",
        since="2.10",
        examples=(["SIGTERM", "SIGUSR1"],),
        schema={"items": text_schema("^SIG[A-Z0-9]+$", "a signal's name like SIGUSR1")},
    ),
    _own("role", default="default"),
    _own("local_addr", "choice", since="2.0", schema={"enum": ["podIP", "hostIP"]}),
    _own("virtual_local_rank", "switch", since="2.10", default=False),
    _own("log_dir", examples=("/logs",)),
    _own("redirects", "streams", aliases=("-r",), examples=("0:3",)),
    _own("tee", "streams", aliases=("-t",), examples=(3,)),
    _own("local_ranks_filter", "numbers", since="2.3", examples=([0],)),
    _own("log_line_prefix_template", since="2.14", default="[${role_name}${local_rank}]:"),
    _own("duplicate_stdout_filters", "filters", since="2.10", examples=(["loss"],)),
    _own("duplicate_stderr_filters", "filters", since="2.10", examples=(["NCCL"],)),
    _own("event_log_handler", since="2.8", examples=("console",)),
    _own(
        "numa_binding",
        "choice",
        has_variable=False,
        since="2.9",
        schema={"enum": ["node", "socket", "exclusive", "core-complex"]},
    ),
    _own("logs_specs", has_variable=False, since="2.3", examples=("my_logs",)),
    _field("shareStore", "switch", examples=(False,)),
    _own(
        "rdzv_backend",
        kind="other",
        key="rendezvous.backend",
        default="c10d",
        schema={
            "anyOf": [
                {"enum": list(BACKENDS)},
                text_schema("^[A-Za-z0-9][A-Za-z0-9_.-]*$", "the name of a plug-in"),
            ]
        },
    ),
    _own(
        "rdzv_endpoint",
        "other",
        "rendezvous.endpoint",
        examples=("etcd.research:2379",),
        schema=text_schema("^[A-Za-z0-9_.:\\[\\]-]+$", "host:port"),
    ),
    _field(
        "rendezvous.managed",
        "other",
        default=False,
        schema={"anyOf": [{"type": "boolean"}, {"$ref": "#/definitions/ManagedEtcd"}]},
    ),
    _own("master_port", "port", "rendezvous.port", examples=(29400,)),
    _own("rdzv_id", key="rendezvous.id", examples=("resnet-7",)),
    _own(
        "rdzv_conf",
        "other",
        "rendezvous.conf",
        examples=({"join_timeout": 600, "last_call_timeout": 30},),
        schema=_CONF,
    ),
)

OPTIONS: tuple[Option, ...] = (
    Option(name="help", kind="switch", aliases=("-h",), in_pod=False),
    *(field for field in FIELDS if isinstance(field, Option)),
    # Set by fields outside of launch.torchrun.
    _option("nnodes", field="workers"),
    _option("module", "switch", field="run.module", aliases=("-m",)),
    _option("no_python", "switch", field="run.exec"),
    # Set by trainc: worker 0 and the worker's number.
    _option("master_addr"),
    _option("node_rank", "count"),
    # No field.
    _option("run_path", "switch", in_pod=False),
    _option("print_completion", has_variable=False, since="2.14", in_pod=False),
)
BY_NAME = {row.name: row for row in OPTIONS}
DEFINITIONS = {
    "Torchrun": (_LAUNCH, "torchrun (torch.distributed.run) in every pod, configured by PET_* environment variables."),
    "Rendezvous": (f"{_LAUNCH}.rendezvous", "Rendezvous of torchrun's agents."),
}


def grammar() -> Table:
    """Return the options of torchrun, which is `python -m torch.distributed.run`."""
    return option.grammar(OPTIONS, dashes=True)
