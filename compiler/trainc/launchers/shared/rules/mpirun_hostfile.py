"""Hostfile of a program's mpirun that is not the operator's."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.program_command import remove_option
from trainc.commandline.word import words
from trainc.launchers.mpirun.command import mpirun_call

TRIGGERS = ("launcherPod",)


def check(context: RuleContext) -> Diagnostics:
    """Compare the hostfile with the operator's; one of the job's own is on a volume."""
    hostfile, call = context.system.launcher_hostfile, mpirun_call(words([*context.spec.run.words]))
    for name in ("hostfile", "machinefile") if call is not None and hostfile else ():
        assert call is not None
        word = call.value(name)
        if word is None or not word.known or word.text == hostfile:
            continue
        if not any(f"{word.text}/".startswith(f"{mount.path}/") for mount in context.pod.mounts):
            message = f"`{word.text}` does not exist on the launcher pod: the operator's hostfile is {hostfile}"
            where = word.span or context.spec.run.where("exec")
            help_, remedy = f"remove it: mpirun reads {hostfile} by default", remove_option(call.option(name))
            yield error(codes.MPI_HOSTFILE, message, where, help=help_, remedy=remedy)
