"""Translate a Job of Volcano whose tasks run one program.

https://github.com/volcano-sh/volcano/tree/v1.15.1; TorchX writes one task for each worker:
https://github.com/pytorch/torchx/blob/main/torchx/schedulers/kubernetes_scheduler.py
"""

from __future__ import annotations

import re

from trainc.commandline.word import parse_count
from trainc.source.node import Mapping, Scalar, plain
from trainc.span import Span
from trainc.systems.shared.reader.env import with_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.host_names import report_lost_host_names
from trainc.systems.shared.reader.injected_env import (
    RANK_MARK,
    InjectedEnv,
    env_init_replacements,
    env_init_variables,
)
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.numbered_pods import program_fields, worker_range
from trainc.systems.shared.reader.own_world import World, field_variables
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.fields import FIELDS
from trainc.systems.vcjob.model.spec import Job, host_name, read_job
from trainc.systems.vcjob.reader.lifecycle import translate_lifecycle
from trainc.systems.vcjob.reader.plugins import (
    host_variables,
    injected_names,
    plugin_replacements,
    report_lost_variables,
    translate_plugins,
)
from trainc.systems.vcjob.reader.ranks import RANK
from trainc.systems.vcjob.reader.scheduling import translate_scheduling, translate_volumes
from trainc.systems.vcjob.reader.tasks import Workers, merge_tasks

NAMES = {job: field.path for job, field in FIELDS.items()}
_RUN_FIELDS = (f"metadata.annotations['{facts.GROUP_ANNOTATION}']",)


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(document)
    spec, report = document.section("spec"), document.report
    job = read_job(plain(document.node))
    workers = merge_tasks(spec, job) if spec is not None else None
    if spec is None or workers is None:
        if not report.failed:
            report.add_error("the job has no `spec.tasks`", document.where("kind"))
        return None
    translate_plugins(spec, job)
    main = translate_pod(workers.template, (), injected_names(job), facts.PORT_NAME, keeps_restart_policy=True)
    if main is None or report.failed:
        return None
    low, high = worker_range(main, workers.total)
    environment = _environment(job, workers, main, low, high)
    world = World(
        hosts=environment.hosts,
        total=workers.total,
        index=_index_variables(main, workers),
        run_ids=_RUN_FIELDS,
    )
    fields = program_fields(main, world, environment, workers.task, workers.count)
    tasks = "|".join(map(re.escape, workers.names))
    report_lost_host_names(job.name, f"(?:{tasks})-[0-9]+", fields["run"], main)
    if "basic" in fields["launch"]:
        own = plugin_replacements(job, main, workers.names, "$(RANK)", "$(MASTER_ADDR)")
        fields["env"], basic = with_values(fields["env"], own), fields["launch"]["basic"]
        basic["port"] = basic["port"] or _port(job, workers.count.span)
    report_lost_variables(job, fields, main)
    main.fields["volumes"] = translate_volumes(spec, main.fields["volumes"])
    fields["lifecycle"] = translate_lifecycle(spec, workers, fields["elastic"] is not None)
    fields["scheduling"] = translate_scheduling(spec, main.fields["scheduling"], job, low)
    return assemble_from_pod(metadata, queue, main, fields, document.node.span.first)


def _environment(job: Job, workers: Workers, main: TranslatedPod, low: int, high: int) -> InjectedEnv:
    """Return the variables of the plugins; with the plugin svc also the host names of the first worker."""
    hosts, replacements = _hosts(job, workers), {}
    variables = main.literal_env()
    port = _port(job, workers.count.span)
    if "pytorch" in job.plugins and workers.has_master:
        number, size = port.text if port else str(facts.PORT), str(workers.total)
        variables |= env_init_variables(hosts[0], number, size, workers.total == 1)
        replacements = env_init_replacements(number, size, workers.total == 1)
    variables |= host_variables(job)
    variables |= dict.fromkeys(_index_variables(main, workers), RANK_MARK if workers.total > 1 else "0")
    if workers.has_ranks:
        variables[RANK] = RANK_MARK if workers.total > 1 else "0"
    own = plugin_replacements(job, main, workers.names, "$(PET_NODE_RANK)", "$(PET_MASTER_ADDR)")
    replacements |= own
    has_ranks = (bool(replacements) or workers.has_ranks) and workers.total > 1
    return InjectedEnv(
        minimum=low,
        maximum=high,
        gpus=main.gpu_count(),
        launcher_fields={"rendezvous": {"backend": "static"}} if has_ranks else {},
        hosts=hosts if "svc" in job.plugins else (),
        port=parse_count(port.text) if port else None,
        variables=variables,
        replacements=replacements,
        host_network=bool(main.fields["network"].get("hostNetwork")),
        configures_torchrun="PET_NNODES" in variables or bool(own),
        rendezvous_help=f"add --rdzv_backend=c10d --rdzv_endpoint={hosts[0]}:29400, and the plugin svc",
        span=workers.count.span,
    )


def _hosts(job: Job, workers: Workers) -> tuple[str, ...]:
    """Return the host names of the first worker."""
    first = next(task for task in job.tasks if task.name == workers.first)
    host = host_name(job, first, 0)
    return host, f"{host}.{job.namespace}", f"{host}.{job.namespace}.svc.cluster.local", host.partition(".")[0]


def _index_variables(main: TranslatedPod, workers: Workers) -> tuple[str, ...]:
    """Return the variables with the index of a worker; none with several tasks, each of which counts from 0."""
    if len(workers.names) > 1:
        return ()
    fields = {f"metadata.{kind}['{facts.INDEX_LABEL}']" for kind in ("labels", "annotations")}
    return (*facts.INDEX_VARIABLES, *field_variables(main.fields["env"], fields))


def _port(job: Job, where: Span) -> Scalar | None:
    """Return the port of the plugin pytorch, if it is not the default."""
    text = job.plugins.get("pytorch", {}).get("port", "")
    number = parse_count(text)
    if number is None or number == facts.PORT:
        return None
    return Scalar(number, text, where)
