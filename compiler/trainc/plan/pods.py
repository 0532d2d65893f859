"""Pods that Kubernetes' controllers create from manifests, with their names and labels."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import Object, at, identity, listed, mapping, text
from trainc.plan.models import native_model
from trainc.plan.sample import EVERY_POD, Sample
from trainc.record import Record
from trainc.systems.shared.model import controllers
from trainc.systems.shared.pod_counts import excess


class Pod(Record):
    """Pod as in the API server, or several pods that differ only in their index.

    `domain` is the DNS domain of the cluster, empty if it is unknown. `index` is the position of the pod among the pods
    of its owner, `number` the number in its name. `multiplicity` is the number of pods that the record represents: this
    one and its successors. `on_scale_up` marks pods that exist only after a scale-up.

    An operator sets `created_by` to its name, `training_container`, `is_debugged` if its debug mode replaces the
    command by one that waits, and `start_command` if the command of one pod starts the processes of all. `is_launcher`
    marks such a pod if it is not a worker itself.
    """

    name: str
    hostname: str
    subdomain: str
    namespace: str
    domain: str = ""
    index: int
    number: int
    labels: dict[str, str]
    annotations: dict[str, str]
    owner: str
    spec: Object
    on_scale_up: bool = False
    multiplicity: int = 1
    training_container: str = ""
    created_by: str = ""
    is_debugged: bool = False
    start_command: tuple[str, ...] = ()
    is_launcher: bool = False

    @property
    def job(self) -> str:
        """Name of the Job that creates the pod; empty for other pods."""
        return self.labels.get("batch.kubernetes.io/job-name", "")


class ReplicaRange(Record):
    """Numbers of pods that a controller may have; `is_scaled` if an autoscaler changes them."""

    minimum: int
    initial: int
    maximum: int
    is_scaled: bool = False


def create_pods(objects: list[Object], sample: Sample = EVERY_POD) -> Iterator[Pod]:
    """Yield the pods of all objects; those of a controller in the order of their indexes.

    An object that an operator creates has an owner, whose pods its own are.
    """
    owners = {identity(each): controllers(each) for each in objects if text(each, "createdBy")}
    next_index: dict[str, int] = {}
    for manifest in objects:
        model = native_model(manifest)
        owner = _first_owner(manifest, owners)
        for pod in model.create_pods(manifest, objects, sample) if model and not excess(manifest) else ():
            if owner or (text(manifest, "kind") == "Pod" and pod.owner):
                owned = pod.replace(owner=owner or pod.owner)
                index = next_index.get(owned.owner, 0)
                next_index[owned.owner] = index + pod.multiplicity
                yield owned.replace(index=index)
            else:
                yield pod


def _first_owner(manifest: Object, owners: dict[tuple[str, str], list[tuple[str, str]]]) -> str:
    """Return the object for which operators have created this one; empty for an object of the manifests."""
    owner = identity(manifest)
    while owners.get(owner):
        owner = owners[owner][0]
    return "" if owner == identity(manifest) else "/".join(owner)


def new_pod(manifest: Object, spec: Object, owner: str, name: str, index: int, labels: Object) -> Pod:
    """Return a pod with this spec. Its hostname is its name unless the spec sets one."""
    return Pod(
        name=name,
        hostname=text(spec, "hostname") or name,
        subdomain=text(spec, "subdomain"),
        namespace=text(manifest, "metadata", "namespace"),
        index=index,
        number=index,
        labels={key: str(value) for key, value in labels.items()},
        annotations=mapping(manifest, "metadata", "annotations"),
        owner=owner,
        spec=spec,
        created_by=text(manifest, "createdBy"),
        start_command=tuple(listed(manifest, "startCommand")),
        is_launcher=at(manifest, "launcher") is True,
    )


def autoscalers(objects: list[Object]) -> Iterator[tuple[Object, tuple[str, str]]]:
    """Yield each HorizontalPodAutoscaler with the kind and name of the object that it scales."""
    for each in objects:
        if text(each, "kind") == "HorizontalPodAutoscaler":
            target = mapping(each, "spec", "scaleTargetRef")
            yield each, (text(target, "kind"), text(target, "name"))


def autoscaler(manifest: Object, objects: list[Object]) -> Object:
    """Return the HorizontalPodAutoscaler of a controller, or an empty mapping."""
    return next((each for each, target in autoscalers(objects) if target == identity(manifest)), {})
