"""Options of torchrun, with the fields and variables that set them.

Read in torch/distributed/run.py of torch 1.9 to 2.15:
https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py. torchrun reads PET_ and the upper-cased name
of an option where the command line lacks it:
https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/argparse_util.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainc.launchers import option
from trainc.launchers.option import Field, Kind, Option
from trainc.launchers.torchrun.traits import PREFIX

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

PRODUCT = "torch"  # whose version `since` means
BACKENDS = ("c10d", "static", "etcd-v2", "etcd")
# Words by which torchrun counts the processes on the node itself.
COUNTED = ("auto", "cpu", "gpu")


def _option(name: str, kind: Kind = "text", has_variable: bool = True, **facts: Any) -> Option:
    variable = f"{PREFIX}{name.upper()}" if has_variable else None
    return Option(name=name, kind=kind, variable=variable, **facts)


# Fields of the job file in the order in which lowering writes their variables.
FIELDS: tuple[Field, ...] = (
    _option(
        "nproc_per_node",
        "other",
        field="launch.torchrun.nprocPerNode",
        description="Processes in each pod: a number, or auto, cpu or gpu to let torchrun count on the node",
        note="Default: the number of GPUs, or 1.",
        examples=(8,),
        schema={"anyOf": [{"type": "integer", "minimum": 1}, {"enum": list(COUNTED)}]},
    ),
    Field(
        field="launch.torchrun.wrap",
        kind="switch",
        description="Whether trainc puts torchrun before the program",
        note="Use false when the program calls torchrun itself, as a shell script may: it reads the same PET_*"
        " variables.",
        default=True,
    ),
    _option(
        "standalone",
        "switch",
        field="launch.torchrun.standalone",
        description="Run one pod that hosts its own rendezvous",
        note="Default: true with one worker, no elastic and no rendezvous.",
        examples=(True,),
    ),
    Field(field="launch.torchrun.rendezvous", kind="other", schema={"$ref": "#/definitions/Rendezvous"}),
    _option(
        "max_restarts",
        "count",
        field="launch.torchrun.maxRestarts",
        description="How often torchrun restarts the worker processes before the pod fails",
        note="In an elastic job each lost worker uses up one restart, on a statefulset or pytorchjob each scale-down."
        " Default: 0; 10 for an elastic job, and 288 on a statefulset or pytorchjob: a scale-down every five minutes"
        " for a day.",
        examples=(3,),
    ),
    _option(
        "monitor_interval",
        "decimal",
        field="launch.torchrun.monitorInterval",
        unit="s",
        description="Seconds between two checks of the worker processes",
        default=0.1,
    ),
    Field(
        field="launch.torchrun.torchVersion",
        kind="other",
        description="Version of torch in the image",
        note="With it trainc rejects options that this version lacks.",
        examples=("2.9",),
        schema={
            "type": "string",
            "pattern": "^(1\\.(9|1[0-3])|2\\.[0-9]{1,2})(\\.[0-9]+)?([+-][a-z0-9.]+)?$",
            "patternErrorMessage": 'a version from 1.9 on, in quotes, like "2.5" or "2.9.1"',
        },
    ),
    _option(
        "start_method",
        "choice",
        field="launch.torchrun.startMethod",
        description="How Python starts the processes",
        note="spawn: a fresh interpreter. fork: a copy of the launcher. forkserver: a copy of a server that was started"
        " early.",
        default="spawn",
        schema={"enum": ["spawn", "fork", "forkserver"]},
    ),
    _option(
        "shutdown_timeout",
        "count",
        field="launch.torchrun.shutdownTimeout",
        since="2.12",
        unit="s",
        description="Seconds between SIGTERM and SIGKILL for the processes when torchrun stops them",
        note="Default: lifecycle.terminationGracePeriodSeconds less 5, or 30.",
        examples=(60,),
    ),
    _option(
        "signals_to_handle",
        "names",
        field="launch.torchrun.signals",
        since="2.10",
        description="Signals that torchrun passes on to the processes",
        note="Default: SIGTERM, SIGINT, SIGHUP, SIGQUIT.",
        examples=(["SIGTERM", "SIGUSR1"],),
        schema={
            "items": {
                "type": "string",
                "pattern": "^SIG[A-Z0-9]+$",
                "patternErrorMessage": "a signal's name like SIGUSR1",
            }
        },
    ),
    _option(
        "role",
        field="launch.torchrun.role",
        description="Name of the workers' role in logs",
        default="default",
    ),
    _option(
        "local_addr",
        "choice",
        field="launch.torchrun.localAddr",
        since="2.0",
        description="Address that this pod offers as MASTER_ADDR when it has rank 0, instead of the pod's name",
        note="podIP: the pod's address. hostIP: the node's.",
        schema={"enum": ["podIP", "hostIP"]},
    ),
    _option(
        "virtual_local_rank",
        "switch",
        field="launch.torchrun.virtualLocalRank",
        since="2.10",
        description="Whether every process sees only its own GPU, as device 0, and has LOCAL_RANK 0",
        default=False,
    ),
    _option(
        "log_dir",
        field="launch.torchrun.logDir",
        description="Directory for the processes' log files",
        examples=("/logs",),
    ),
    _option(
        "redirects",
        "streams",
        aliases=("-r",),
        field="launch.torchrun.redirects",
        description="Streams that go to log files instead of the console: 0 none, 1 stdout, 2 stderr, 3 both;"
        " `0:3,1:1` by local rank",
        examples=("0:3",),
    ),
    _option(
        "tee",
        "streams",
        aliases=("-t",),
        field="launch.torchrun.tee",
        description="Streams that go to log files and the console: 0 none, 1 stdout, 2 stderr, 3 both; `0:3,1:1` by"
        " local rank",
        examples=(3,),
    ),
    _option(
        "local_ranks_filter",
        "numbers",
        field="launch.torchrun.localRanksFilter",
        since="2.3",
        description="Local ranks whose output reaches the console",
        examples=([0],),
    ),
    _option(
        "log_line_prefix_template",
        field="launch.torchrun.logLinePrefixTemplate",
        since="2.14",
        description="Prefix of each line that tee prints, made of ${role_name}, ${local_rank}, ${rank} and ${hostname}",
        default="[${role_name}${local_rank}]:",
    ),
    _option(
        "duplicate_stdout_filters",
        "filters",
        field="launch.torchrun.duplicateStdoutFilters",
        since="2.10",
        description="Lines of stdout that contain one of these texts are also written to a separate file in logDir",
        examples=(["loss"],),
    ),
    _option(
        "duplicate_stderr_filters",
        "filters",
        field="launch.torchrun.duplicateStderrFilters",
        since="2.10",
        description="The same for stderr",
        examples=(["NCCL"],),
    ),
    _option(
        "event_log_handler",
        field="launch.torchrun.eventLogHandler",
        since="2.8",
        description="Name of a handler in the image that receives torchrun's events",
        examples=("console",),
    ),
    _option(
        "numa_binding",
        "choice",
        has_variable=False,
        field="launch.torchrun.numaBinding",
        since="2.9",
        description="How processes are bound to cores",
        note="node: those of the GPU's NUMA node. socket: those of all NUMA nodes of its socket. exclusive: a share of"
        " the NUMA node's cores that no other process has. core-complex: those of one L3 cache.",
        schema={"enum": ["node", "socket", "exclusive", "core-complex"]},
    ),
    _option(
        "logs_specs",
        has_variable=False,
        field="launch.torchrun.logsSpecs",
        since="2.3",
        description="Name of a torchrun.logs_specs entry point in the image, which decides where logs go",
        examples=("my_logs",),
    ),
    Field(
        field="launch.torchrun.shareStore",
        kind="switch",
        description="Whether the rendezvous' store also serves the processes",
        note="With c10d or etcd-v2 and elastic or maxRestarts trainc turns that off: the shared store outlives a round"
        " and ranks read old addresses (pytorch#135712).",
        examples=(False,),
    ),
    _option(
        "rdzv_backend",
        "choice",
        field="launch.torchrun.rendezvous.backend",
        description="c10d: worker 0 hosts it. static: fixed ranks, no restarts across pods. etcd-v2, etcd: a server of"
        " yours, given as endpoint, or one that trainc makes (managed)",
        default="c10d",
        schema={"enum": list(BACKENDS)},
    ),
    _option(
        "rdzv_endpoint",
        "other",
        field="launch.torchrun.rendezvous.endpoint",
        description="host:port of the rendezvous",
        note="Default: worker 0. Required for etcd-v2 and etcd.",
        examples=("etcd.research:2379",),
        schema={"type": "string", "pattern": "^[A-Za-z0-9_.:\\[\\]-]+$", "patternErrorMessage": "host:port"},
    ),
    Field(
        field="launch.torchrun.rendezvous.managed",
        kind="other",
        description="For etcd and etcd-v2: whether an etcd server (a Deployment and a Service) is made with the job",
        note="It runs until the manifests are deleted, also after the job's end. The program's image needs the package"
        " python-etcd.",
        default=False,
        schema={"anyOf": [{"type": "boolean"}, {"$ref": "#/definitions/ManagedEtcd"}]},
    ),
    _option(
        "master_port",
        "count",
        field="launch.torchrun.rendezvous.port",
        description="Port on worker 0",
        note="Default: 29400 for c10d, 29500 for static.",
        examples=(29400,),
        schema={"$ref": "#/definitions/Port"},
    ),
    _option(
        "rdzv_id",
        field="launch.torchrun.rendezvous.id",
        description="Name of the rendezvous",
        note="Default: the Job's UID, so that a second run never joins the first; elsewhere the job's name.",
        examples=("resnet-7",),
    ),
    _option(
        "rdzv_conf",
        "other",
        field="launch.torchrun.rendezvous.conf",
        description="Options of the rendezvous backend, times in seconds: join_timeout, last_call_timeout,"
        " read_timeout, …",
        note="With c10d read_timeout is 300, for a worker 0 whose node or image is late; torch's default is 60.",
        examples=({"join_timeout": 600, "last_call_timeout": 30},),
        schema={
            "type": "object",
            "propertyNames": {
                "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
                "patternErrorMessage": "the name of an option: letters, digits and underscores",
            },
            "additionalProperties": {
                "anyOf": [
                    {
                        "type": "string",
                        "pattern": "^[^,=\\s]+$",
                        "patternErrorMessage": "a value without blanks, commas and equals signs",
                    },
                    {"type": ["number", "boolean"]},
                ]
            },
        },
    ),
)

OPTIONS: tuple[Option, ...] = (
    Option(name="help", kind="switch", aliases=("-h",), in_pod=False),
    *(field for field in FIELDS if isinstance(field, Option)),
    # Set by fields outside of launch.torchrun.
    _option("nnodes", field="workers"),
    _option("module", "switch", aliases=("-m",), field="run.module"),
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
    "Torchrun": (
        "launch.torchrun",
        "torchrun (torch.distributed.run) in every pod, set up by PET_* environment variables.",
    ),
    "Rendezvous": ("launch.torchrun.rendezvous", "Rendezvous of torchrun's agents."),
}


def grammar() -> Table:
    """Return the options of torchrun, which is `python -m torch.distributed.run`."""
    return option.grammar(OPTIONS, dashes=True)
