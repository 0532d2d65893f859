"""Translate a StatefulSet whose pods train together, with its autoscaler.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

import base64
import json

from trainc.commandline.word import parse_count
from trainc.source.node import Mapping, Node, Scalar, Sequence, build_tree, mappings, plain, scalar_text
from trainc.systems.shared.autoscaler import DEFAULT_METRIC, can_scale
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.numbered_pods import Workers, assemble, read_pods, read_sections, translate_workers
from trainc.systems.shared.reader.own_output import is_own
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.pod_trees import with_containers, with_volumes
from trainc.systems.shared.reader.training import trains as is_training
from trainc.systems.shared.reader.tree import child, items, with_entry, without_entries
from trainc.systems.statefulset.self_termination import SCRIPT
from trainc.systems.statefulset.traits import INDEX_LABEL, TRAITS

# Names in a StatefulSet by the paths of trainc's fields.
NAMES = {"workers": "spec.replicas"}
_PYTHON, _OWN_ARGUMENTS = ("python3", "-I", "-c"), 3  # the set, its autoscaler, the worker's number
# Defaults of the API server, and the selector, which is trainc's own in the translated job.
_WITHOUT_EFFECT = ("selector", "revisionHistoryLimit", "minReadySeconds", "persistentVolumeClaimRetentionPolicy")


def trains(document: Mapping) -> bool:
    """Return whether the StatefulSet's pods train, which most do not: without end a program serves."""
    return is_training(document, completes=False)


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    sections = read_sections(document)
    if sections is None:
        return None
    metadata, queue, spec, template = sections
    spec.ignore(*_WITHOUT_EFFECT)
    template.ignore_all()
    main = read_pods(document, _without_script(_with_claims(spec, template)))
    if main is None:
        return None
    scaler = _autoscaler(document)
    replicas = spec.integer("replicas")
    where = spec.where("replicas") if replicas is not None else spec.node.span.first
    is_paused = replicas == 0
    count = replicas or _paused_workers(main) if is_paused else (1 if replicas is None else replicas)
    bounds = _bounds(scaler, template, main) if scaler is not None and not is_paused else None
    if bounds is not None:
        low = bounds[0]
        if replicas is not None and replicas != low:
            message = f"the autoscaler starts the job with {low} workers, not with {replicas}"
            document.report.add_change(message, where)
        count = low
    workers = Workers(
        section=spec,
        count=Scalar(count, str(count), where),
        index_labels=(INDEX_LABEL,),
        service=spec.string("serviceName") or "",
        has_ordinals=True,
    )
    fields = translate_workers(metadata, main, workers, [document.node])
    if scaler is not None and bounds is not None:
        fields |= {"workers": None, "elastic": _elastic(scaler, bounds)}
    fields["lifecycle"] = (
        {} if is_own(document.node) else {"stopWhenDone": Scalar(value=False, text="false", span=where)}
    )
    fields["mode"] = "paused" if is_paused else None
    _report_others(spec)
    return assemble(document, metadata, queue, main, fields)


def _paused_workers(main: TranslatedPod) -> int:
    """Return the number of workers of a StatefulSet without pods: that of its launcher's nodes or hosts."""
    env = main.literal_env()
    hosts = next((word for word in main.args if word.startswith("--world_info=")), "").partition("=")[2]
    try:
        return len(json.loads(base64.urlsafe_b64decode(hosts)))
    except (ValueError, TypeError):
        return parse_count(env.get("PET_NNODES", "").rpartition(":")[2] or env.get("WORLD_SIZE", "")) or 1


def _with_claims(spec: ForeignMapping, template: ForeignMapping) -> ForeignMapping:
    """Return the pods with a volume for each template of a claim; these volumes end with their pods."""
    volumes = []
    for claim in mappings(spec.consume("volumeClaimTemplates")):
        where, name = claim.span.first, scalar_text(child(claim, "metadata", "name"))
        source = {"volumeClaimTemplate": {"spec": claim.get("spec")}}
        volumes.append(build_tree({"name": name, "ephemeral": source}, where))
        why = "it becomes an ephemeral volume, which is deleted with its pod"
        help_ = "use a volume that all workers mount, for checkpoints"
        spec.report.add_dropped(f"{spec.path_of('volumeClaimTemplates')}[{name}]", where, why, help=help_)
    node = with_volumes(template.node, volumes) if volumes else template.node
    return ForeignMapping(node, template.report, template.path)


