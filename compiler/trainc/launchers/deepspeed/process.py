"""Process model of DeepSpeed: its per-node launcher in each pod, or the deepspeed command, which starts it over SSH.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.commandline.argparse import Parsed, Table, parse
from trainc.commandline.shell import Variables
from trainc.commandline.word import UNKNOWN, Word, parse_count
from trainc.diagnostics.finding import Finding
from trainc.launchers.deepspeed.options import grammar, node_grammar
from trainc.launchers.find_launchers import calls
from trainc.launchers.ports import MASTER_PORT
from trainc.launchers.shared.hostfile import (
    Slots,
    operator_slots,
    parse_hostfile,
    parse_world_info,
    rank_of,
    script_hostfile,
)
from trainc.launchers.shared.timeouts import PEERS_FAIL
from trainc.plan.container import training_container
from trainc.plan.expand import mask_placeholders
from trainc.plan.failures import LOST_POD, FailureCase
from trainc.plan.fields import Object, items, text
from trainc.plan.launch import LaunchCommand, WorkerLaunch, usage_errors
from trainc.plan.pods import Pod
from trainc.plan.process_env import rank_env
from trainc.plan.world import Worker, WorldSize

MODULE = "deepspeed.launcher.launch"
_LOCAL_RANK = "--local_rank=‹local rank›"
_OVER_SSH = "deepspeed on worker 0, over SSH"
_FROM_LAUNCHER = "deepspeed on the launcher pod, over SSH"
_ON_ONE_NODE = "deepspeed, without other hosts"
# Options that say other hosts, or a part of the GPUs.
_HOSTS = ("hostfile", "include", "exclude", "num_nodes", "no_ssh", "autotuning")
_PYTHON = ("python", "-u")


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return DeepSpeed's launch; None if the pod starts neither its launcher nor sshd for it."""
    if command.pod.start_command:
        return _from_other_pod(command.pod, command.surroundings.config_maps)
    started = _over_ssh(list(command.argv), command.pod, command.surroundings.config_maps) or _direct(command.argv)
    return started or _on_one_node(command)


