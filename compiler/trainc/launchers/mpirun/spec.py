"""`launch.mpirun`: options of mpirun."""

from __future__ import annotations

from trainc.launchers.mpirun.options import FORWARDED
from trainc.launchers.mpirun.traits import OPEN_MPI, TRAITS
from trainc.launchers.ports import SSH_PORT
from trainc.source.node import Mapping
from trainc.spec.launch import Launch
from trainc.spec.section import Section, field, number, text, words
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.spec.job import TrainingJob


def _forwarded(node: Mapping, name: str) -> tuple[str, ...]:
    return words(node, name) if name in node.entries else FORWARDED


class Mpirun(Launch):
    """Options of mpirun; None where the file has none."""

    traits = TRAITS

    requested_processes: int | None = field(number, "slotsPerWorker")
    port: int | None
    ssh_secret: str | None
    ssh_port: int = SSH_PORT
    allow_run_as_root: bool | None
    bind_to: str | None
    map_by: str | None
    command: str = field(text, default=TRAITS.command)
    forward_env: tuple[str, ...] = field(_forwarded)
    other_args: tuple[str, ...]

    def port_field(self, name: str) -> tuple[Section, str]:
        """Return `port`, or `sshPort` for sshd's port."""
        return self, "sshPort" if name == "ssh" else "port"


def mpi_implementation(job: TrainingJob) -> str:
    """Return the image's MPI."""
    return job.launcher_pod.mpi_implementation if job.launcher_pod else OPEN_MPI


SECTION = Mpirun
