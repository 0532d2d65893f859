"""Bounds of a job that follow from its manifests: the most GPUs that it can have, its time limit, and its queue."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import Object, Path, at, items, mapping, number, text
from trainc.plan.plan import Plan
from trainc.plan.pods import Pod
from trainc.plan.usage import effective, is_gpu
from trainc.plan.world import take
from trainc.systems.registry import of_kind
from trainc.systems.shared.devices import VISIBLE_DEVICES
from trainc.well_known import QUEUE_LABEL

# Values without a GPU:
# https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
_NO_DEVICES = ("", "none", "void")


def most_gpus(plan: Plan) -> int:
    """Return the GPUs of all pods of the largest world and of the servers, as the scheduler counts them."""
    largest = plan.world_sizes[-1].pods if plan.world_sizes else 0
    workers = sum(gpus_of(worker.pod) * count for worker, count in take(plan.workers, largest))
    return workers + sum(gpus_of(server.pod) * server.pod.multiplicity for server in plan.servers)


def gpus_of(pod: Pod) -> int:
    """Return the GPUs of a pod: of its containers together, or of an init container that needs more."""
    return int(sum(amount for name, amount in effective(pod, "requests").items() if is_gpu(name)))


def uncounted_gpus(pod: Pod) -> str:
    """Return by what a pod asks for GPUs other than a resource, in words: a claim, or a variable of NVIDIA's container
    runtime in a container without any; empty if it doesn't."""
    if pod.spec.get("resourceClaims"):
        return "resource claims"
    containers = (*items(pod.spec, "initContainers"), *items(pod.spec, "containers"))
    without = (each for each in containers if not any(map(is_gpu, mapping(each, "resources", "limits"))))
    return VISIBLE_DEVICES if any(map(_sees_gpus, without)) else ""


def _sees_gpus(container: Object) -> bool:
    variables = (each for each in items(container, "env") if text(each, "name") == VISIBLE_DEVICES)
    return any("valueFrom" in each or text(each, "value") not in _NO_DEVICES for each in variables)


def time_limit(resource: Object) -> int | None:
    """Return the seconds after which a job ends, None if nothing ends it. Restarts may count anew."""
    values = [number(resource, *path) for path in time_limits(resource)]
    return None if None in values else max((each for each in values if each is not None), default=None)


def queue_of(resource: Object) -> str:
    """Return the queue of Kueue that an object names, or of its own controller; empty without any."""
    system = of_kind(text(resource, "kind"), text(resource, "apiVersion"))
    own = text(resource, *system.traits.queue) if system and system.traits.queue else ""
    return text(resource, "metadata", "labels", QUEUE_LABEL) or own


def time_limits(resource: Object) -> list[Path]:
    """Return the paths of the fields that limit the time of a job together, whether it has them or not."""
    system = of_kind(text(resource, "kind"), text(resource, "apiVersion"))
    return list(_expanded(resource, system.traits.deadline)) if system and system.traits.deadline else []


def _expanded(resource: Object, path: Path) -> Iterator[Path]:
    """Yield a path for each item of `*`."""
    if "*" not in path:
        yield path
        return
    place = path.index("*")
    holder = at(resource, *path[:place])
    steps = holder if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
    for step in steps:
        yield from _expanded(resource, (*path[:place], step, *path[place + 1 :]))
