"""DeepSpeed over ssh: sshd in every pod, and on worker 0 or the launcher pod the `deepspeed` command, which starts all
processes by pdsh.

The pods run templates/deepspeed/start.py, session.py and rank.py, which are mounted as files.
docs/adr/0006-deepspeed-over-ssh.md says why they are not shell scripts and why there is no .deepspeed_env.
"""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.launch import Hosts, Launch
from trainc.ir.pod import PRIVATE_KEY, Files, Mount, Port, Program, Volume
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.lowering import LaunchContext, PodSetup, Rendered
from trainc.resources import read_text

SCRIPTS = ("rank.py", "session.py", "start.py")
FOLDER, KEY_FOLDER, STATE = "/etc/trainc/ssh", "/etc/trainc/ssh-key", "/run/trainc"
# The deepspeed command with the ssh and pdsh of start.py.
_RUNNER = ("env", f"PATH={STATE}/ssh/bin:$(PATH)", "python3", "-u", "-m", "deepspeed.launcher.runner")
KINDS = {"python": (), "module": ("--module",), "exec": ("--no_python",)}


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
    command = ("python3", "-I", "-u", f"{FOLDER}/start.py")
    hosts = context.target.system.launcher_hostfile or f"{FOLDER}/hostfile"
    debug_program = Program(command=command, args=("debug", *args, *run.words))
    return Rendered(
        program=Program(command=command, args=(rank, *args, *run.words)),
        env=(EnvVar(name="NODE_RANK", value=PodFact.INDEX),),
        own_args=len(args) + 1,
        setup=_setup(context, launch, options, debug_program),
        debug_command=(
            *_RUNNER,
            f"--hostfile={hosts}",
            *flags,
            *launch.arguments,
            *KINDS.get(run.kind, ()),
            *run.words,
        ),
    )


def _setup(context: LaunchContext, launch: Launch, options: Deepspeed, debug_program: Program) -> PodSetup:
    # With a launcher pod the operator mounts the keys in all pods, and a hostfile in that one.
    operator_hostfile = context.target.system.launcher_hostfile
    name = f"{context.job.metadata.name}-ssh"
    # The file has Kubernetes' default mode 0644: root owns it, and the image's user may be another. start.py makes
    # the private copy that ssh requires.
    secret = options.ssh_secret or f"{name}-key"
    key = {"secretName": secret, "items": [{"key": PRIVATE_KEY, "path": "key"}]}
    volumes = (
        ("trainc-ssh", "configMap", {"name": name}, FOLDER),
        *(() if operator_hostfile else (("trainc-ssh-key", "secret", key, KEY_FOLDER),)),
        ("trainc-run", "emptyDir", {"medium": "Memory", "sizeLimit": "16Mi"}, STATE),
    )
    hosts = {} if operator_hostfile else {"hostfile": hostfile(context.addresses.hosts, launch)}
    scripts = {name: read_text("templates", "deepspeed", name) for name in SCRIPTS}
    return PodSetup(
        key_secret=None if operator_hostfile else secret,
        key_folder=KEY_FOLDER,
        files=Files(name=name, texts={**hosts, **scripts}),
        volumes=tuple(Volume(name=name, kind=kind, source=source) for name, kind, source, _ in volumes),
        mounts=tuple(Mount(volume=name, path=path, read_only=kind != "emptyDir") for name, kind, _, path in volumes),
        ready=Port(name="ssh", number=options.ssh_port),
        debug_program=debug_program,
    )


def hostfile(hosts: Hosts, launch: Launch) -> str:
    """Return a line for each worker by rank, with the host names that stay when a pod is replaced."""
    slots, workers = launch.processes_per_pod, launch.nodes[1]
    if workers == 1:
        return f"{hosts.first} slots={slots}\n"
    return "".join(f"{hosts.resolvable(index)} slots={slots}\n" for index in range(workers))
