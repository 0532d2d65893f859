"""Lowering of launch.mpirun: sshd in every worker pod, and mpirun on the launcher pod, or on worker 0 (lower_ssh.py).

--hostfile repeats the operator's variable, which Open MPI 5 does not read: it would start all processes on the launcher
pod and succeed (https://github.com/kubeflow/mpi-operator/issues/842; seen with 5.0.11). Open MPI starts the processes
without the environment of mpirun, but for the variables of -x; Hydra passes all.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.ir.env import EnvVar
from trainc.ir.launch import Launch, Rendezvous
from trainc.ir.pod import Port
from trainc.launchers.lowering import LaunchContext, Rendered, direct_command
from trainc.launchers.mpirun.spec import Mpirun, mpi_implementation
from trainc.launchers.mpirun.traits import INTEL, OPEN_MPI, TRAITS
from trainc.launchers.ports import MASTER_PORT
from trainc.launchers.shared.ssh import HOSTFILE
from trainc.source.node import mappings, scalar_text
from trainc.spec.job import TrainingJob
from trainc.spec.section import inside
from trainc.spec.worker import SSH_FOLDER
from trainc.well_known import MAIN

LOCAL = "localhost"  # host of a single worker, which needs no ssh
MASTER = ("MASTER_ADDR", "MASTER_PORT")


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the port of init_method env://."""
    return (Port(name="master", number=Mpirun.of(job).port or MASTER_PORT),)


def worker_0_ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return sshd's port, which an operator with a launcher pod sets itself."""
    return (Port(name="ssh", number=Mpirun.of(job).ssh_port),)


def connects_to_host_name(job: TrainingJob) -> bool:
    """Return whether the workers have to resolve worker 0's host name without a domain: Intel MPI 2021.18 connects
    to the name of gethostname()."""
    return mpi_implementation(job) == INTEL


def lower(context: LaunchContext) -> Launch:
    """Return a launch whose processes find worker 0 by MASTER_ADDR if the job has a port."""
    options, addresses = Mpirun.of(context.job), context.addresses
    host = addresses.host if options.port else ""
    return Launch(
        launcher=TRAITS,
        processes_per_pod=options.processes_per_pod(context.job.resources.gpu_count),
        nodes=context.nodes,
        rendezvous=Rendezvous(backend="static", endpoint=f"{host}:{addresses.port}", host=host, port=addresses.port),
        starts_workers=context.target.system.has_launcher_pod or context.nodes[1] > 1,
        arguments=options.other_args,
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the command line of mpirun with the program after it, and without a launcher pod what starts it."""
    program = direct_command(context.job.run)
    values = (launch.rendezvous.host, str(launch.rendezvous.port))
    env = tuple(EnvVar(name=name, value=value) for name, value in zip(MASTER, values, strict=True) if values[0])
    args = (*_options(context, launch, env), *launch.arguments)
    command = Mpirun.of(context.job).command
    words = (*program.command, *program.args)
    rendered = Rendered(
        program=program.replace(command=(command,), args=(*args, *words)),
        env=env,
        own_args=len(args),
        debug_command=(command, *args, *words),
    )
    if context.target.system.has_launcher_pod or launch.nodes[1] == 1:
        return rendered
    from trainc.launchers.mpirun import lower_ssh

    return lower_ssh.render(context, launch, rendered)


def _options(context: LaunchContext, launch: Launch, env: tuple[EnvVar, ...]) -> Iterator[str]:
    section, system = Mpirun.of(context.job), context.target.system
    pod = context.job.launcher_pod if system.has_launcher_pod else None
    is_open_mpi = mpi_implementation(context.job) == OPEN_MPI
    folder = pod.ssh_auth_mount_path if pod else SSH_FOLDER
    as_root = section.allow_run_as_root
    if is_open_mpi and (f"{folder}/".startswith("/root/") if as_root is None else as_root):
        yield "--allow-run-as-root"  # only root reads keys in /root
    yield from ("-np", str(launch.nodes[1] * (launch.process_count or 1)))
    if launch.nodes[1] == 1 and not system.has_launcher_pod:
        yield from ("--host", f"{LOCAL}:{launch.processes_per_pod}") if is_open_mpi else ("-host", LOCAL)
    elif is_open_mpi:
        yield from ("--hostfile", system.launcher_hostfile or HOSTFILE)
    dash = "--" if is_open_mpi else "-"
    for name, value, default in (("bind-to", section.bind_to, "none"), ("map-by", section.map_by, "slot")):
        if value or is_open_mpi:
            yield from (f"{dash}{name}", value or default)
    names = _names(context, env) if system.has_launcher_pod else ()
    for name in dict.fromkeys((*section.forward_env, *names)) if is_open_mpi else ():
        yield from ("-x", name)


def _names(context: LaunchContext, env: tuple[EnvVar, ...]) -> Iterator[str]:
    """Yield the names of the pods' variables in the order of their definition."""
    yield from (variable.name for variable in (*env, *context.env))
    template = context.job.pod_template
    for container in mappings(inside(template, "spec").get("containers")) if template else ():
        if scalar_text(container.get("name")) == MAIN:
            yield from (scalar_text(item.get("name")) for item in mappings(container.get("env")))
