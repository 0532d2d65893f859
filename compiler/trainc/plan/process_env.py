"""Environment of each launched process. What differs between the processes of a pod is a range."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.launchers.registry import part
from trainc.plan.expand import placeholder
from trainc.plan.pods import Pod
from trainc.plan.quantity import format_range
from trainc.plan.world import Worker, WorldSize


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variables that the worker's launcher sets for each process."""
    if not worker.launch.has_launcher:
        return {}
    env: dict[str, str] = part(worker.launch.launcher, "process").process_env(worker, workers, size)
    return {name: value or placeholder("unknown until it runs") for name, value in env.items()}


def rank_env(worker: Worker, world: int | None) -> dict[str, str]:
    """Return the variables that all launchers set; empty if the value is unknown before the pod runs."""
    launch = worker.launch
    env = {
        "RANK": format_range(*worker.ranks) if worker.ranks else "",
        "WORLD_SIZE": "" if world is None else str(world),
    }
    if launch.processes:
        env["LOCAL_RANK"] = format_range(0, launch.processes - 1)
    env["MASTER_ADDR"] = launch.rendezvous_host
    env["MASTER_PORT"] = "" if launch.port is None else str(launch.port)
    return env


def fqdn(pod: Pod) -> str:
    """Return the pod's full name as in its /etc/hosts."""
    if not pod.subdomain:
        return pod.hostname
    namespace, domain = pod.namespace or placeholder("namespace"), pod.domain or placeholder("cluster domain")
    return f"{pod.hostname}.{pod.subdomain}.{namespace}.svc.{domain}"
