"""Options of mpirun that contradict the fields of the job, or that its MPI does not have."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, warning
from trainc.commandline.argparse import parse
from trainc.commandline.word import words
from trainc.launchers.mpirun.options import BY_NAME, grammar
from trainc.launchers.mpirun.spec import Mpirun
from trainc.launchers.mpirun.starter import starter
from trainc.launchers.mpirun.traits import INTEL

TRIGGERS = ("launch.mpirun.otherArgs", "launcherPod.mpiImplementation")

# Reasons by the field, of all but Open MPI and of Intel MPI.
HYDRA = {"allowRunAsRoot": "runs as any user", "forwardEnv": "passes all variables to the processes"}
PINNING = "ignores the option and reads I_MPI_PIN"


def check(context: RuleContext) -> Diagnostics:
    yield from _other_args(context)
    yield from _fields(context)


def _other_args(context: RuleContext) -> Diagnostics:
    """Open MPI rejects most options that are given twice; Hydra has the same ones for processes and hosts."""
    launch = Mpirun.of(context.spec)
    parsed = parse(grammar(), words(launch.other_args))
    for name, option in parsed.options.items():
        row = BY_NAME[name]
        setter = row.instead or (row.field if name != "x" else "")
        if setter:
            where = option.flag.span or launch.where("otherArgs")
            yield error(codes.MPIRUN_OPTION, f"`{option.flag.text}` is set by trainc", where, help=f"use {setter}")
    for word in parsed.program[:1] if parsed.complete else ():
        message = f"`{word.text}` is no option: mpirun would start it in place of the program"
        where = word.span or launch.where("otherArgs")
        yield error(
            codes.MPIRUN_OPTION, message, where, help=Message("move the program and its arguments to {spec.run}")
        )


def _fields(context: RuleContext) -> Diagnostics:
    """Report fields that the job's MPI does not have.

    Seen with Intel MPI 2021.18 and MPICH 5.0.2: -allow-run-as-root and -x are unknown to both, and Intel MPI ignores
    -bind-to and -map-by, in place of which it reads I_MPI_PIN.
    """
    container, launch = starter(context), context.spec.launch
    if container is None or not launch.traits.starts_over_ssh or container.is_open_mpi:
        return
    name = container.mpi_implementation
    reasons = {**HYDRA, **({"bindTo": PINNING, "mapBy": PINNING} if name == INTEL else {})}
    for field, reason in reasons.items():
        if launch.has(field):
            where = launch.where(field)
            message = f"`{field}` has no effect: mpirun of {name}{' MPI' * (name == INTEL)} {reason}"
            help_ = "remove it" if reason != PINNING else "remove it, and set I_MPI_PIN variables in env"
            yield warning(codes.MPI_IMPLEMENTATION, message, where, help=help_, remedy=remove(where))
