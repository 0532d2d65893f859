"""Workers of a job, and the pods that serve them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from trainc.plan.container import RuntimeValues, resolve_container, training_container
from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.launch import Surroundings, launch_surroundings, recognize_launch
from trainc.plan.models import serves_workers
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import Pod
from trainc.plan.usage import known_gpus, pod_usage
from trainc.plan.world import Worker
from trainc.record import Record
from trainc.well_known import MAX_ARGUMENT


class Server(Record):
    """Pod that serves the workers and does not train, like etcd or a launcher pod."""

    pod: Pod
    names: tuple[str, ...]
    cpus: Fraction
    memory: Fraction

    @property
    def workload(self) -> str:
        """Kind and name of what creates the pod, or of the Pod itself."""
        return self.pod.owner or f"Pod/{self.pod.name}"


def split_pods(pods: Sequence[Pod], names: NameResolver, objects: list[Object]) -> tuple[list[Worker], list[Server]]:
    """Return the workers, and the pods that serve them."""
    workers, servers, values, surroundings = [], [], _operator_values(objects), launch_surroundings(objects)
    for position, pod in enumerate(pods):
        own_names = tuple(names.names_of(position))
        if pod.is_launcher or serves_workers(pod.owner.partition("/")[0], pod.spec):
            usage = pod_usage(pod, {})
            servers.append(Server(pod=pod, names=own_names, cpus=usage.cpus, memory=usage.memory))
        else:
            workers.append(_worker(pod, position, own_names, surroundings, values))
    # Of a resource with several Jobs those whose pods start no launcher serve the others, such as an inference server.
    joined = {worker.pod.job for worker in workers if worker.launch.joins}
    alone = {worker.pod.job for worker in workers if not worker.launch.has_launcher} - joined if joined else set()
    for worker in workers:
        if worker.pod.job in alone:
            usage = worker.usage
            servers.append(Server(pod=worker.pod, names=worker.names, cpus=usage.cpus, memory=usage.memory))
    return [worker for worker in workers if worker.pod.job not in alone], servers


def _operator_values(objects: list[Object]) -> RuntimeValues:
    """Return the contents of the ConfigMaps that operators create, but for values too long for a variable."""
    created = (each for each in objects if text(each, "kind") == "ConfigMap" and text(each, "createdBy"))
    contents = {
        ("ConfigMap", text(each, "metadata", "name")): {
            key: value
            for key, value in mapping(each, "data").items()
            if isinstance(value, str) and len(value) < MAX_ARGUMENT
        }
        for each in created
    }
    return RuntimeValues(contents=contents)


def _worker(
    pod: Pod, position: int, names: tuple[str, ...], surroundings: Surroundings, values: RuntimeValues
) -> Worker:
    manifest = training_container(pod)
    usage, container = pod_usage(pod, manifest), resolve_container(pod, manifest, values)
    return Worker(
        pod=pod,
        position=position,
        container=container,
        init_containers=tuple(resolve_container(pod, each) for each in items(pod.spec, "initContainers")),
        usage=usage,
        launch=recognize_launch(container, pod, known_gpus(pod, manifest), surroundings),
        names=names,
    )
