"""What can't work, or is not what it seems, in the world that the manifests make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trainc.plan.fields import Object, items, mapping, number, text
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import ReplicaRange
from trainc.plan.rendezvous import check_hostfile, check_pod_names, check_rendezvous
from trainc.plan.world import Finding, Worker


def findings(
    members: Sequence[Worker], names: NameResolver, size: ReplicaRange, objects: list[Object]
) -> list[Finding]:
    """All faults, each once."""
    found: list[Finding] = []
    for rule in (_told, _the_same, _the_number, _the_ranks, check_rendezvous, check_pod_names, check_hostfile):
        found += rule(members, names, size)
    found += _selectors(names)
    found += _scalers(objects, members)
    found += _mounts(members)
    return list(dict.fromkeys(found))


def _name(one: Worker) -> str:
    return one.pod.hostname


def _told(members: Sequence[Worker], _: NameResolver, __: ReplicaRange) -> Iterator[Finding]:
    """What a launcher or the kubelet itself refuses; of many pods with the same fault the first."""
    seen: set[str] = set()
    for one in members:
        for wrong in (*one.launch.errors, *one.container.errors):
            if wrong not in seen:
                seen.add(wrong)
                yield Finding(where=_name(one), message=wrong)
        for variable in one.container.env:
            empty = variable.source == "downward API" and not variable.value
            if empty and variable.name not in seen:
                seen.add(variable.name)
                yield Finding(
                    where=_name(one), message=f"{variable.name} is empty: the pod has no such label or annotation"
                )


def _the_same(members: Sequence[Worker], _: NameResolver, __: ReplicaRange) -> Iterator[Finding]:
    """What all must agree on."""
    agreed: list[tuple[str, Callable[[Worker], Any]]] = [
        ("launcher", lambda one: one.launch.launcher),
        ("nodes", lambda one: one.launch.nodes and _span(*one.launch.nodes)),
        ("world size", lambda one: one.launch.world),
        ("rendezvous backend", lambda one: one.launch.backend),
        ("rendezvous id", lambda one: one.launch.id),
        ("meeting place", lambda one: f"{one.launch.rendezvous_host}:{one.launch.port}"),
        ("processes", lambda one: one.launch.processes),
    ]
    for what, get in agreed:
        for one in members[1:]:
            mine, theirs = get(one), get(members[0])
            if mine != theirs:
                message = f"its {what} is {mine or 'not set'}, that of {_name(members[0])} is {theirs or 'not set'}"
                yield Finding(where=_name(one), message=message)
                break


def _the_number(members: Sequence[Worker], _: NameResolver, size: ReplicaRange) -> Iterator[Finding]:
    if not members or size.maximum == 0:
        return
    start, where = members[0].launch, members[0].pod.owner or "the pods"
    if start.nodes is not None and start.launcher in ("torchrun", "deepspeed", "basic"):
        low, high = start.nodes
        if start.is_standalone and size.maximum > 1:
            yield Finding(where=where, message=f"each of {size.maximum} pods trains alone, in a world of its own")
        elif (low, high) == (1, 1) and size.maximum > 1:
            yield Finding(where=where, message=f"the launcher counts 1 node, but there are {size.maximum} pods")
        elif size.maximum < low:
            message = f"the launcher waits for {low} nodes, but there are only {size.maximum} pods"
            yield Finding(where=where, message=message)
        elif size.maximum > high:
            message = (
                f"the launcher takes {high} nodes, but there are {size.maximum} pods: {size.maximum - high} too many"
            )
            yield Finding(where=where, message=message)
    if start.world is not None and start.processes and start.launcher == "basic" and start.world % start.processes:
        message = f"a world of {start.world} can't be made of {start.processes} processes a pod"
        yield Finding(where=where, message=message)
    slots = start.launcher in ("deepspeed", "torchrun")
    for one in members:
        gpus, processes = int(one.usage.gpus), one.launch.processes
        if slots and gpus and processes and processes > gpus:
            yield Finding(where=_name(one), message=f"{processes} processes share {gpus} GPUs")
            break


def _the_ranks(members: Sequence[Worker], _: NameResolver, __: ReplicaRange) -> Iterator[Finding]:
    """Ranks that the pods are told must be those from zero on, each once."""
    if not members or members[0].launch.launcher == "none":
        return
    if members[0].launch.launcher == "torchrun" and members[0].launch.backend != "static":
        return
    taken: dict[int, Worker] = {}
    for one in members:
        if one.node_rank is None:
            yield Finding(where=_name(one), message="its rank isn't known, or is no number")
        elif one.node_rank in taken:
            message = f"it has rank {one.node_rank}, which {_name(taken[one.node_rank])} has, too"
            yield Finding(where=_name(one), message=message)
        elif one.node_rank >= len(members):
            message = f"it has rank {one.node_rank}, but there are {len(members)} pods"
            yield Finding(where=_name(one), message=message)
        else:
            taken[one.node_rank] = one
    swapped = [one for one in members if one.node_rank is not None and one.node_rank != one.pod.index]
    if swapped and len(taken) == len(members):
        one = swapped[0]
        message = f"worker {one.pod.index} has rank {one.node_rank}: ranks are not in the order of the workers"
        yield Finding(where=_name(one), message=message)


def _selectors(names: NameResolver) -> Iterator[Finding]:
    for service in names.services:
        if not service.pods and names.pods:
            yield Finding(where=f"Service/{service.name}", message="it selects no pod")


def _scalers(objects: list[Object], members: Sequence[Worker]) -> Iterator[Finding]:
    there = {(text(one, "kind"), text(one, "metadata", "name")) for one in objects}
    for one in objects:
        if text(one, "kind") != "HorizontalPodAutoscaler":
            continue
        where, target = (
            f"HorizontalPodAutoscaler/{text(one, 'metadata', 'name')}",
            mapping(one, "spec", "scaleTargetRef"),
        )
        aim = text(target, "kind"), text(target, "name")
        if aim not in there:
            yield Finding(where=where, message=f"it scales {'/'.join(aim)}, which there is not")
        bounds = members[0].launch.nodes if members else None
        low = number(one, "spec", "minReplicas") or 1
        if bounds and low < bounds[0]:
            message = f"it may leave {low} pods, but the launcher needs {bounds[0]} nodes"
            yield Finding(where=where, message=message)


def _mounts(members: Sequence[Worker]) -> Iterator[Finding]:
    seen = set()
    for one in members:
        for volume in one.usage.volumes:
            if volume.kind == "nothing" and volume.name not in seen:
                seen.add(volume.name)
                yield Finding(where=_name(one), message=f"the volume {volume.name} is mounted, but there is none")
    for one in members[:1]:
        claims = items(one.pod.spec, "volumes")
        if len(claims) != len({text(volume, "name") for volume in claims}):
            yield Finding(where=_name(one), message="two of its volumes have one name")


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}:{high}"
