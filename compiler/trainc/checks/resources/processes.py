"""Processes in a pod that do not match its GPUs, and more OpenMP threads than the CPU limit."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, remove, replace, warning
from trainc.checks.shared.process_count import compare_with_gpus
from trainc.checks.shared.user_fields import gpu_count
from trainc.quantity import NANO, nanos
from trainc.span import span_of

TRIGGERS = ("sets_process_count()", "env", "podTemplate")

THREADS = "OMP_NUM_THREADS"


def check(context: RuleContext) -> Diagnostics:
    """Check an explicit number of processes (the default is the number of GPUs, and 1 with basic) and of threads."""
    launch = context.spec.launch
    field, count = launch.traits.processes_field, launch.requested_processes
    if count is not None and launch.has(field):
        where, gpus = launch.where(field), gpu_count(context)
        help_, remedy = f"set it to {gpus}", replace(where, gpus)
        if not launch.traits.follows_gpus:
            help_ = f"set {field} to the number of GPUs"
        elif not context.file_kind and not context.in_own_system:
            help_, remedy = f"remove {field}: the default is one process per GPU", remove(where)
        yield from compare_with_gpus(context, count, where, help_, remedy)
    processes, limit = context.job.launch.process_count, context.pod.main.limits.get("cpu")
    if processes is not None and limit is not None and not launch.sets_thread_count:
        yield from _threads(context, processes, limit)


def _threads(context: RuleContext, processes: int, limit: str) -> Diagnostics:
    """Check OMP_NUM_THREADS.

    Each process creates this number of threads, and the kernel throttles them together at the limit.

    https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-limits-are-run
    """
    for variable in context.pod.main.user_variables:
        # A list has a number per nesting level: https://www.openmp.org/spec-html/5.2/openmpse59.html
        threads = (variable.value or "").partition(",")[0].strip()
        if variable.name != THREADS or not re.fullmatch("[0-9]{1,9}", threads):
            continue
        if int(threads) * processes * NANO > nanos(limit):
            count = f"{threads} threads"
            if processes > 1:
                count = f"{processes} processes with {threads} thread{'s' * (int(threads) != 1)} each"
            other = (span_of(limit) or context.spec.resources.where("cpu"), "the CPU limit")
            message = f"{count} exceed the limit of {limit} CPUs: the kernel throttles them"
            most, where = nanos(limit) // NANO // processes, span_of(variable.value) or variable.span
            help_, remedy = f"set {THREADS}: {most}", replace(where, str(most))
            if most == 0:
                help_, remedy = (
                    f"raise the limit to {processes} CPUs, or start fewer processes",
                    replace(other[0], processes),
                )
            yield warning(codes.TOO_MANY_THREADS, message, where, help=help_, related=[other], remedy=remedy)
