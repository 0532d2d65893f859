"""Launcher pod: a pod of its own that starts the processes of all workers, which only some systems have."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, no_effect, use_backend
from trainc.spec.worker import LauncherPod
from trainc.systems.registry import launcher_pod_backend

TRIGGERS = ("always()",)

# Fields of launcherPod that no back end without that pod reads; mpiImplementation says what is in the image.
UNUSED = {
    "resources": "worker 0 starts the processes",
    "sshAuthMountPath": "the workers' sshd and ssh have keys of their own",
    "workerCommand": "trainc starts the workers' sshd",
}


def check(context: RuleContext) -> Diagnostics:
    """Require a launcher that can start the processes from that pod, and a system that has it."""
    spec, system, launch = context.spec, context.system, context.job.launch
    if not system.has_launcher_pod:
        if spec.launcher_pod is None:
            return
        where = spec.where("launcherPod")
        if launch.launcher.starts_over_ssh and not system.starts_launcher:
            yield from _unused_fields(context, spec.launcher_pod)
            return
        if system.starts_launcher or (launch.wraps_program and launch.launcher.runs_on_launcher_pod):
            help_: Help = ("remove it", use_backend(launcher_pod_backend()))
            yield no_effect(context, "spec.launcherPod", "worker 0 starts the processes", help_, where, removable=True)
            return
        message = f"{system.a_kind} has no launcher pod: every worker would run the program"
        help_ = (use_backend(launcher_pod_backend()), "remove it")
        yield error(codes.LAUNCHER_POD, message, where, help=help_[:1] if context.file_kind else help_)
    elif not launch.launcher.runs_on_launcher_pod:
        message = f"{system.a_kind} starts all processes from its launcher pod, which {launch.launcher.name} cannot do"
        others = use_backend(lambda other: not other.has_launcher_pod and not other.starts_launcher)
        yield error(
            codes.LAUNCHER_UNSUPPORTED, message, context.launch_key, help=(others, Message("use {launch.mpirun}"))
        )
    elif not launch.wraps_program and spec.launcher_pod is None and spec.mode.name != "debug":
        message = f"{system.a_kind} runs the program once, on its launcher pod, and nothing on the workers"
        own = Message("use {launch.mpirun}, set `{launcherPod: {{}}}` if the program starts them itself")
        yield error(codes.LAUNCHER_POD, message, context.launch_key, help=(own, use_backend("job")))


def _unused_fields(context: RuleContext, section: LauncherPod) -> Diagnostics:
    help_ = ("remove it", use_backend(launcher_pod_backend()))
    for field, reason in UNUSED.items():
        if section.has(field):
            yield no_effect(context, f"spec.launcherPod.{field}", reason, help_, section.where(field), removable=True)
