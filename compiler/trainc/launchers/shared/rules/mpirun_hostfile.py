"""Hosts of a program's mpirun: names that no worker has, and a hostfile that does not exist or that is not read."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, note
from trainc.checks.shared.program_command import set_option
from trainc.commandline.word import Word, words
from trainc.launchers.mpirun.command import hosts_message, lacks_hosts, mpirun_call
from trainc.launchers.mpirun.traits import OPEN_MPI

TRIGGERS = ("launcherPod",)

LOCAL = ("localhost", "127.0.0.1")


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
    yield from _listed_hosts(context, call.value("host"), hostfile)
    for name in ("hostfile", "machinefile"):
        word = call.value(name)
        if word is None or not word.known or word.text == hostfile:
            continue
        if not any(f"{word.text}/".startswith(f"{mount.path}/") for mount in context.pod.mounts):
            message = f"`{word.text}` does not exist on the launcher pod: the operator's hostfile is {hostfile}"
            remedy = set_option(call.option(name), hostfile)
            yield error(codes.MPI_HOSTFILE, message, word.span or program, help=f"use {hostfile}", remedy=remedy)


def _listed_hosts(context: RuleContext, value: Word | None, hostfile: str) -> Diagnostics:
    """Report a name in -H that no worker has: mpirun starts processes there, although the hostfile lacks it."""
    if value is None or not value.known:
        return
    hosts, count = context.job.hosts, context.job.replicas.maximum
    workers = {name.partition(".")[0] for name in hosts.first_names(count)}
    for item in value.text.split(","):
        name = item.partition(":")[0]
        label = name.partition(".")[0]
        if label not in workers and not label.endswith("-launcher") and name not in LOCAL and label.strip("+"):
            message = f"`{name}` is no worker of the job: mpirun cannot start processes there"
            where = value.span or context.spec.run.where(context.spec.run.kind)
            yield error(codes.MPI_HOSTFILE, message, where, help=f"pass `--hostfile {hostfile}` in place of the hosts")
            return
