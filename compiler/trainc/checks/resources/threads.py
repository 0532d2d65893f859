"""More OpenMP threads than CPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import main_limits
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.quantity import NANO, nanos
from trainc.span import span_of
from trainc.spec.launch import Deepspeed

TRIGGERS = ("env",)

NAME = "OMP_NUM_THREADS"
# With it DeepSpeed's launcher sets the variable itself:
# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py
BINDS = "--bind_cores_to_rank"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Each process of the pod makes as many threads as the variable says, and the kernel stops them all at the limit.

    https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-limits-are-run
    """
    launch, processes, limit = context.spec.launch, context.job.processes_per_pod, main_limits(context).get("cpu")
    if processes is None or limit is None or (isinstance(launch, Deepspeed) and BINDS in launch.other_args):
        return
    for variable in context.spec.env:
        # A list, as OpenMP knows it, is by level of nesting: https://www.openmp.org/spec-html/5.2/openmpse59.html
        first = (variable.value or "").partition(",")[0].strip()
        if variable.name != NAME or not re.fullmatch("[0-9]{1,9}", first):
            continue
        threads = int(first) * processes
        if threads * NANO > nanos(limit):
            count = f"{processes} processes with {first} threads each" if processes > 1 else f"{first} threads"
            other = Related(span=span_of(limit) or context.spec.resources.where("cpu"), message="the CPU limit")
            message = f"{count} share {limit} CPUs: they stop each other several times a second"
            fitting = max(1, nanos(limit) // NANO // processes)
            where = span_of(variable.value) or variable.span
            help_ = f"{NAME}: {fitting} is what the limit has room for"
            yield warning(codes.TOO_MANY_THREADS, message, where, help=help_, related=[other])
