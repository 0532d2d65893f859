"""Number of processes of the program's own launcher that differs from the GPUs or from nprocPerNode."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.process_count import compare_with_gpus
from trainc.checks.shared.program_command import number, program_launcher
from trainc.commandline.word import Word
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.span import Span

TRIGGERS = ("starts_launcher()",)

OPTIONS = {"deepspeed": "num_gpus", "accelerate": "num_processes"}


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The argument overrides PET_NPROC_PER_NODE, which trainc sets from nprocPerNode or the number of GPUs."""
    call = program_launcher(context)
    if call is None or call.launcher == "mpirun" or not call.parsed.complete:
        return
    option = call.given(OPTIONS.get(call.launcher, "nproc_per_node"))
    count = _count(option.value) if option else None
    if option is None or count is None:
        return
    where = option.flag.span or call.name.span or context.spec.run.where(context.spec.run.kind)
    if call.launcher == "accelerate" and isinstance(count, int):  # its number is that of all machines
        machines = call.given("num_machines")
        among = number(machines.value) if machines else 1 if context.job.replicas.maximum == 1 else None
        if not among or count % among:
            return
        count //= among
    diagnostics = list(compare_with_gpus(context, count, where, "remove it, or set it to the pod's number of GPUs"))
    yield from diagnostics or _against_field(context, count, where)


def _against_field(context: RuleContext, count: int | str, where: Span) -> Iterator[Diagnostic]:
    launch = context.spec.launch
    if launch.traits.variable_prefix and launch.requested_processes not in (None, count):
        message = f"`nprocPerNode` is {launch.requested_processes}, but the program's launcher starts {count} processes"
        other = Related(span=launch.where("nprocPerNode"), message="has no effect")
        yield warning(codes.PROCESS_COUNT_MISMATCH, message, where, help="remove one of them", related=[other])


def _count(word: Word | None) -> int | str | None:
    if word is None or not word.known:
        return None
    return number(word) or word.text
