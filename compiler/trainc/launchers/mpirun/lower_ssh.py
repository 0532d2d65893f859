"""mpirun without a launcher pod: sshd in every pod, and on worker 0 mpirun, once the sshd of all workers answers.

The pods run templates/ssh/mpirun.py, with start.py and session.py of DeepSpeed over ssh. A session has the container's
environment, so that each process has the variables of its own pod, and -x only those of launch.mpirun.forwardEnv.
"""

from __future__ import annotations

from trainc.ir.env import EnvVar, FactArg, PodFact
from trainc.ir.launch import Launch
from trainc.ir.pod import Program
from trainc.launchers.lowering import LaunchContext, Rendered
from trainc.launchers.mpirun.spec import Mpirun, mpi_implementation
from trainc.launchers.mpirun.traits import OPEN_MPI
from trainc.launchers.shared.ssh import FOLDER, HYDRA_SLOTS, PYTHON, SLOTS, hostfile, pod_setup

SCRIPTS = ("mpirun.py", "session.py", "start.py")
SCRIPT = f"{FOLDER}/mpirun.py"
COMMAND = (*PYTHON, SCRIPT)


def render(context: LaunchContext, launch: Launch, rendered: Rendered) -> Rendered:
    """Return the same mpirun, which the script starts on worker 0."""
    section, mpirun = Mpirun.of(context.job), (*rendered.program.command, *rendered.program.args)
    before = (str(section.ssh_port), "--")
    args = (*before, *mpirun)
    line = SLOTS if mpi_implementation(context.job) == OPEN_MPI else HYDRA_SLOTS
    return rendered.replace(
        program=Program(command=COMMAND, args=(FactArg(fact=PodFact.INDEX, variable="NODE_RANK"), *args)),
        env=(EnvVar(name="NODE_RANK", value=PodFact.INDEX), *rendered.env),
        own_args=1 + len(before) + len(rendered.program.command) + rendered.own_args,
        setup=pod_setup(
            context,
            SCRIPTS,
            hostfile(context.addresses.hosts, launch, line),
            section.ssh_secret,
            section.ssh_port,
            Program(command=COMMAND, args=("debug", *args)),
        ),
        debug_command=(*COMMAND, "run", *args),
    )
