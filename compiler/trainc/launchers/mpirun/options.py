"""Fields of launch.mpirun, and options of Open MPI's mpirun, as 4.1.4 lists them (`mpirun --help CATEGORY`).

https://docs.open-mpi.org/en/v5.0.x/man-openmpi/man1/mpirun.1.html. Hydra, the mpirun of Intel MPI and MPICH, shares
only -np, -n, -host and -wdir with it, MPICH's also -bind-to and -map-by.
"""

from __future__ import annotations

from trainc.launchers import option
from trainc.launchers.option import MOST_PROCESSES, SSH_SECRET, Field, Kind, Option, text_schema
from trainc.launchers.ports import SSH_PORT
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

PRODUCT = "Open MPI"
# Variables of the image without which a remote process finds neither Python nor the libraries of CUDA.
FORWARDED = ("PATH", "LD_LIBRARY_PATH")
_LAUNCH = "launch.mpirun"
_PROCESSES = f"workers and {_LAUNCH}.slotsPerWorker"
_NAME = text_schema("^[a-zA-Z_][a-zA-Z0-9_]*$", "the name of an environment variable")


class MpirunOption(Option):
    """Option with one dash or two. `pair` is whether it has two values.

    With `keeps_size` the option changes neither the number of processes nor their hosts.
    """

    pair: bool = False
    keeps_size: bool = True

    @property
    def flags(self) -> tuple[str, ...]:
        """All spellings, the short ones first."""
        if len(self.name) == 1:
            return (f"-{self.name}",)
        long = f"--{self.name.replace('_', '-')}"
        return (*self.aliases, long[1:], long)


def _field(key: str, kind: Kind, description: str, **row: Any) -> Field:
    return Field(field=f"{_LAUNCH}.{key}", kind=kind, description=description, **row)


FIELDS: tuple[Field, ...] = (
    _field(
        "slotsPerWorker",
        "count",
        "Processes in each worker pod. Default: the number of GPUs, or 1.",
        examples=(8,),
        schema={"minimum": 1, "maximum": MOST_PROCESSES},
    ),
    _field(
        "port",
        "port",
        "Port on worker 0 for the rendezvous of a program with torch.distributed: each process has MASTER_ADDR and"
        " MASTER_PORT. Without it no process has them. Ranks are in OMPI_COMM_WORLD_RANK, with Intel MPI and MPICH in"
        " PMI_RANK; mpirun sets no RANK.",
        examples=(29500,),
    ),
    _field(
        "sshSecret",
        "other",
        "Secret with the workers' key in ssh-privatekey, as of launch.deepspeed.sshSecret, where worker 0 runs mpirun:"
        " `trainc compile --generate-ssh-key FILE` writes such a Secret, with this name or else NAME-ssh-key after the"
        " job.",
        examples=("mpirun-ssh",),
        schema=SSH_SECRET,
    ),
    _field("sshPort", "port", "Port of the workers' sshd, where worker 0 runs mpirun.", default=SSH_PORT),
    _field(
        "allowRunAsRoot",
        "switch",
        "Whether Open MPI's mpirun may run as root. Default: true; on a launcher pod only if the keys of ssh are below"
        " /root.",
        examples=(False,),
    ),
    _field(
        "bindTo",
        "text",
        "CPUs that each process is bound to (--bind-to): none, core, socket, numa, … Default: none with Open MPI, which"
        " otherwise leaves a process few CPUs for its threads; MPICH's own default, which is none.",
        examples=("numa",),
    ),
    _field(
        "mapBy",
        "text",
        "Order in which the processes are placed (--map-by): slot, node, ppr:N:socket, … Default: slot with Open MPI;"
        " MPICH's own default.",
        examples=("ppr:4:socket",),
    ),
    _field(
        "forwardEnv",
        "names",
        "Variables of the image, of envFrom and of Kubernetes that Open MPI's mpirun passes to the processes (-x),"
        " besides those of the job file. Intel MPI and MPICH pass all. Without a launcher pod each process has the"
        " variables of its own pod, and with those of this list worker 0's values.",
        default=list(FORWARDED),
        examples=(["PATH", "LD_LIBRARY_PATH", "PYTHONPATH"],),
        schema={"minItems": 0, "items": _NAME},
    ),
    _field(
        "command",
        "text",
        "The program mpirun: a path if it is not on PATH, or mpiexec. Open MPI starts its daemons on the workers below"
        " the same path, as with --prefix.",
        default="mpirun",
        examples=("/opt/amazon/openmpi/bin/mpirun",),
        schema=text_schema(r"^(\S*/)?(mpirun|mpiexec|orterun)$", "mpirun, mpiexec or orterun, with or without a path"),
    ),
    _field(
        "otherArgs",
        "other",
        "More options for mpirun.",
        examples=(["--mca", "btl_tcp_if_include", "eth0"],),
        schema={"type": "array", "items": {"$ref": "#/definitions/Word"}},
    ),
)


