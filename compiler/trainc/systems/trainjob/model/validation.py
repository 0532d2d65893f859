"""Reasons why Kubeflow Trainer 2.3 or JobSet's webhook rejects a TrainJob or its runtime.

Docstrings name the functions that the code follows, of https://github.com/kubeflow/trainer/tree/v2.3.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.model.jobset import node_count
from trainc.systems.trainjob.model.runtime import reference, replicated_jobs

_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9/%:@._~!$&'()*+,;=-]+")
_RANDOM = "-abcde"  # that a Job appends to the names of its pods
_LONGEST = 63
_REF = ("spec", "runtimeRef")
_JOBS = ("spec", "template", "spec", "replicatedJobs")
_VOLUME = "initializer"  # VolumeNameInitializer of pkg/runtime/framework/plugins/jobset/constants
_ENV = ("spec", "trainer", "env")


def missing_runtime(resource: Object) -> Finding:
    """Return the error of a TrainJob whose runtime is unknown: ValidateObjects of pkg/runtime/core/trainingruntime.go
    and clustertrainingruntime.go."""
    kind, name = reference(resource)
    if kind not in facts.RUNTIME_KINDS:
        return rejection(f"`{kind}` is not a kind of runtime: use {' or '.join(facts.RUNTIME_KINDS)}", *_REF, "kind")
    reason = f"the {kind} `{name}` is not in the input: the job is checked without the parts that it has"
    help_ = f"pass its file too: kubectl get {kind.lower()} {name} -o yaml"
    return rejection(reason, *_REF, "name", help=help_)


def errors_without_runtime(resource: Object) -> Iterator[Finding]:
    """Yield the errors that a TrainJob has with every runtime."""
    name, manager = text(resource, "metadata", "name"), text(resource, "spec", "managedBy")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        yield rejection(f"name `{name}` is not a DNS label that starts with a letter", "metadata", "name")
    if manager and manager not in facts.MANAGERS:  # validated by the CRD's own rule
        yield rejection(f"managedBy `{manager}` is none of {', '.join(facts.MANAGERS)}", "spec", "managedBy")


def errors(resource: Object, runtime: Object) -> Iterator[Finding]:
    """Yield all errors of a TrainJob and its runtime."""
    own = list(errors_without_runtime(resource))
    yield from own
    if not any(each.path[:1] == ("metadata",) for each in own):
        yield from _long_names(resource, runtime)
    group = at(resource, *_REF, "apiGroup")
    if group not in (None, facts.GROUP):
        reason = f"runtimes have the apiGroup {facts.GROUP}, not `{group}`"
        yield rejection(reason, *_REF, "apiGroup", help="remove it", fix=REMOVE)
    yield from _runtime_errors(runtime)
    policy = mapping(runtime, "spec", "mlPolicy")
    for source, reserved in facts.RESERVED.items():
        for index, variable in enumerate(items(resource, *_ENV) if at(policy, source) is not None else ()):
            if text(variable, "name") in reserved:
                reason = f"`{text(variable, 'name')}` is reserved: the runtime's policy `{source}` sets it"
                yield rejection(reason, *_ENV, index, "name", help="remove it", fix=REMOVE)
    yield from _initializer_errors(resource, runtime)
    yield from _node_errors(resource, runtime)
    yield from _patch_errors(resource, runtime)


def _long_names(resource: Object, runtime: Object) -> Iterator[Finding]:
    """The API server accepts the TrainJob, but JobSet's webhook no JobSet of it: ValidateCreate of
    https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go"""
    name = text(resource, "metadata", "name")
    for job in replicated_jobs(runtime):
        last = node_count(resource, runtime, job) - 1
        excess = len(f"{name}-{text(job, 'name')}-0-{last}{_RANDOM}") - _LONGEST
        if excess > 0:
            reason = f"name `{name}` is {excess} characters too long for the names of its pods"
            yield rejection(reason, "metadata", "name", help=f"use at most {len(name) - excess} characters")
            return


def _runtime_errors(runtime: Object) -> Iterator[Finding]:
    """validateReplicatedJobs of pkg/webhooks/trainingruntime_webhook.go"""
    name, kind = text(runtime, "metadata", "name"), text(runtime, "kind")
    required = {facts.TRAINER: facts.NODE, **{each: each for each in facts.INITIALIZERS}}
    for index, job in enumerate(replicated_jobs(runtime)):
        path = (*_JOBS, index)
        step = text(job, "template", "metadata", "labels", facts.ANCESTOR_LABEL)
        if step not in required:
            continue
        if (number(job, "replicas") or 1) != 1:
            reason = f"the runtime `{name}` is invalid: replicas of `{text(job, 'name')}` must be 1"
            yield rejection(reason, *path, "replicas", part=kind)
        containers = items(job, "template", "spec", "template", "spec", "containers")
        if all(text(each, "name") != required[step] for each in containers):
            reason = f"the runtime `{name}` is invalid: `{text(job, 'name')}` has no container `{required[step]}`"
            yield rejection(reason, *path, "template", "spec", "template", "spec", "containers", part=kind)
    sources = [source for source in facts.POLICIES if at(runtime, "spec", "mlPolicy", source) is not None]
    if len(sources) > 1:
        reason = f"the runtime `{name}` is invalid: it has the policies {', '.join(sources)}"
        yield rejection(reason, "spec", "mlPolicy", sources[1], help="keep one of them", part=kind)


def _node_errors(resource: Object, runtime: Object) -> Iterator[Finding]:
    """Validate of pkg/runtime/framework/plugins/mpi/mpi.go, and the CRD's limits of numProcPerNode."""
    nodes = number(resource, "spec", "trainer", "numNodes")
    as_node = at(runtime, "spec", "mlPolicy", "mpi", "runLauncherAsNode") is True
    names = {text(each, "name") for each in replicated_jobs(runtime)}
    if (nodes or 1) > 1 and as_node and not {facts.NODE, facts.LAUNCHER} <= names:
        reason = f"numNodes must be 1: the runtime runs the launcher as a node, but has only {', '.join(sorted(names))}"
        yield rejection(reason, "spec", "trainer", "numNodes")


