"""Devices of the launcher pod, and workers that it cannot reach."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, warning
from trainc.systems.mpijob.facts import IDLE

TRIGGERS = ("launcherPod", "podTemplate")

EFA = "vpc.amazonaws.com/efa"


def check(context: RuleContext) -> Diagnostics:
    launcher, section = context.job.launcher_pod, context.spec.launcher_pod
    if launcher is None:
        return
    if section is not None:
        devices = [name for name in {**launcher.requests, **launcher.limits} if "/" in name]
        for name in devices:
            message = f"the launcher pod requests {name}, but processes run on the workers only"
            where = section.resources.where("gpu", name, "limits", "requests")
            yield warning(codes.LAUNCHER_DEVICES, message, where, help="remove it", remedy=remove(where))
        command = section.worker_command
        if command and command[0].rpartition("/")[2] in IDLE:
            message = f"the workers run `{command[0]}` and no sshd: the launcher cannot start processes on them"
            where = section.where("workerCommand")
            yield error(codes.COMMAND_REPLACES_SSHD, message, where, help="remove it", remedy=remove(where))
    for field in ("command", "args"):
        if context.pod.main.is_patched(field):
            message = f"`{field}` replaces the commands of launcher and workers"
            where = context.pod.main.node.where(field)
            help_ = (Message("use {spec.run}"), Message("use {launcherPod.workerCommand}"))
            yield error(codes.COMMAND_REPLACES_SSHD, message, where, help=help_)
    yield from _fabric(context)


def _fabric(context: RuleContext) -> Diagnostics:
    """Report a program that uses EFA on workers without its devices: https://ofiwg.github.io/libfabric, FI_PROVIDER."""
    requested = {**context.job.pod.requests, **context.job.pod.limits}
    if EFA in requested:
        return
    uses = [word for word in context.spec.run.words if word == "FI_PROVIDER=efa"]
    spans = [span for word in uses if (span := getattr(word, "span", None)) is not None]
    spans += [each.span for each in context.spec.env if (each.name, each.value) == ("FI_PROVIDER", "efa")]
    for span in spans[:1]:
        message = f"`FI_PROVIDER=efa` has no device: the workers do not request {EFA}"
        yield warning(codes.MPI_FABRIC, message, span, help=f"request {EFA}, or remove the variable")
