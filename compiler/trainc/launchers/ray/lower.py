"""Lowering of launch.ray: templates/ray/cluster.py in every pod, which runs `ray start` and on worker 0 the program.

Ray itself counts the CPUs and the memory of the node where a pod has no limits, and would schedule more than the pod
may use, so that trainc states them.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import LauncherCommand
from trainc.ir.launch import Launch
from trainc.ir.pod import Port, Program
from trainc.launchers.lowering import LaunchContext, Rendered, direct_command
from trainc.launchers.ray.options import DASHBOARD_PORT, MINIMUM_STORE, PORT, STORE_PERCENT
from trainc.launchers.ray.spec import Ray
from trainc.launchers.ray.traits import TRAITS
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.resources import read_text
from trainc.spec.job import TrainingJob

INDEX_VARIABLE, ADDRESS_VARIABLE = "NODE_RANK", "TRAINC_POD_IP"
COMMAND = ("python3", "-I", "-c")


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the head's port, that of the script, and the dashboard's."""
    return tuple(Port(name=name, number=number) for name, number in Ray.of(job).ports.items())


def lower(context: LaunchContext) -> Launch:
    """Return a launch whose workers join the head on worker 0."""
    return Launch(
        launcher=TRAITS,
        processes_per_pod="auto",  # the program starts them
        nodes=context.nodes,
        rendezvous=context.addresses.rendezvous("ray"),
        wraps_program=False,
        process_variables=TRAITS.process_variables,
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the script with the options of `ray start`, and the program."""
    options, program = Ray.of(context.job), direct_command(context.job.run)
    args: tuple[Arg, ...] = (
        FactArg(fact=PodFact.INDEX, variable=INDEX_VARIABLE),
        f"$({ADDRESS_VARIABLE})",
        ":".join(map(str, dict.fromkeys(launch.nodes))),
        str(options.start_timeout),
        str(options.status_port),
        *_resources(context, options),
        *options.other_args,
        *_head(options),
        *options.head_args,
        f"--address={launch.rendezvous.endpoint}",
        *options.worker_args,
        "--",
        *program.command,
        *program.args,
    )
    env = (
        EnvVar(name=INDEX_VARIABLE, value=PodFact.INDEX),
        EnvVar(name=ADDRESS_VARIABLE, value=PodFact.POD_IP),
    )
    script = read_text("templates", "ray", "cluster.py")
    return Rendered(program=Program(command=(*COMMAND, script), args=args), env=env)


def render_operated(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the options of `ray start` and the program for an operator that starts the cluster and submits the
    program. It serves the dashboard, to which it submits."""
    options, program = Ray.of(context.job), direct_command(context.job.run)
    words = (*program.command, *program.args)
    command = LauncherCommand(
        kind="exec",
        words=words,
        slots=1,
        local_rank=False,
        autotune="none",
        exports_env=True,
        flags=(*_resources(context, options), *options.other_args),
        head_flags=(*((f"--port={options.port}",) if options.port != PORT else ()), *options.head_args),
        worker_flags=options.worker_args,
    )
    return Rendered(program=Program(command=(), args=()), launcher_command=command, debug_command=words)


def _head(options: Ray) -> Iterator[str]:
    yield from ("--head", f"--port={options.port}")
    if options.dashboard:
        yield from ("--include-dashboard=true", "--dashboard-host=0.0.0.0", f"--dashboard-port={DASHBOARD_PORT}")
    else:
        yield "--include-dashboard=false"


def _resources(context: LaunchContext, options: Ray) -> Iterator[str]:
    resources = context.job.resources
    request = {**resources.limits, **resources.both, **resources.requests}.get("cpu")
    cpus = options.num_cpus
    if cpus is None and request is not None:
        cpus = max(1, nanos(request) // NANO)
    if cpus is not None:
        yield f"--num-cpus={cpus}"
    yield f"--num-gpus={resources.gpu_count if options.num_gpus is None else options.num_gpus}"
    store = object_store(context.shared_memory, options)
    if store is not None:
        yield f"--object-store-memory={store}"


def object_store(shared_memory: str | None, options: Ray) -> int | None:
    """Return the bytes of a worker's object store; None to let Ray decide, in a /dev/shm of unknown or useless size."""
    if options.object_store_memory is not None:
        return nanos(options.object_store_memory) // NANO
    store = nanos(shared_memory) * STORE_PERCENT // 100 // MEBIBYTE * 2**20 if shared_memory is not None else 0
    return store if store >= MINIMUM_STORE else None
