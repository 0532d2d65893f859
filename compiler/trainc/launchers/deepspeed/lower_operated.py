"""deepspeed as T9k's operator starts it: every pod runs sshd, and worker 0 the command that is made of these.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md: hostfile, keys and the containers'
commands are the operator's, and the launcher tells the processes all that they must know.
"""

from __future__ import annotations

from trainc.ir.job import LauncherCommand
from trainc.ir.pod import Program
from trainc.launchers.ports import MASTER_PORT
from trainc.lower.launch import Launched
from trainc.lower.processes import processes_per_pod
from trainc.spec.job import TrainingJob
from trainc.spec.launch import Deepspeed


def lower_deepspeed_operated(job: TrainingJob) -> Launched:
    """No word of the job's own in the pods; no command where nothing is to be started by deepspeed."""
    own = Program(command=(), args=())
    launch = job.launch
    if not isinstance(launch, Deepspeed):
        return Launched(program=own, env=())
    port = launch.port or MASTER_PORT
    command = LauncherCommand(
        kind=job.run.kind,
        words=job.run.words,
        slots=int(processes_per_pod(job)),
        local_rank=launch.local_rank,
        autotune=launch.autotune,
        # There is no field for it: worker 0's own port is 29500 without.
        flags=(*((f"--master_port={port}",) if port != MASTER_PORT else ()), *launch.other_args),
    )
    return Launched(program=own, env=(), command=command)
