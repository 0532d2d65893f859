"""PyTorchTrainingJob of T9k, v1beta1.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/pytorchtrainingjob.md
https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, scalar_text
from trainc.systems.pytorchtrainingjob.reader.roles import MergedRoles, merge_roles
from trainc.systems.pytorchtrainingjob.reader.torchrun import (
    enabled_torchrun_config,
    injected_env,
    resumed_program,
    with_torchrun_command,
)
from trainc.systems.pytorchtrainingjob.reader.workers import WorkerBounds, worker_bounds
from trainc.systems.shared.reader.assemble import assemble_job
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.metadata import translate_metadata
from trainc.systems.shared.reader.placeholders import unfilled_image
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.t9k.reader import correct_names, translate_lifecycle, translate_scheduling
from trainc.systems.shared.t9k.reader_run_mode import IDLE_PROGRAM, note_missing_program, translate_run_mode

CONTAINER = "python"
RESTARTS = 3  # by default, of all pods together
FIELDS = ("replicaSpecs", "elastic", "torchrunConfig", "runMode", "runPolicy", "tensorboardSpec", "scheduler")


def translate(job: ForeignMapping) -> Mapping | None:
    """The job in our language, None where it can't be understood."""
    ours, queue = translate_metadata(job)
    spec = correct_names(job.section("spec"), *FIELDS)
    found = merge_roles(spec) if spec is not None else None
    if spec is None or found is None:
        job.report.add_error("a PyTorchTrainingJob has spec.replicaSpecs with a template", job.where("kind"))
        return None
    main = translate_pod(found.template, (CONTAINER,))
    if main is None:
        return None
    _tensorboard(spec)
    told = enabled_torchrun_config(spec)
    bounds = worker_bounds(spec, found, told is not None)
    mode = translate_run_mode(spec, found.type, None, lambda _, command, args: resumed_program(command, args, told))
    launch, run, env = _begin(spec, ours, main, found, bounds, told, mode.idle)
    unfilled = unfilled_image(main.fields["image"])
    job.report.diagnostics += [unfilled] if unfilled is not None else []
    fields: dict[str, Any] = {**main.fields, "launch": launch, "run": run, "env": main.env_with(env)}
    fields |= {"mode": mode.ours, "podTemplate": main.patch, "sharedMemory": main.shared_memory(launch)}
    fields |= {"elastic": bounds.elastic, "workers": bounds.workers}
    fields["lifecycle"] = {**main.fields["lifecycle"], **translate_lifecycle(spec, found.kept, RESTARTS)}
    if bounds.maximum > 1 and bounds.elastic is None:
        fields["lifecycle"]["successPolicy"] = "Leader"
    fields["scheduling"] = {"queue": queue, **translate_scheduling(spec, main.fields["scheduling"])}
    return assemble_job(ours, fields, job.node.span.first)


def _begin(
    spec: ForeignMapping,
    ours: dict[str, Any],
    main: TranslatedPod,
    found: MergedRoles,
    bounds: WorkerBounds,
    told: ForeignMapping | None,
    idle: bool,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """launch, run and more environment."""
    line = with_torchrun_command(main, told) if told is not None else main
    nothing = not main.args if told is not None else not (main.command or main.args)
    if nothing and told is not None and not idle:
        message = "torchrun starts the container's args, and there are none"
        spec.report.add_error(message, spec.where("torchrunConfig"), help="give the script and its arguments as args")
    if nothing and idle:
        note_missing_program(spec)
        return *IDLE_PROGRAM, {}
    begun = translate_command(line, injected_env(scalar_text(ours.get("name")), found, bounds, main, told), spec.report)
    return begun.launch, begun.run, begun.env


def _tensorboard(spec: ForeignMapping) -> None:
    if "tensorboardSpec" in spec:
        spec.ignore("tensorboardSpec")
        why = "trainc makes no TensorBoard"
        spec.report.add_dropped("spec.tensorboardSpec", spec.key("tensorboardSpec").span, why, "apply one by itself")
