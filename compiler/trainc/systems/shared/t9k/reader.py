"""Shared parts of the readers of T9k's jobs: field names, run mode, scheduler, run policy, restarts.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src/references/api-reference; the controllers are not public.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.remedy import rename
from trainc.emit.jobfile import flow
from trainc.schema.hints import nearest
from trainc.source.node import Entry, Mapping, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.fields import names
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.systems.shared.t9k.fields import (
    BOUNDS,
    DEBUG,
    DEBUGGED,
    DEFAULT_QUEUE,
    FIELDS,
    PAUSE,
    RESUMED,
    RETRYABLE,
    RUN_MODE,
    RUN_POLICY,
    SCHEDULER,
)

RESTART_POLICIES = ("Always", "OnFailure", "Never", "ExitCode")
CLEAN_UP_POLICIES = ("None", "All", "Unfinished")
# Launch and run of a job that has no program yet: the image's entrypoint.
IDLE_PROGRAM: tuple[dict[str, Any], dict[str, Any]] = ({"basic": {}}, {"entrypoint": []})
ResumedProgram = Callable[[list[Text], list[Text]], dict[str, Any] | None]


def correct_names(section: ForeignMapping | None, *known: str) -> ForeignMapping | None:
    """Return the section with misspelled field names corrected, with a warning for each."""
    if section is None:
        return None
    entries = dict(section.node.entries)
    for name, entry in section.node.entries.items():
        correct, span = nearest(name, list(known)), entry.key.span
        if name not in known and correct is not None and correct not in entries:
            message = f"unknown field `{section.path_of(name)}`"
            remedy = rename(span, correct)
            section.report.add_correction(message, span, f"rename it to `{correct}`", codes.UNKNOWN_FIELD, remedy)
            del entries[name]
            entries[correct] = Entry(Scalar(correct, correct, span), entry.value)
    section.node = Mapping(entries, section.node.span)
    return section


def replica_count(section: ForeignMapping, name: str) -> int:
    """Return a number of pods; the default is 1."""
    count = section.integer(name)
    if count is not None and count < 1:
        section.report.add_error(f"`{section.path_of(name)}` must be at least 1", section.where(name))
    return max(1, count or 1)


def enabled_elastic(spec: ForeignMapping, obstacle: str = "") -> ForeignMapping | None:
    """Return `elastic` if it is enabled and has no `obstacle`; report one without effect."""
    section = correct_names(spec.section("elastic"), "enabled", *BOUNDS)
    if section is None:
        return None
    enabled = section.boolean("enabled")
    if enabled and not obstacle:
        return section
    if any(name in section for name in BOUNDS):
        why = obstacle if enabled else "it is not enabled"
        section.report.add_change(f"`spec.elastic` has no effect: {why}", spec.key("elastic").span)
    section.ignore(*BOUNDS)
    return None


def translate_scheduling(spec: ForeignMapping, placement: dict[str, Any]) -> dict[str, Any]:
    """Return the gang of the T9k Scheduler; the gang implies the pods' schedulerName."""
    scheduler = correct_names(spec.section(FIELDS["scheduling.gang"].name), "t9kScheduler")
    section = scheduler and correct_names(scheduler.section("t9kScheduler"), "queue", "priority")
    if section is None:
        return {}
    queue, priority = section.string("queue"), section.consume("priority")
    options: dict[str, Any] = {} if queue in (None, DEFAULT_QUEUE) else {"queue": queue}
    if priority is not None and scalar_text(priority) != "0":
        options[section.key("priority")] = priority
    implied = {"schedulerName": None} if scalar_text(placement.get("schedulerName")) == SCHEDULER else {}
    return {"gang": {"t9k": options} if options else Text("t9k", section.node.span.first), **implied}


def translate_lifecycle(spec: ForeignMapping, replicas: ForeignMapping, backoff_limit: int | None) -> dict[str, Any]:
    """Return runPolicy, and the restartPolicy of `replicas`. `backoff_limit` is the controller's default.

    The controller replaces a failed pod, as a Job does.
    """
    section = correct_names(spec.section(RUN_POLICY), *names(FIELDS, f"spec.{RUN_POLICY}"))
    fields: dict[str, Any] = {"backoffLimit": backoff_limit}
    if section is not None:
        values = section.fields(FIELDS, "lifecycle")
        fields |= {name: value for name, value in values.items() if value is not None}
        fields["cleanPodPolicy"] = section.choice(FIELDS["lifecycle.cleanPodPolicy"].name, CLEAN_UP_POLICIES)
    policy = replicas.choice("restartPolicy", RESTART_POLICIES)
    if policy == "Never":
        if section is not None and "backoffLimit" in section:
            message = "`backoffLimit` has no effect with restartPolicy `Never`"
            section.report.add_change(message, section.where("backoffLimit"))
        fields["backoffLimit"] = Scalar(0, "0", policy.span)
    elif policy == "ExitCode":
        fields[Text("exitCodes", policy.span)] = {"retryable": list(RETRYABLE)}
    elif policy == "Always":
        message = "restartPolicy `Always` becomes `OnFailure`: a worker that succeeded is not restarted"
        replicas.report.add_change(message, policy.span)
    return fields


