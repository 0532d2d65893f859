"""Values in a pod's spec that the API server accepts in a template; admission or the kubelet rejects or changes them.

https://github.com/kubernetes/kubernetes/tree/v1.36.0/pkg/kubelet
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, items, number, text

# ParseNormalizedNamed in https://github.com/distribution/reference/blob/v0.6.0/regexp.go
_HOST = r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]+)?/"
_PATH = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_TAG, _DIGEST = r":[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", "@[A-Za-z][A-Za-z0-9+._-]*:[0-9A-Fa-f]{32,}"
_IMAGE = re.compile(rf"({_HOST})?{_PATH}(/{_PATH})*({_TAG})?({_DIGEST})?")
# The classes that every cluster has: pkg/apis/scheduling/helpers.go
_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
_TEMPLATE = re.compile(r"[${}<>%]")  # the rule about unrendered templates reports it


def kubelet_errors(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Check a pod's spec."""
    for field in ("initContainers", "containers"):
        for index, container in enumerate(items(pod, field)):
            image = text(container, "image")
            if image and not _IMAGE.fullmatch(image) and not _TEMPLATE.search(image):
                # InvalidImageName: pkg/kubelet/images/image_manager.go
                reason = f"`{image}` is not the name of an image"
                yield _never_starts(
                    reason, *path, field, index, "image", help="write it like registry.example/train:1.0"
                )
            yield from _variables(container, *path, field, index)
            yield from _mounts(container, *path, field, index)
    for index, volume in enumerate(items(pod, "volumes")):
        medium = text(volume, "emptyDir", "medium")
        if medium not in ("", "Memory", "HugePages") and not medium.startswith("HugePages-"):
            # SetUpAt: pkg/volume/emptydir/empty_dir.go
            known = next((each for each in ("Memory", "HugePages") if each.lower() == medium.strip().lower()), None)
            fix = ("set", known) if known else None
            help_ = f"write `{known}`" if known else "write Memory or HugePages, or remove it"
            where = (*path, "volumes", index, "emptyDir", "medium")
            yield _never_starts(f"`{medium}` is not a medium of an emptyDir", *where, help=help_, fix=fix)
    yield from _priority(pod, *path)
    if (number(pod, "terminationGracePeriodSeconds") or 0) < 0:
        # CheckGracefulDelete: pkg/registry/core/pod/strategy.go
        reason = "a negative grace period is 1 second"
        yield _read_otherwise(reason, *path, "terminationGracePeriodSeconds", help="set a number from 0")


def _priority(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Compare the priority with that of the class; without a class it is 0, or that of the cluster's default class.

    computePriority of plugin/pkg/admission/priority/admission.go
    """
    priority, name = number(pod, "priority"), text(pod, "priorityClassName")
    if priority is None or priority == _PRIORITIES.get(name, priority if name else 0):
        return
    where, help_ = (*path, "priority"), "remove it" if name else "remove it, or set priorityClassName instead"
    if name:
        reason = f"the API server rejects pods of class `{name}` with a priority other than {_PRIORITIES[name]}"
        yield _never_starts(reason, *where, help=help_, fix=REMOVE)
    else:
        reason = f"the API server rejects pods with `priority: {priority}` unless the default PriorityClass has it"
        yield _read_otherwise(reason, *where, help=help_)


def _variables(container: Object, *path: str | int) -> Iterator[Finding]:
    """Report variables with the same name, of which the kubelet uses the last.

    https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#environment-variables
    """
    last = {text(each, "name"): index for index, each in enumerate(items(container, "env"))}
    for index, variable in enumerate(items(container, "env")):
        name = text(variable, "name")
        if last[name] != index:
            where = (*path, "env", last[name], "name")
            yield _read_otherwise(f"the last value of `{name}` replaces the others", *where, help="remove the others")


def _mounts(container: Object, *path: str | int) -> Iterator[Finding]:
    """Report relative mount paths, and mounts that hide others: makeMounts of pkg/kubelet/kubelet_pods.go."""
    known: dict[str, str] = {}
    for index, mount in enumerate(items(container, "volumeMounts")):
        target, where = text(mount, "mountPath"), (*path, "volumeMounts", index, "mountPath")
        absolute = posixpath.normpath(f"/{target}")
        if target and not target.startswith("/"):
            help_ = f"write `/{target}`"
            reason = f"the kubelet mounts the volume at `/{target}`"
            yield _read_otherwise(reason, *where, help=help_, fix=("set", f"/{target}"))
        elif ":" in target:
            # "Must not contain ':'", which ends the path for Docker:
            # https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#volumes-1
            reason = f"a container runtime may read only the part of `{target}` before the colon"
            yield _read_otherwise(reason, *where, help="write a path without a colon")
        elif known.get(absolute, target) != target:
            yield _read_otherwise(f"it hides the volume at `{known[absolute]}`", *where, help="mount it elsewhere")
        known[absolute] = target


def _never_starts(reason: str, *path: str | int, help: str, fix: tuple[str, object] | None = None) -> Finding:
    """Return the reason why a pod that the API server accepts never starts."""
    return rejection(reason, *path, help=help, fix=fix, code=codes.POD_NEVER_STARTS)


def _read_otherwise(effect: str, *path: str | int, help: str, fix: tuple[str, object] | None = None) -> Finding:
    """Return the effect of a value that the API server accepts, but that Kubernetes doesn't use as it is written."""
    return rejection(effect, *path, help=help, fix=fix, code=codes.VALUE_READ_OTHERWISE)
