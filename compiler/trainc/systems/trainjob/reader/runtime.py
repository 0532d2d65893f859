"""Runtime of a TrainJob as a tree: from the input, or one that Kubeflow Trainer ships."""

from __future__ import annotations

from dataclasses import dataclass

from trainc.emit.patch import merge
from trainc.source.node import Mapping, build_tree, mappings, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.own_output import without_own_additions
from trainc.systems.shared.reader.pod_trees import with_containers
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.fields import OF_CONTAINER, PATCHES, RESOURCES, RUNTIME
from trainc.systems.trainjob.shipped import SHIPPED


@dataclass(frozen=True)
class Runtime:
    """A runtime and its sections, and the node of its pod template."""

    document: ForeignMapping
    spec: ForeignMapping
    policy: ForeignMapping
    job_set: ForeignMapping
    replicated: ForeignMapping
    job_spec: ForeignMapping
    pod: Mapping


def read_runtime(spec: ForeignMapping) -> ForeignMapping | None:
    """Return the runtime that a TrainJob refers to, or None after an error."""
    report, section = spec.report, spec.section(RUNTIME)
    name = section.string("name") if section is not None else None
    if section is None or name is None:
        report.add_error(f"the job has no `spec.{RUNTIME}.name`", spec.where(RUNTIME))
        return None
    kind = section.choice("kind", facts.RUNTIME_KINDS) if "kind" in section else facts.CLUSTER_RUNTIME
    section.ignore("apiGroup")
    if kind is None:
        return None
    for each in report.other_objects:
        own_name = scalar_text(child(each, "metadata", "name"))
        if (scalar_text(each.get("kind")), own_name) == (kind, name):
            report.parts.append(each)
            return ForeignMapping(without_own_additions(each), report, kind)
    if kind == facts.CLUSTER_RUNTIME and name in SHIPPED:
        node = build_tree(SHIPPED[name], name.span)
        assert isinstance(node, Mapping)
        return ForeignMapping(node, report, kind)
    message = f"the {kind} `{name}`, which has the pods of this TrainJob, is not in the input"
    help_ = f"pass its file too: kubectl get {kind.lower()} {name} -o yaml"
    report.add_error(message, name.span, help=help_)
    return None


def patched_pod(spec: ForeignMapping, template: Mapping, job_name: str) -> Mapping:
    """Return the pod template of a replicated job with the TrainJob's patches."""
    for patch in mappings(spec.node.get(PATCHES[0])):
        jobs = child(patch, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        for job in mappings(jobs):
            pod = child(job, "template", "spec", "template")
            if scalar_text(job.get("name")) == job_name and isinstance(pod, Mapping):
                template = merge(template, pod)
    for override in mappings(spec.node.get(PATCHES[1])):
        if any(scalar_text(each.get("name")) == job_name for each in mappings(override.get("targetJobs"))):
            template = merge(template, without_entries(override, "targetJobs"))
    return template


def with_trainer(template: Mapping, trainer: Mapping) -> Mapping:
    """Return the template with the trainer's fields in the container `node`."""
    entries = {name: trainer.entries[name] for name in OF_CONTAINER if name in trainer.entries}
    resources = trainer.entries.get(RESOURCES)
    name = build_tree(facts.NODE, trainer.span.first)
    container = with_entry(Mapping(entries, trainer.span), "name", name)
    if resources is not None and isinstance(resources.value, Mapping):
        template = _without_claims(template)
        container = with_entry(container, "resources", resources.value)
    patch = build_tree({"spec": {"containers": [container]}}, trainer.span)
    assert isinstance(patch, Mapping)
    return merge(template, patch)


def _without_claims(template: Mapping) -> Mapping:
    """Return a template whose training container has no resource claims: the operator copies requests and limits."""

    def change(container: Mapping) -> Mapping:
        resources = container.get("resources")
        if scalar_text(container.get("name")) != facts.NODE or not isinstance(resources, Mapping):
            return container
        return with_entry(container, "resources", without_entries(resources, "claims"))

    return with_containers(template, change)
