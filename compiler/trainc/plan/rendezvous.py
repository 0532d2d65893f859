"""Where the workers meet: exactly one pod must be there, and all others must be able to reach it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.fields import items, mapping
from trainc.plan.name_resolver import NameResolver, Resolution
from trainc.plan.pods import ReplicaRange
from trainc.plan.world import Finding, Worker


def check_rendezvous(members: Sequence[Worker], names: NameResolver, _: ReplicaRange) -> Iterator[Finding]:
    """Rank 0, or the one that takes itself for c10d's host, must be where all others look for it."""
    start = members[0].launch if members else None
    if start is None or start.launcher == "none":
        return
    hosted = start.launcher != "torchrun" or start.backend in ("c10d", "static")
    if start.launcher == "torchrun" and not start.rendezvous_host:
        message = f"it has no rendezvous endpoint, without which {start.backend} can't start"
        yield Finding(where=_name(members[0]), message=message)
    if not start.rendezvous_host or start.is_standalone or len(members) < 2 or not hosted:
        return
    reached = {one.position: names.lookup(one.launch.rendezvous_host, one.position) for one in members}
    lost = next((one for one in members if reached[one.position].kind == "nobody"), None)
    if lost is not None:
        yield Finding(
            where=_name(lost), message=f"no Service leads to {lost.launch.rendezvous_host}: it can't reach the others"
        )
    elif all(found.kind in ("outside", "address") for found in reached.values()):
        yield Finding(
            where=start.rendezvous_host, message="the workers must meet at one of them, but this is none of these pods"
        )
    else:
        yield from _at_one(members, names, reached)
        yield from _service(members, reached)


def _at_one(members: Sequence[Worker], names: NameResolver, reached: dict[int, Resolution]) -> Iterator[Finding]:
    host, start = members[0].launch.rendezvous_host, members[0].launch
    behind = {place for found in reached.values() if found.kind in ("service", "pod") for place in found.pods}
    empty = next((one for one in members if not reached[one.position].pods), None)
    if empty is not None:
        yield Finding(where=_name(empty), message=f"{host} leads to no pod")
    elif start.launcher == "torchrun" and start.backend == "c10d":
        yield from _c10d(members, names, host, behind)
    else:
        leaders = {one.position for one in members if one.node_rank == 0}
        if len(leaders) == 1 and behind and behind != leaders:
            zero = names.pods[next(iter(leaders))].hostname
            others = sorted(names.pods[place].hostname for place in behind - leaders)
            there = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
            yield Finding(where=host, message=f"it leads to {there}, but it is {zero} that has rank 0 and listens")
        elif not behind and len({reached[one.position].pods for one in members}) > 1:
            yield Finding(where=host, message="it leads each pod to itself")


def _service(members: Sequence[Worker], reached: dict[int, Resolution]) -> Iterator[Finding]:
    port = members[0].launch.port
    services = {found.service.name: found.service for found in reached.values() if found.service}
    for service in services.values():
        # An operator's that has none leads by its name all the same, says CoreDNS: https://github.com/coredns/coredns/
        # blob/master/plugin/kubernetes/object/endpoint.go, EndpointSliceToEndpoints
        named = service.ports or not service.is_owned
        if port and named and port not in [number for _, number in service.ports]:
            known = ", ".join(str(number) for _, number in service.ports) or "none"
            message = f"the pods meet on port {port}, but its ports are {known}"
            yield Finding(where=f"Service/{service.name}", message=message)
        if not service.publishes_not_ready and (
            not service.is_owned or any(_waits(one) for one in members if one.position in service.pods)
        ):
            message = "it answers only for pods that are ready: worker 0 may not be when the others look for it"
            yield Finding(where=f"Service/{service.name}", message=message)


def _waits(one: Worker) -> bool:
    """Whether a pod is ready only when its program has come to answer, not as soon as its containers run or listen.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions
    """
    probes = [
        mapping(given, probe)
        for given in items(one.pod.spec, "containers")
        for probe in ("readinessProbe", "startupProbe")
    ]
    asks = any(kind in probe for probe in probes for kind in ("exec", "httpGet", "grpc"))
    return asks or bool(items(one.pod.spec, "readinessGates"))


def _c10d(members: Sequence[Worker], names: NameResolver, host: str, behind: set[int]) -> Iterator[Finding]:
    """The store is in the agent that recognises the host as itself: exactly one may, and others must reach it."""
    sure = {one.position for one in members if one.launch.is_host or names.is_own_name(one.position, host)}
    if len(behind - sure) and len(behind) > 1:
        message = f"it leads to {len(behind)} pods: each may take itself for the host, and trains in a world of its own"
        yield Finding(where=host, message=message)
    elif sure and behind and behind != sure:
        yield Finding(where=host, message="the pod that it leads to is not the one that has this name")
    if len(sure) > 1:
        yield Finding(where=host, message=f"{len(sure)} pods take themselves for the host of the rendezvous")


def check_pod_names(members: Sequence[Worker], names: NameResolver, _: ReplicaRange) -> Iterator[Finding]:
    """Whichever node is first tells the others its full name, so torchrun's pods need names; of the others, none."""
    if len(members) < 2 or members[0].launch.launcher != "torchrun" or members[0].launch.backend == "static":
        return
    for one in members:
        # Without a subdomain its full name is its hostname, which an operator gives a Service.
        others = members[one.position == members[0].position].position
        alone = not one.pod.subdomain and names.lookup(one.pod.hostname, others).pods == (one.position,)
        if not alone and not names.governing_service(one.position) and not one.pod.spec.get("hostNetwork"):
            below = (
                f"no headless Service {one.pod.subdomain} selects it" if one.pod.subdomain else "it has no subdomain"
            )
            yield Finding(where=_name(one), message=f"it has no DNS name of its own: {below}")
            return


def check_hostfile(members: Sequence[Worker], names: NameResolver, _: ReplicaRange) -> Iterator[Finding]:
    """DeepSpeed's hosts are the pods, in the order of their ranks."""
    for one in members:
        slots, rank = one.launch.slots, one.node_rank
        if not slots or rank is None:
            continue
        if rank >= len(slots):
            yield Finding(where=_name(one), message=f"its rank is {rank}, but DeepSpeed knows {len(slots)} hosts")
            continue
        host = slots[rank][0]
        found = names.lookup(host, one.position)
        if one.launch.ssh and any(names.lookup(host, other.position).kind == "nobody" for other in members):
            yield Finding(where=host, message="no Service leads to this host of the hostfile")
        elif found.pods and one.position not in found.pods:
            yield Finding(where=_name(one), message=f"it has rank {rank}, which DeepSpeed's list gives to {host}")


def _name(one: Worker) -> str:
    return one.pod.hostname
