"""Lowering of launch.accelerate: options for all that accelerate would otherwise take from a file or from the node.

A job of fixed size has the static rendezvous, accelerate's default, in which a worker's rank is its number. accelerate
has no option for a range of machines: an elastic job has torchrun's variables, which accelerate passes on if it doesn't
know the number of machines. Seen with accelerate 1.15 and torch 2.15: docs/behavior.md.
"""

from __future__ import annotations

from trainc.emit.block import document
from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.launch import Launch, Rendezvous
from trainc.ir.pod import Files, Mount, Port, Program, Volume
from trainc.launchers.accelerate import settings
from trainc.launchers.accelerate.options import CONFIG_FILE, FOLDER
from trainc.launchers.accelerate.spec import Accelerate
from trainc.launchers.accelerate.traits import TRAITS, USE_CPU
from trainc.launchers.lowering import LaunchContext, PodSetup, Rendered
from trainc.launchers.ports import C10D_PORT, MASTER_PORT
from trainc.launchers.torchrun.lower import STORE_TIMEOUT
from trainc.launchers.torchrun.options import JOIN_TIMEOUT, TIMEOUT
from trainc.launchers.torchrun.settings import EXIT_SECONDS, max_restarts
from trainc.spec.job import TrainingJob

_KINDS = {"python": (), "module": ("--module",), "exec": ("--no_python",)}


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the port of the rendezvous on worker 0."""
    name, default = ("rdzv", C10D_PORT) if recognizes_host(job) else ("master", MASTER_PORT)
    return (Port(name=name, number=Accelerate.of(job).port or default),)


def recognizes_host(job: TrainingJob) -> bool:
    """Return whether worker 0 hosts c10d's store, which admits processes that were restarted, or are more or fewer."""
    return job.elastic is not None or bool(Accelerate.of(job).max_restarts)


def lower(context: LaunchContext) -> Launch:
    """Return the agents' size, rendezvous and options."""
    job, section = context.job, Accelerate.of(context.job)
    rendezvous = context.addresses.rendezvous().replace(timeout=("timeout", TIMEOUT))
    if recognizes_host(job):
        rendezvous = rendezvous.replace(
            backend="c10d", id=PodFact.RUN, conf=STORE_TIMEOUT, timeout=("join_timeout", JOIN_TIMEOUT)
        )
    grace = job.lifecycle.termination_grace_period_seconds
    timeout = None if grace is None else max(1, grace - EXIT_SECONDS)
    return Launch(
        launcher=TRAITS,
        processes_per_pod=section.processes_per_pod(job.resources.gpu_count),
        nodes=context.nodes,
        rendezvous=rendezvous,
        is_standalone=context.replicas.maximum == 1,
        max_restarts=max_restarts(section.max_restarts, context.replicas, context.target) or 0,
        shutdown_timeout=timeout,
        variables=_variables(context, rendezvous, timeout),
        arguments=section.other_args,
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the command line, the variables that accelerate passes on to torchrun, and the configuration file."""
    section, run = Accelerate.of(context.job), context.job.run
    processes = (launch.process_count or 1) * (1 if context.replicas.elastic else launch.nodes[1])
    config = settings.own_config(section, processes)
    path = section.config_path or (CONFIG_FILE if config else "")
    args: list[Arg] = [f"--config_file={path}"] if path else []
    args += [*settings.mode_options(section, processes), *_world(context, launch, processes)]
    args += [*settings.section_options(section), *launch.arguments, *_KINDS.get(run.kind, ())]
    return Rendered(
        program=Program(command=(TRAITS.command, "launch"), args=(*args, *run.words)),
        env=tuple(EnvVar(name=name, value=value) for name, value in launch.variables.items()),
        own_args=len(args),
        setup=_setup(context, document(config)) if config else None,
    )


def _world(context: LaunchContext, launch: Launch, processes: int) -> list[Arg]:
    """Return the options with the machines, the processes and the rendezvous."""
    rendezvous, (_, most) = launch.rendezvous, launch.nodes
    args: list[Arg] = [f"--num_processes={processes}"]
    if context.replicas.elastic:
        # Without a number of machines accelerate looks for a process at this port, and forms a world of its own if
        # there is one; 0 is a free port, which c10d does not use.
        args.append("--main_process_port=0")
    elif most == 1:
        args += ["--num_machines=1", f"--main_process_port={rendezvous.port}"]
    else:
        args += [
            f"--num_machines={most}",
            FactArg(fact=PodFact.INDEX, variable="NODE_RANK", before="--machine_rank="),
            f"--main_process_ip={rendezvous.host}",
            f"--main_process_port={rendezvous.port}",
        ]
    if rendezvous.backend == "c10d" and not launch.is_standalone:
        conf = ",".join(f"{key}={value}" for key, value in rendezvous.conf.items())
        args += ["--rdzv_backend=c10d", f"--rdzv_conf={conf}"]
    return [*args, f"--max_restarts={launch.max_restarts}"] if launch.max_restarts else args


def _variables(context: LaunchContext, rendezvous: Rendezvous, timeout: int | None) -> dict[str, str | PodFact]:
    """Return torchrun's variables of what accelerate has no option for."""
    (low, high), is_elastic = context.nodes, context.replicas.elastic
    env: dict[str, str | PodFact] = {USE_CPU: "true"} if settings.runs_on_cpus(context.job) else {}
    if is_elastic:
        env |= {"PET_NNODES": f"{low}:{high}", "PET_RDZV_ENDPOINT": rendezvous.endpoint}
    if rendezvous.backend == "c10d" and high > 1:
        # Ranks would read addresses of an earlier round from the rendezvous' store: torchrun/lower.py.
        env |= {"PET_RDZV_ID": rendezvous.id or PodFact.RUN, "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
        if context.job.network is not None and context.job.network.host_network:
            env["PET_LOCAL_ADDR"] = PodFact.POD_IP
    if high > 1 and not is_elastic:
        env["NODE_RANK"] = PodFact.INDEX
    return env if timeout is None else {**env, "PET_SHUTDOWN_TIMEOUT": str(timeout)}


def _setup(context: LaunchContext, text: str) -> PodSetup:
    name = f"{context.job.metadata.name}-accelerate"
    return PodSetup(
        files=Files(name=name, texts={"config.yaml": text}),
        volumes=(Volume(name="trainc-accelerate", kind="configMap", source={"name": name}),),
        mounts=(Mount(volume="trainc-accelerate", path=FOLDER, read_only=True),),
    )
