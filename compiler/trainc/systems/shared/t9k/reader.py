"""Shared parts of the readers of T9k's jobs: field names, scheduler, run policy, restarts.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src/references/api-reference; the controllers are not public.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.systems.shared.t9k.facts import RETRYABLE, SCHEDULER

RESTART_POLICIES = ("Always", "OnFailure", "Never", "ExitCode")
CLEAN_UP_POLICIES = ("None", "All", "Unfinished")


def correct_names(section: ForeignMapping | None, *known: str) -> ForeignMapping | None:
    """Return the section with misspelled field names corrected, with a warning for each."""
    if section is None:
        return None
    entries = dict(section.node.entries)
    for name, span, correct in section.unknown_fields(list(known)):
        if correct is not None and correct not in entries:
            section.report.add_correction(f"unknown field `{section.path_of(name)}`", span, f"rename it to `{correct}`")
            entry = entries.pop(name)
            entries[correct] = Entry(Scalar(correct, correct, entry.key.span), entry.value)
    section.node = Mapping(entries, section.node.span)
    return section


def replica_count(section: ForeignMapping, name: str) -> int:
    """Return a number of pods; the default is 1."""
    count = section.integer(name)
    if count is not None and count < 1:
        section.report.add_error(f"`{section.path_of(name)}` must be at least 1", section.where(name))
    return max(1, count if count is not None else 1)


def translate_scheduling(spec: ForeignMapping, placement: dict[str, Any]) -> dict[str, Any]:
    """Return the gang of the T9k Scheduler; the gang implies the pods' schedulerName."""
    gang = _gang(spec)
    implied = gang is not None and scalar_text(placement.get("schedulerName")) == SCHEDULER
    return {"gang": gang, **({"schedulerName": None} if implied else {})}


def _gang(spec: ForeignMapping) -> Any:
    scheduler = correct_names(spec.section("scheduler"), "t9kScheduler")
    section = scheduler and correct_names(scheduler.section("t9kScheduler"), "queue", "priority")
    if section is None:
        return None
    queue, priority = section.string("queue"), section.consume("priority")
    if scalar_text(priority) == "0":
        priority = None
    fields = {"queue": queue if queue != "default" else None, section.key("priority"): priority}
    options = {name: value for name, value in fields.items() if value is not None}
    return {"t9k": options} if options else Text("t9k", section.node.span.first)


def translate_lifecycle(spec: ForeignMapping, replicas: ForeignMapping, backoff_limit: int | None) -> dict[str, Any]:
    """Return runPolicy, and the restartPolicy of `replicas`. `backoff_limit` is the controller's default.

    The controller replaces a failed pod, as a Job does.
    """
    section = correct_names(spec.section("runPolicy"), "activeDeadlineSeconds", "backoffLimit", "cleanUpPolicy")
    fields: dict[str, Any] = {"backoffLimit": backoff_limit}
    if section is not None:
        fields["activeDeadlineSeconds"] = section.consume("activeDeadlineSeconds")
        if "backoffLimit" in section:
            fields["backoffLimit"] = section.consume("backoffLimit")
        fields["cleanPodPolicy"] = section.choice("cleanUpPolicy", CLEAN_UP_POLICIES)
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
        template.report.add_correction(message, spec.where("restartPolicy"), f"set `{correct_path}` instead")
    template.node = with_entry(template.node, "spec", without_entries(spec, "restartPolicy"))
