"""torchrun's options that are passed on as the user gave them: those with a variable, and those without."""

from __future__ import annotations

from trainc.ir.env import PodFact
from trainc.ir.job import Replicas
from trainc.launchers.torchrun.spec import Torchrun
from trainc.spec.lifecycle import Lifecycle
from trainc.target import Target

# What the launcher needs to end by itself before the kubelet kills it.
SECONDS_FOR_THE_LAUNCHER = 5
# All options of torchrun from torch 1.9 to 2.15, with dashes and, where they have any, with underscores.
_DASHED = (
    *("--nnodes", "--nproc-per-node", "--rdzv-backend", "--rdzv-endpoint", "--rdzv-id", "--rdzv-conf"),
    *("--standalone", "--max-restarts", "--monitor-interval", "--start-method", "--event-log-handler", "--role"),
    *("--module", "--no-python", "--run-path", "--log-dir", "--redirects", "--tee", "--log-line-prefix-template"),
    *("--local-ranks-filter", "--duplicate-stdout-filters", "--duplicate-stderr-filters", "--node-rank"),
    *("--master-addr", "--master-port", "--local-addr", "--logs-specs", "--numa-binding", "--signals-to-handle"),
    *("--shutdown-timeout", "--virtual-local-rank", "--print-completion", "--help"),
)
OPTIONS = (*_DASHED, *(f"--{name[2:].replace('-', '_')}" for name in _DASHED if "-" in name[2:]))
# An elastic job loses workers and goes on, and each loss costs torchrun a restart: the others' processes fail before
# the agents see that one is missing. With torchrun's own 0 the first loss ended all three pods (torch 2.15).
RESTARTS = 10
# Where there is something to scale, a scale-down is such a loss. This is one every five minutes for a day, the pace of
# an autoscaler:
# https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#stabilization-window
RESTARTS_WHERE_SCALED_DOWN = 24 * 60 // 5
_ADDRESSES = {"podIP": PodFact.POD_IP, "hostIP": PodFact.HOST_IP}


def passed_on(options: Torchrun, lifecycle: Lifecycle, replicas: Replicas, target: Target) -> dict[str, str | PodFact]:
    """PET_* variables; torchrun ignores those that its version doesn't know."""
    given = {
        "PET_MAX_RESTARTS": max_restarts(options, replicas, target),
        "PET_MONITOR_INTERVAL": options.monitor_interval,
        "PET_START_METHOD": options.start_method,
        "PET_SHUTDOWN_TIMEOUT": shutdown_timeout(options, lifecycle),
        "PET_SIGNALS_TO_HANDLE": ",".join(options.signals),
        "PET_ROLE": options.role,
        "PET_LOCAL_ADDR": _ADDRESSES.get(options.local_addr or ""),
        # A flag of torchrun's is the number 0 or 1; "true" is a traceback.
        "PET_VIRTUAL_LOCAL_RANK": None if options.virtual_local_rank is None else int(options.virtual_local_rank),
        "PET_LOG_DIR": options.log_dir,
        "PET_REDIRECTS": options.redirects,
        "PET_TEE": options.tee,
        "PET_LOCAL_RANKS_FILTER": ",".join(options.local_ranks_filter),
        "PET_LOG_LINE_PREFIX_TEMPLATE": options.log_line_prefix_template,
        "PET_DUPLICATE_STDOUT_FILTERS": _listed(options.duplicate_stdout_filters),
        "PET_DUPLICATE_STDERR_FILTERS": _listed(options.duplicate_stderr_filters),
        "PET_EVENT_LOG_HANDLER": options.event_log_handler,
    }
    found = {name: value for name, value in given.items() if value not in (None, "")}
    return {name: str(value) if isinstance(value, int) else value for name, value in found.items()}


def arguments(options: Torchrun) -> tuple[str, ...]:
    """The two options that torchrun does not read from the environment."""
    given = {"--numa-binding": options.numa_binding, "--logs-specs": options.logs_specs}
    return tuple(f"{name}={value}" for name, value in given.items() if value)


def shutdown_timeout(options: Torchrun, lifecycle: Lifecycle) -> int | None:
    """Seconds that the processes have after SIGTERM: what the grace period leaves, where there is one.

    torchrun's own 30 would cut a checkpoint off in a pod that has two minutes. Torch 2.12 and newer.
    """
    grace = lifecycle.termination_grace_period_seconds
    if options.shutdown_timeout is not None or grace is None:
        return options.shutdown_timeout
    return max(1, grace - SECONDS_FOR_THE_LAUNCHER)


def max_restarts(options: Torchrun, replicas: Replicas, target: Target) -> int | None:
    """How often the processes are started again in their pods; None leaves it to torchrun, whose default is 0."""
    if options.max_restarts is not None or not replicas.elastic:
        return options.max_restarts
    return RESTARTS_WHERE_SCALED_DOWN if target.system.is_scalable else RESTARTS


def _listed(filters: tuple[str, ...]) -> str:
    """torchrun splits at commas, and reads two of them as one that is meant."""
    return ",".join(text.replace(",", ",,") for text in filters)
