"""Pods of an MPIJob: devices of the launcher's, unreachable workers, workers that never end, and keys of ssh."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, replace, warning
from trainc.checks.shared.user import other_than_root
from trainc.source.node import Node
from trainc.spec.section import inside
from trainc.systems.mpijob.facts import IDLE

TRIGGERS = ("launcherPod", "podTemplate", "lifecycle.cleanPodPolicy", "securityContext", "podSecurity")

EFA = "vpc.amazonaws.com/efa"


def check(context: RuleContext) -> Diagnostics:
    yield from _launcher_pod(context)
    yield from _clean_pods(context)
    yield from _ssh_keys(context)


def _launcher_pod(context: RuleContext) -> Diagnostics:
    """Report devices of the launcher pod, and workers that it cannot reach."""
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


def _clean_pods(context: RuleContext) -> Diagnostics:
    """Report workers whose sshd never ends: cleanUpWorkerPods of pkg/controller/mpi_job_controller.go in v0.8.2"""
    lifecycle, gpus = context.spec.lifecycle, context.spec.resources.gpu_count
    if lifecycle.clean_pod_policy == "None":
        held = f" and keep {gpus * context.job.replicas.initial} GPUs" if gpus else ""
        message = Message("the workers run on after the end of the job{}, as `{lifecycle/cleanPodPolicy}` says", held)
        where, help_ = lifecycle.where("cleanPodPolicy"), Message("set `{lifecycle/cleanPodPolicy: Running}`")
        remedy = replace(where, "Running")
        yield warning(codes.WORKERS_KEEP_RUNNING, message, where, help=help_, remedy=remedy)


def _ssh_keys(context: RuleContext) -> Diagnostics:
    """Report keys in the home directory of root for pods of another user.

    The MPI operator mounts its Secret at /root/.ssh by default, with mode 0600: setupSSHOnPod of
    pkg/controller/mpi_job_controller.go in v0.8.2. ssh and sshd read the keys from the home directory of their user.
    """
    launcher = context.job.launcher_pod
    if launcher is None or not f"{launcher.ssh_folder}/".startswith("/root/"):
        return
    container, pod = (inside(node, "securityContext") for node in (context.pod.main.node, context.pod.spec))
    if not other_than_root(container, pod):
        return
    values: list[Node | None] = [each.get(name) for name in ("runAsUser", "runAsNonRoot") for each in (container, pod)]
    spans = [value.span for value in values if value is not None and value.span is not context.pod.generated]
    message = f"the pods do not run as root, which alone can read the keys of ssh in {launcher.ssh_folder}"
    help_ = context.cure(
        "set launcherPod.sshAuthMountPath to .ssh in the user's home directory, and launcherPod.workerCommand to sshd"
        " with a configuration there, as in examples/mpirun-mpich.yaml",
        Message(
            "set `{launcherPod/sshAuthMountPath}` to .ssh in the user's home directory,"
            " and `command` of the workers to sshd with a configuration there"
        ),
    )
    field = "securityContext" if context.spec.has("securityContext") else "podSecurity"
    where = spans[0] if spans else context.spec.where(field)
    yield warning(codes.SSH_KEYS_OF_ROOT, message, where, help=help_)
