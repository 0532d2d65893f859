"""Translate a PyTorchTrainingJob of T9k, v1beta1.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/pytorchtrainingjob.md
https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, scalar_text
from trainc.systems.pytorchtrainingjob.reader.torchrun import (
    enabled_torchrun_config,
    injected_env,
    resumed_program,
    with_torchrun_command,
)
from trainc.systems.pytorchtrainingjob.reader.workers import merge_roles, worker_bounds
from trainc.systems.shared.reader.command import TranslatedCommand, translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.pod import translate_pod
from trainc.systems.shared.t9k.reader import (
    IDLE_PROGRAM,
    correct_names,
    note_missing_program,
    translate_lifecycle,
    translate_run_mode,
    translate_scheduling,
)

CONTAINER = "python"
BACKOFF_LIMIT = 3  # the controller's default, for all pods together
FIELDS = ("replicaSpecs", "elastic", "torchrunConfig", "runMode", "runPolicy", "tensorboardSpec", "scheduler")


def translate(job: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(job)
    spec = correct_names(job.section("spec"), *FIELDS)
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
    mode = translate_run_mode(spec, roles.type, None, lambda _, command, args: resumed_program(command, args, config))
    has_program = bool(main.args or (config is None and main.command))
    if not has_program and mode.idle:
        note_missing_program(spec)
        command = TranslatedCommand(launch=IDLE_PROGRAM[0], run=IDLE_PROGRAM[1], env={})
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
        "env": main.env_with(command.env),
        "lifecycle": translate_lifecycle(spec, roles.main, BACKOFF_LIMIT),
        "scheduling": translate_scheduling(spec, main.fields["scheduling"]),
        "mode": mode.field,
    }
    if bounds.maximum > 1 and bounds.elastic is None:
        fields["lifecycle"]["successPolicy"] = "Leader"
    return assemble_from_pod(metadata, queue, main, fields, job.node.span.first)
