"""Translate a TrainJob whose runtime starts mpirun on a launcher pod, as the MPIJob with the same pods.

https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/mpi/mpi.go
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.source.node import Mapping, Node, build_tree, mappings, scalar_text
from trainc.systems.registry import find
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod_trees import containers_of, with_containers
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.fields import NODES, OWN, PATCHES, PROCESSES, RESOURCES, RUNTIME, SUSPEND, TRAINER
from trainc.systems.trainjob.reader.environment import whole_units
from trainc.systems.trainjob.reader.job_set import translate_as
from trainc.systems.trainjob.reader.runtime import patched_pod, with_trainer

_FIELDS = ("sshAuthMountPath", "mpiImplementation")
_MISSING = f"the runtime's policy `mpi` needs replicated jobs named `{facts.LAUNCHER}` and `{facts.NODE}`"


def translate_mpi(
    job: ForeignMapping, spec: ForeignMapping, runtime: ForeignMapping, job_set: ForeignMapping
) -> Mapping | None:
    """Return the TrainingJob; None if errors were reported. `runtime` is the spec of the runtime."""
    policy, copies = child(runtime.node, "mlPolicy", "mpi"), _count(child(runtime.node, "mlPolicy", "numNodes"))
    if not isinstance(policy, Mapping):
        job.report.add_error("the runtime's policy `mpi` must be a mapping", spec.where(RUNTIME))
        return None
    if copies > 1:
        message = f"`mlPolicy.numNodes` of the runtime creates {copies} launchers, each with the whole job"
        job.report.add_error(message, spec.where(RUNTIME), help="set it to 1, and spec.trainer.numNodes")
        return None
    jobs = {scalar_text(each.get("name")): each for each in mappings(job_set.node.get("replicatedJobs"))}
    pods = {name: child(each, "template", "spec", "template") for name, each in jobs.items()}
    launcher, node = pods.get(facts.LAUNCHER), pods.get(facts.NODE)
    if not isinstance(launcher, Mapping) or not isinstance(node, Mapping):
        job.report.add_error(_MISSING, spec.where(RUNTIME))
        return None
    launcher, node = (patched_pod(spec, pod, name) for name, pod in ((facts.LAUNCHER, launcher), (facts.NODE, node)))
    trainer = spec.node.get(TRAINER)
    is_node = scalar_text(policy.get("runLauncherAsNode")) == "true"
    if isinstance(trainer, Mapping):
        launcher = with_trainer(launcher, trainer)
        if is_node:
            node = with_trainer(node, without_entries(trainer, "image", "command", "args"))
    image = _container(launcher).get("image")
    if is_node:  # all nodes are workers, and the launcher is one pod more
        launcher = _with_container(launcher, without_entries(_container(launcher), "resources"))
    _report_image(spec, node, image)
    if image is not None:
        node = _with_container(node, with_entry(_container(node), "image", image))
    nodes = _nodes(spec, jobs[facts.NODE], is_node)
    document = _document(job, policy, jobs[facts.LAUNCHER], (launcher, node), (nodes, _slots(spec, policy, node)))
    job_set.ignore_all()
    spec.ignore(*OWN, *PATCHES)
    message = "mpirun needs a launcher pod, which trainc emits for the MPI operator"
    job.report.add_change(message, spec.where(RUNTIME), "compile with `--backend mpijob`")
    job.report.equivalent = document
    return translate_as("mpijob", document, job, runtime)


def _document(
    job: ForeignMapping, policy: Mapping, launcher: Mapping, pods: tuple[Mapping, Mapping], size: tuple[int, int]
) -> Mapping:
    """Return the MPIJob. `launcher` is the launcher's replicated job, `size` the numbers of nodes and slots."""
    where, suspend = launcher.span, child(job.node, "spec", SUSPEND)
    waits = any(scalar_text(each.get("status")) == "Ready" for each in mappings(launcher.get("dependsOn")))
    of_job = child(launcher, "template", "spec")
    limit = child(of_job, "backoffLimit")
    run_policy = {"cleanPodPolicy": "Running", "suspend": suspend, "backoffLimit": limit}
    restarts = scalar_text(child(pods[0], "spec", "restartPolicy")) or "OnFailure"
    fields: dict[str, Any] = {
        **{name: policy.get(name) for name in _FIELDS},
        "slotsPerWorker": size[1],
        "launcherCreationPolicy": "WaitForWorkersReady" if waits else "AtStartup",
        "runPolicy": {name: value for name, value in run_policy.items() if value is not None},
        "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "restartPolicy": restarts, "template": pods[0]},
            "Worker": {"replicas": size[0], "restartPolicy": "OnFailure", "template": pods[1]},
        },
    }
    system = find("mpijob")
    head = {"apiVersion": system.traits.api_versions[0], "kind": system.kind}
    own = {"metadata": job.node.get("metadata"), "spec": {name: value for name, value in fields.items() if value}}
    document = build_tree({**head, **own}, where)
    assert isinstance(document, Mapping)
    return document


def _nodes(spec: ForeignMapping, node: Mapping, is_node: bool) -> int:
    """Return the number of hosts in the hostfile: EnforceMLPolicy counts the launcher, but keeps one other node."""
    trainer = spec.node.get(TRAINER)
    requested = child(trainer, NODES)
    count = _count(requested) or _count(child(node, "template", "spec", "parallelism")) or 1
    if not is_node:
        return count
    if requested is not None and count == 1:
        message = "the runtime's launcher is a node, and there is one more: numNodes 1 gives 2 nodes"
        spec.report.add_change(message, requested.span)
    return max(count, 2) if requested is not None else count + 1


def _slots(spec: ForeignMapping, policy: Mapping, node: Mapping) -> int:
    """Return the slots of each node: the TrainJob's, else the runtime's; instead of 1 the number of GPUs."""
    own = _count(child(spec.node.get(TRAINER), PROCESSES))
    stated = _count(policy.get("numProcPerNode")) or 1
    if own or stated > 1:
        return own or stated
    resources = child(spec.node.get(TRAINER), RESOURCES) or _container(node).get("resources")
    for kind in ("requests", "limits"):
        amounts = child(resources, kind)
        for name, amount in amounts.items() if isinstance(amounts, Mapping) else ():
            if "gpu" in name.lower() and (count := whole_units(scalar_text(amount))) is not None:
                return count
    return 1


def _report_image(spec: ForeignMapping, node: Mapping, image: Node | None) -> None:
    """Report nodes with another image than the launcher, which starts the program on them."""
    own, trainer = _container(node).get("image"), spec.node.get(TRAINER)
    if scalar_text(own) == scalar_text(image):
        return
    message = f"`trainer.image` applies to the launcher only: the nodes have `{scalar_text(own)}`"
    where = trainer.where("image") if isinstance(trainer, Mapping) else spec.where(RUNTIME)
    help_ = "use a runtime whose job `node` has the image, too"
    spec.report.add_correction(message, where, help_, codes.IMAGE_OF_LAUNCHER_ONLY)


def _container(pod: Mapping) -> Mapping:
    """Return the container `node` of a pod template, else the first one; empty without any."""
    containers = containers_of(pod)
    node_containers = [each for each in containers if scalar_text(each.get("name")) == facts.NODE]
    return (node_containers or containers or [Mapping({}, pod.span)])[0]


def _with_container(pod: Mapping, container: Mapping) -> Mapping:
    """Return a pod template with one container, which replaces that of `_container`."""
    old = _container(pod)
    return with_containers(pod, lambda each: container if each is old else each)


def _count(node: Node | None) -> int:
    return parse_count(scalar_text(node)) or 0
