"""What each process of a worker finds in its environment, from its launcher."""

from __future__ import annotations

from trainc.plan.expand import placeholder
from trainc.plan.pods import Pod
from trainc.plan.world import Worker, WorldSize


def process_env(one: Worker, members: tuple[Worker, ...], stage: WorldSize) -> dict[str, str]:
    """The variables by name; what differs between the processes of a pod as a range."""
    start = one.launch
    if start.launcher == "none":
        return {}
    world = stage.world if start.launcher == "torchrun" else start.world
    found = {"RANK": _range(one.ranks), "WORLD_SIZE": "" if world is None else str(world)}
    if start.processes and (start.launcher != "basic" or start.processes > 1):
        found["LOCAL_RANK"] = _range((0, start.processes - 1))
    if start.launcher == "torchrun":
        found["LOCAL_WORLD_SIZE"] = str(start.processes or "")
        found["GROUP_RANK"] = "" if one.node_rank is None else str(one.node_rank)
    elif start.launcher == "deepspeed":
        found["LOCAL_SIZE"] = str(start.processes or "")
    elif one.container.value("LOCAL_WORLD_SIZE") is not None:
        found["LOCAL_WORLD_SIZE"] = one.container.value("LOCAL_WORLD_SIZE") or ""
    found["MASTER_ADDR"], found["MASTER_PORT"] = _master(one, members)
    return {name: value or placeholder("not known before") for name, value in found.items()}


def _master(one: Worker, members: tuple[Worker, ...]) -> tuple[str, str]:
    """torchrun's rank 0 offers its own full name and a port that is free; the others are told outright."""
    start = one.launch
    if start.launcher != "torchrun" or start.backend == "static":
        return start.rendezvous_host, "" if start.port is None else str(start.port)
    port = placeholder("a free port")
    if start.is_standalone:
        return fqdn(one.pod), port
    first = next((other for other in members if other.node_rank == 0), None)
    return (first.launch.local_addr or fqdn(first.pod)) if first else placeholder("the name of the first node"), port


def fqdn(pod: Pod) -> str:
    """As /etc/hosts has it."""
    if not pod.subdomain:
        return pod.hostname
    namespace, domain = pod.namespace or placeholder("namespace"), placeholder("cluster domain")
    return f"{pod.hostname}.{pod.subdomain}.{namespace}.svc.{domain}"


def _range(ends: tuple[int, int] | None) -> str:
    if ends is None:
        return ""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"
