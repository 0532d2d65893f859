"""Pod of a worker as it will run: the pod of the IR with podTemplate merged into it, and the place of every value."""

from __future__ import annotations

from functools import cached_property

from trainc.ir.pod import PodPlan, Volume
from trainc.record import Record
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, mappings, plain, scalar_text
from trainc.source.object_tree import object_tree
from trainc.span import Span, Text, span_of
from trainc.spec.job import TrainingJob
from trainc.spec.section import inside, quantities
from trainc.systems.shared.objects.pod import present
from trainc.typenames import Any
from trainc.well_known import MAIN, is_node_memory

# https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/
EPHEMERAL = {"emptyDir": "emptyDir", "ephemeral": "ephemeral volume"}
# The kubelet mounts these read-only: https://kubernetes.io/docs/concepts/storage/volumes/
READ_ONLY = ("configMap", "secret", "projected", "downwardAPI", "image")


class Variable(Record):
    """Environment variable that the user sets. The value is None if it isn't known before the pod runs.

    `field_path` is the field of the pod that holds the value.
    """

    name: str
    value: str | None
    field_path: str | None
    span: Span


class Mounted(Record):
    """Mount in the training container, its path without a final slash, and the volume that is mounted.

    `sub_path` is the part of the volume that is mounted, empty for all of it. `by_trainc` is true of a volume that the
    user doesn't declare.
    """

    path: str
    sub_path: str
    read_only: bool
    volume: Volume
    origin: Span | None
    by_trainc: bool

    @property
    def is_persistent(self) -> bool:
        """Return whether files can be written, and outlive the pod."""
        return not self.is_read_only and not self.loss

    @property
    def is_read_only(self) -> bool:
        """Return whether no file can be written."""
        return self.read_only or self.volume.source.get("readOnly") is True or self.volume.kind in READ_ONLY

    @property
    def loss(self) -> str:
        """The volume and how it loses its files, as part of a message; empty for a volume that keeps them."""
        name, kind = self.volume.name, self.volume.kind
        if kind in EPHEMERAL:
            return f"the {EPHEMERAL[kind]} `{name}`: it is deleted with the pod"
        if kind == "hostPath" and is_node_memory(str(self.volume.source.get("path"))):
            return f"`{name}`, the node's memory: it is lost when the node restarts, and other nodes do not have it"
        return ""


class Container(Record):
    """Container in Kubernetes' form. `generated` is the span of all values that trainc sets."""

    node: Mapping
    generated: Span

    @property
    def name(self) -> str:
        return scalar_text(self.node.get("name"))

    @cached_property
    def requests(self) -> dict[str, str]:
        return self._quantities("requests")

    @cached_property
    def limits(self) -> dict[str, str]:
        return self._quantities("limits")

    @property
    def effective_requests(self) -> dict[str, str]:
        """Requests as the API server defaults them: a limit without a request is both."""
        return {**self.limits, **self.requests}

    @property
    def ports(self) -> list[Mapping]:
        return mappings(self.node.get("ports"))

    @cached_property
    def user_variables(self) -> list[Variable]:
        """Variables that the user sets by `env`, podTemplate or a field that names a variable."""
        variables = []
        for item in mappings(self.node.get("env")):
            if item.span is self.generated:
                continue
            span, source = item.where("name"), item.get("valueFrom")
            value = None if source else self._text(item.get("value"))
            field = inside(source, "fieldRef").get("fieldPath") if isinstance(source, Mapping) else None
            path = scalar_text(field) or None
            variables.append(Variable(name=scalar_text(item.get("name")), value=value, field_path=path, span=span))
        return variables

    def words(self, field: str) -> list[str]:
        """Return `command` or `args`; the user's words keep their spans."""
        node = self.node.get(field)
        return [self._text(item) for item in node.items] if isinstance(node, Sequence) else []

    def is_patched(self, field: str) -> bool:
        """Return whether podTemplate sets a field of the container."""
        node = self.node.get(field)
        return node is not None and node.span is not self.generated

    def _quantities(self, field: str) -> dict[str, str]:
        amounts = quantities(inside(self.node, "resources"), field)
        return {name: str(text) if span_of(text) is self.generated else text for name, text in amounts.items()}

    def _text(self, node: Node | None) -> str:
        """Return a scalar's text, with its span unless trainc sets it."""
        if not isinstance(node, Scalar) or node.span is self.generated:
            return scalar_text(node)
        return Text(node.text, node.span)


