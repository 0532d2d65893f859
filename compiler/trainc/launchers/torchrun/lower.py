"""torchrun: a PET_* variable for every option that has one, arguments for the rest.

torchrun reads PET_ and the upper-cased name of an option's longest form, and ignores names it does not know:
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/argparse_util.py
"""

from __future__ import annotations

from trainc.ir.env import EnvVar, PodFact
from trainc.ir.job import Replicas
from trainc.ir.pod import Program
from trainc.launchers.option import spellings
from trainc.launchers.ports import ETCD_PORT
from trainc.launchers.torchrun.etcd import etcd_name
from trainc.launchers.torchrun.options import OPTIONS
from trainc.launchers.torchrun.passthrough import arguments, passed_on
from trainc.launchers.torchrun.spec import Torchrun, host_and_port
from trainc.lower.launch import Launched, alone
from trainc.lower.processes import processes_per_pod
from trainc.lower.rendezvous import Meeting, on_host_network, rendezvous_backend
from trainc.spec.job import TrainingJob
from trainc.target import Target

Variables = dict[str, str | PodFact]

# Seconds that workers wait for worker 0 to open the store. torch's own 60 end them when its node has to be
# started or its image pulled: with worker 0 late by 110 s the other one failed after 88 s, and with 180 both ran
# (torch 2.15).
PATIENCE = {"read_timeout": "300"}

# Whose agents share a store with their processes; etcd, the older one, makes an address for every round:
# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py,
# next_rendezvous
DYNAMIC = ("c10d", "etcd-v2")


def lower_torchrun(
    job: TrainingJob, options: Torchrun, replicas: Replicas, meeting: Meeting, target: Target
) -> Launched:
    """The agent's size, rendezvous and options."""
    env: Variables = {
        "PET_NNODES": f"{replicas.minimum}:{replicas.maximum}" if replicas.elastic else str(replicas.maximum),
        "PET_NPROC_PER_NODE": str(processes_per_pod(job)),
        **_rendezvous(job, options, replicas, meeting),
        **passed_on(options, job.lifecycle, replicas, target),
    }
    flags: tuple[str, ...] = ()
    if not options.wrap:
        program = alone(job.run)
    else:
        if job.run.kind != "python":
            env["PET_MODULE" if job.run.kind == "module" else "PET_NO_PYTHON"] = "1"
        flags = arguments(options)
        program = Program(command=("torchrun",), args=(*flags, *job.run.words))
    variables = tuple(EnvVar(name=name, value=value) for name, value in env.items())
    return Launched(
        program=program,
        env=variables,
        flags=len(flags),
        options=tuple(spellings(OPTIONS, dashes=True)) if options.wrap else (),
    )


def is_standalone(job: TrainingJob, options: Torchrun, replicas: Replicas) -> bool:
    """Whether the one pod is its own rendezvous; the default where nothing speaks against it."""
    if options.standalone is not None:
        return options.standalone
    return replicas.maximum == 1 and not options.gives("rendezvous")


def _rendezvous(job: TrainingJob, options: Torchrun, replicas: Replicas, meeting: Meeting) -> Variables:
    given = options.rendezvous
    backend = rendezvous_backend(job, options)
    if is_standalone(job, options, replicas):
        # torchrun reads int(value): "true" and "" are a traceback.
        return {"PET_STANDALONE": "1", **_store(options, survives=False)}
    settings = {**(PATIENCE if backend == "c10d" else {}), **given.conf}
    conf = {"PET_RDZV_CONF": ",".join(f"{key}={value}" for key, value in settings.items())} if settings else {}
    if backend == "static":
        # The endpoint's place is taken by these three; the bare MASTER_ADDR and RANK are not read.
        host, port = host_and_port(given.endpoint or meeting.host, meeting.port)
        static: Variables = {"PET_RDZV_BACKEND": "static", "PET_MASTER_ADDR": host, "PET_MASTER_PORT": str(port)}
        return {**static, "PET_NODE_RANK": PodFact.INDEX, **conf}
    own = f"{etcd_name(job)}:{ETCD_PORT}" if given.managed else f"{meeting.host}:{meeting.port}"
    endpoint = given.endpoint or own
    if given.port and given.endpoint and ":" not in given.endpoint:
        endpoint = f"{given.endpoint}:{given.port}"
    found: Variables = {
        "PET_RDZV_BACKEND": backend,
        "PET_RDZV_ENDPOINT": endpoint,
        "PET_RDZV_ID": given.id or PodFact.RUN,
        **conf,
    }
    if on_host_network(job):
        # The others dial group rank 0 by its hostname, and a node's need not be known to the cluster's DNS.
        found["PET_LOCAL_ADDR"] = PodFact.POD_IP
    if backend in DYNAMIC:
        found |= _store(options, survives=replicas.elastic or bool(options.max_restarts))
    return found


def _store(options: Torchrun, survives: bool) -> Variables:
    """A store of the ranks' own, where rounds follow each other or the user says so.

    A store shared with the rendezvous outlives a round and ranks read the old round's addresses: a join or a
    restart then ends the job (seen on torch 2.13 and 2.15; pytorch#135712, pytorch#167288). With etcd-v2 those that
    worker 0 leaves behind look for their store in its last life (torch 2.15).
    """
    alone = survives if options.share_store is None else not options.share_store
    return {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"} if alone else {}
