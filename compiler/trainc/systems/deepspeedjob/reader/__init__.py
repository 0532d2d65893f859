"""Translate a DeepSpeedJob of T9k, v1beta1.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md

T9k's first worker starts the others by ssh and writes their environment to a file. With trainc every worker starts its
own processes, which inherit its environment. The first worker's end is the job's end with both. Only the autotuner
needs ssh.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Scalar
from trainc.span import Text
from trainc.systems.deepspeedjob.fields import CONFIG, FIELDS, WORKER
from trainc.systems.deepspeedjob.reader.config import translate_config
from trainc.systems.deepspeedjob.traits import CONTAINER
from trainc.systems.shared.fields import names
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.replicas import count_node, elastic_fields
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.t9k import reader as t9k
from trainc.systems.shared.t9k.fields import BOUNDS, EXPECTED

TYPE = "worker"
IDLE_COMMAND = ["/usr/sbin/sshd", "-D"]
# Of a container.
_COMMAND = "the container runs sshd on deepspeedjob, and the training program on other back ends"

NAMES = {job: field.path for job, field in FIELDS.items()}
REPLICAS, RESTART_POLICY = names(FIELDS, f"spec.{WORKER}")
ENV = FIELDS["launch.deepspeed.disableCustomEnv"].name


def translate(job: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(job)
    spec = t9k.correct_names(job.section("spec"), *dict.fromkeys(field.steps[1] for field in FIELDS.values()))
    worker = t9k.correct_names(spec.section(WORKER), REPLICAS, "template", RESTART_POLICY) if spec is not None else None
    template = worker.section("template") if worker is not None else None
    if spec is None or worker is None or template is None:
        job.report.add_error(f"the job has no `spec.{WORKER}.template`", job.where("kind"))
        return None
    t9k.remove_restart_policy(template, NAMES["lifecycle.restartPolicy"])
    main = translate_pod(template, (CONTAINER,))
    if main is None:
        return None
    own_command = _own_command(job.report, main)
    # After a pause the containers run another command, which is not the training program.
    mode, idle = t9k.translate_run_mode(
        spec, TYPE, IDLE_COMMAND, lambda command, args: {"command": [*command, *args]} if command or args else None
    )
    workers, elastic = _workers(spec, worker)
    launch_and_run = translate_config(spec, main, workers.value, idle)
    if launch_and_run is None:
        return None
    launch, run = launch_and_run
    several = workers.value != 1 or elastic is not None
    if elastic is not None and "deepspeed" not in launch:
        spec.drop("elastic", "only deepspeed's worlds can change there", "")
        elastic = None
    if own_command and "deepspeed" in launch:
        launch["deepspeed"][Text("containerCommand", main.container.where("command"))] = own_command
    elif own_command:
        _report_sshd(job.report, main.container.path_of("command"), own_command)
    if several and "deepspeed" in launch and launch["deepspeed"].get("transport") != "ssh":
        message = "the workers do not use ssh: each starts its own processes, which inherit its environment"
        job.report.add_change(message, spec.where(CONFIG), elsewhere=True)
    if spec.boolean(ENV) and "deepspeed" in launch:
        launch["deepspeed"][spec.key(ENV)] = Scalar(True, "true", spec.where(ENV))
    fields: dict[str, Any] = {
        "launch": launch,
        "run": run,
        "workers": workers if several else None,
        "elastic": elastic,
        "lifecycle": t9k.translate_lifecycle(spec, worker, None),
        "scheduling": t9k.translate_scheduling(spec, main.fields["scheduling"]),
        "mode": mode,
    }
    if several:
        fields["lifecycle"]["successPolicy"] = "Leader"
    return assemble_from_pod(metadata, queue, main, fields, job.node.span.first)


def _workers(spec: ForeignMapping, worker: ForeignMapping) -> tuple[Scalar, Node | None]:
    """Return the number of workers, and `elastic` for a number that changes: reference, ElasticConfig."""
    count = t9k.replica_count(worker, REPLICAS)
    workers = count_node(worker, REPLICAS, count)
    section = t9k.enabled_elastic(spec)
    if section is None:
        return workers, None
    low, high, expected = (section.integer(name) for name in BOUNDS)
    if expected is not None:
        count = t9k.replica_count(section, EXPECTED)
        workers = count_node(section, EXPECTED, count)
    minimum, maximum = count if low is None else low, count if high is None else high
    return workers, elastic_fields(section, minimum, maximum) if minimum != maximum else None


def _own_command(report: TranslationReport, main: TranslatedPod) -> list[Text]:
    """Return the containers' own command; empty for nothing but sshd, and for arguments of the image's entrypoint."""
    if main.command and not _is_sshd([*main.command, *main.args]):
        where = main.container.where("command")
        report.add_change(_COMMAND, where, elsewhere=True)
        return [*main.command, *main.args]
    help_ = "run setup steps in an init container of podTemplate"
    _report_sshd(
        report, main.container.path_of("command" if main.command else "args"), [*main.command, *main.args], help_
    )
    return []


def _is_sshd(words: list[Text]) -> bool:
    """Return whether a command is nothing but sshd: a script that starts sshd may do more."""
    is_sshd = words[0].rpartition("/")[2] == "sshd" and all(word.startswith("-") for word in words[1:])
    return is_sshd or words == ["service", "ssh", "start"]


def _report_sshd(report: TranslationReport, path: str, words: list[Text], help_: str | None = None) -> None:
    """Report that the containers' own command, by default sshd, is replaced by the training program."""
    if not words:
        return
    if _is_sshd(words):
        report.add_change(f"`{path}` is left out: {_COMMAND}", words[0].span)
    else:
        report.add_dropped(path, words[0].span, _COMMAND, help_)
