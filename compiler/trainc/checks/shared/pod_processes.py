"""Number of processes in a pod, and product of the sizes of groups of processes."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from trainc.checks.rule import RuleContext
from trainc.checks.shared.user_fields import gpu_count
from trainc.launchers.find_launchers import Call
from trainc.launchers.node_count import FOLLOW_GPUS, process_option, processes_per_node


def processes_per_pod(context: RuleContext, call: Call | None) -> int | None:
    """Return the processes of a pod, which the job's or the program's own launcher starts; None if unknown."""
    if call is None:
        return context.job.launch.process_count
    count = processes_per_node(call, 1)
    if count is None and process_option(call) is None and call.launcher in FOLLOW_GPUS:
        return gpu_count(context) or None
    return count if isinstance(count, int) else None


def product(sizes: Iterable[tuple[str, int]]) -> tuple[int, str]:
    """Return the product of named sizes, and the text of its factors: `tensor 8 × pipeline 3`."""
    sizes = list(sizes)
    return prod(size for _, size in sizes), " × ".join(f"{name} {size}" for name, size in sizes)
