"""Process model of torchrun and of its predecessor torchelastic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.commandline.argparse import parse
from trainc.commandline.word import UNKNOWN, Word
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.frameworks import COMPOSER, starts_on
from trainc.launchers.grammars import grammar
from trainc.launchers.registry import MODULES
from trainc.launchers.torchrun.traits import (
    NEW_VARIABLES,
    PREFIX,
    TORCHELASTIC,
    TRAITS,
    reads_variables,
    torchelastic_version,
)
from trainc.launchers.torchrun.worker_launch import DEFAULTS, worker_launch
from trainc.plan.expand import mask_placeholders, placeholder
from trainc.plan.failures import LOST_POD, FailureCase, duration, times
from trainc.plan.launch import LaunchCommand, WorkerLaunch
from trainc.plan.process_env import fqdn, rank_env
from trainc.plan.world import Worker, WorldSize, count_pods

_TORCHELASTIC = MODULES[TORCHELASTIC]
_COUNTED_FAILURE = "which is a failure of each of them"  # the exit code is 1: a rule for disruptions does not ignore it
LAUNCH_MODULE = "torch.distributed.launch"
_USED_RESTART = ", which usually uses up one restart of each"
# Options of no other program: an entrypoint that has them is torchrun or torchelastic.
_LOCAL_RANK = "--local-rank=‹local rank›"
_OWN_OPTIONS = ("rdzv_backend", "rdzv_endpoint")


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of the first torchrun that a command line starts; None for none."""
    env: dict[str, Word | None] = {each.name: masked_word(each.value) for each in command.container.env}
    line = [masked_word(word) for word in command.argv]
    image = command.container.image
    for call in calls(line, env) or _entrypoint(line, env, image):
        if call.framework and not starts_on(call.framework, call.env, command.gpus):
            continue
        if call.launcher == LAUNCH_MODULE:
            return _launch_module(call, command)
        if call.launcher in DEFAULTS:
            ignores_variables = call.launcher != TRAITS.name and not reads_variables(image)
            options = {
                name: value for name, value in call.env.items() if not (ignores_variables and name.startswith(PREFIX))
            }
            launch = worker_launch(call.replace(env=options), command.argv, command.gpus, command.container.value)
            own = {name: value for name, value in launch.process_env.items() if name not in NEW_VARIABLES}
            own = own if ignores_variables else launch.process_env
            launch = launch.replace(process_env={**line_env(call, env), **own})
            if call.framework == COMPOSER:  # it sets the ranks and NODE_RANK only
                return launch.replace(label=COMPOSER, framework=COMPOSER, process_env=line_env(call, env))
            return launch.replace(framework=call.framework) if call.framework else launch
    return None


def _entrypoint(line: list[Word], env: dict[str, Word | None], image: str) -> list[Call]:
    """Return the launcher as an image's entrypoint, which its arguments and the image's name tell."""
    launcher = MODULES[TORCHELASTIC] if torchelastic_version(image) else TRAITS.name
    table = grammar(launcher)
    parsed = parse(table, line)
    is_launcher = parsed.problem is None and parsed.program and any(name in parsed.options for name in _OWN_OPTIONS)
    return [Call(launcher=launcher, name=line[0], grammar=table, parsed=parsed, env=env)] if is_launcher else []


def _launch_module(call: Call, command: LaunchCommand) -> WorkerLaunch:
    """Return the launch of torch.distributed.launch: torchrun, which passes the local rank without --use_env.

    https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, config_from_args
    """
    as_torchrun = call.replace(launcher=TRAITS.name)
    launch = worker_launch(as_torchrun, command.argv, command.gpus, command.container.value)
    if "use_env" in call.parsed.options or not call.parsed.program:
        return launch
    at = len(launch.program) - len(call.parsed.program) + 1
    return launch.replace(program=(*launch.program[:at], _LOCAL_RANK, *launch.program[at:]))


def line_env(call: Call, env: dict[str, Word | None]) -> dict[str, str]:
    """Return the variables that the command line sets for the launcher, which its processes inherit."""
    changed = ((name, value) for name, value in call.env.items() if value is not None and env.get(name) is not value)
    return {name: value.text for name, value in changed if value.known and not name.startswith(PREFIX)}


