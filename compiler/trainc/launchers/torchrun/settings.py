"""Settings of torchrun: variables and arguments of its options, and computed defaults."""

from __future__ import annotations

from trainc.ir.env import PodFact
from trainc.ir.job import Replicas
from trainc.launchers.option import Option
from trainc.launchers.torchrun.options import OPTIONS
from trainc.launchers.torchrun.spec import Torchrun
from trainc.source.node import Mapping
from trainc.spec.lifecycle import Lifecycle
from trainc.spec.section import flag, text, words
from trainc.target import Target
from trainc.typenames import Any

# Seconds that the launcher needs to exit before the kubelet kills it.
EXIT_SECONDS = 5
# An elastic job continues without lost workers, and each loss costs torchrun a restart: the others' processes fail
# before the agents see that one is missing. With torchrun's own 0 the first loss ended all three pods (torch 2.15).
RESTARTS = 10
# Where a controller scales the job, a scale-down is such a loss. This is one every five minutes for a day, the pace of
# an autoscaler:
# https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#stabilization-window
RESTARTS_WITH_SCALE_DOWNS = 24 * 60 // 5
# The last minor version with the v2 API, which torch's etcd backends speak through python-etcd:
# https://etcd.io/docs/v3.5/op-guide/configuration/ (--enable-v2, gone in 3.6)
ETCD_IMAGE = "quay.io/coreos/etcd:v3.5.21"
# Options that are fields of launch.torchrun and whose values torchrun gets as they are, with the fields' own names.
_OWN = [
    (row, row.key) for row in OPTIONS if row.field.count(".") == 2 and row.name not in ("nproc_per_node", "standalone")
]
_ADDRESSES = {"podIP": PodFact.POD_IP, "hostIP": PodFact.HOST_IP}


def variables(options: Torchrun, **computed: int | None) -> dict[str, str | PodFact]:
    """Return the PET_* variables of the options; torchrun ignores those that its version doesn't know.

    `computed` are values by option that depend on more than the section.
    """
    values: dict[str, Any] = {**computed, "local_addr": _ADDRESSES.get(options.local_addr or "")}
    env: dict[str, str | PodFact] = {}
    for option, key in _OWN:
        if option.name in values:
            value = values[option.name]
        elif options.has(key):
            value = _text(option, options.node)
        else:
            continue
        if option.variable and value not in (None, ""):
            env[option.variable] = str(value) if isinstance(value, int) else value
    return env


def arguments(options: Torchrun) -> tuple[str, ...]:
    """Return the options that torchrun doesn't read from the environment."""
    own = [option for option, key in _OWN if not option.variable and options.has(key)]
    values = {option.name.replace("_", "-"): _text(option, options.node) for option in own}
    return tuple(f"--{name}={value}" for name, value in values.items() if value)


def as_arguments(env: dict[str, str | PodFact]) -> tuple[tuple[str, ...], dict[str, str | PodFact]]:
    """Return the options' variables as arguments, and the variables that remain: those of other programs, and those
    whose values only the pod knows, to which the arguments refer."""
    arguments: list[str] = []
    rows = {row.variable: row for row in OPTIONS}
    for name, value in env.items():
        if name in rows:
            text = f"$({name})" if isinstance(value, PodFact) else value
            row = rows[name]
            if row.kind != "switch":
                arguments.append(f"--{row.name}={text}")
            elif text == "1":
                arguments.append(f"--{row.name}")
    return tuple(arguments), {name: each for name, each in env.items() if name not in rows or isinstance(each, PodFact)}


def shutdown_timeout(options: Torchrun, lifecycle: Lifecycle) -> int | None:
    """Return the seconds between SIGTERM and SIGKILL of the processes: by default the grace period less 5.

    torchrun's own 30 would cut off a checkpoint in a pod that has two minutes. Torch 2.12 and newer.
    """
    grace = lifecycle.termination_grace_period_seconds
    if options.shutdown_timeout is not None or grace is None or options.is_torchelastic:
        return options.shutdown_timeout
    return max(1, grace - EXIT_SECONDS)


def max_restarts(own: int | None, replicas: Replicas, target: Target) -> int | None:
    """Return how often torchrun restarts the processes in their pods, of the job's own; None for the default, 0."""
    if own is not None or not replicas.elastic:
        return own
    return RESTARTS_WITH_SCALE_DOWNS if target.system.is_scalable else RESTARTS


def _text(option: Option, node: Mapping) -> str:
    """Return a field's value as torchrun reads it from a variable."""
    if option.kind == "switch":  # torchrun reads int(value): "true" is a traceback
        return {True: "1", False: "0", None: ""}[flag(node, option.key)]
    if option.kind == "filters":  # torchrun splits at commas, and reads two of them as a literal comma
        return ",".join(word.replace(",", ",,") for word in words(node, option.key))
    return str(text(node, option.key) or ",".join(words(node, option.key)))
