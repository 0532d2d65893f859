"""More OpenMP threads than the CPU limit."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, warning
from trainc.quantity import NANO, nanos
from trainc.span import span_of

TRIGGERS = ("env", "podTemplate")

NAME = "OMP_NUM_THREADS"


def check(context: RuleContext) -> Diagnostics:
    """Each process creates this number of threads, and the kernel throttles them together at the limit.

    https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-limits-are-run
    """
    launch, processes, limit = context.spec.launch, context.job.launch.process_count, context.pod.main.limits.get("cpu")
    if processes is None or limit is None or launch.sets_thread_count:
        return
    for variable in context.pod.main.user_variables:
        # A list has a number per nesting level: https://www.openmp.org/spec-html/5.2/openmpse59.html
        first = (variable.value or "").partition(",")[0].strip()
        if variable.name != NAME or not re.fullmatch("[0-9]{1,9}", first):
            continue
        threads = int(first) * processes
        if threads * NANO > nanos(limit):
            plural = "s" * (int(first) != 1)
            count = f"{processes} processes with {first} thread{plural} each" if processes > 1 else f"{first} threads"
            other = Related(span=span_of(limit) or context.spec.resources.where("cpu"), message="the CPU limit")
            message = f"{count} exceed the limit of {limit} CPUs: the kernel throttles them"
            fitting = max(1, nanos(limit) // NANO // processes)
            where = span_of(variable.value) or variable.span
            help_ = f"set {NAME}: {fitting}"
            yield warning(codes.TOO_MANY_THREADS, message, where, help=help_, related=[other])
