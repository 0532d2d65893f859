"""Pod that starts the processes of all workers, on systems that have one: docs/adr/0014-launcher-pod.md."""

from __future__ import annotations

from trainc.ir.job import LauncherPod
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
