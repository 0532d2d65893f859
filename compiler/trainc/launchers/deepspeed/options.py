"""Options of DeepSpeed's two launchers, with the fields that set them.

The `deepspeed` command: https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py. It starts
one launcher on every node: https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py.
Versions were read at every tag from v0.1.0 to v0.19.5 and in the packages of 0.19.7 and 0.19.8.
"""

from __future__ import annotations

from trainc.launchers import option
from trainc.launchers.option import MOST_PROCESSES, SSH_SECRET, Field, Kind, Option, text_schema
from trainc.launchers.ports import MASTER_PORT, SSH_PORT
from trainc.typenames import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

PRODUCT = "DeepSpeed"  # whose version `since` means
# Options of the `deepspeed` command by the kind of the program.
KIND_FLAGS = {"python": (), "module": ("--module",), "exec": ("--no_python",)}
# Handling of an option of otherArgs with transport: ssh. carried: pdsh passes it to the workers. pdsh: an option of
# pdsh itself. dropped: pdsh doesn't pass it (PDSHRunner.get_cmd of deepspeed/launcher/multinode_runner.py). local: it
# has an effect on worker 0 only.
OverSsh = Literal["", "carried", "pdsh", "dropped", "local"]


class DeepspeedOption(Option):
    """Option of the `deepspeed` command, of the per-node launcher, or of both.

    `since` is the first version whose per-node launcher has it, `command_since` the same of the command and of what it
    passes on by pdsh. `direct` is whether otherArgs may hold it with transport: direct, `over_ssh` its handling with
    transport: ssh. `only_ssh` options have no effect without ssh.
    `unsupported` is the reason why a job can't have it. `node_kind` is the kind that the per-node launcher has, if it
    is another one.
    """

    in_command: bool = True
    in_node_launcher: bool = False
    node_kind: Kind | None = None
    command_since: str = ""
    direct: bool = False
    over_ssh: OverSsh = ""
    only_ssh: bool = False
    unsupported: str = ""


_LAUNCH = "launch.deepspeed"
# Descriptions of the fields below launch.deepspeed.
_DESCRIPTIONS = {
    "slotsPerWorker": "Processes in each pod. Default: the number of GPUs, or 1.",
    "localRank": "Whether the program gets --local_rank=N as its first argument. LOCAL_RANK is set either way.",
    "port": "Port on worker 0 for the rendezvous of the processes.",
    "transport": "How the processes are started. direct: each pod starts its own, without ssh, keys or hostfile. ssh:"
    " every pod runs sshd, and worker 0 runs the deepspeed command once all of them answer; it starts the processes by"
    " pdsh, and its exit completes the job. ssh needs sshSecret, and sshd, ssh and pdsh in the image; a user other than"
    " root needs a name and a shell in /etc/passwd.",
    "sshSecret": "Secret with the workers' key in ssh-privatekey, without a passphrase (transport: ssh): kubectl"
    " create secret generic NAME --type=kubernetes.io/ssh-auth --from-file=ssh-privatekey=FILE. The public key is"
    " computed from it. `trainc compile --generate-ssh-key FILE` writes such a Secret, with this name or else"
    " NAME-ssh-key after the job.",
    "sshPort": "Port of the workers' sshd (transport: ssh).",
    "disableCustomEnv": "Whether the processes lack the containers' variables, which T9k's operator otherwise passes on"
    " over ssh. On other back ends every process has them.",
    "containerCommand": "Command of the containers in which T9k's operator starts the launcher, in place of its sshd,"
    " which the command must start. On other back ends the containers start the program.",
    "autotune": "DeepSpeed's autotuning, which needs transport: ssh. none: train as configured. tune: find the fastest"
    " configuration. run: find it, then train with it (DeepSpeed 0.19.8 stops after end_profile_step steps). The"
    " results are in the directory autotuning_results of worker 0's working directory.",
    "deepspeedVersion": "Version of DeepSpeed in the image. With it trainc rejects options that this version's launcher"
    " lacks.",
    "otherArgs": "More options for DeepSpeed's launcher.",
}


def _field(key: str, kind: Kind, **row: Any) -> Field:
    return Field(field=f"{_LAUNCH}.{key}", kind=kind, description=_DESCRIPTIONS[key], **row)


def _command(name: str, kind: Kind = "text", key: str = "", **row: Any) -> DeepspeedOption:
    """Return an option of the command, and the field below launch.deepspeed that sets it."""
    if key:
        row |= {"field": f"{_LAUNCH}.{key}", "description": _DESCRIPTIONS[key]}
    return DeepspeedOption(name=name, kind=kind, **{"instead": row.get("field", ""), **row})


def _node(name: str, kind: Kind = "text", key: str = "", **row: Any) -> DeepspeedOption:
    """Return an option of the command and of the per-node launcher."""
    return _command(name, kind, key, in_node_launcher=True, **row)


_ELASTIC = "a DeepSpeed world has a fixed size, and DeepSpeed 0.19.8 removed the option"
_HOSTS = f"workers and {_LAUNCH}.slotsPerWorker"
_MASTER_PORT = _node("master_port", "port", "port", default=MASTER_PORT)
_SSH_PORT = _command("ssh_port", "port", "sshPort", default=SSH_PORT, only_ssh=True)
_AUTOTUNING = _command("autotuning", "choice", "autotune", default="none", schema={"enum": ["none", "tune", "run"]})

