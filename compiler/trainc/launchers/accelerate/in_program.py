"""accelerate that the program starts, as rules see it: its configuration file, if the job ships it, and its world.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/config/config_args.py
"""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.checks.shared.program_command import shipped_text
from trainc.commandline.word import parse_count
from trainc.ir.env import PodFact
from trainc.launchers.accelerate.config_file import DEFAULT_MACHINES
from trainc.launchers.accelerate.torchrun_call import WITH_TORCHRUN
from trainc.launchers.find_launchers import Call
from trainc.source.load import load_mapping
from trainc.source.node import Mapping, scalar_text

_ADDRESS, _PORT = "MASTER_ADDR", "MASTER_PORT"


def shipped_config(context: RuleContext, path: str | None) -> Mapping | None:
    """Return the file at a path in the pods; None if the job does not ship it, or it is no mapping."""
    text = shipped_text(context, path) if path else None
    return None if path is None or text is None else load_mapping(path.rpartition("/")[2], text)


def count_of(config: Mapping, name: str) -> int | None:
    """Return a number of the file, the default of num_machines included; None for any other value."""
    value = config.get(name)
    if value is None:
        return DEFAULT_MACHINES if name == "num_machines" else None
    return parse_count(scalar_text(value))


def world_options(context: RuleContext, call: Call, processes: int) -> str:
    """Return the options with which the workers form one world of this number of processes."""
    switch = [] if any(call.option(name) for name in WITH_TORCHRUN) else ["--multi_gpu"]
    numbers = [f"--num_machines={context.job.most_workers}", f"--num_processes={processes}"]
    options = [*switch, *numbers, rank_option(context), *address_options(context)]
    return f"`{' '.join(options)}`"


def rank_option(context: RuleContext) -> str:
    """Return the option with the rank of the worker, with a variable that Kubernetes expands in arguments."""
    own = [] if context.in_own_system else [each.name for each in context.job.pod.env if each.value is PodFact.INDEX]
    system = context.system
    names = [*own, system.index_variable_with_leader if context.job.has_leader_role else system.index_variable]
    variable = next((name for name in names if name), "")
    return f"--machine_rank=$({variable})" if variable else "--machine_rank=INDEX"


def address_options(context: RuleContext) -> list[str]:
    """Return the options with the address of worker 0."""
    own = [] if context.in_own_system else [each.name for each in context.job.pod.env]
    if _ADDRESS not in own:
        return [f"--main_process_ip={context.job.hosts.resolvable(0)}"]
    return [f"--main_process_ip=$({_ADDRESS})", *([f"--main_process_port=$({_PORT})"] if _PORT in own else [])]


def ignores_elastic_policy(context: RuleContext, call: Call) -> bool:
    """Return whether accelerate's default of the rendezvous overrides the variable of an elastic job.

    Without --num_machines it leaves the number of nodes and the endpoint to torchrun's variables (run with 1.15.0).
    """
    is_elastic = context.spec.elastic is not None and bool(context.spec.launch.traits.variable_prefix)
    return is_elastic and call.option("num_machines") is None and call.option("rdzv_backend") is None
