"""Parameters and labels of a RayJob's groups as fields of launch.ray, and the ports that KubeRay expects."""

from __future__ import annotations

import shlex
from typing import Any

from trainc.launchers.ray.reader import read_parameters
from trainc.source.node import scalar_text
from trainc.span import Text
from trainc.systems.rayjob import facts
from trainc.systems.rayjob.parameters import LABELS
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping

# Parameters that KubeRay needs for its submitter and probes, and those of a head that schedules other resources than
# worker 0, which schedules what every worker does.
_OF_OPERATOR = ("dashboard-host", "include-dashboard", "block", "metrics-export-port", "dashboard-agent-listen-port")
_OF_WORKERS = ("num-cpus", "num-gpus", "memory", "resources")
# Ports of Ray, which only the head has.
PORTS = {
    facts.GCS_PORT_NAME,
    facts.DASHBOARD_PORT_NAME,
    facts.METRICS_PORT_NAME,
    facts.CLIENT_PORT_NAME,
}


def read_group_parameters(head: ForeignMapping, groups: list[ForeignMapping], gpus: int | None) -> dict[str, Any]:
    """Return the fields of launch.ray, those of the head unless it schedules nothing."""
    fields: dict[str, Any] = {}
    pairs = {name: _pairs(group) for name, group in (("headArgs", head), *(("workerArgs", each) for each in groups))}
    used = {name: value for name, value in pairs["headArgs"].items() if value != "0"}
    of_workers = pairs.get("workerArgs", used)
    for name, values in pairs.items():
        for parameter, value in values.items():
            is_shared = of_workers.get(parameter) == value
            if parameter in _OF_OPERATOR or (name == "headArgs" and parameter in _OF_WORKERS and not is_shared):
                continue
            rest = read_parameters(parameter, value, fields)
            if rest:
                fields.setdefault(name, []).extend(rest)
    others = [each for each in fields.get("headArgs", []) if each in fields.get("workerArgs", [])]
    if others:
        fields["otherArgs"] = others
        for name in ("headArgs", "workerArgs"):
            fields[name] = [each for each in fields[name] if each not in others]
    if fields.get("numGpus") == gpus:
        del fields["numGpus"]
    return {name: value for name, value in fields.items() if value != []}


def _pairs(group: ForeignMapping) -> dict[str, Text]:
    """Return the parameters and labels of a group as `ray start` gets them from KubeRay's shell."""
    section, labels = group.section("rayStartParams"), group.section("labels")
    pairs = {}
    if section is not None:
        for parameter in section.node.entries:
            value = scalar_text(section.consume(parameter))
            pairs[parameter] = Text(_unquoted(value), section.where(parameter))
    if labels is not None and labels.node.entries:
        labels.ignore_all()
        text = ",".join(f"{name}={scalar_text(labels.node.get(name))}" for name in labels.node.entries)
        pairs[LABELS] = Text(text, labels.node.span.first)
    return pairs


def _unquoted(text: str) -> str:
    """Return a value without the quotes of the shell; a value of several words as it is."""
    try:
        words = shlex.split(text)
    except ValueError:
        return text
    return words[0] if len(words) == 1 else text
