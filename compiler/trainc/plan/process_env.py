"""What each process of a worker finds in its environment, from its launcher."""

from __future__ import annotations

from trainc.plan.expand import unseen
from trainc.plan.names import Names
from trainc.plan.pods import Pod
from trainc.plan.world import Member, Stage


def told(one: Member, members: tuple[Member, ...], stage: Stage) -> dict[str, str]:
    """The variables by name; what differs between the processes of a pod as a range."""
    start = one.start
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
    return {name: value or unseen("not known before") for name, value in found.items()}


def _master(one: Member, members: tuple[Member, ...]) -> tuple[str, str]:
    """torchrun's rank 0 offers its own full name and a port that is free; the others are told outright."""
    start = one.start
    if start.launcher != "torchrun" or start.backend == "static":
        return start.meets, "" if start.port is None else str(start.port)
    port = unseen("a free port")
    if start.alone:
        return full_name(one.pod), port
    first = next((other for other in members if other.node_rank == 0), None)
    return (first.start.address or full_name(first.pod)) if first else unseen("the name of the first node"), port


def full_name(pod: Pod) -> str:
    """As /etc/hosts has it."""
    if not pod.subdomain:
        return pod.hostname
    return f"{pod.hostname}.{pod.subdomain}.{pod.namespace or unseen('namespace')}.svc.{unseen('cluster domain')}"


def hosts(members: tuple[Member, ...], names: Names) -> tuple[str, ...]:
    """The pods where all meet."""
    if not members or not members[0].start.meets:
        return ()
    found = names.lookup(members[0].start.meets, members[-1].place)
    return tuple(names.pods[place].hostname for place in found.pods)


def _range(ends: tuple[int, int] | None) -> str:
    if ends is None:
        return ""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"
