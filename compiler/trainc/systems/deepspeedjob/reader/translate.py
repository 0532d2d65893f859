"""DeepSpeedJob of T9k, v1beta1.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md

T9k's first worker reaches the others by ssh and hands them the environment in a file. With trainc every pod starts its
own processes and has its environment anyway, and the first worker's end is the job's as it was there, so nothing of
ssh is needed, except by the autotuner.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Scalar
from trainc.span import Text
from trainc.systems.deepspeedjob.reader.config import translate_config
from trainc.systems.shared.reader.assemble import assemble_job
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.metadata import translate_metadata
from trainc.systems.shared.reader.placeholders import unfilled_image
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.t9k.reader import (
    correct_names,
    remove_restart_policy,
    replica_count,
    translate_lifecycle,
    translate_scheduling,
)
from trainc.systems.shared.t9k.reader_run_mode import translate_run_mode

CONTAINER, TYPE = "worker", "worker"
WAITS = ["/usr/sbin/sshd", "-D"]
FIELDS = ("scheduler", "runPolicy", "runMode", "elastic", "config", "disableCustomEnv", "worker")


def translate(job: ForeignMapping) -> Mapping | None:
    """The job in our language, None where it can't be understood."""
    ours, queue = translate_metadata(job)
    spec = correct_names(job.section("spec"), *FIELDS)
    worker = (
        correct_names(spec.section("worker"), "replicas", "template", "restartPolicy") if spec is not None else None
    )
    template = worker.section("template") if worker is not None else None
    if spec is None or worker is None or template is None:
        job.report.add_error("a DeepSpeedJob has spec.worker.template", job.where("kind"))
        return None
    remove_restart_policy(template, "spec.worker.restartPolicy")
    main = translate_pod(template, (CONTAINER,))
    if main is None:
        return None
    _container_command(main)
    mode = translate_run_mode(spec, TYPE, WAITS, _sshd)
    workers = _workers(spec, worker)
    begun = translate_config(spec, main, workers.value, mode.idle)
    if begun is None:
        return None
    launch, run = begun
    if workers.value != 1 and launch.get("deepspeed", {}).get("transport") != "ssh" and "deepspeed" in launch:
        message = "the pods don't use ssh: each starts its own processes, and the environment is theirs without a file"
        job.report.add_change(message, spec.where("config"))
    _environment(spec, main)
    unfilled = unfilled_image(main.fields["image"])
    job.report.diagnostics += [unfilled] if unfilled is not None else []
    fields: dict[str, Any] = {**main.fields, "launch": launch, "run": run, "mode": mode.ours, "podTemplate": main.patch}
    fields["workers"] = workers if workers.value != 1 else None
    fields["sharedMemory"] = main.shared_memory(launch)
    fields["lifecycle"] = {**main.fields["lifecycle"], **translate_lifecycle(spec, worker, None)}
    if workers.value != 1:
        fields["lifecycle"]["successPolicy"] = "Leader"
    fields["scheduling"] = {"queue": queue, **translate_scheduling(spec, main.fields["scheduling"])}
    return assemble_job(ours, fields, job.node.span.first)


def _workers(spec: ForeignMapping, worker: ForeignMapping) -> Scalar:
    """How many. A world of DeepSpeed's has a fixed size: what the pods are told at the start."""
    number = replica_count(worker, "replicas")
    where = worker.where("replicas") if "replicas" in worker else worker.node.span.first
    elastic = correct_names(spec.section("elastic"), "enabled", "minReplicas", "maxReplicas", "expectedReplicas")
    if elastic is None:
        return Scalar(number, str(number), where)
    if elastic.boolean("enabled"):
        if "expectedReplicas" in elastic:
            number, where = replica_count(elastic, "expectedReplicas"), elastic.where("expectedReplicas")
        why = f"deepspeed has a world of fixed size with trainc, here of {number}"
        elastic.report.add_dropped("spec.elastic", spec.where("elastic"), why, "launch.torchrun can be elastic")
    elif len(elastic.node.entries) > 1:
        elastic.report.add_change("`spec.elastic` isn't enabled and has no effect", spec.where("elastic"))
    elastic.ignore(*elastic.node.entries)
    return Scalar(number, str(number), where)


def _container_command(main: TranslatedPod) -> None:
    """What the pods of a DeepSpeedJob run by themselves is sshd, which worker 0 reaches them by."""
    words = [*main.command, *main.args]
    if not words:
        return
    path, where = main.container.path_of("command" if main.command else "args"), words[0].span
    if _is_sshd(words):
        main.container.report.add_change(f"`{path}` is left out: the workers need no sshd", where)
    else:
        why = "with trainc the container starts the training itself"
        help_ = "what has to be done before can be an init container of podTemplate"
        main.container.report.add_dropped(path, where, why, help_)


def _sshd(resumed: ForeignMapping, command: list[Text], args: list[Text]) -> None:
    """The containers' command after a pause, which is no training program either."""
    words = [*command, *args]
    if _is_sshd(words):
        resumed.report.add_change(f"`{resumed.path}.command` is left out: the workers need no sshd", words[0].span)
    else:
        why = "with trainc the container starts the training itself"
        resumed.report.add_dropped(f"{resumed.path}.{'command' if command else 'args'}", words[0].span, why)


def _is_sshd(words: list[Text]) -> bool:
    """Nothing but sshd: a script that starts it may do more."""
    is_sshd = words[0].rpartition("/")[2] == "sshd" and all(word.startswith("-") for word in words[1:])
    return is_sshd or words == ["service", "ssh", "start"]


def _environment(spec: ForeignMapping, main: TranslatedPod) -> None:
    disabled = spec.boolean("disableCustomEnv")
    given: Node | Any = main.fields.get("env") or main.fields.get("envFrom")
    if disabled and given:
        message = "the environment would only be the containers' own; with trainc the processes have it, too"
        spec.report.add_change(message, spec.where("disableCustomEnv"))
