"""Translate a TrainJob of Kubeflow Trainer, with the runtime that has its pods.

https://github.com/kubeflow/trainer/tree/v2.3.0; the translated job has the same meaning as the TrainJob with the
runtime, its patches and the policy's variables.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Scalar, mappings, scalar_text
from trainc.systems.jobset.reader import report_policies
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.env import with_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.hidden_torchrun import variables_for_hidden_torchrun
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.job_policies import report_manager, translate_mode
from trainc.systems.shared.reader.pod import translate_pod
from trainc.systems.shared.reader.pod_trees import containers_of
from trainc.systems.shared.reader.tree import child, items
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.fields import FIELDS, NODES, OF_CONTAINER, PATCHES, PROCESSES, RESOURCES, RUNTIME, TRAINER
from trainc.systems.trainjob.reader.environment import jax_command, processes_per_node, torch_environment
from trainc.systems.trainjob.reader.faults import Parts, needs_trainer, report_faults, report_lost_claims
from trainc.systems.trainjob.reader.job_set import translate_gang, translate_job_set, translate_lifecycle
from trainc.systems.trainjob.reader.mpi import translate_mpi
from trainc.systems.trainjob.reader.runtime import Runtime, patched_pod, read_runtime, with_trainer

# Names in a TrainJob by the paths of trainc's fields.
NAMES = {
    **{job: field.path for job, field in FIELDS.items()},
    "resources.cpu": f"{FIELDS['resources'].path}.requests.cpu",
    "resources.memory": f"{FIELDS['resources'].path}.limits.memory",
    "resources.gpu": f"{FIELDS['resources'].path}.limits",
}


def translate(job: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    spec = job.section("spec")
    if spec is None:
        job.report.add_error("the job has no `spec`", job.where("kind"))
    runtime = read_runtime(spec) if spec is not None else None
    if spec is None or runtime is None:
        return None
    report_manager(spec, facts.MANAGER)
    runtime.ignore("apiVersion", "kind", "metadata", "status")
    runtime_spec = runtime.section("spec")
    policy = _policy(runtime_spec, spec) if runtime_spec is not None else None
    if policy is not None and not job.report.parts:
        message = f"the runtime is taken from Kubeflow Trainer {facts.VERSIONS[0]}, which ships it"
        job.report.add_change(message, spec.where(RUNTIME), "pass its file if the cluster has another")
    job_set = _job_set(runtime_spec) if policy is not None else None
    if runtime_spec is not None and policy is not None and job_set is not None and "mpi" in policy:
        policy.ignore("numNodes", "mpi")
        job.ignore("metadata", "status")
        return translate_mpi(job, spec, runtime_spec, job_set)
    replicated = _trainer_job(job_set) if job_set is not None else None
    if runtime_spec is None or policy is None or job_set is None or replicated is None:
        if not job.report.failed:
            job.report.add_error("the runtime has no replicated job that trains", spec.where(RUNTIME))
        return None
    template = replicated.section("template")
    job_spec = template.section("spec") if template is not None else None
    pod_node = job_spec.consume("template") if job_spec is not None else None
    if template is None or job_spec is None or not isinstance(pod_node, Mapping):
        job.report.add_error("the runtime has no pod template", spec.where(RUNTIME))
        return None
    template.ignore("metadata")
    name = scalar_text(replicated.node.get("name"))
    _consume_patches(spec, name)
    merged, fields = patched_pod(spec, pod_node, name), spec.node.get(TRAINER)
    merged = with_trainer(merged, fields) if isinstance(fields, Mapping) else merged
    sections = Runtime(runtime, runtime_spec, policy, job_set, replicated, job_spec, pod_node)
    if "torch" in policy or "jax" in policy:
        return _translate_with_variables(job, spec, sections, merged)
    trainer = spec.section(TRAINER)
    if trainer is not None:
        trainer.ignore(*OF_CONTAINER, RESOURCES, PROCESSES)
    count = _count(trainer, policy, job_spec)
    job_spec.ignore_all()
    job.ignore("metadata", "status")
    return translate_job_set(job, sections, merged, count)


def _translate_with_variables(
    job: ForeignMapping, spec: ForeignMapping, runtime: Runtime, merged: Mapping
) -> Mapping | None:
    """Translate a TrainJob of a runtime with the policy of PyTorch or JAX; `merged` is its pod template with the
    patches."""
    if _runs_torchtune(merged):
        message = "the runtime runs torchtune, whose files its initializers load first: trainc does not translate it"
        job.report.add_error(message, spec.where(RUNTIME), help="keep the TrainJob")
        return None
    metadata, queue = translate_metadata(job)
    trainer = spec.section(TRAINER)
    is_jax = "jax" in runtime.policy
    has_torch = trainer is not None and not is_jax
    injected = facts.JAX_VARIABLES if is_jax else facts.TORCH_VARIABLES
    pods = ForeignMapping(merged, job.report, "template")
    main = translate_pod(pods, (facts.NODE,), injected if trainer is not None else (), keeps_restart_policy=True)
    if main is None:
        return None
    count = _count(trainer, runtime.policy, runtime.job_spec)
    nodes = int(count.text)
    parts = Parts(spec=spec, job_set=runtime.job_set, replicated=runtime.replicated, main=main, nodes=nodes)
    has_torch = has_torch or (not is_jax and needs_trainer(parts))
    name = scalar_text(runtime.replicated.node.get("name"))
    workers = Workers(
        names=(name,), job=runtime.job_spec, pods=pods, jobs=1, total=nodes, largest=nodes, where=count.span
    )
    lifecycle = translate_lifecycle(spec, runtime.job_set, workers)
    report_policies(runtime.job_set, workers)
    network = runtime.job_set.section("network")
    if network is not None:  # a subdomain is reported
        network.ignore("enableDNSHostnames", "publishNotReadyAddresses")
    mode = translate_mode(spec, queued=queue is not None)
    gang = translate_gang(runtime.spec, main.fields["scheduling"])
    processes = processes_per_node(trainer, main)
    environment = torch_environment(scalar_text(metadata.get("name")), nodes, main, processes, has_torch, trainer)
    command = translate_command(main, environment)
    hidden: dict[str, str] = {}
    if is_jax:
        runtime.policy.ignore("jax")
        command = jax_command(parts, trainer, command)
    elif has_torch:
        hidden = variables_for_hidden_torchrun(command, True, nodes == 1, processes)
        report_faults(parts, command.launch, processes)
    report_lost_claims(parts, runtime.pod)
    if trainer is not None:
        trainer.ignore(*OF_CONTAINER, RESOURCES)
    runtime.document.drop_unconsumed()
    fields: dict[str, Any] = {
        "launch": command.launch,
        "run": command.run,
        "workers": count if nodes != 1 else None,
        "env": with_values(main.fields["env"], {**command.env, **hidden}),
        "lifecycle": lifecycle,
        "scheduling": gang,
        "mode": mode,
    }
    return assemble_from_pod(metadata, queue, main, fields, job.node.span.first)


def _policy(runtime_spec: ForeignMapping, spec: ForeignMapping) -> ForeignMapping | None:
    """Return the runtime's mlPolicy, an empty one without it; None after an error for that of another launcher."""
    section = runtime_spec.section("mlPolicy")
    if section is None:
        return ForeignMapping(Mapping({}, runtime_spec.node.span.first), runtime_spec.report)
    other = next((name for name in facts.POLICIES if name in section and name in facts.NOT_TRANSLATED), None)
    if other is not None:
        runs, help_ = facts.NOT_TRANSLATED[other]
        spec.report.add_error(f"the runtime {runs}: trainc does not translate it", spec.where(RUNTIME), help=help_)
        return None
    torch = section.section("torch")
    if torch is not None and "numProcPerNode" in torch:
        torch.ignore("numProcPerNode")
        message = "`numProcPerNode` of the policy has no effect: Kubeflow Trainer 2.2 removed the field"
        section.report.add_change(message, torch.where("numProcPerNode"), "set spec.trainer.numProcPerNode")
    return section