def _without_script(template: ForeignMapping) -> ForeignMapping:
    """Return the pods with the program in place of trainc's script, whose arguments end with it."""

    def change(container: Mapping) -> Mapping:
        command, args = items(container.get("command")), items(container.get("args"))
        if [scalar_text(word) for word in command] != [*_PYTHON, SCRIPT] or len(args) <= _OWN_ARGUMENTS:
            return container
        program = Sequence(args[_OWN_ARGUMENTS:], args[0].span)
        return without_entries(with_entry(container, "command", program), "args")

    return ForeignMapping(with_containers(template.node, change), template.report, template.path)


def _autoscaler(document: ForeignMapping) -> Mapping | None:
    """Return the autoscaler of the StatefulSet, which is part of the job."""
    name = scalar_text(child(document.node, "metadata", "name"))
    for each in document.report.other_objects:
        target = child(each, "spec", "scaleTargetRef")
        scaled = (scalar_text(child(target, "kind")), scalar_text(child(target, "name")))
        if scalar_text(each.get("kind")) == "HorizontalPodAutoscaler" and scaled == (TRAITS.kind, name):
            document.report.parts.append(each)
            document.report.replaced_objects.append(each)
            return each
    return None


def _bounds(scaler: Mapping, template: ForeignMapping, main: TranslatedPod) -> tuple[int, int] | None:
    """Return the fewest and most replicas; None for an autoscaler that can measure nothing, unless it is trainc's."""
    low, high = (child(scaler, "spec", name) for name in ("minReplicas", "maxReplicas"))
    values = [node.value if isinstance(node, Scalar) and type(node.value) is int else 1 for node in (low, high)]
    pod = template.node.get("spec")
    metrics = [each for each in map(plain, _metrics(scaler)) if isinstance(each, dict)]
    if pod is not None and not is_own(scaler) and not can_scale(metrics, plain(pod)):
        where = scaler.where("kind")
        main.container.report.add_dropped("HorizontalPodAutoscaler", where, "it can measure none of its metrics")
        return None
    return values[0], max(values)


def _metrics(scaler: Mapping) -> list[Node]:
    """Return the metrics, also of autoscaling/v1, which has one of its own."""
    old = child(scaler, "spec", "targetCPUUtilizationPercentage")
    if old is None:
        return items(child(scaler, "spec", "metrics"))
    target = {"type": "Utilization", "averageUtilization": old}
    return [build_tree({"type": "Resource", "resource": {"name": "cpu", "target": target}}, old.span)]


def _elastic(scaler: Mapping, bounds: tuple[int, int]) -> Node:
    where = scaler.where("spec")
    metrics = _metrics(scaler) or [build_tree(DEFAULT_METRIC, where)]
    fields = {
        "minReplicas": bounds[0],
        "maxReplicas": bounds[1],
        "metrics": Sequence(metrics, where),
        "behavior": child(scaler, "spec", "behavior"),
    }
    return build_tree({name: value for name, value in fields.items() if value is not None}, where)


def _report_others(spec: ForeignMapping) -> None:
    if spec.choice("podManagementPolicy", ("OrderedReady", "Parallel")) != "Parallel":
        field = "podManagementPolicy"
        message = "all workers start at once; this StatefulSet starts each when the one before it is ready"
        spec.report.add_change(message, spec.position(field))
    strategy = spec.section("updateStrategy")
    if strategy is not None:
        if strategy.string("type") not in (None, "RollingUpdate"):
            strategy.drop("type", "the workers are replaced when the job changes")
        strategy.ignore("rollingUpdate")
    ordinals = spec.section("ordinals")
    if ordinals is not None and ordinals.integer("start"):
        ordinals.drop("start", "ranks begin at 0")
