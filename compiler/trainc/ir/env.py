"""Environment variables and arguments, some with values that only the running pod knows."""

from __future__ import annotations

from enum import Enum

from trainc.record import Record
from trainc.span import Span
from trainc.typenames import Any


class PodFact(Enum):
    """Value that only the running pod knows; each back end has its own way to provide it."""

    INDEX = "the worker's number, from 0"
    ROLE = "launcher or worker, if a launcher pod starts the processes of the workers"
    RUN = "a name that is new for every run of the job"
    SLICE = "the number of the worker's slice of TPUs, from 0"
    SLICES = "the number of slices"
    COORDINATOR = "the host name of the first worker of the first slice"
    POD_IP = "the pod's address"
    HOST_IP = "the address of the pod's node"


class EnvVar(Record):
    """Environment variable. A dict is a Kubernetes valueFrom. A variable without an origin is trainc's own."""

    name: str
    value: str | PodFact | dict[str, Any]
    origin: Span | None = None


class FactArg(Record):
    """Argument with a pod fact as its value. Back ends that can't write the value write `$(variable)`, which Kubernetes
    expands; `before` is the text in front of it."""

    fact: PodFact
    variable: str
    before: str = ""


Arg = str | FactArg

# https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname
# https://docs.pytorch.org/docs/stable/distributed.html#choosing-the-network-interface-to-use
INTERFACE_VARIABLES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
# Name of the run, which `shareFile` is named after.
RUN_VARIABLE = "TRAINC_RUN_ID"
