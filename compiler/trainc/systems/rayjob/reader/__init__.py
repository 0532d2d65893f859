"""Translate a RayJob of KubeRay: https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1

KubeRay starts the head and the workers of a cluster, and a submitter that runs the entrypoint on the head by `ray job
submit`. launch.ray has workers of one kind, of which the first is the head.
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.source.node import Mapping, Scalar, scalar_text
from trainc.span import Span, Text
from trainc.systems.rayjob.facts import INTERACTIVE, MANAGER
from trainc.systems.rayjob.fields import CLUSTER, ENTRYPOINT, FIELDS, GROUPS, HEAD, TTL
from trainc.systems.rayjob.reader.parameters import PORTS, read_group_parameters
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.job_policies import report_manager, translate_mode
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.pod_trees import containers_of, with_containers, without_items
from trainc.systems.shared.reader.role_differences import report_differences
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.well_known import MAIN

NAMES = {job: field.path for job, field in FIELDS.items()}
REPLICAS = FIELDS["workers"].name
# Fields without a counterpart, and why.
DROPPED = {
    "clusterSelector": "the job has a cluster of its own",
    "submitterPodTemplate": "no pod of its own submits the program",
    "submitterConfig": "no pod of its own submits the program",
    "metadata": "a job file has no metadata of a submitted Ray job",
    "jobId": "KubeRay generates the id of a submitted Ray job, and other back ends submit none",
    "runtimeEnvYAML": "packages and files belong into the image, variables into `env`",
    "entrypointNumCpus": "the program reserves no resources of Ray",
    "entrypointNumGpus": "the program reserves no resources of Ray",
    "entrypointResources": "the program reserves no resources of Ray",
    "preRunningDeadlineSeconds": "`launch.ray.startTimeout` limits the start, except with `--backend rayjob`",
    "deletionStrategy": "the pods end with the job",
}
OF_CLUSTER = {
    "enableInTreeAutoscaling": "the number of workers is fixed",
    "autoscalerOptions": "the number of workers is fixed",
    "gcsFaultToleranceOptions": "the cluster ends with worker 0",
}


def translate(job: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(job)
    spec = job.section("spec")
    cluster = spec.section(CLUSTER) if spec is not None else None
    if spec is None or cluster is None:
        where = spec.where("clusterSelector") if spec is not None and "clusterSelector" in spec else job.where("kind")
        help_ = "keep it, or write a job file with `launch.ray`"
        job.report.add_error("the RayJob has no cluster of its own", where, expected=f"spec.{CLUSTER}", help=help_)
        return None
    head, groups = cluster.section(HEAD), cluster.sections(GROUPS)
    if head is None:
        where = cluster.node.span.first
        job.report.add_error("the RayJob has no head group", where, expected=f"spec.{CLUSTER}.{HEAD}")
        return None
    if len(groups) > 1:
        message = "launch.ray has workers of one kind, but the RayJob has several groups of workers"
        job.report.add_error(message, groups[1].node.span.first, help="keep it, or give all workers the same pod")
        return None
    main = _main_pod(head, groups)
    if main is None:
        return None
    workers, where = _workers(head, groups, main)
    entrypoint = spec.string(ENTRYPOINT)
    waits = spec.string("submissionMode") == INTERACTIVE  # until somebody submits a job
    if entrypoint is None and not waits:
        job.report.add_error("the RayJob has no entrypoint", spec.node.span.first, expected="spec.entrypoint")
        return None
    fields: dict[str, Any] = {
        **(_program(entrypoint, main, workers) if entrypoint is not None else {"run": {"entrypoint": []}}),
        "workers": Scalar(workers, str(workers), where) if workers > 1 else None,
        "lifecycle": _lifecycle(spec, head),
        # KubeRay adds a volume at /dev/shm, addEmptyDir of ray-operator/controllers/ray/common/pod.go, as trainc does.
        "sharedMemory": main.fields.get("sharedMemory"),
    }
    fields["launch"] = {Text("ray", cluster.node.span.first): read_group_parameters(head, groups, main.gpu_count())}
    fields["mode"] = translate_mode(spec, queue is not None)
    report_manager(spec, MANAGER)
    if waits and entrypoint is None:
        fields["mode"] = fields["mode"] or "debug"
        reason = "in mode debug the RayJob has no entrypoint: set `run` to the program"
        spec.report.add_dropped("spec.entrypoint", spec.node.span.first, reason)
    elif waits:
        spec.drop("submissionMode", "spec.entrypoint starts with the job")
    spec.ignore("submissionMode", "shutdownAfterJobFinishes")
    cluster.ignore("rayVersion", "headServiceAnnotations", "suspend", "managedBy", "upgradeStrategy")
    for section, reasons in ((spec, DROPPED), (cluster, OF_CLUSTER)):
        for name in [name for name in reasons if name in section]:
            section.drop(name, reasons[name])
    return assemble_from_pod(metadata, queue, main, fields, job.node.span.first)


def _main_pod(head: ForeignMapping, groups: list[ForeignMapping]) -> TranslatedPod | None:
    """Return the pod of the workers; the head becomes one of them."""
    head.ignore("serviceType", "headService", "enableIngress", "ingressOptions", "resources")
    templates = [each.consume("template") for each in (*groups, head)]
    if not all(isinstance(template, Mapping) for template in templates):
        head.report.add_error("a group of the RayJob has no pod template", head.node.span.first, expected="template")
        return None
    first, *others = [
        ForeignMapping(_renamed(node), group.report, group.path_of("template"))
        for node, group in zip(templates, (*groups, head), strict=True)
        if isinstance(node, Mapping)
    ]
    for other in others:
        report_differences(first, other, ("the worker group", "the head group"))
    pod = translate_pod(first, (MAIN,), keeps_restart_policy=True)
    first.drop_unconsumed()
    return pod


def _renamed(template: Mapping) -> Mapping:
    """Return a template whose first container, which runs Ray, has a common name."""

    def change(container: Mapping) -> Mapping:
        name = container.get("name")
        if name is None:
            return container
        container = without_entries(without_items(container, "ports", PORTS), "command", "args", "lifecycle")
        return with_entry(container, "name", Scalar(MAIN, MAIN, name.span))

    return with_containers(template, change, only_first=True)


def _workers(head: ForeignMapping, groups: list[ForeignMapping], main: TranslatedPod) -> tuple[int, Span]:
    """Return the number of workers. A head without the workers' GPUs schedules nothing: it moves to worker 0."""
    where = head.node.span.first
    if not groups:
        return 1, where
    group = groups[0]
    group.ignore("groupName", "minReplicas", "maxReplicas", "scaleStrategy", "resources", "idleTimeoutSeconds")
    where = group.position(REPLICAS)
    replicas = group.integer(REPLICAS) or parse_count(scalar_text(group.node.get("minReplicas"))) or 1
    replicas *= group.integer("numOfHosts") or 1
    gpus = main.gpu_count()
    if gpus and not _gpus(head.node):
        head.report.add_change("the head moves to worker 0: its own pod has no GPU", head.node.span.first)
        return replicas, where
    head.report.add_change(f"the head is the first of {replicas + 1} workers", head.node.span.first)
    return replicas + 1, where


