"""Lowering of launch.torchrun: a PET_* variable for every option that has one, arguments for the rest.

torchrun reads PET_ and the upper-cased name of an option's longest form, and ignores names that it doesn't know:
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/argparse_util.py
"""

from __future__ import annotations

from functools import cache

from trainc.ir.env import EnvVar, PodFact
from trainc.ir.job import Etcd, Replicas
from trainc.ir.launch import Launch, Rendezvous
from trainc.ir.pod import InitCommand, Port, Program
from trainc.launchers.lowering import LaunchContext, Rendered, direct_command
from trainc.launchers.option import spellings
from trainc.launchers.ports import C10D_PORT, ETCD_PORT, MASTER_PORT, host_and_port
from trainc.launchers.torchrun import settings
from trainc.launchers.torchrun.options import (
    BY_NAME,
    ETCD,
    JOIN_TIMEOUT,
    OPTIONS,
    TIMEOUT,
    TORCHELASTIC_BACKEND,
    TORCHELASTIC_RESTARTS,
    TORCHELASTIC_TIMEOUT,
)
from trainc.launchers.torchrun.settings import ETCD_IMAGE, max_restarts, shutdown_timeout, variables
from trainc.launchers.torchrun.spec import Torchrun
from trainc.launchers.torchrun.traits import TRAITS, reads_variables
from trainc.spec.job import TrainingJob

Variables = dict[str, str | PodFact]

# Seconds that workers wait for worker 0 to open the store. torch's own 60 end them when its node has to be
# started or its image pulled: with worker 0 late by 110 s the other one failed after 88 s, and with 180 both ran
# (torch 2.15).
STORE_TIMEOUT = {"read_timeout": "300"}

# Backends whose agents share a store with their processes; etcd, the older one, makes an address for every round:
# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py,
# next_rendezvous
DYNAMIC = ("c10d", "etcd-v2")

# Waits for the etcd server: without it torchrun exits at once, and each exit counts as a failure (torch 2.15).
WAIT_FOR_ETCD = """\
import sys, time, urllib.request
while True:
    try:
        urllib.request.urlopen(sys.argv[1], timeout=5)
        break
    except OSError:
        time.sleep(1)
"""


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the port of the rendezvous on worker 0, or of rank 0's store where a server hosts the rendezvous."""
    options = Torchrun.of(job)
    backend = _rendezvous_backend(job, options)
    if backend not in ("static", *ETCD):  # c10d, or a plug-in
        return (Port(name="rdzv", number=options.rendezvous.port or C10D_PORT),)
    port = options.rendezvous.port if backend == "static" else None
    return (Port(name="master", number=port or MASTER_PORT),)


def recognizes_host(job: TrainingJob) -> bool:
    """Return whether worker 0 hosts the store if the endpoint is its name: c10d's, maybe a plug-in's."""
    return _rendezvous_backend(job, Torchrun.of(job)) not in ("static", *ETCD)