def _initializer_errors(resource: Object, runtime: Object) -> Iterator[Finding]:
    """Validate of pkg/runtime/framework/plugins/jobset/jobset.go."""
    jobs = {text(job, "name"): job for job in replicated_jobs(runtime)}
    name = text(runtime, "metadata", "name")
    for field, step in zip(("dataset", "model"), facts.INITIALIZERS, strict=True):
        path = ("spec", "initializer", field)
        if at(resource, *path) is None:
            continue
        containers = items(jobs.get(step, {}), "template", "spec", "template", "spec", "containers")
        own = next((each for each in containers if text(each, "name") == step), None)
        help_ = "use a runtime with initializers, or remove it"
        if step not in jobs:
            yield rejection(f"the runtime `{name}` has no job `{step}`, which {field} requires", *path, help=help_)
        elif own is None:
            yield rejection(f"`{step}` of the runtime `{name}` has no container `{step}`", *path, help=help_)
        elif all(text(each, "name") != _VOLUME for each in items(own, "volumeMounts")):
            reason = f"the container `{step}` of the runtime `{name}` does not mount the volume `{_VOLUME}`"
            yield rejection(reason, *path, help=help_)


def _patch_errors(resource: Object, runtime: Object) -> Iterator[Finding]:
    """Validate of pkg/runtime/framework/plugins/jobset/jobset.go; the list is a map by manager."""
    known = {text(job, "name"): job for job in replicated_jobs(runtime)}
    managers: set[str] = set()
    for place, patch in enumerate(items(resource, "spec", "runtimePatches")):
        path = ("spec", "runtimePatches", place)
        if text(patch, "manager") in managers:
            reason = f"another patch has the manager `{text(patch, 'manager')}`"
            yield rejection(reason, *path, "manager", help="merge the patches, or use another manager")
        managers.add(text(patch, "manager"))
        if not _DOMAIN.fullmatch(text(patch, "manager")):
            reason = f"manager `{text(patch, 'manager')}` is not a name with a domain, like example.com/team"
            yield rejection(reason, *path, "manager")
        inner = (*path, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        for index, job in enumerate(items(resource, *inner)):
            pod = mapping(job, "template", "spec", "template", "spec")
            yield from _pod_errors(known, text(job, "name"), pod, (*inner, index))
    for place, override in enumerate(items(resource, "spec", "podTemplateOverrides")):
        path = ("spec", "podTemplateOverrides", place)
        for target in items(override, "targetJobs"):
            yield from _pod_errors(known, text(target, "name"), mapping(override, "spec"), path)


def _pod_errors(known: dict[str, Object], name: str, pod: Object, path: tuple[str | int, ...]) -> Iterator[Finding]:
    if name not in known:
        yield rejection(f"the runtime has no replicated job `{name}`: it has {', '.join(known)}", *path, "name")
        return
    spec = mapping(known[name], "template", "spec", "template", "spec")
    names = {text(each, "name") for kind in ("initContainers", "containers") for each in items(spec, kind)}
    for kind in ("initContainers", "containers"):
        for container in items(pod, kind):
            of = text(container, "name")
            if of not in names:
                yield rejection(f"`{name}` has no container `{of}` in the runtime: a patch adds none", *path)
            elif items(container, "env") and of in (facts.NODE, *facts.INITIALIZERS) and kind == "containers":
                reason = f"a patch must not set variables of `{of}`"
                yield rejection(reason, *path, help="use spec.trainer.env")
