"""Lowering of launch.basic: the program itself, or several processes of it in each pod."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.launch import Launch
from trainc.ir.pod import Port
from trainc.launchers.basic.spec import Basic
from trainc.launchers.basic.traits import TRAITS
from trainc.launchers.lowering import LaunchContext, Rendered, direct_command, direct_launch
from trainc.launchers.ports import MASTER_PORT
from trainc.launchers.registry import FRAMEWORK_MENTIONS, SHELL_SCRIPTS
from trainc.launchers.shared.processes import POD_VARIABLE, several
from trainc.spec.job import TrainingJob

# Variables that differ between the processes of a pod.
EACH = ("RANK", "LOCAL_RANK")


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the port of init_method env://."""
    return (Port(name="master", number=Basic.of(job).port or MASTER_PORT),)


def lower(context: LaunchContext) -> Launch:
    """Return a launch whose processes have worker 0 as their master."""
    processes = Basic.of(context.job).requested_processes
    return direct_launch(context, TRAITS, processes).replace(
        process_variables=EACH if processes > 1 and not _is_once(context) else (),
        program_variables=tuple(variable.name for variable in _framework_env(context)),
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the variables of init_method env://, and the arguments that the job names."""
    basic, run = Basic.of(context.job), context.job.run
    if _is_once(context):
        return Rendered(program=direct_command(run))
    names = basic.arguments
    count = basic.requested_processes
    size = str(launch.nodes[1] * count)
    world: tuple[Arg, ...] = (names.world_size, size) if names.world_size else ()
    env = [EnvVar(name="WORLD_SIZE", value=size)]
    if count == 1:
        env.append(EnvVar(name="RANK", value=PodFact.INDEX))
        rank = FactArg(fact=PodFact.INDEX, variable="RANK")
        own: tuple[Arg, ...] = (names.rank, rank) if names.rank else ()
        own += (names.local_rank, "0") if names.local_rank else ()
        program = direct_command(run, (*world, *own))
    else:
        env.append(EnvVar(name="LOCAL_WORLD_SIZE", value=str(count)))
        env.append(EnvVar(name=POD_VARIABLE, value=PodFact.INDEX))
        arguments = (names.rank or "", names.local_rank or "")
        program = several(count, EACH, arguments, direct_command(run, world))
    env.append(EnvVar(name="MASTER_ADDR", value=launch.rendezvous.host))
    env.append(EnvVar(name="MASTER_PORT", value=str(launch.rendezvous.port)))
    more = _framework_env(context)
    env = [*(each for each in env if each.name not in launch.program_variables), *more]
    return Rendered(program=program, env=tuple(env))


def _framework_env(context: LaunchContext) -> list[EnvVar]:
    """Return the variables of a framework that the program starts once in each of several pods."""
    is_single = context.nodes[1] == 1 or Basic.of(context.job).requested_processes > 1
    if is_single or _is_once(context) or not _may_start_framework(context.job.run.words):
        return []
    from trainc.launchers.basic.framework_env import framework_env

    return framework_env(context)


def _may_start_framework(words: Sequence[str]) -> bool:
    """Return whether a command line contains the name of a framework's command, or of a script, which may start one."""
    text = "\n".join(words) + "\n"
    return any(name in text for name in FRAMEWORK_MENTIONS) or any(word.endswith(SHELL_SCRIPTS) for word in words)


def _is_once(context: LaunchContext) -> bool:
    """Return whether only the launcher pod runs the program, which starts the processes of the workers itself."""
    return context.target.system.has_launcher_pod