def lower(context: LaunchContext) -> Launch:
    """Return the agents' size, rendezvous and options."""
    job, options = context.job, Torchrun.of(context.job)
    standalone = is_standalone(options, context.replicas)
    rendezvous = _rendezvous(context, options)
    restarts = max_restarts(options.max_restarts, context.replicas, context.target)
    default_restarts = TORCHELASTIC_RESTARTS if options.is_torchelastic else None
    if options.is_torchelastic and not options.wraps_program and not reads_variables(job.image):
        restarts = None
    timeout = shutdown_timeout(options, job.lifecycle)
    further: Variables = {}
    if not (standalone or options.is_torchelastic) and _on_host_network(job) and rendezvous.backend != "static":
        # The others dial group rank 0 by its hostname, and a node's need not be known to the cluster's DNS.
        further["PET_LOCAL_ADDR"] = PodFact.POD_IP
    # A store shared with the rendezvous outlives a round and ranks read the old round's addresses: a join or a restart
    # then ends the job (torch 2.13 and 2.15; pytorch#135712, pytorch#167288). With etcd-v2 the ranks that worker 0
    # leaves behind look for their store in its previous pod (torch 2.15).
    has_rounds = not standalone and (context.replicas.elastic or bool(options.max_restarts))
    share_store = not has_rounds if options.share_store is None else options.share_store
    if not share_store and (standalone or rendezvous.backend in DYNAMIC):
        further["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    return Launch(
        launcher=TRAITS,
        command=options.command,
        processes_per_pod=options.processes_per_pod(job.resources.gpu_count),
        nodes=context.nodes,
        rendezvous=rendezvous,
        is_standalone=standalone,
        wraps_program=options.wraps_program,
        max_restarts=default_restarts if restarts is None else restarts,
        shutdown_timeout=timeout,
        variables={**further, **variables(options, max_restarts=restarts, shutdown_timeout=timeout)},
        arguments=settings.arguments(options),
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the environment, and torchrun's command line unless the program starts torchrun itself."""
    job, (low, high) = context.job, launch.nodes
    env: Variables = {
        "PET_NNODES": str(high) if low == high else f"{low}:{high}",
        "PET_NPROC_PER_NODE": str(launch.processes_per_pod),
        **_rendezvous_variables(launch),
        **launch.variables,
    }
    program, own_args = direct_command(job.run), 0
    if launch.wraps_program:
        if job.run.kind != "python":
            option = BY_NAME["module" if job.run.kind == "module" else "no_python"]
            env[option.variable or ""] = "1"
        arguments = launch.arguments
        if Torchrun.of(job).is_torchelastic and not reads_variables(job.image):
            arguments, env = settings.as_arguments(env)
        program = Program(command=launch.command, args=(*arguments, *job.run.words))
        own_args = len(arguments)
    elif Torchrun.of(job).is_torchelastic and not reads_variables(job.image):
        env = {name: value for name, value in env.items() if any(f"$({name})" in word for word in job.run.words)}
    etcd, image = _etcd_name(job), Torchrun.of(job).rendezvous.etcd_image or ETCD_IMAGE
    wait = ("python3", "-I", "-c", WAIT_FOR_ETCD, f"http://{etcd}:{ETCD_PORT}/health")
    is_managed = Torchrun.of(job).rendezvous.managed
    return Rendered(
        program=program,
        env=tuple(EnvVar(name=name, value=value) for name, value in env.items()),
        own_args=own_args,
        options=_flags() if launch.wraps_program else (),
        etcd=Etcd(name=etcd, port=ETCD_PORT, image=image) if is_managed else None,
        init_commands=(InitCommand(name="wait-for-etcd", command=wait),) if is_managed else (),
    )


def is_standalone(options: Torchrun, replicas: Replicas) -> bool:
    """Return whether the one pod hosts its own rendezvous: by default with one worker and no `rendezvous`."""
    default = replicas.maximum == 1 and not options.has("rendezvous")
    return default if options.standalone is None else options.standalone


def _rendezvous_backend(job: TrainingJob, options: Torchrun) -> str:
    """Return the backend: by default c10d, or static where the pods have their nodes' hostnames.

    There no pod recognizes c10d's endpoint as its own name, and static finds worker 0 by its index; but static can't
    start a second round.
    """
    if options.is_torchelastic:
        return TORCHELASTIC_BACKEND
    fixed = job.elastic is None and not options.max_restarts
    return options.rendezvous.backend or ("static" if fixed and _on_host_network(job) else "c10d")


def _etcd_name(job: TrainingJob) -> str:
    return f"{job.metadata.name}-etcd"


def _on_host_network(job: TrainingJob) -> bool:
    return job.network is not None and job.network.host_network


def _rendezvous(context: LaunchContext, options: Torchrun) -> Rendezvous:
    section, addresses = options.rendezvous, context.addresses
    backend = _rendezvous_backend(context.job, options)
    conf = {**(STORE_TIMEOUT if backend == "c10d" else {}), **section.conf}
    endpoint = section.endpoint
    if endpoint and section.port and ":" not in endpoint and backend != "static":
        endpoint = f"{endpoint}:{section.port}"
    own = _etcd_name(context.job) if section.managed else addresses.host
    host, port = host_and_port(endpoint or own, ETCD_PORT if section.managed else addresses.port)
    if backend == "static" or not endpoint:
        endpoint = f"{host}:{port}"
    run = None if backend == "static" else section.id or PodFact.RUN
    timeout = ("timeout", TORCHELASTIC_TIMEOUT if options.is_torchelastic else TIMEOUT)
    if backend in DYNAMIC:
        timeout = ("join_timeout", JOIN_TIMEOUT)
    return Rendezvous(backend=backend, endpoint=endpoint, host=host, port=port, id=run, conf=conf, timeout=timeout)


def _rendezvous_variables(launch: Launch) -> Variables:
    rendezvous = launch.rendezvous
    if launch.is_standalone:
        return {"PET_STANDALONE": "1"}  # torchrun reads int(value): "true" and "" are a traceback
    conf = ",".join(f"{key}={value}" for key, value in rendezvous.conf.items())
    env: Variables = {"PET_RDZV_BACKEND": rendezvous.backend}
    if rendezvous.backend == "static":
        # These three replace the endpoint; torchrun doesn't read MASTER_ADDR and RANK.
        env |= {"PET_MASTER_ADDR": rendezvous.host, "PET_MASTER_PORT": str(rendezvous.port)}
        env["PET_NODE_RANK"] = PodFact.INDEX
    else:
        env |= {"PET_RDZV_ENDPOINT": rendezvous.endpoint, "PET_RDZV_ID": rendezvous.id or PodFact.RUN}
    return {**env, "PET_RDZV_CONF": conf} if conf else env


@cache
def _flags() -> tuple[str, ...]:
    return tuple(spellings(OPTIONS, dashes=True))
