"""Translate a PyTorchTrainingJob of T9k, v1beta1.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/pytorchtrainingjob.md
https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, scalar_text
from trainc.span import Text
from trainc.systems.pytorchtrainingjob.reader.workers import MergedRoles, merge_roles, worker_bounds
from trainc.systems.pytorchtrainingjob.traits import BACKOFF_LIMIT, CONTAINER, PORT
from trainc.systems.shared.reader.command import TranslatedCommand, translate_command
from trainc.systems.shared.reader.env import with_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv, env_init_replacements, env_init_variables
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.replicas import WorkerBounds, processes_per_worker
from trainc.systems.shared.t9k import reader as t9k
from trainc.systems.shared.t9k.fields import FIELDS as T9K

FIELDS = ("replicaSpecs", "elastic", "torchrunConfig", "runMode", "runPolicy", "tensorboardSpec", "scheduler")

# Names in a PyTorchTrainingJob by the paths of trainc's fields.
NAMES = {
    "workers": "spec.replicaSpecs.replicas",
    "launch.torchrun.nprocPerNode": "spec.torchrunConfig.procPerNode",
    "launch.torchrun.maxRestarts": "spec.torchrunConfig.maxRestarts",
    "launch.torchrun.rendezvous.backend": "spec.torchrunConfig.rdzvBackend",
    "lifecycle.restartPolicy": "spec.replicaSpecs.restartPolicy",
    **{job: field.path for job, field in T9K.items()},
}


def translate(job: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(job)
    spec = t9k.correct_names(job.section("spec"), *FIELDS)
    roles = merge_roles(spec) if spec is not None else None
    if spec is None or roles is None:
        job.report.add_error("the job has no `spec.replicaSpecs` with a template", job.where("kind"))
        return None
    main = translate_pod(roles.template, (CONTAINER,))
    if main is None:
        return None
    if "tensorboardSpec" in spec:
        spec.ignore("tensorboardSpec")
        why, where = "trainc does not deploy TensorBoard", spec.key("tensorboardSpec").span
        spec.report.add_dropped("spec.tensorboardSpec", where, why, "deploy it separately")
    config = enabled_torchrun_config(spec)
    bounds = worker_bounds(spec, roles, config is not None)
    mode, idle = t9k.translate_run_mode(
        spec, roles.type, None, lambda command, args: resumed_program(command, args, config)
    )
    has_program = bool(main.args or (config is None and main.command))
    if not has_program and idle:
        t9k.note_missing_program(spec)
        command = TranslatedCommand(launch=t9k.IDLE_PROGRAM[0], run=t9k.IDLE_PROGRAM[1])
    else:
        line = main if config is None else with_torchrun_command(main, config)
        if not has_program and config is not None:
            message = "torchrun runs the container's args, but there are none"
            help_ = "set args to the script and its arguments"
            spec.report.add_error(message, spec.where("torchrunConfig"), help=help_)
        name = scalar_text(metadata.get("name"))
        command = translate_command(line, injected_env(name, roles, bounds, main, config))
    fields: dict[str, Any] = {
        "launch": command.launch,
        "run": command.run,
        "workers": bounds.workers,
        "elastic": bounds.elastic,
        "env": with_values(main.fields["env"], command.env),
        "lifecycle": t9k.translate_lifecycle(spec, roles.main, BACKOFF_LIMIT),
        "scheduling": t9k.translate_scheduling(spec, main.fields["scheduling"]),
        "mode": mode,
    }
    if bounds.maximum > 1 and bounds.elastic is None:
        fields["lifecycle"]["successPolicy"] = "Leader"
    return assemble_from_pod(metadata, queue, main, fields, job.node.span.first)


TORCHRUN_FIELDS = ("enabled", "maxRestarts", "procPerNode", "rdzvBackend", "extraOptions")
INTERPRETERS = (["python"], ["python3"], ["python", "-u"], ["python3", "-u"])


def enabled_torchrun_config(spec: ForeignMapping) -> ForeignMapping | None:
    """Return torchrunConfig, or None if it is not enabled."""
    section = t9k.correct_names(spec.section("torchrunConfig"), *TORCHRUN_FIELDS)
    if section is None or section.boolean("enabled"):
        return section
    others = [name for name in TORCHRUN_FIELDS[1:] if name in section]
    section.ignore(*others)
    if others:
        message = "`torchrunConfig` has no effect: it is not enabled"
        section.report.add_change(message, spec.key("torchrunConfig").span)
        if "enabled" not in section:
            section.report.add_ignored(message, spec.key("torchrunConfig").span, "add `enabled: true`")
    return None


def with_torchrun_command(main: TranslatedPod, config: ForeignMapping) -> TranslatedPod:
    """Return the pod with torchrun's command, which replaces the container's; its args are torchrun's arguments."""
    if main.command and main.command not in INTERPRETERS:
        path = main.container.path_of("command")
        main.container.report.add_dropped(path, main.command[0].span, "torchrun replaces it, as in T9k")
    options = config.strings("extraOptions") or []
    return main.replace(command=[Text("torchrun", config.node.span.first), *options, *main.args], args=[])


def injected_env(
    name: str, roles: MergedRoles, bounds: WorkerBounds, main: TranslatedPod, config: ForeignMapping | None
) -> InjectedEnv:
    """Return the environment of the training container; without torchrun only the four variables of env://."""
    single = bounds.maximum == 1
    host, port, total = f"{name}-{roles.first_type}-0", str(PORT), str(roles.total)
    return InjectedEnv(
        minimum=bounds.minimum,
        maximum=bounds.maximum,
        elastic=bounds.elastic is not None,
        gpus=main.gpu_count(),
        launcher_fields=_launcher_fields(config) if config is not None else {},
        hosts=(host,),
        port=PORT,
        variables=main.literal_env() | env_init_variables(host, port, total, single),
        replacements=env_init_replacements(port, total, single),
        starts_torchrun=config is not None,
        configures_torchrun=config is not None,
        host_network=bool(main.fields["network"]["hostNetwork"]),
        span=None if main.fields["envFrom"] else main.span,
    )


def resumed_program(command: list[Text], args: list[Text], config: ForeignMapping | None) -> dict[str, Any] | None:
    """Return the field `run` for the command with which a paused job resumes."""
    words = [*command, *args] if config is None else args
    while words and config is None and words[0] in ("python", "python3", "-u"):
        words = words[1:]
        if words and not words[0].startswith("-"):
            return {"run": {"python": words}}
    if words and words[0] == "-m" and len(words) > 1:
        return {"run": {"module": words[1:]}}
    return {"run": {"exec" if config is None else "python": words}} if words else None


def _launcher_fields(config: ForeignMapping) -> dict[str, Any]:
    return {
        "nprocPerNode": processes_per_worker(config, "procPerNode") or 1,  # torchrun's default
        "maxRestarts": config.number("maxRestarts"),
        "rendezvous": {"backend": config.string("rdzvBackend") or "c10d"},
    }