FIELDS: tuple[Field, ...] = (
    _field("slotsPerWorker", "count", examples=(8,), schema={"minimum": 1, "maximum": MOST_PROCESSES}),
    _field("localRank", "switch", default=True),
    _MASTER_PORT,
    _field("transport", "choice", default="direct", schema={"enum": ["direct", "ssh"]}),
    _field(
        "sshSecret",
        "other",
        examples=("deepspeed-ssh",),
        schema=SSH_SECRET,
    ),
    _SSH_PORT,
    _field("disableCustomEnv", "switch", default=False),
    _field(
        "containerCommand",
        "other",
        examples=(["sh", "-c", "ulimit -l unlimited; exec /usr/sbin/sshd -D"],),
        schema={"$ref": "#/definitions/Words"},
    ),
    _AUTOTUNING,
    _field(
        "deepspeedVersion",
        "other",
        examples=("0.16.4",),
        schema=text_schema(
            "^(0\\.([3-9]|[1-9][0-9])|[1-9]\\.[0-9]{1,2})\\.[0-9]{1,2}([+.-][a-z0-9.]+)?$",
            "a version from 0.3.0 on, like 0.19.8",
        ),
    ),
    _field(
        "otherArgs",
        "other",
        examples=(["--bind_cores_to_rank"],),
        schema={"type": "array", "items": {"$ref": "#/definitions/Word"}},
    ),
)

OPTIONS: tuple[DeepspeedOption, ...] = (
    _node("help", "switch", aliases=("-h",), in_pod=False),
    _MASTER_PORT,
    _node("master_addr", instead="nothing: worker 0 is the master"),
    _node("node_rank", "count", instead="nothing: it is the worker's number"),
    _node("world_info", in_command=False, instead=_HOSTS),
    _node("module", "switch", since="0.5.10", command_since="0.5.10", field="run.module"),
    _node("no_python", "switch", since="0.5.10", command_since="0.5.10", field="run.exec"),
    _node(
        "no_local_rank",
        "switch",
        since="0.5.10",
        command_since="0.5.10",
        field=f"{_LAUNCH}.localRank",
        instead="launch.deepspeed.localRank: false",
    ),
    # The command passes its own process ID, after which the launchers name a file.
    _node(
        "save_pid",
        "switch",
        node_kind="count",
        since="0.6.0",
        command_since="0.6.0",
        over_ssh="carried",
        only_ssh=True,
    ),
    _node(
        "enable_each_rank_log",
        since="0.7.5",
        command_since="0.16.2",
        direct=True,
        over_ssh="carried",
        examples=("/logs",),
    ),
    _node("bind_cores_to_rank", "switch", since="0.9.0", direct=True, over_ssh="dropped"),
    _node("bind_core_list", since="0.9.0", direct=True, over_ssh="dropped", examples=("0-7",)),
    _node("log_level", since="0.17.6", command_since="0.17.6", direct=True, over_ssh="local", examples=("warning",)),
    _node("quiet", "switch", aliases=("-q",), since="0.17.6", command_since="0.17.6", direct=True, over_ssh="local"),
    # The command had these before 0.19.8, as enable_elastic_training still is an option of the per-node launcher.
    _command("elastic_training", "switch", unsupported=_ELASTIC),
    _node("enable_elastic_training", "switch", in_command=False),
    _node("min_elastic_nodes", "count", unsupported=_ELASTIC),
    _node("max_elastic_nodes", "count", unsupported=_ELASTIC),
    _command("num_nodes", "count", field="workers"),
    _command("num_gpus", "count", aliases=("--num_accelerators",), field=f"{_LAUNCH}.slotsPerWorker"),
    _command("hostfile", aliases=("-H",), instead=_HOSTS),
    _command("include", aliases=("-i",), instead=_HOSTS),
    _command("exclude", aliases=("-e",), instead=_HOSTS),
    _command(
        "no_ssh",
        "switch",
        field="launch.deepspeed.transport",
        instead="launch.deepspeed.transport: direct",
        only_ssh=True,
    ),
    _command("no_ssh_check", "switch", command_since="0.6.5", over_ssh="carried", only_ssh=True),
    _SSH_PORT,
    _command("launcher", "choice", only_ssh=True),
    _command("launcher_args", command_since="0.8.1", over_ssh="pdsh", only_ssh=True),
    _command("force_multi", "switch", instead="nothing: it is always given", only_ssh=True),
    _AUTOTUNING,
    _command("venv_script", command_since="0.17.1", over_ssh="carried"),
)
BY_FLAG = {flag: row for row in OPTIONS for flag in row.flags}
DEFINITIONS = {
    "Deepspeed": (
        "launch.deepspeed",
        "DeepSpeed's launcher. By default without ssh: each pod starts its own processes, and worker 0 is the master.",
    )
}


def grammar() -> Table:
    """Return the options of the `deepspeed` command."""
    return option.grammar(row for row in OPTIONS if row.in_command)


def node_grammar() -> Table:
    """Return the options of the per-node launcher."""
    return option.grammar(row.replace(kind=row.node_kind or row.kind) for row in OPTIONS if row.in_node_launcher)