def _on_one_node(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of the deepspeed command without hosts, which starts a process for each GPU of its own pod.

    https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, main
    """
    if not any("deepspeed" in word for word in command.argv):
        return None
    variables = command.container.env
    env: Variables = {each.name: Word(text=mask_placeholders(each.value, UNKNOWN)) for each in variables}
    launchers = calls([Word(text=mask_placeholders(word, UNKNOWN)) for word in command.argv], env)
    call = launchers[0] if len(launchers) == 1 and launchers[0].launcher == "deepspeed" else None
    mounts = items(training_container(command.pod), "volumeMounts")
    has_hosts = call is None or any(call.option(name) is not None for name in _HOSTS)
    if call is None or has_hosts or any(text(mount, "mountPath").startswith("/job") for mount in mounts):
        return None
    option = call.option("num_gpus")
    count = parse_count(option.text) if option is not None else command.gpus
    values = {name: each.text for name, each in call.parsed.options.items() if each.text is not None}
    program = _program(call.parsed)
    errors = usage_errors("the deepspeed command", call.parsed)
    launch = _launch(program, 0, (("localhost", count),) if count else (), values, _ON_ONE_NODE, errors)
    return launch.replace(rendezvous_host="127.0.0.1", nodes=(1, 1), is_standalone=True)


def _direct(argv: Sequence[str]) -> WorkerLaunch | None:
    """Return the launch of `python -m deepspeed.launcher.launch` in each pod."""
    if MODULE not in argv:
        return None
    program, options, errors = _parse("DeepSpeed's launcher", node_grammar(), argv[argv.index(MODULE) + 1 :])
    slots = parse_world_info(options.get("world_info", ""))
    if slots is None:
        errors.append(Finding(message="DeepSpeed's launcher exits: its `world_info` is not base64-encoded JSON"))
    rank = parse_count(options.get("node_rank", "0"))
    if rank is None:
        text = options["node_rank"]
        message = f"DeepSpeed's launcher exits: its node_rank is `{text}`, not a number"
        errors.append(Finding(message=message, about=(text,)))
    options.setdefault("master_addr", "127.0.0.1")
    return _launch(program, rank, slots or (), options, f"{MODULE} in each pod", errors)


def _over_ssh(argv: list[str], pod: Pod, objects: list[Object]) -> WorkerLaunch | None:
    """Return the launch of a ConfigMap's start.py: sshd on all workers, and on worker 0 the deepspeed command."""
    script = next((index for index, word in enumerate(argv) if word.endswith("/start.py")), len(argv))
    if "--" not in argv[script:] or (hosts := script_hostfile(argv[script], pod, objects)) is None:
        return None
    rank = argv[script + 1]
    if rank == "debug":
        return None  # only sshd
    program, options = _script_arguments(argv[script + 1 :])
    return _launch(program, parse_count(rank), parse_hostfile(hosts), options)


def _script_arguments(argv: list[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the program of start.py, and the options of the deepspeed command."""
    end = argv.index("--")
    _, _, kind, *flags = [*argv[:end], "", "", ""]
    options = dict(word[2:].split("=", 1) for word in flags if word.startswith("--") and "=" in word)
    python = {"python": _PYTHON, "module": (*_PYTHON, "-m")}.get(kind, ())
    return _with_local_rank(python, argv[end + 1 :], "--no_local_rank" in flags), options


def _from_other_pod(pod: Pod, objects: list[Object]) -> WorkerLaunch | None:
    """Return the launch of a command that an operator starts on one pod, with a hostfile of all; None for another."""
    command, slots = list(pod.start_command), operator_slots(objects)
    rank = rank_of(pod, slots)
    script = next((index for index, word in enumerate(command) if word.endswith("/start.py")), None)
    if script is not None and "--" in command[script:]:
        if command[script + 1] == "debug":
            return None  # only sshd
        program, options = _script_arguments(command[script + 1 :])
        return _launch(program, rank, slots, options, _FROM_LAUNCHER)
    if command[0] != "deepspeed":
        return None
    program, options, errors = _parse("the deepspeed command", grammar(), command[1:])
    # Without the option the command asks the first host for its address.
    options.setdefault("master_addr", slots[0][0] if slots else "")
    return _launch(program, rank, slots, options, errors=errors)


def _launch(
    program: tuple[str, ...],
    rank: int | None,
    slots: Slots,
    options: dict[str, str],
    label: str = _OVER_SSH,
    errors: Sequence[Finding] = (),
) -> WorkerLaunch:
    return WorkerLaunch(
        launcher="deepspeed",
        label=label,
        program=program,
        processes=slots[rank][1] if rank is not None and rank < len(slots) else None,
        nodes=(len(slots), len(slots)) if slots else None,
        node_rank=rank,
        world=sum(count for _, count in slots) if slots else None,
        rendezvous_host=options.get("master_addr", ""),
        port=parse_count(options.get("master_port", str(MASTER_PORT))),
        slots=slots,
        uses_ssh=label in (_OVER_SSH, _FROM_LAUNCHER),
        command="deepspeed",
        options=options,
        errors=tuple(errors),
    )


def _parse(command: str, known: Table, argv: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str], list[Finding]]:
    """Return the program, the values of the options, and the usage errors of a command line."""
    parsed = parse(known, [Word(text=word) for word in argv])
    values = {name: option.value.text for name, option in parsed.options.items() if option.value is not None}
    return _program(parsed), values, usage_errors(command, parsed)


def _program(parsed: Parsed) -> tuple[str, ...]:
    """Return the command line of each process."""
    flags = parsed.options
    python = () if "no_python" in flags or "autotuning" in flags else (*_PYTHON, *(["-m"] if "module" in flags else []))
    words = [word.text.replace(UNKNOWN, "‹?›") for word in parsed.program]
    return _with_local_rank(python, words, "no_local_rank" in flags)


def _with_local_rank(python: tuple[str, ...], words: list[str], no_local_rank: bool) -> tuple[str, ...]:
    return (*python, *words[:1], *([] if no_local_rank else [_LOCAL_RANK]), *words[1:])


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variables that DeepSpeed's launcher sets."""
    return {**rank_env(worker, worker.launch.world), "LOCAL_SIZE": str(worker.launch.processes or "")}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what follows the failure of a process and of a pod."""
    launch = workers[0].launch
    effect = "DeepSpeed's launcher stops the other processes of the pod and exits with an error"
    yield FailureCase("a process fails", effect)
    if len(workers) > 1:
        then = ", and then the deepspeed command fails" if launch.uses_ssh else ""
        yield FailureCase(LOST_POD, f"the processes of the other workers {PEERS_FAIL}{then}")