def _job_set(runtime_spec: ForeignMapping | None) -> ForeignMapping | None:
    template = runtime_spec.section("template") if runtime_spec is not None else None
    if template is None:
        return None
    template.ignore("metadata")
    return template.section("spec")


def _trainer_job(job_set: ForeignMapping) -> ForeignMapping | None:
    """Return the replicated job that trains; the others are reported."""
    trains = None
    for each in job_set.sections("replicatedJobs"):
        label = child(each.node, "template", "metadata", "labels", facts.ANCESTOR_LABEL)
        if scalar_text(label) == facts.TRAINER and trains is None:
            trains = each
            each.ignore("name", "replicas", "groupName", "dependsOn")
            continue
        each.ignore_all()
        message = f"the replicated job `{scalar_text(each.node.get('name'))}`"
        each.report.add_dropped(message.replace("`", ""), each.where("name"), "all workers of a job run one program")
    return trains


def _runs_torchtune(template: Mapping) -> bool:
    """Return whether the training container runs torchtune, with arguments that Kubeflow Trainer may compose."""
    main = next((each for each in containers_of(template) if scalar_text(each.get("name")) == facts.NODE), None)
    return [scalar_text(each) for each in items(child(main, "command"))[:2]] == facts.TORCHTUNE


def _consume_patches(spec: ForeignMapping, name: str) -> None:
    """Mark what the merged template has; patches of other replicated jobs and of the JobSet's metadata are dropped."""
    for patch in spec.sections(PATCHES[0]):
        patch.ignore("manager", "time")
        inner = patch.section("trainingRuntimeSpec")
        template = inner.section("template") if inner is not None else None
        jobs = template.section("spec") if template is not None else None
        for job in jobs.sections("replicatedJobs") if jobs is not None else ():
            if scalar_text(job.node.get("name")) == name:
                job.ignore("name", "template")
    for override in spec.sections(PATCHES[1]):
        targets = mappings(override.node.get("targetJobs"))
        if any(scalar_text(each.get("name")) == name for each in targets):
            override.ignore_all()


def _count(trainer: ForeignMapping | None, policy: ForeignMapping, job: ForeignMapping) -> Scalar:
    """Return the number of workers: the TrainJob's, else the runtime's, which without a policy is that of its Job."""
    sections = ((trainer, NODES), (policy, "numNodes"), (job, "parallelism"))
    counts = [(section.integer(name), section, name) for section, name in sections if section is not None]
    job.ignore("completions", "parallelism")
    for count, section, name in counts:
        if count is not None:
            return Scalar(max(count, 1), str(max(count, 1)), section.where(name))
    return Scalar(1, "1", job.node.span.first)
