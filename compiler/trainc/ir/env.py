"""Environment variables and arguments, some with values that only the running pod knows, and their text for a shell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
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

_PLAIN = r"[A-Za-z0-9_@%+=:,./-]*"
_REFERENCE = r"(?<!\$)\$\((\w+)\)"


def shell_text(words: Iterable[Arg], names: Collection[str] | None = None) -> str:
    """Return words of a command line as text for a shell, which expands variables in place of Kubernetes.

    Only references to the variables in `names` are expanded, by default all:
    https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/
    """
    return " ".join(_shell_word(word, names) for word in words)


def _shell_word(word: Arg, names: Collection[str] | None) -> str:
    if isinstance(word, FactArg):
        return f'{word.before}"${word.variable}"'
    parts = re.split(_REFERENCE, word)
    return (
        "".join(
            _quote(part.replace("$$", "$"))
            if index % 2 == 0
            else f'"${part}"'
            if names is None or part in names
            else _quote(f"$({part})")
            for index, part in enumerate(parts)
        )
        or "''"
    )


def _quote(text: str) -> str:
    """Return a text as a word of a shell, like shlex.quote, which takes longer to import."""
    return text if re.fullmatch(_PLAIN, text) else "'" + text.replace("'", "'\"'\"'") + "'"
