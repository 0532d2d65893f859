"""Container that runs a job's mpirun: the launcher pod's, or worker 0's."""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.launchers.mpirun.lower_ssh import SCRIPT
from trainc.launchers.mpirun.spec import mpi_implementation
from trainc.launchers.mpirun.traits import OPEN_MPI
from trainc.record import Record


class Starter(Record):
    """The pod, as messages call it, its MPI, and the words of its command line, without the script of worker 0.

    `ssh_folder` is the directory with the keys that the operator mounts, empty for worker 0.
    """

    pod: str
    mpi_implementation: str
    words: tuple[str, ...]
    ssh_folder: str = ""

    @property
    def is_open_mpi(self) -> bool:
        """Return whether the image has Open MPI."""
        return self.mpi_implementation == OPEN_MPI


def starter(context: RuleContext) -> Starter | None:
    """Return the container; None if each worker starts processes of its own, or an operator another launcher."""
    launcher, system = context.job.launcher_pod, context.system
    if launcher is not None:
        program, implementation = launcher.program, launcher.mpi_implementation
        words = (*program.command, *(word for word in program.args if isinstance(word, str)))
        return Starter(
            pod="the launcher pod", mpi_implementation=implementation, words=words, ssh_folder=launcher.ssh_folder
        )
    if not context.job.launch.launcher.starts_over_ssh or system.starts_launcher:
        return None
    program = context.job.pod.program
    args = [word for word in program.args if isinstance(word, str)]
    is_script = program.command[-1:] == (SCRIPT,) and "--" in args
    return Starter(
        pod="worker 0",
        mpi_implementation=mpi_implementation(context.spec),
        words=tuple(args[args.index("--") + 1 :]) if is_script else (*program.command, *args),
    )
