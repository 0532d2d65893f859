"""DeepSpeed over ssh: sshd in every pod, and on worker 0 or the launcher pod the `deepspeed` command, which starts all
processes by pdsh.

The pods run templates/ssh/start.py, session.py and rank.py.
docs/adr/0006-deepspeed-over-ssh.md says why they are not shell scripts and why there is no .deepspeed_env.
"""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.launch import Launch
from trainc.ir.pod import Program
from trainc.launchers.deepspeed.options import KIND_FLAGS
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.lowering import LaunchContext, Rendered
from trainc.launchers.shared.ssh import FOLDER, HOSTFILE, PYTHON, STATE, hostfile, pod_setup

SCRIPTS = ("rank.py", "session.py", "start.py")
# The deepspeed command with the ssh and pdsh of start.py.
_RUNNER = ("env", f"PATH={STATE}/ssh/bin:$(PATH)", "python3", "-u", "-m", "deepspeed.launcher.runner")


def render(context: LaunchContext, launch: Launch, options: Deepspeed) -> Rendered:
    """Return the options of the `deepspeed` command, then the program's own words, which no shell parses."""
    run = context.job.run
    kind = run.kind if options.autotune == "none" else "autotune"
    flags = [f"--master_addr={launch.rendezvous.host}", f"--master_port={launch.rendezvous.port}", "--force_multi"]
    if kind == "autotune":
        flags.append(f"--autotuning={options.autotune}")
    if not options.local_rank:
        flags.append("--no_local_rank")
    own = FactArg(fact=PodFact.INDEX, variable="NODE_RANK")
    rank: Arg = FactArg(fact=PodFact.ROLE, variable="") if context.target.system.has_launcher_pod else own
    args = (str(options.ssh_port), kind, *flags, *launch.arguments, "--")
    command = (*PYTHON, f"{FOLDER}/start.py")
    hosts = context.target.system.launcher_hostfile or HOSTFILE
    debug_program = Program(command=command, args=("debug", *args, *run.words))
    return Rendered(
        program=Program(command=command, args=(rank, *args, *run.words)),
        env=(EnvVar(name="NODE_RANK", value=PodFact.INDEX),),
        own_args=len(args) + 1,
        setup=pod_setup(
            context,
            SCRIPTS,
            hostfile(context.addresses.hosts, launch),
            options.ssh_secret,
            options.ssh_port,
            debug_program,
        ),
        debug_command=(
            *_RUNNER,
            f"--hostfile={hosts}",
            *flags,
            *launch.arguments,
            *KIND_FLAGS.get(run.kind, ()),
            *run.words,
        ),
    )
