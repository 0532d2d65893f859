"""Interface of launchers/<name>/lower.py: what lowering gets, and what a launcher adds to the pods.

The module defines `ports(job)`, the pods' ports with the rendezvous' first; `lower(context)`, the typed launch; and
`render(context, launch)`, its command line and environment. A launcher that systems can start themselves also defines
`render_operated(context, launch)`; one whose worker 0 may have to recognize the endpoint as its own name,
`recognizes_host(job)`; one whose workers connect to worker 0's host name without a domain,
`connects_to_host_name(job)`; one with more ports where no launcher pod but worker 0 starts the processes,
`worker_0_ports(job)`.
"""

from __future__ import annotations

from collections.abc import Callable

from trainc.ir.env import Arg, EnvVar
from trainc.ir.job import Etcd, HeadlessService, LauncherCommand, Replicas
from trainc.ir.launch import Hosts, Launch, Rendezvous
from trainc.ir.pod import Files, InitCommand, Mount, Port, Program, Volume
from trainc.launchers.traits import Traits
from trainc.record import Record
from trainc.spec.job import Run, TrainingJob
from trainc.target import Target

_END = "\0"  # which no argument contains


class Addresses(Record):
    """Host and port of worker 0 as every worker knows them, and the host names of all.

    `headless_service` is None for a job of one pod, and where an operator creates the Services.
    """

    host: str
    port: int
    headless_service: HeadlessService | None
    hosts: Hosts

    def rendezvous(self, backend: str = "static") -> Rendezvous:
        """Return the rendezvous at worker 0."""
        return Rendezvous(backend=backend, endpoint=f"{self.host}:{self.port}", host=self.host, port=self.port)


class LaunchContext(Record):
    """Job to lower, its size and addresses, the target, and the variables of the pods besides the launcher's.

    `shared_memory` is the size of trainc's volume at /dev/shm, None without one. `shipped_text` returns the text of a
    file in the container, None for one that is not in the input.
    """

    job: TrainingJob
    replicas: Replicas
    addresses: Addresses
    target: Target
    env: tuple[EnvVar, ...]
    shared_memory: str | None
    shipped_text: Callable[[str], str | None]

    @property
    def nodes(self) -> tuple[int, int]:
        """The fewest and most workers."""
        return self.replicas.minimum, self.replicas.maximum


def direct_launch(context: LaunchContext, traits: Traits, processes: int) -> Launch:
    """Return the launch of a program that trainc starts itself, with worker 0's address as that of rank 0."""
    return Launch(
        launcher=traits,
        processes_per_pod=processes,
        nodes=context.nodes,
        rendezvous=context.addresses.rendezvous(),
        wraps_program=False,
    )


class PodSetup(Record):
    """Requirements of a launcher in every pod besides the program.

    `debug_program` is what a pod runs in mode debug; the Secret `key_secret` has the key by which the pods reach each
    other, None if the controller mounts one at `key_folder`; `ready` is the port that answers then.
    """

    files: Files
    volumes: tuple[Volume, ...]
    mounts: tuple[Mount, ...]
    key_secret: str | None = None
    key_folder: str = ""
    ready: Port | None = None
    debug_program: Program | None = None


class Rendered(Record):
    """Command line and environment of a launch. `program` ends with the program's own arguments; more may follow.

    The first `own_args` arguments are the launcher's; `options` are the spellings of all its options. With
    `launcher_command` an operator starts the launcher, and the pods' own program is the operator's. `debug_command`
    starts the program by hand on worker 0 in mode debug; without it `program` does, in each pod.
    """

    program: Program
    env: tuple[EnvVar, ...] = ()
    own_args: int = 0
    options: tuple[str, ...] = ()
    setup: PodSetup | None = None
    debug_command: tuple[Arg, ...] = ()
    launcher_command: LauncherCommand | None = None
    etcd: Etcd | None = None
    init_commands: tuple[InitCommand, ...] = ()

    def complete_program(self, more: tuple[Arg, ...]) -> Program:
        """Return the program with more arguments, after `--` if the launcher could parse one as its own option.

        argparse looks for abbreviations even after the program's name: `torchrun train.py --log x` fails with
        "ambiguous option: --log could match --log-dir, --logs-specs". After `--` it doesn't look.
        """
        args = (*self.program.args, *more)
        own, words = args[: self.own_args], args[self.own_args :]
        options = _END.join(("", *self.options, ""))
        separator = ("--",) if any(_is_ambiguous(word, options) for word in words if isinstance(word, str)) else ()
        return self.program.replace(args=(*own, *separator, *words))


def _is_ambiguous(word: str, options: str) -> bool:
    """Return whether argparse would take an argument of the program as the abbreviation of an option.

    `options` have `_END` around each. `--`, which argparse would drop, abbreviates all of them.
    """
    start = _END + word.partition("=")[0]
    return word.startswith("--") and options.count(start) > options.count(start + _END)


def direct_command(run: Run, more: tuple[Arg, ...] = ()) -> Program:
    """Return the program as it is started without a launcher. Python's -u flushes the logs at once."""
    if run.kind == "entrypoint":
        return Program(command=(), args=(*run.words, *more))
    if run.kind == "exec":
        return Program(command=run.words[:1], args=(*run.words[1:], *more))
    start = ("python3", "-u", "-m") if run.kind == "module" else ("python3", "-u")
    return Program(command=start, args=(*run.words, *more))