def _gpus(group: Mapping) -> bool:
    containers = containers_of(group.get("template"))
    limits = [child(each, "resources", field) for each in containers for field in ("limits", "requests")]
    return any("gpu" in name for each in limits if isinstance(each, Mapping) for name in each.entries)


def _program(entrypoint: Text, main: TranslatedPod, workers: int) -> dict[str, Any]:
    """Return `run` for the entrypoint, which a shell runs."""
    words = [Text(word, entrypoint.span) for word in ("bash", "-c")]
    pod = main.replace(command=[*words, entrypoint], args=[])
    injected = InjectedEnv(minimum=workers, maximum=workers, gpus=main.gpu_count())
    return {"run": translate_command(pod, injected).run}


def _lifecycle(spec: ForeignMapping, head: ForeignMapping) -> dict[str, Any]:
    """Return the limits. The default of restartPolicy, Always, has no counterpart: a failed pod is replaced."""
    fields = spec.fields(FIELDS, "lifecycle")
    if fields["backoffLimit"] is None:
        fields["backoffLimit"] = Scalar(0, "0", spec.node.span.first)
    policy = child(head.node, "template", "spec", "restartPolicy")
    if scalar_text(policy) == "OnFailure":
        fields["restartPolicy"] = policy
    return {**fields, spec.key(TTL): spec.consume(TTL)}
