"""Launch of each worker: what its first process starts, recognized from its command line and variables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from trainc.commandline.argparse import Parsed
from trainc.diagnostics.finding import Finding
from trainc.launchers.registry import FIELDS, SHELL_SCRIPTS, has_part, part, plugins
from trainc.plan.container import Container
from trainc.plan.fields import Object, listed, number, text
from trainc.plan.pods import Pod
from trainc.plan.script_files import with_script_text
from trainc.record import Record

# Commands of a pod in debug mode, by an operator's default and by trainc's.
WAITS = (("/usr/sbin/sshd", "-D"), ("sleep", "infinity"))
LOCAL = ("localhost", "127.0.0.1", "::1")
# How ranks and the store's host are decided. static: ranks are fixed in advance and rank 0 listens at the endpoint.
# peer: a worker hosts the store, and nodes are ranked by address. external: the store is another server, and nodes
# are ranked in the order in which they arrive. unknown: a plug-in decides.
Rendezvous = Literal["static", "peer", "external", "unknown"]
# The scripts unpack their arguments by name, the command last: `count, rank, *command = sys.argv[1:]`.
_UNPACKING = re.compile(r"^(\w+(?:, \w+)*), \*command = sys\.argv\[1:\]$", re.MULTILINE)
_SHIFT = re.compile(r'shift (\d); exec "\$@"')
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")


class Surroundings(Record):
    """Objects of the input on which the launch of a pod depends, collected once for all pods.

    `config_maps` have files of the pods, `started` the commands that operators start, with their numbers of pods.
    """

    config_maps: list[Object]
    started: dict[tuple[str, ...], int]


class LaunchCommand(Record):
    """Container and its command line without wrapper scripts; `arguments` are those of the scripts, by name.

    `gpus` is the container's limit, None if it may have GPUs without one.
    """

    container: Container
    argv: tuple[str, ...]
    arguments: dict[str, str]
    pod: Pod
    gpus: int | None
    surroundings: Surroundings


class WorkerLaunch(Record):
    """Launch of one worker. Node counts are the launcher's own; None means unknown before the pod runs.

    `program` is the command line of a process. `rendezvous_host` is the host of the rendezvous endpoint, or the master
    address; `local_addr` is the worker's own address there if it is not its full name. `slots` are the hosts of a
    hostfile with their processes. `last_call` is the seconds that an elastic rendezvous waits for more nodes than its
    minimum, `join_timeout` those that a node waits for the minimum, `store_timeout` those for the store's host.
    `role` is what the worker runs if they differ, `details` are further rows of the report.
    `option_env` are variables that the launcher reads as options and that back ends may set differently, `process_env`
    those that it sets to the same values for each process. `framework` is the command that starts the launcher, empty
    for none. `command` is the word that starts the launcher; `options`
    are the texts of its options, from arguments or from the `option_variables`; only the running pod knows those in
    `unknown`.
    """

    launcher: str
    label: str
    program: tuple[str, ...]
    framework: str = ""
    processes: int | None = None
    processes_source: str = ""
    nodes: tuple[int, int] | None = None
    node_rank: int | None = None
    rank: int | None = None
    world: int | None = None
    rendezvous: Rendezvous = "static"
    backend: str = ""
    rendezvous_host: str = ""
    port: int | None = None
    id: str = ""
    role: str = ""
    details: tuple[tuple[str, str], ...] = ()
    local_addr: str = ""
    is_host: bool | None = None
    is_standalone: bool = False
    restarts: int = 0
    last_call: int = 0
    join_timeout: int = 0
    store_timeout: int = 0
    slots: tuple[tuple[str, int], ...] = ()
    uses_ssh: bool = False
    needs_gpu_per_process: bool = True
    scales_to_zero: bool = False
    handles_sigterm: bool = True
    option_env: tuple[str, ...] = ()
    process_env: dict[str, str] = {}
    command: str = ""
    options: dict[str, str] = {}
    option_variables: tuple[str, ...] = ()
    errors: tuple[Finding, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def has_launcher(self) -> bool:
        """Return whether the worker takes part in distributed training at all."""
        return self.launcher != "none"

    @property
    def is_elastic(self) -> bool:
        """Return whether the launcher accepts several numbers of nodes."""
        return self.nodes is not None and self.nodes[0] < self.nodes[1]

    @property
    def joins(self) -> bool:
        """Return whether the worker connects to an endpoint that it shares with others."""
        return bool(self.rendezvous_host) and self.has_launcher and not self.is_standalone


def usage_errors(command: str, parsed: Parsed) -> list[Finding]:
    """Return the error with which a launcher exits because of its command line, if any."""
    if parsed.problem is not None:
        message = f"{command} exits with a usage error at {parsed.problem}"
        return [Finding(message=message, about=(parsed.problem.word.text,))]
    return [Finding(message=f"{command} exits: no program follows its options")] if parsed.lacks_program else []


def launch_surroundings(objects: list[Object]) -> Surroundings:
    """Return what launches depend on, of all objects."""
    started = Counter[tuple[str, ...]]()
    for each in objects:
        if command := tuple(map(str, listed(each, "startCommand"))):
            started[command] += number(each, "multiplicity") or 1
    return Surroundings(config_maps=[each for each in objects if text(each, "kind") == "ConfigMap"], started=started)


def recognize_launch(container: Container, pod: Pod, gpus: int | None, surroundings: Surroundings) -> WorkerLaunch:
    """Return what the container's first process starts."""
    argv, scales_to_zero = container.argv, False
    arguments: dict[str, str] = {}
    while (script := parse_script(argv)) is not None:
        argv, scales_to_zero = script.command, scales_to_zero or script.scales_to_zero
        arguments |= script.arguments if "count" in script.arguments else {}
    if any(word.endswith(SHELL_SCRIPTS) for word in argv):
        argv = with_script_text(argv, pod, surroundings.config_maps)
    command = LaunchCommand(
        container=container, argv=argv, arguments=arguments, pod=pod, gpus=gpus, surroundings=surroundings
    )
    any_program, *launchers = FIELDS  # the first field's starts any program, so it comes last
    names = (*reversed(launchers), *(name for name in plugins() if has_part(name, "process")), any_program)
    recognized = (part(name, "process").recognize(command) for name in names)
    launch: WorkerLaunch = next(each for each in recognized if each is not None)
    return launch.replace(scales_to_zero=scales_to_zero)


