"""Process model of the basic launcher: a program that reads its rank from variables or arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from trainc.commandline.word import UNKNOWN, Word, parse_count
from trainc.commandline.wrappers import is_wrapper
from trainc.diagnostics import codes
from trainc.diagnostics.finding import Finding
from trainc.launchers.registry import MENTIONS
from trainc.launchers.unread_commands import hidden_launcher
from trainc.plan.container import Container
from trainc.plan.expand import mask_placeholders
from trainc.plan.failures import FailureCase
from trainc.plan.launch import WAITS, LaunchCommand, WorkerLaunch
from trainc.plan.process_env import rank_env
from trainc.plan.world import Worker, WorldSize

_NAMES = ("WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT")


def recognize(command: LaunchCommand) -> WorkerLaunch:
    """Return the launch of any command; its launcher is `none` if nothing states a rank.

    A wrapper script with `count` starts several processes in a pod and passes each its rank.
    """
    if command.pod.start_command:
        label = "none, one pod runs its own command"
        return WorkerLaunch(launcher="none", label=label, program=command.pod.start_command)
    container, argv, arguments = command.container, command.argv, command.arguments
    variables = {name: container.value(name) for name in _NAMES}
    count = arguments.get("count")
    processes = 1 if count is None else parse_count(count)
    node_rank = parse_count(variables["RANK"] if count is None else arguments.get("pod"))
    world = parse_count(variables["WORLD_SIZE"])
    # In debug mode the user starts the wrapper script, which sets RANK.
    waits_for_script = tuple(argv) in WAITS and variables["RANK"] is None
    has_ranks = count is not None or (not waits_for_script and any(each is not None for each in variables.values()))
    errors = _argument_conflicts(container, argv, world)
    if has_ranks:
        missing = [name for name in _NAMES if variables[name] is None and (name != "RANK" or count is None)]
        unset = missing if len(missing) < len(_NAMES) - (count is not None) else []
        errors = [*(Finding(message=f"`{name}` is not set", about=(name,)) for name in unset), *errors]
    if has_ranks and world is not None and processes and world % processes:
        errors.append(Finding(message=f"world size {world} is not a multiple of {processes} processes per pod"))
    names = (arguments.get("rank_argument", ""), arguments.get("local_argument", "")) if count is not None else ()
    options = zip(names, ("‹rank›", "‹local rank›"), strict=False)
    label = "basic, ranks from the environment" if has_ranks else f"none, {container.name} runs its own command"
    hidden = _hidden_launcher(argv)
    return WorkerLaunch(
        launcher="basic" if has_ranks else "none",
        label=f"{label} ({hidden})" if hidden else label,
        program=(*argv, *(word for name, value in options if name for word in (name, value))),
        processes=processes,
        nodes=None if world is None or not processes else (world // processes, world // processes),
        node_rank=node_rank,
        rank=None if node_rank is None or processes is None else node_rank * processes,
        world=world,
        rendezvous_host=variables["MASTER_ADDR"] or "",
        port=parse_count(variables["MASTER_PORT"]),
        needs_gpu_per_process=False,
        errors=tuple(errors),
    )


def _hidden_launcher(argv: Sequence[str]) -> str:
    """Return the launcher that an unknown wrapper may start; empty for none."""
    if not any(name in word for word in argv for name in MENTIONS):
        return ""
    hidden = hidden_launcher([Word(text=mask_placeholders(word, UNKNOWN)) for word in argv])
    if hidden is None:
        return ""
    kind = "with unknown options" if is_wrapper(hidden.name) else "an unknown wrapper"
    return f"`{hidden.name}`, {kind}, may start {hidden.call.launcher}"


def _argument_conflicts(container: Container, argv: Sequence[str], world: int | None) -> list[Finding]:
    """Return the arguments that differ from their variables; a rank outside the world is that of an adapter."""
    variables = {"--rank": "RANK", "--world_size": "WORLD_SIZE"}
    return [
        Finding(
            message=f"argument `{option}` is `{argument}`, but variable `{variables[option]}` is `{value}`",
            about=(option, argument),
            code=codes.LITERAL_RANK,
        )
        for option, argument in pairwise(argv)
        if option in variables
        and (value := container.value(variables[option])) not in (None, argument)
        and not (option == "--rank" and world is not None and (parse_count(argument) or 0) >= world)
    ]


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variables that a process reads its rank from."""
    env = rank_env(worker, worker.launch.world)
    if worker.launch.processes == 1:
        del env["LOCAL_RANK"]
    local = worker.container.value("LOCAL_WORLD_SIZE")
    return env if local is None else {**env, "LOCAL_WORLD_SIZE": local}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what follows the failure of one of several processes in a pod."""
    if (workers[0].launch.processes or 0) > 1:
        effect = "the wrapper script stops the other processes of the pod, and the container fails"
        yield FailureCase("a process fails", effect)
