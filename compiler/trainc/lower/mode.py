"""Programs of the pods in each mode: the workers', a launcher pod's, and words that trainc adds; security contexts."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.ir.env import Arg, shell_text
from trainc.ir.job import Addition, LauncherPod, RunMode
from trainc.ir.launch import Launch
from trainc.ir.pod import LOCK_MEMORY, Program, Security
from trainc.launchers.lowering import PodSetup
from trainc.lower.size import lower_resources
from trainc.source.node import Entry, Mapping
from trainc.span import Text, like
from trainc.spec.job import TrainingJob
from trainc.spec.worker import LauncherPod as LauncherPodSection
from trainc.target import Target
from trainc.well_known import EACH_POD, LAUNCHER_POD, WORKER_0

WAIT = ("sleep", "infinity")
# Of a launcher that imports torch; without a limit of memory it is not killed.
REQUESTS = {"cpu": "1", "memory": "2Gi"}
# Fields that only a container has; all others are set for the pod, hence for all its containers.
CONTAINER_FIELDS = ("allowPrivilegeEscalation", "capabilities", "privileged", "procMount", "readOnlyRootFilesystem")
RESTRICTED_POD = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
RESTRICTED_CONTAINER = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def lower_program(job: TrainingJob, training: Program, debug_program: Program | None, target: Target) -> Program:
    """Return the training program, or in mode debug the mode's command or the launcher's debug program."""
    if job.mode.name != "debug" or target.system.has_run_modes:
        return training
    if debug_program is not None and not job.mode.command:
        return debug_program
    command = job.mode.command or WAIT
    return Program(command=command[:1], args=command[1:])


def lower_debug(job: TrainingJob) -> RunMode | None:
    """Return the debug mode, for a resource that has its own."""
    return _run_mode(job) if job.mode.name == "debug" else None


def lower_debug_command(
    job: TrainingJob, program: Program, on_worker_0: tuple[Arg, ...], more: Iterable[Arg], target: Target
) -> str:
    """Return the shell command that starts the program by hand in mode debug, and where to run it."""
    if job.mode.name != "debug" or not (program.command or on_worker_0):
        return ""
    starter = LAUNCHER_POD if target.system.has_launcher_pod else WORKER_0 if on_worker_0 else EACH_POD
    words = (*on_worker_0, *more) if on_worker_0 else (*program.command, *program.args)
    if on_worker_0 and job.mode.command and "sshd" not in job.mode.command[0]:
        starter += ", once sshd runs in each pod"
    return f"{starter}: {shell_text(words)}"


def lower_resume(job: TrainingJob) -> RunMode | None:
    """Return what a paused resource changes by itself when it resumes; None if nothing changes."""
    return _run_mode(job) if job.mode.name != "debug" and job.mode.node.entries else None


def _run_mode(job: TrainingJob) -> RunMode:
    return RunMode(command=job.mode.command, skip_init_containers=job.mode.skip_init_containers)


def skips_init_commands(job: TrainingJob, target: Target) -> bool:
    """Return whether trainc's own init containers are skipped, too: in mode debug only, a resumed job needs them."""
    return _skips(job, target) and job.mode.name == "debug"


def lower_patch(job: TrainingJob, target: Target) -> Mapping | None:
    """Return the patch of the pod template, without its init containers if they are skipped."""
    template = job.pod_template
    spec = template.get("spec") if template else None
    if template is None or not _skips(job, target) or not isinstance(spec, Mapping):
        return template
    others = {name: entry for name, entry in spec.entries.items() if name != "initContainers"}
    inner = Entry(template.entries["spec"].key, Mapping(others, spec.span))
    return Mapping({**template.entries, "spec": inner}, template.span)


def _skips(job: TrainingJob, target: Target) -> bool:
    """A resource with its own modes keeps its init containers, and its controller skips them."""
    is_now = job.mode.name != "paused" and not job.mode.is_deferred
    return job.mode.skip_init_containers and is_now and not target.system.has_run_modes


def lower_launcher_pod(
    job: TrainingJob, program: Program, setup: PodSetup | None, target: Target
) -> LauncherPod | None:
    """Return the pod, None on a system where a worker starts the processes."""
    if not target.system.has_launcher_pod:
        return None
    section = job.launcher_pod or LauncherPodSection.read(Mapping({}, job.node.span))
    requests, limits = lower_resources(section.resources, None)
    return LauncherPod(
        program=program,
        requests=requests if requests or limits else REQUESTS,
        limits=limits,
        mpi_implementation=section.mpi_implementation,
        ssh_folder=(setup and setup.key_folder) or section.ssh_auth_mount_path,
    )


def lower_worker_program(job: TrainingJob, program: Program, setup: PodSetup | None, target: Target) -> Program:
    """Return the workers' program: sshd next to a launcher pod, which alone runs `program` unless it has a setup."""
    is_once = target.system.has_launcher_pod and job.launch.traits.runs_on_launcher_pod and setup is None
    if not is_once:
        return program
    command = job.launcher_pod.worker_command if job.launcher_pod else ()
    return Program(command=command[:1], args=command[1:])


def lower_additions(job: TrainingJob, launch: Launch, program: Program, target: Target) -> tuple[Addition, ...]:
    """Return the launcher or trainc's own script before the program, and the arguments after it."""
    if job.mode.name == "debug" and not target.system.has_run_modes:
        return ()
    name, before = f"launch.{launch.launcher.name}", command_text(program.command)
    additions = []
    if launch.process_variables and (before or not target.system.starts_launcher):
        field = launch.launcher.processes_field
        additions.append(Addition(words=before, field=f"{name}.{field}" if field else name))
    elif launch.wraps_program and before:
        additions.append(Addition(words=before, field=name, is_launcher=True))
    if job.launch.appended_arguments:
        additions.append(Addition(words=", ".join(job.launch.appended_arguments), field=f"{name}.arguments"))
    paths = (("save", job.save), ("checkpoint", job.checkpoint), ("shareFile", job.share_file))
    additions += [Addition(words=path.argument, field=f"{at}.argument") for at, path in paths if path and path.argument]
    return tuple(additions)


def command_text(command: tuple[str, ...]) -> str:
    """Return a command without the text of its script."""
    return " ".join("..." if "\n" in word else word for word in command)


def lower_security(job: TrainingJob) -> Security:
    """Return the contexts. The job's own values replace what the standard requires: a check reports those that violate
    it.
    """
    own = job.security_context or {}
    restricted = job.pod_security == "restricted"
    pod = {name: value for name, value in own.items() if name not in CONTAINER_FIELDS}
    main = {name: value for name, value in own.items() if name in CONTAINER_FIELDS}
    if restricted:
        pod, main = {**RESTRICTED_POD, **pod}, {**RESTRICTED_CONTAINER, **main}
    others = RESTRICTED_CONTAINER if restricted else {}
    security = Security(pod=like(own, pod), main=like(own, main), others=others)
    network = job.network
    if network is None or network.rdma is None:
        return security
    return with_capabilities(security, (Text(LOCK_MEMORY, network.where("rdma")),))


def with_capabilities(security: Security, names: tuple[str, ...]) -> Security:
    """Return the contexts with capabilities of the training container that the job may not have."""
    if not names:
        return security
    declared = security.main.get("capabilities", {})
    added = like(declared, {**declared, "add": list(dict.fromkeys([*declared.get("add", []), *names]))})
    return security.replace(main=like(security.main, {**security.main, "capabilities": added}))
