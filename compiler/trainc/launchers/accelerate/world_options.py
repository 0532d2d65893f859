"""Options of accelerate that a job's variables give: help for a launcher that knows neither workers nor ranks."""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.ir.env import PodFact
from trainc.launchers.accelerate.torchrun_call import WITH_TORCHRUN
from trainc.launchers.find_launchers import Call

_ADDRESS, _PORT = "MASTER_ADDR", "MASTER_PORT"


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
