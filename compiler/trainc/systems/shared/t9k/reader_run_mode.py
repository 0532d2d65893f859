"""Translate the runMode of T9k's jobs to `mode`.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#调试模式
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainc.emit.jobfile import flow
from trainc.record import Record
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.t9k.reader import correct_names

# Launch and run of a job that has no program yet: the image's entrypoint without a launcher's arguments.
IDLE_PROGRAM: tuple[dict[str, Any], dict[str, Any]] = (
    {"basic": {"worldSizeArgument": False, "rankArgument": False}},
    {"entrypoint": []},
)
ResumedProgram = Callable[[ForeignMapping, list[Text], list[Text]], dict[str, Any] | None]


class TranslatedMode(Record):
    """`mode`, None for a job that trains, and whether its pods are idle and need no program."""

    field: Any
    idle: bool


def translate_run_mode(
    spec: ForeignMapping, pod_type: str, command: list[str] | None, resumed_program: ResumedProgram
) -> TranslatedMode:
    """Return the mode of the pods of a type.

    `command` is what they run in debug mode by default, None for sleep. `resumed_program` returns `run` for the
    command and arguments with which a paused job resumes.
    """
    section = correct_names(spec.section("runMode"), "debug", "pause")
    if section is None:
        return TranslatedMode(field=None, idle=False)
    debug = correct_names(section.section("debug"), "enabled", "replicaSpecs")
    pause = correct_names(section.section("pause"), "enabled", "resumeSpecs")
    paused = _pause(pause, pod_type, resumed_program) if pause is not None else False
    debug_field = _debug(debug, pod_type, command) if debug is not None else None
    if paused and debug_field is not None and debug is not None:
        debug.report.add_dropped(debug.path, section.where("debug"), "the job is paused")
    return TranslatedMode(field="paused" if paused else debug_field, idle=debug_field is not None)


def note_missing_program(spec: ForeignMapping, left_out: str = "") -> None:
    """Report that a job is idle and has no program; `left_out` is the section that says how to start one."""
    prefix = f"`{left_out}` is left out: " if left_out else ""
    message = f"{prefix}the job has no program, and its pods are idle until launch and run are set"
    spec.report.add_change(message, spec.key("runMode").span)


def _debug(section: ForeignMapping, pod_type: str, command: list[str] | None) -> Any:
    enabled = section.boolean("enabled")
    replicas = _of_type(section, "replicaSpecs", pod_type, ("skipInitContainer", "command"))
    if not enabled:
        if "replicaSpecs" in section:
            for item in section.sections("replicaSpecs"):
                item.ignore(*item.node.entries)
            path, where = section.path_of("replicaSpecs"), section.where("replicaSpecs")
            section.report.add_dropped(path, where, "the mode is not enabled")
        return None
    fields: dict[str, Any] = {"command": command}
    if replicas is not None:
        fields["command"] = replicas.strings("command") or command
        fields["skipInitContainers"] = replicas.boolean("skipInitContainer") or None
    options = {name: value for name, value in fields.items() if value is not None}
    key = Text("debug", section.node.span.first)
    return {key: options} if options else key


def _pause(section: ForeignMapping, pod_type: str, resumed_program: ResumedProgram) -> bool:
    """Return whether the job is paused, and report the mode to set when it resumes."""
    enabled = section.boolean("enabled") or False
    resumed = _of_type(section, "resumeSpecs", pod_type, ("skipInitContainer", "command", "args"))
    if resumed is None:
        return enabled
    fields: dict[str, Any] = {}
    command, args = resumed.strings("command") or [], resumed.strings("args") or []
    run = resumed_program(resumed, command, args) if command or args else None
    if run is not None:
        fields["run"] = run
    if resumed.boolean("skipInitContainer"):
        fields["skipInitContainers"] = True
    if fields:
        mode = flow({"resumed": fields})
        message = f"`{resumed.path}` takes effect when the job resumes; set `mode: {mode}` then"
        section.report.add_change(message, section.where("resumeSpecs"))
    return enabled


def _of_type(section: ForeignMapping, name: str, pod_type: str, known: tuple[str, ...]) -> ForeignMapping | None:
    """Return the first item for pods of a type, and report the others."""
    match = None
    for item in section.sections(name):
        correct_names(item, "type", *known)
        if match is None and (item.string("type") or pod_type).lower() == pod_type.lower():
            match = item
            continue
        why = "all workers have the same mode" if match is not None else f"the job has only pods of type `{pod_type}`"
        item.ignore(*item.node.entries)
        item.report.add_dropped(item.path, item.node.span.first, why)
    return match