def masked_word(text: str) -> Word:
    """Return a word, UNKNOWN in place of what only the running pod knows."""
    return Word(text=mask_placeholders(text, UNKNOWN))


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variables that torchrun sets; unless ranks are static, rank 0 chooses MASTER_ADDR and MASTER_PORT."""
    launch = worker.launch
    env = rank_env(worker, size.world)
    env["LOCAL_WORLD_SIZE"] = str(launch.processes or "")
    env["NODE_RANK" if launch.label == COMPOSER else "GROUP_RANK"] = (
        "" if worker.node_rank is None else str(worker.node_rank)
    )
    if launch.label not in (_TORCHELASTIC, COMPOSER):
        env["GROUP_WORLD_SIZE"] = str(size.nodes)
    if "ROLE_NAME" in launch.process_env:  # all workers have one role
        env |= {"ROLE_RANK": env["RANK"], "ROLE_WORLD_SIZE": env["WORLD_SIZE"]}
    env |= launch.process_env
    if launch.rendezvous == "static":
        return env
    first = worker if launch.is_standalone else next((each for each in workers if each.node_rank == 0), None)
    address = (first.launch.local_addr or fqdn(first.pod)) if first else placeholder("name of the first node")
    return {**env, "MASTER_ADDR": address, "MASTER_PORT": placeholder("a free port")}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what follows the failure of a process, of a pod and of the rendezvous host."""
    launch = workers[0].launch
    if launch.nodes is not None and launch.is_elastic:
        least = launch.nodes[0]
        yield FailureCase(
            f"only some pods are scheduled, at least {least}" if least > 1 else "only some pods are scheduled",
            "they train; a new rendezvous admits pods that start later",
        )
    if launch.restarts:
        limit = f"up to {times(launch.restarts)} per container"
        effect = f"{launch.label} restarts all processes, {limit}; then it exits with 1"
    else:
        effect = f"{launch.label} stops the other processes and exits with 1"
    yield FailureCase("a process fails", effect)
    if len(workers) < 2 or launch.is_standalone:
        return
    yield FailureCase(LOST_POD, (_smaller_world if launch.is_elastic else _same_world)(workers, launch))
    if launch.rendezvous == "peer":
        host, exits = launch.rendezvous_host, f"{launch.label} exits on all other workers, {_COUNTED_FAILURE}"
        yield FailureCase(
            f"{host or 'the rendezvous host'} fails", f"it hosts the rendezvous: {exits}" if host else exits
        )


def _same_world(workers: Sequence[Worker], launch: WorkerLaunch) -> str:
    """Describe what the other nodes of a fixed-size job do after a node failure.

    If restarts are left, `_invoke_run` of torch/distributed/elastic/agent/server/api.py restarts the processes that
    fail with their peer, and `next_rendezvous` waits for all nodes. Static ranks rendezvous only once.
    """
    exits = f"{launch.label} exits on the other workers, too, {_COUNTED_FAILURE}"
    if not workers[0].pod.owner:
        return f"{exits}; the Pod is not replaced, and the others wait for it in vain"
    if not launch.restarts or launch.rendezvous == "static":
        return f"{exits}; all workers rendezvous again"
    waits = f"the others wait for the replacement, up to {duration(launch.join_timeout)}{_USED_RESTART}"
    return f"{waits}; without restarts left they exit with 1, {_COUNTED_FAILURE}"


def _smaller_world(workers: Sequence[Worker], launch: WorkerLaunch) -> str:
    """Describe what the other nodes of an elastic job do after a node failure.

    An agent counts failures of its own processes, which a lost peer usually causes, but no change of membership while
    they are healthy: `_invoke_run` of torch/distributed/elastic/agent/server/api.py. `next_rendezvous` raises
    RendezvousTimeoutError after `join_timeout`.
    """
    least = launch.nodes[0] if launch.nodes else 1
    pods = count_pods(each for each in workers if not each.pod.on_scale_up)
    forms = f"the other nodes form a smaller world{_USED_RESTART if launch.restarts else ''}"
    if pods > least:
        return forms
    waits = "wait for the replacement, up to" if workers[0].pod.owner else "wait"
    waits = f"{waits} {duration(launch.join_timeout)}, and then exit with 1"
    if any(each.pod.on_scale_up for each in workers):
        return f"{forms}; if fewer than {least} are left, they {waits}"
    return f"the other nodes are fewer than the minimum of {least}: they {waits}"
