"""runMode of T9k's jobs as `mode`.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#调试模式
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainc.emit.scalar import scalar
from trainc.record import Record
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.t9k.reader import correct_names

# Nothing to train with yet: the image's own program, and nothing that a launcher adds to it.
IDLE_PROGRAM: tuple[dict[str, Any], dict[str, Any]] = (
    {"basic": {"worldSizeArgument": False, "rankArgument": False}},
    {"entrypoint": []},
)
Program = Callable[[ForeignMapping, list[Text], list[Text]], dict[str, Any] | None]


class TranslatedMode(Record):
    """`ours` is the field, None for a job that trains; `idle` says that no program is needed."""

    ours: Any
    idle: bool


def translate_run_mode(spec: ForeignMapping, type_: str, waits: list[str] | None, program: Program) -> TranslatedMode:
    """The mode of the pods of a type. `waits` is what they run in debug mode by default, None for sleep; `program`
    makes a `run` of the command and the arguments with which a paused job goes on.
    """
    section = correct_names(spec.section("runMode"), "debug", "pause")
    if section is None:
        return TranslatedMode(ours=None, idle=False)
    debug = correct_names(section.section("debug"), "enabled", "replicaSpecs")
    pause = correct_names(section.section("pause"), "enabled", "resumeSpecs")
    paused = _resumption(pause, type_, program) if pause is not None else False
    debugged = _debug(debug, type_, waits) if debug is not None else None
    if paused and debugged is not None and debug is not None:
        debug.report.add_dropped(debug.path, section.where("debug"), "the job is paused")
    return TranslatedMode(ours="paused" if paused else debugged, idle=debugged is not None)


def note_missing_program(spec: ForeignMapping, left_out: str = "") -> None:
    """What is to be done with a job that only waits; `left_out` is a section that says how to start a program."""
    also = f", and `{left_out}` is left out with it" if left_out else ""
    message = f"the job says no program{also}: its pods only wait, and it needs launch and run before it trains"
    spec.report.add_change(message, spec.key("runMode").span)


def _debug(section: ForeignMapping, type_: str, waits: list[str] | None) -> Any:
    enabled = section.boolean("enabled")
    found = _of_type(section, "replicaSpecs", type_, ("skipInitContainer", "command"))
    if not enabled:
        _not_enabled(section, "replicaSpecs")
        return None
    options: dict[str, Any] = {"command": waits}
    if found is not None:
        options["command"] = found.strings("command") or waits
        options["skipInitContainers"] = found.boolean("skipInitContainer") or None
    given = {name: value for name, value in options.items() if value is not None}
    return {Text("debug", section.node.span.first): given} if given else Text("debug", section.node.span.first)


def _resumption(section: ForeignMapping, type_: str, program: Program) -> bool:
    """Whether the job is paused; what it is to do then is for later."""
    enabled = section.boolean("enabled") or False
    found = _of_type(section, "resumeSpecs", type_, ("skipInitContainer", "command", "args"))
    if found is None:
        return enabled
    changes: dict[str, Any] = {}
    command, args = found.strings("command") or [], found.strings("args") or []
    run = program(found, command, args) if command or args else None
    if run is not None:
        changes["run"] = run
    if found.boolean("skipInitContainer"):
        changes["skipInitContainers"] = True
    if changes:
        written = flow_yaml({"resumed": changes})
        message = f"`{found.path}` is for a job that goes on after a pause; then write `mode: {written}`"
        section.report.add_change(message, section.where("resumeSpecs"))
    return enabled


def _of_type(section: ForeignMapping, name: str, type_: str, known: tuple[str, ...]) -> ForeignMapping | None:
    """The item for the pods of this type; the others are dropped."""
    found = None
    for item in section.sections(name):
        correct_names(item, "type", *known)
        given = item.string("type")
        if found is None and (given or type_).lower() == type_.lower():
            found = item
            continue
        why = "all workers are alike" if found is not None else f"there are no pods of this type, only {type_}"
        item.ignore(*item.node.entries)
        item.report.add_dropped(item.path, item.node.span.first, why)
    return found


def _not_enabled(section: ForeignMapping, name: str) -> None:
    if name in section:
        for item in section.sections(name):
            item.ignore(*item.node.entries)
        section.report.add_dropped(section.path_of(name), section.where(name), "the mode isn't enabled")


def flow_yaml(value: Any) -> str:
    """A value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {flow_yaml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow_yaml(item) for item in value) + "]"
    return scalar(str(value) if isinstance(value, str) else value)
