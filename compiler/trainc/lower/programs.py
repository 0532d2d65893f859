"""Programs of the pods: the workers', that of a launcher pod, and the words that trainc adds."""

from __future__ import annotations

from trainc.ir.job import Addition, LauncherPod
from trainc.ir.launch import Launch
from trainc.ir.pod import Program
from trainc.launchers.lowering import PodSetup
from trainc.lower.size import lower_resources
from trainc.source.node import Mapping
from trainc.spec.job import TrainingJob
from trainc.spec.worker import LauncherPod as LauncherPodSection
from trainc.target import Target

# Of a launcher that imports torch; without a limit of memory it is not killed.
REQUESTS = {"cpu": "1", "memory": "2Gi"}


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
