"""Fields of pods anywhere in an object: in any kind, template, patch, and kind of container.

An object of an unknown kind may create pods too, so that fields are recognized by their names, not by their paths.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.usage import is_gpu
from trainc.record import Record
from trainc.schema.paths import Path
from trainc.source.node import Mapping, Node, Scalar, Sequence, scalar_text

# Objects with the user's texts, and mappings whose keys are names.
_TEXTS = ("ConfigMap", "Secret")
_NAMES = ("metadata", "status", "nodeSelector", "selector", "matchLabels", "parameters", "volumeAttributes", "options")
_FLAGS = ("hostNetwork", "hostPID", "hostIPC")


class PodField(Record):
    """Field of a pod: `name` is `image` or what a policy may forbid, `value` the reference, path or port."""

    name: str
    value: str
    path: Path


def pod_fields(document: Mapping) -> Iterator[PodField]:
    """Yield the images, and the fields that a policy may forbid, of an object, in the order of the text."""
    kind = scalar_text(document.get("kind"))
    if kind not in _TEXTS:
        for path, value in _values(document):
            yield from _field(kind, path, value)


def gpu_limits(document: Mapping) -> Iterator[Path]:
    """Yield the paths of numbers of GPUs in the limits of containers."""
    for path, _ in _values(document):
        if path[-2:-1] == ("limits",) and is_gpu(str(path[-1])):
            yield path


def _values(document: Mapping) -> Iterator[tuple[Path, Node]]:
    """Yield all values but those below names that users choose, each before those in it."""
    pending: list[tuple[Path, Node]] = [((), document)]
    while pending:
        path, node = pending.pop()
        if path:
            yield path, node
        if isinstance(node, Sequence):
            pending += reversed([((*path, index), item) for index, item in enumerate(node.items)])
        elif isinstance(node, Mapping) and not (path and path[-1] in _NAMES):
            pending += reversed([((*path, name), value) for name, value in node.items()])


def _field(kind: str, path: Path, value: Node) -> Iterator[PodField]:
    name, holder = path[-1], path[-2] if len(path) > 1 else ""
    if name == "image":
        reference = value.get("reference") if isinstance(value, Mapping) else value  # a volume has a mapping
        if isinstance(reference, Scalar) and reference.value is not None:
            end = ("reference",) if isinstance(value, Mapping) else ()
            yield PodField(name="image", value=reference.text, path=(*path, *end))
    elif name in _FLAGS and _is_true(value):
        yield PodField(name=str(name), value="", path=path)
    elif (name == "hostPath" or (name, kind) == ("local", "PersistentVolume")) and isinstance(value, Mapping):
        yield _host_path(path, value)
    elif name == "hostPort" and scalar_text(value) not in ("", "0"):
        yield PodField(name="hostPorts", value=scalar_text(value), path=path)
    elif (name, holder) in (("privileged", "securityContext"), ("hostProcess", "windowsOptions")) and _is_true(value):
        yield PodField(name="privileged", value="", path=path)


def _host_path(path: Path, value: Mapping) -> PodField:
    end = ("path",) if "path" in value.entries else ()
    return PodField(name="hostPath", value=scalar_text(value.get("path")), path=(*path, *end))


def _is_true(value: Node) -> bool:
    return isinstance(value, Scalar) and str(value.value).lower() == "true"
