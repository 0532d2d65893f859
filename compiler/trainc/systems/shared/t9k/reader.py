"""What T9k's jobs have in common: scheduler, run policy, restarts.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src/references/api-reference; the controllers aren't public.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Node, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.t9k.facts import RETRYABLE, SCHEDULER

RESTARTS = ("Always", "OnFailure", "Never", "ExitCode")
CLEAN_UP = ("None", "All", "Unfinished")


def correct_names(section: ForeignMapping | None, *known: str) -> ForeignMapping | None:
    """The section with its misspelt fields under their right names, each with a warning."""
    if section is None:
        return None
    entries = dict(section.node.entries)
    for name, span, meant in section.unknown_fields(list(known)):
        if meant is not None and meant not in entries:
            section.report.add_correction(f"there is no `{section.path_of(name)}`", span, f"it is called `{meant}`")
            old = entries.pop(name)
            entries[meant] = Entry(Scalar(meant, meant, old.key.span), old.value)
    section.node = Mapping(entries, section.node.span)
    return section


def replica_count(section: ForeignMapping, name: str) -> int:
    """A number of pods, by default one."""
    found = section.integer(name)
    if found is not None and found < 1:
        section.report.add_error(f"`{section.path_of(name)}` must be at least 1", section.where(name))
    return max(1, found if found is not None else 1)


def translate_scheduling(spec: ForeignMapping, pods: dict[str, Any]) -> dict[str, Any]:
    """The pods' own, with the T9k Scheduler's gang."""
    group = _gang(spec)
    if group is not None and scalar_text(pods.get("schedulerName")) == SCHEDULER:
        pods = {name: value for name, value in pods.items() if name != "schedulerName"}  # the gang's own
    return {**pods, "gang": group}


def _gang(spec: ForeignMapping) -> Any:
    scheduler = correct_names(spec.section("scheduler"), "t9kScheduler")
    section = correct_names(scheduler.section("t9kScheduler"), "queue", "priority") if scheduler is not None else None
    if section is None:
        return None
    queue, priority = section.string("queue"), section.consume("priority")
    if scalar_text(priority) == "0":
        priority = None
    options = {"queue": queue if queue != "default" else None, section.key("priority"): priority}
    given = {name: value for name, value in options.items() if value is not None}
    return {"t9k": given} if given else Text("t9k", section.node.span.first)


def translate_lifecycle(spec: ForeignMapping, holder: ForeignMapping, limit: int | None) -> dict[str, Any]:
    """runPolicy, and the restartPolicy of `holder`. `limit` is how often pods are restarted by default.

    The controller makes a failed pod anew, as a Job does.
    """
    section = correct_names(spec.section("runPolicy"), "activeDeadlineSeconds", "backoffLimit", "cleanUpPolicy")
    found: dict[str, Any] = {"backoffLimit": limit}
    if section is not None:
        found["activeDeadlineSeconds"] = section.consume("activeDeadlineSeconds")
        if "backoffLimit" in section:
            found["backoffLimit"] = section.consume("backoffLimit")
        found["cleanPodPolicy"] = _one_of(section, "cleanUpPolicy", CLEAN_UP)
    policy = _one_of(holder, "restartPolicy", RESTARTS)
    if policy == "Never":
        if section is not None and "backoffLimit" in section:
            message = "`backoffLimit` has no effect where the restartPolicy is Never"
            section.report.add_change(message, section.where("backoffLimit"))
        found["backoffLimit"] = Scalar(0, "0", policy.span)
    elif policy == "ExitCode":
        found[Text("exitCodes", policy.span)] = {"retryable": list(RETRYABLE)}
    elif policy == "Always":
        message = "a container that ended well would be started again; with trainc it isn't"
        holder.report.add_change(message, policy.span)
    return found


def remove_restart_policy(template: ForeignMapping, right: str) -> None:
    """A template without the restartPolicy of its pods, which the controller sets to Never."""
    spec = template.node.get("spec")
    if not isinstance(spec, Mapping) or "restartPolicy" not in spec.entries:
        return
    given: Node = spec.entries["restartPolicy"].value
    if not (isinstance(given, Scalar) and given.value in ("Never", None)):
        message = f"`{template.path}.spec.restartPolicy` has no effect: the controller makes all pods with Never"
        template.report.add_correction(
            message, spec.where("restartPolicy"), f"give `{right}`, which is OnFailure by default"
        )
    kept = {name: entry for name, entry in spec.entries.items() if name != "restartPolicy"}
    inner = Entry(template.node.entries["spec"].key, Mapping(kept, spec.span))
    template.node = Mapping({**template.node.entries, "spec": inner}, template.node.span)


def _one_of(section: ForeignMapping, name: str, known: tuple[str, ...]) -> Text | None:
    given = section.string(name)
    if given is not None and given not in known:
        section.report.add_error(f"there is no {name} {given}", given.span, expected=", ".join(known))
    return given
