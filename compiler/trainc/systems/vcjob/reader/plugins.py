"""Translate the plugins of a Job of Volcano: what they add to the pods, trainc's pods have in their own way."""

from __future__ import annotations

import re
from typing import Any

from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import referenced_variables
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.model.spec import Job, host_name, is_on

_OTHERS = {
    "ssh": "launch.deepspeed with `transport: ssh` has keys of its own: sshSecret",
    "tensorflow": "trainc sets no TF_CONFIG",
    "hcclrank": "trainc sets no rank table",
    "ray": "Ray starts the processes",
}


def injected_names(job: Job) -> tuple[str, ...]:
    """Return the variables that the plugins append, so that they override the container's own."""
    names = facts.INDEX_VARIABLES if "env" in job.plugins else ()
    has_master = any(task.name == job.plugins.get("pytorch", {}).get("master", facts.MASTER) for task in job.tasks)
    return (*names, *(facts.PYTORCH_VARIABLES if "pytorch" in job.plugins and has_master else ()))


def translate_plugins(spec: ForeignMapping, job: Job) -> None:
    """Report what trainc has no equivalent of."""
    plugins, report = spec.section("plugins"), spec.report
    if plugins is None:
        return
    for name in list(plugins.node.entries):
        plugins.consume(name)
        where = plugins.where(name)
        if name in _OTHERS:
            plugins.drop(name, _OTHERS[name])
        elif name == "pytorch" and is_on(job.plugins[name], "wait-master-enabled"):
            message = "no init container waits for the master: the launchers wait for it themselves"
            report.add_change(message, where)
    if "svc" in job.plugins and not is_on(job.plugins["svc"], facts.NO_POLICY):
        where = plugins.position("svc")
        message = "no NetworkPolicy: other pods can connect to the workers, whose own policy admits only each other"
        report.add_change(message, where)


def host_variables(job: Job) -> dict[str, str]:
    """Return the values of the variables that the plugin svc sets."""
    values: dict[str, str] = {}
    for task in job.tasks if "svc" in job.plugins else ():
        hosts, number = facts.host_variables(task.name)
        values[hosts] = ",".join(host_name(job, task, index) for index in range(task.replicas))
        values[number] = str(task.replicas)
    return values


def plugin_replacements(
    job: Job, main: TranslatedPod, tasks: tuple[str, ...], rank: str, address: str
) -> dict[str, str]:
    """Return the plugins' variables that the command line uses, in terms of the launcher's.

    A list of hosts can be replaced where only its first is used. Numbers in a task are ranks of a single task.
    """
    words = [*main.command, *main.args]
    used, values = referenced_variables(words), host_variables(job)
    names = dict.fromkeys(facts.INDEX_VARIABLES, rank) if "env" in job.plugins and len(tasks) == 1 else {}
    for task in job.tasks:
        hosts, number = facts.host_variables(task.name)
        if hosts in values and (task.name == tasks[0] and (task.replicas == 1 or _takes_first(words, hosts))):
            names[hosts] = address
        if number in values:
            names[number] = values[number]
    return {name: value for name, value in names.items() if name in used}


def _takes_first(words: list[Text], name: str) -> bool:
    """Return whether all uses of a list of hosts take its first: with `cut -d, -f1`, or `${LIST%%,*}`."""
    first = re.compile(rf"\$\{{?{name}\}}?[\"']?\s*\|\s*cut\s+-d\s?[\"']?,[\"']?\s+-f\s?1\b|\$\{{{name}%%,\*\}}")
    text = " ".join(words)
    return len(first.findall(text)) == len(re.findall(rf"\b{name}\b", text))


def report_lost_variables(job: Job, fields: dict[str, Any], main: TranslatedPod) -> None:
    """Report variables of the plugins that stay in `run` or `env` and have no equivalent."""
    names = {*(facts.INDEX_VARIABLES if "env" in job.plugins else ()), *host_variables(job)}
    env = fields["env"] or {}
    own = env if isinstance(env, dict) else {}
    words = [word for line in fields["run"].values() for word in line if isinstance(word, Text)]
    words += [Text(str(value.value), value.span) for value in own.values() if isinstance(value, Scalar)]
    known = {str(name) for name in own} | {item["name"] for item in env if isinstance(item, dict)}
    for word in words:
        for name in sorted(referenced_variables([word]) & names - known):
            index = name in facts.INDEX_VARIABLES
            help_ = "use RANK, or PET_NODE_RANK with the static rendezvous" if index else "use MASTER_ADDR"
            main.container.report.add_dropped(name, word.span, "only the pods of Volcano have it", help=help_)