class Pod(Record):
    """Pod template of the workers after the merge. `emitted` is the spec without podTemplate, None if there is one."""

    template: Mapping
    generated: Span
    declared_volumes: frozenset[str]
    emitted: dict[str, Any] | None

    @cached_property
    def spec(self) -> Mapping:
        return inside(self.template, "spec")

    @cached_property
    def values(self) -> dict[str, Any]:
        """The spec as plain values, of which those of the user have spans."""
        return plain(self.spec) if self.emitted is None else self.emitted

    @cached_property
    def containers(self) -> list[Container]:
        return self._containers("containers")

    @cached_property
    def init_containers(self) -> list[Container]:
        return self._containers("initContainers")

    @cached_property
    def main(self) -> Container:
        """The training container."""
        empty = Container(node=Mapping({}, self.generated), generated=self.generated)
        return next((container for container in self.containers if container.name == MAIN), empty)

    @property
    def sidecars(self) -> list[Container]:
        """Containers that run next to the training container."""
        always = [item for item in self.init_containers if scalar_text(item.node.get("restartPolicy")) == "Always"]
        return [*(container for container in self.containers if container.name != MAIN), *always]

    @cached_property
    def mounts(self) -> list[Mounted]:
        """Mounts of the training container, each path once."""
        volumes = {volume.name: volume for volume in map(_volume, mappings(self.spec.get("volumes"))) if volume}
        mounts: dict[str, Mounted] = {}
        for item in mappings(self.main.node.get("volumeMounts")):
            volume, span = volumes.get(scalar_text(item.get("name"))), item.where("mountPath")
            path = scalar_text(item.get("mountPath")).rstrip("/")
            if volume is not None:
                mounts[path] = Mounted(
                    path=path,
                    sub_path=scalar_text(item.get("subPath")) or scalar_text(item.get("subPathExpr")),
                    read_only=scalar_text(item.get("readOnly")) == "true",
                    volume=volume,
                    origin=None if span is self.generated else span,
                    by_trainc=volume.name not in self.declared_volumes,
                )
        return list(mounts.values())

    def mount_of(self, path: str) -> Mounted | None:
        """Return the innermost mount that contains a path."""
        folder = path.rstrip("/") + "/"
        above = [mount for mount in self.mounts if folder.startswith(mount.path + "/")]
        return max(above, key=lambda mount: len(mount.path), default=None)

    def _containers(self, field: str) -> list[Container]:
        return [Container(node=item, generated=self.generated) for item in mappings(self.spec.get(field))]


def worker_pod(spec: TrainingJob, plan: PodPlan, pod_spec: dict[str, Any], origin: Span) -> Pod:
    """Return the pod that a job's workers run as, from the spec that the back end emits.

    `origin` is where diagnostics about generated values point.
    """
    generated = origin.until(origin.end_line, origin.end_column)  # a span of its own, to tell generated values by it
    metadata = {field: inside(spec.metadata.node, field) for field in ("labels", "annotations")}
    if plan.annotations:
        own = {
            name: Entry(Scalar(name, name, generated), Scalar(value, value, generated))
            for name, value in plan.annotations.items()
        }
        annotations = metadata["annotations"]
        metadata["annotations"] = Mapping({**own, **annotations.entries}, annotations.span)
    pod_spec = present(pod_spec)
    template = object_tree({"metadata": metadata, "spec": pod_spec}, generated)
    assert isinstance(template, Mapping)
    declared = {volume.name for volume in spec.volumes}
    if plan.patch is not None:
        from trainc.emit.patch import merge

        template = merge(template, plan.patch)
        declared |= {scalar_text(item.get("name")) for item in mappings(inside(plan.patch, "spec").get("volumes"))}
    emitted = pod_spec if plan.patch is None else None
    return Pod(template=template, generated=generated, declared_volumes=frozenset(declared), emitted=emitted)


def _volume(item: Mapping) -> Volume | None:
    for kind, entry in item.entries.items():
        if isinstance(entry.value, Mapping):
            source, origin = plain(entry.value), entry.key.span
            return Volume(name=scalar_text(item.get("name")), kind=kind, source=source, origin=origin)
    return None
