"""Fields, launchers and launcher pods that the back end does not support.

A launcher pod is a pod of its own that starts the processes of all workers, which only some systems have.
"""

from __future__ import annotations

from functools import reduce
from operator import methodcaller

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, no_effect, use_backend
from trainc.source.node import Sequence
from trainc.spec.section import inside
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
    yield from _launcher_and_fields(context)
    yield from _success_policy(context)
    yield from _launcher_pod(context)


def _launcher_and_fields(context: RuleContext) -> Diagnostics:
    """Check the launcher against the system's operator, else the job against the system's unsupported fields."""
    spec, system = context.spec, context.system
    # A debug job without a program needs no launcher but one that the controller starts in each pod.
    is_idle = (
        bool(system.hostfile) and spec.mode.name == "debug" and spec.run.kind == "entrypoint" and not spec.run.words
    )
    is_other = context.job.launcher_command is None or context.job.launch.launcher.name != system.launcher
    if system.starts_launcher and is_other and not is_idle:
        message = (
            f"{system.a_kind} supports only the launcher {system.launcher}, not {context.job.launch.launcher.name}"
        )
        runs_on_launcher_pod = context.job.launch.launcher.runs_on_launcher_pod
        help_: Help = use_backend(
            lambda other: not other.starts_launcher and (runs_on_launcher_pod or not other.has_launcher_pod)
        )
        yield error(codes.LAUNCHER_UNSUPPORTED, message, context.launch_key, help=help_)
        return
    for path, reason in system.unsupported_fields.items():
        *sections, name = path.split(".")[1:]
        if sections and sections[0] not in spec.node.entries:
            continue
        entry = reduce(inside, sections, spec.node).entries.get(name)
        if entry and (not isinstance(entry.value, Sequence) or entry.value.items):
            help_ = ("remove it", use_backend(methodcaller("supports", path)))
            yield no_effect(context, path, reason, help_, entry.key.span, removable=True)


def _success_policy(context: RuleContext) -> Diagnostics:
    """Report `All` where the launcher decides: that of a launcher pod, or worker 0's."""
    system = context.system
    if context.spec.lifecycle.success_policy == "All" and (system.has_launcher_pod or system.starts_launcher):
        reason = "the job succeeds when its launcher does"
        yield no_effect(context, "spec.lifecycle.successPolicy", reason, "remove it", removable=True)


def _launcher_pod(context: RuleContext) -> Diagnostics:
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
