"""Launchers over ssh that a rehearsal can run: with this machine's programs in place of the image's."""

from __future__ import annotations

import shutil
from itertools import pairwise

from trainc.launchers.traits import Traits
from trainc.plan.fields import items, text
from trainc.plan.plan import Plan
from trainc.rehearse.image_substitute import is_idle

_HYDRA = "Hydra"  # launcher of Intel MPI and MPICH
_SSH_FOLDER = "/root/.ssh"  # in etc.py


def missing_for_launcher_pod(job: Plan, launcher: Traits | None) -> str:
    """Return what only the image has; empty if nothing is missing. A launcher with modules configures sshd itself."""
    if launcher is not None and launcher.modules:
        return ""
    if launcher is None or not launcher.starts_over_ssh:
        return "only the image knows what the program of the launcher pod starts"
    worker = job.workers[0]
    if reason := missing_over_ssh(job, launcher):
        return reason
    containers = items(worker.pod.spec, "containers")
    paths = [text(mount, "mountPath") for container in containers for mount in items(container, "volumeMounts")]
    if not is_idle(worker.container.argv) or "-f" in worker.container.argv or _SSH_FOLDER not in paths:
        return f"the image configures the sshd that {launcher.command} connects to"
    command = worker.pod.start_command
    if ("-x", "PATH") not in pairwise(command):
        return "only mpirun with `-x PATH` is rehearsed: otherwise the image decides what the processes find"
    return ""


def missing_over_ssh(job: Plan, launcher: Traits | None) -> str:
    """Return why this machine can't start the processes of all workers over ssh; empty if it can."""
    if launcher is None or not launcher.starts_over_ssh:
        return ""
    launch = job.workers[0].launch
    if _HYDRA in launch.label:
        return "only Open MPI is rehearsed, not Intel MPI or MPICH"
    program = launch.command or launcher.command
    return "" if shutil.which(program) else f"this machine has no {program}: install openmpi-bin"


def host_of_rank_0(job: Plan) -> str:
    """Return the host name of worker 0 if no variable has it."""
    first = job.workers[0]
    name = ".".join(filter(None, (first.pod.hostname, first.pod.subdomain)))
    return "" if first.launch.rendezvous_host else name
