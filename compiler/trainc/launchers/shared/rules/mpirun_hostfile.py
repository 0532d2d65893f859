"""Hostfile of a program's mpirun that is not the operator's, or that Open MPI 5 does not read."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, note
from trainc.checks.shared.program_command import set_option
from trainc.commandline.word import words
from trainc.launchers.mpirun.command import hosts_message, lacks_hosts, mpirun_call
from trainc.launchers.mpirun.traits import OPEN_MPI

TRIGGERS = ("launcherPod",)


def check(context: RuleContext) -> Diagnostics:
    """Compare the hostfile with the operator's; one of the job's own is on a volume."""
    hostfile, launcher = context.system.launcher_hostfile, context.job.launcher_pod
    call = mpirun_call(words([*context.spec.run.words]))
    if call is None or launcher is None or context.spec.launcher_pod is None or not hostfile:
        return
    program = context.spec.run.where(context.spec.run.kind)
    variables = [each.name for each in context.pod.main.user_variables]
    if launcher.mpi_implementation == OPEN_MPI and lacks_hosts(call, variables):
        message, help_ = hosts_message(hostfile)
        yield note(codes.HOSTFILE_NOT_READ, message, call.name.span or program, help=help_)
    for name in ("hostfile", "machinefile"):
        word = call.value(name)
        if word is None or not word.known or word.text == hostfile:
            continue
        if not any(f"{word.text}/".startswith(f"{mount.path}/") for mount in context.pod.mounts):
            message = f"`{word.text}` does not exist on the launcher pod: the operator's hostfile is {hostfile}"
            remedy = set_option(call.option(name), hostfile)
            yield error(codes.MPI_HOSTFILE, message, word.span or program, help=f"use {hostfile}", remedy=remedy)