def _places(names: str, kind: Kind = "text", **row: Any) -> tuple[MpirunOption, ...]:
    """Return options that decide where and how many processes run."""
    return tuple(MpirunOption(name=name, kind=kind, keeps_size=False, **row) for name in names.split())


OPTIONS: tuple[MpirunOption, ...] = (
    MpirunOption(name="help", kind="switch", aliases=("-h",), in_pod=False),
    MpirunOption(name="version", kind="switch", aliases=("-V",), in_pod=False),
    *_places("np", "count", aliases=("-c", "-n", "--n"), instead=_PROCESSES),
    *_places("npernode", "count", aliases=("-N", "--N"), instead=_PROCESSES),
    *_places("npersocket ppr", instead=f"{_LAUNCH}.mapBy"),
    *_places("pernode bynode byslot bycore", "switch", instead=f"{_LAUNCH}.mapBy"),
    *_places("hostfile machinefile default_hostfile", instead=_PROCESSES),
    *_places("host", aliases=("-H",), instead=_PROCESSES),
    *_places("app rankfile rf"),
    *_places("nolocal nooversubscribe oversubscribe", "switch"),
    MpirunOption(name="allow_run_as_root", kind="switch", field=f"{_LAUNCH}.allowRunAsRoot"),
    MpirunOption(name="bind_to", field=f"{_LAUNCH}.bindTo"),
    *_places("map_by", field=f"{_LAUNCH}.mapBy"),
    MpirunOption(name="x", field=f"{_LAUNCH}.forwardEnv"),
    MpirunOption(name="mca", pair=True),
    MpirunOption(name="gmca", pair=True),
    *(
        MpirunOption(name=name, kind="switch")
        for name in (
            *("bind_to_core", "bind_to_socket", "display_allocation", "display_map", "get_stack_traces"),
            *("index_argv_by_rank", "leave_session_attached", "merge_stderr_to_stdout", "noprefix", "quiet"),
            *("report_bindings", "report_state_on_timeout", "tag_output", "timestamp_output", "use_hwthread_cpus"),
            *("verbose", "xml"),
        )
    ),
    *(
        MpirunOption(name=name)
        for name in (
            *("am", "cpu_list", "cpu_set", "cpus_per_proc", "cpus_per_rank", "launch_agent", "output_filename", "path"),
            *("personality", "prefix", "rank_by", "stdin", "timeout", "tune", "wd", "wdir", "xterm"),
        )
    ),
)
BY_NAME = {row.name: row for row in OPTIONS}
DEFINITIONS = {
    "Mpirun": (
        _LAUNCH,
        "mpirun of Open MPI, Intel MPI or MPICH (launcherPod.mpiImplementation), which starts the processes of all"
        " workers over ssh. It runs on the launcher pod of back ends that have one. On the others it runs on worker 0,"
        " with an sshd in each pod: this needs sshSecret, and Python, sshd and ssh in the image; a user other than root"
        " needs a name and a shell in /etc/passwd. A single worker needs none of these.",
    )
}


def grammar() -> Table:
    """Return the options as the argv parser reads them; Hydra has others."""
    table = option.grammar(OPTIONS)
    pairs = {flag: (row.name, 2) for row in OPTIONS if row.pair for flag in row.flags}
    return table.replace(options={**table.options, **pairs}, abbreviates=False, attached=False, complete=False)