def remove_restart_policy(template: ForeignMapping, correct_path: str) -> None:
    """Remove the restartPolicy of a pod template, which the controller overwrites with Never."""
    spec = template.node.get("spec")
    if not isinstance(spec, Mapping) or "restartPolicy" not in spec.entries:
        return
    policy = child(spec, "restartPolicy")
    if not (isinstance(policy, Scalar) and policy.value in ("Never", None)):
        message = f"`{template.path}.spec.restartPolicy` has no effect: the controller sets it to `Never`"
        help_ = f"set `{correct_path}` instead"
        template.report.add_correction(message, spec.where("restartPolicy"), help_, codes.IGNORED_BY_OPERATOR)
    template.node = with_entry(template.node, "spec", without_entries(spec, "restartPolicy"))


def translate_run_mode(
    spec: ForeignMapping, pod_type: str, command: list[str] | None, resumed_program: ResumedProgram
) -> tuple[Any, bool]:
    """Return `mode` of the pods of a type, None for a job that trains, and whether they are idle and need no program.

    `command` is what they run in debug mode by default, None for sleep. `resumed_program` returns the fields for the
    command and arguments with which a paused job resumes.
    """
    section = correct_names(spec.section(RUN_MODE), DEBUG, PAUSE)
    if section is None:
        return None, False
    debug = correct_names(section.section(DEBUG), "enabled", DEBUGGED)
    pause = correct_names(section.section(PAUSE), "enabled", RESUMED)
    paused = _pause(pause, pod_type, resumed_program) if pause is not None else None
    debug_field = _debug(debug, pod_type, command) if debug is not None else None
    if paused is not None and debug_field is not None and debug is not None:
        section.report.add_dropped(debug.path, section.where(DEBUG), "the job is paused")
    return paused or debug_field, debug_field is not None


def note_missing_program(spec: ForeignMapping, left_out: str = "") -> None:
    """Report that a job is idle and has no program; `left_out` is the section that says how to start one."""
    prefix = f"`{left_out}` is left out: " if left_out else ""
    message = f"{prefix}the job has no program, and its pods are idle until launch and run are set"
    where = spec.key(left_out.rpartition(".")[2] if left_out else RUN_MODE)
    spec.report.add_change(message, where.span)


def _debug(section: ForeignMapping, pod_type: str, command: list[str] | None) -> Any:
    enabled = section.boolean("enabled")
    replicas = _of_type(section, DEBUGGED, pod_type, ("skipInitContainer", "command"))
    if not enabled:
        if DEBUGGED in section:
            for item in section.sections(DEBUGGED):
                item.ignore_all()
            section.drop(DEBUGGED, "the mode is not enabled")
        return None
    fields: dict[str, Any] = {"command": command}
    if replicas is not None:
        fields["command"] = replicas.strings("command") or command
        fields["skipInitContainers"] = replicas.boolean("skipInitContainer") or None
    options = {name: value for name, value in fields.items() if value is not None}
    key = Text("debug", section.node.span.first)
    return {key: options} if options else key


def _pause(section: ForeignMapping, pod_type: str, resumed_program: ResumedProgram) -> Any:
    """Return the mode of a paused job, or that of a job that runs with changes for a later pause."""
    enabled = section.boolean("enabled") or False
    resumed = _of_type(section, RESUMED, pod_type, ("skipInitContainer", "command", "args"))
    fields: dict[str, Any] = {}
    if resumed is not None:
        command, args = resumed.strings("command") or [], resumed.strings("args") or []
        fields = resumed_program(command, args) or {}
        if resumed.boolean("skipInitContainer"):
            fields["skipInitContainers"] = True
        if "run" in fields and not enabled:  # which no job of trainc has for a later pause
            message = f"`{resumed.path}` takes effect after a pause: pause with `mode: {flow({'paused': fields})}`"
            section.report.add_change(message, section.where(RESUMED))
            return None
    if not enabled:
        return {Text("run", section.where(RESUMED)): fields} if fields else None
    key = Text("paused", section.node.span.first)
    return {key: fields} if fields else key


def _of_type(section: ForeignMapping, name: str, pod_type: str, known: tuple[str, ...]) -> ForeignMapping | None:
    """Return the first item for pods of a type, and report the others."""
    match = None
    for item in section.sections(name):
        correct_names(item, "type", *known)
        if match is None and (item.string("type") or pod_type).lower() == pod_type.lower():
            match = item
        else:
            why = "all workers have the same mode" if match else f"the job has only pods of type `{pod_type}`"
            item.drop_all(why)
    return match
