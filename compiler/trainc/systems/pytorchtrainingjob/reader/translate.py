"""PyTorchTrainingJob of T9k, v1beta1.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/pytorchtrainingjob.md
https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, scalar_text
from trainc.systems.pytorchtrainingjob.reader.roles import Roles, roles
from trainc.systems.pytorchtrainingjob.reader.torchrun import command_line, program, torchrun, world
from trainc.systems.pytorchtrainingjob.reader.workers import Size, size
from trainc.systems.shared.reader.assemble import assemble
from trainc.systems.shared.reader.command import start
from trainc.systems.shared.reader.foreign import Foreign
from trainc.systems.shared.reader.metadata import metadata
from trainc.systems.shared.reader.placeholders import placeholders
from trainc.systems.shared.reader.pod import Pod, pod
from trainc.systems.shared.t9k.reader import lifecycle, scheduling, spelt
from trainc.systems.shared.t9k.reader_mode import NOTHING, nothing_to_run, run_mode

CONTAINER = "python"
RESTARTS = 3  # by default, of all pods together
FIELDS = ("replicaSpecs", "elastic", "torchrunConfig", "runMode", "runPolicy", "tensorboardSpec", "scheduler")


def translate(job: Foreign) -> Mapping | None:
    """The job in our language, None where it can't be understood."""
    ours, queue = metadata(job)
    spec = spelt(job.section("spec"), *FIELDS)
    found = roles(spec) if spec is not None else None
    if spec is None or found is None:
        job.report.wrong("a PyTorchTrainingJob has spec.replicaSpecs with a template", job.where("kind"))
        return None
    main = pod(found.template, (CONTAINER,))
    if main is None:
        return None
    _tensorboard(spec)
    told = torchrun(spec)
    bounds = size(spec, found, told is not None)
    mode = run_mode(spec, found.type, None, lambda _, command, args: program(command, args, told))
    launch, run, env = _begin(spec, ours, main, found, bounds, told, mode.idle)
    unfilled = placeholders(main.fields["image"])
    job.report.said += [unfilled] if unfilled is not None else []
    fields: dict[str, Any] = {**main.fields, "launch": launch, "run": run, "env": main.env_with(env)}
    fields |= {"mode": mode.ours, "podTemplate": main.patch, "sharedMemory": main.shared_memory(launch)}
    fields |= {"elastic": bounds.elastic, "workers": bounds.workers}
    fields["lifecycle"] = {**main.fields["lifecycle"], **lifecycle(spec, found.kept, RESTARTS)}
    if bounds.high > 1 and bounds.elastic is None:
        fields["lifecycle"]["successPolicy"] = "Leader"
    fields["scheduling"] = {"queue": queue, **scheduling(spec, main.fields["scheduling"])}
    return assemble(ours, fields, job.node.span.first)


def _begin(
    spec: Foreign,
    ours: dict[str, Any],
    main: Pod,
    found: Roles,
    bounds: Size,
    told: Foreign | None,
    idle: bool,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """launch, run and more environment."""
    line = command_line(main, told) if told is not None else main
    nothing = not main.args if told is not None else not (main.command or main.args)
    if nothing and told is not None and not idle:
        message = "torchrun starts the container's args, and there are none"
        spec.report.wrong(message, spec.where("torchrunConfig"), help="give the script and its arguments as args")
    if nothing and idle:
        nothing_to_run(spec)
        return *NOTHING, {}
    begun = start(line, world(scalar_text(ours.get("name")), found, bounds, main, told), spec.report)
    return begun.launch, begun.run, begun.env


def _tensorboard(spec: Foreign) -> None:
    if "tensorboardSpec" in spec:
        spec.skip("tensorboardSpec")
        why = "trainc makes no TensorBoard"
        spec.report.dropped("spec.tensorboardSpec", spec.key("tensorboardSpec").span, why, "apply one by itself")