class Script(Record):
    """A script's arguments by name, and the command that it starts."""

    arguments: dict[str, str]
    command: tuple[str, ...]
    scales_to_zero: bool


def parse_script(argv: Sequence[str]) -> Script | None:
    """Parse `python -c TEXT ARGUMENT... COMMAND...` and `sh -c 'shift N; exec "$@"' ...`; None for other commands."""
    if len(argv) > 3 and tuple(argv[:2]) == ("sh", "-c") and (shift := _SHIFT.fullmatch(argv[2])):
        return Script(arguments={}, command=tuple(argv[4 + int(shift[1]) :]), scales_to_zero=False)
    if len(argv) < 3 or not _PYTHON.fullmatch(argv[0]):
        return None
    at = next((index for index, word in enumerate(argv[1:], 1) if not word.startswith("-") or word == "-c"), 0)
    if not at or argv[at] != "-c" or at + 1 >= len(argv):
        return None
    text, rest = argv[at + 1], argv[at + 2 :]
    names = argument_names(text)
    if not names:
        return None
    return Script(
        arguments=dict(zip(names, rest, strict=False)),
        command=tuple(rest[len(names) :]),
        scales_to_zero="/scale" in text and '"replicas": 0' in text,
    )


def argument_names(program: str) -> list[str]:
    """Return the names of a script's arguments before the command; empty if the script does not unpack them."""
    match = _UNPACKING.search(program)
    return match[1].split(", ") if match else []
