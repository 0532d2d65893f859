"""Translate a JobSet whose Jobs run one program: https://jobset.sigs.k8s.io/docs/concepts/"""

from __future__ import annotations

import re
from typing import Any

from trainc.commandline.word import parse_count
from trainc.source.node import Mapping, scalar_text
from trainc.systems.jobset import facts
from trainc.systems.jobset.reader.claims import add_volumes, move_claims
from trainc.systems.jobset.reader.exclusive import translate_exclusive
from trainc.systems.jobset.reader.lifecycle import NAMES as LIFECYCLE_NAMES
from trainc.systems.jobset.reader.lifecycle import translate_lifecycle
from trainc.systems.jobset.reader.replicated_jobs import Workers, merge_jobs
from trainc.systems.jobset.reader.world import pod_world, report_lost_coordinator
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.host_names import report_lost_host_names
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.launcher_nodes import launcher_nodes
from trainc.systems.shared.reader.mode import report_manager, translate_mode
from trainc.systems.shared.reader.own_world import field_variables, remove_own_world
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.replicas import elastic_fields

# Names in a JobSet by the paths of trainc's fields.
NAMES = {
    "workers": "spec.replicatedJobs[0].template.spec.completions",
    "mode": "spec.suspend",
    **LIFECYCLE_NAMES,
}


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(document)
    spec, report = document.section("spec"), document.report
    workers = merge_jobs(spec) if spec is not None else None
    if spec is None or workers is None:
        if not report.failed:
            report.add_error("the job has no `spec.replicatedJobs`", document.where("kind"))
        return None
    translate_exclusive(metadata, workers, report)
    claims = add_volumes(scalar_text(metadata.get("name")), spec, workers)
    main = translate_pod(workers.pods, (), keeps_restart_policy=True)
    if main is None or report.failed:
        return None
    move_claims(claims, main)
    variables = main.literal_env()
    low, high = _bounds(main, variables.get("PET_NNODES", ""), workers.total)
    world = pod_world(metadata, spec, workers, main.fields["env"], str(high) if low == high else f"{low}:{high}")
    addresses = field_variables(main.fields["env"], world.host_fields)
    variables |= {**dict.fromkeys(addresses, world.hosts[1]), **dict.fromkeys(world.index, RANK_MARK)}
    environment = InjectedEnv(
        minimum=low,
        maximum=high,
        elastic=False,
        gpus=main.gpu_count(),
        launcher_fields={},
        hosts=world.hosts,
        port=_port(main),
        variables=variables,
        host_network=bool(main.fields["network"].get("hostNetwork")),
        configures_torchrun="PET_NNODES" in variables,
        rendezvous_help=f"add --rdzv_backend=c10d --rdzv_endpoint={world.hosts[0]}:29400",
        span=workers.count.span,
    )
    command = translate_command(main, environment)
    port = remove_own_world(main, world, command, report)
    report_lost_coordinator(main, report)
    pods = f"(?:{'|'.join(map(re.escape, workers.names))})-[0-9]+-[0-9]+"
    report_lost_host_names(scalar_text(metadata.get("name")), pods, command, main, report)
    launch = command.launch
    if "basic" in launch:
        launch = {"basic": {**launch["basic"], "port": port}}
    mode = translate_mode(spec, queued=queue is not None)
    report_manager(spec, facts.MANAGER)
    report_policies(spec, workers)
    elastic = elastic_fields(workers.job, low, high, span=workers.count.span) if low < high else None
    fields: dict[str, Any] = {
        "launch": launch,
        "run": command.run,
        "workers": workers.count if workers.total != 1 or elastic else None,
        "elastic": elastic,
        "env": main.env_with(command.env),
        "lifecycle": translate_lifecycle(spec, workers, elastic is not None),
        "mode": mode,
    }
    return assemble_from_pod(metadata, queue, main, fields, document.node.span.first)


def _bounds(main: TranslatedPod, variable: str, total: int) -> tuple[int, int]:
    """Return the fewest and most workers: a range of torchrun's, by option or variable, that all pods are in."""
    nodes = launcher_nodes(main)
    low, high = variable.partition(":")[::2] if nodes is None else (str(nodes.fewest), str(nodes.most))
    fewest, most = parse_count(low), parse_count(high)
    is_elastic = fewest is not None and most is not None and fewest < most and most >= total
    return (fewest or 0, most or 0) if is_elastic else (total, total)


def _port(main: TranslatedPod) -> int | None:
    """Return the number of MASTER_PORT, if the pod sets it."""
    port = main.literal_env().get("MASTER_PORT", "")
    return int(port) if port.isdecimal() and port.isascii() and len(port) < 6 else None


def report_policies(spec: ForeignMapping, workers: Workers) -> None:
    """Report policies of the JobSet that say something about several Jobs."""
    report, why = spec.report, "all workers are one Job"
    success, startup = spec.section("successPolicy"), spec.section("startupPolicy")
    if success is not None:
        if success.choice("operator", ("All", "Any")) == "Any" and workers.jobs > 1:
            report.add_dropped(success.path_of("operator"), success.where("operator"), why)
        targets = success.strings("targetReplicatedJobs")
        if targets and set(targets) != set(workers.names):
            report.add_dropped(success.path_of("targetReplicatedJobs"), success.where("targetReplicatedJobs"), why)
    if startup is not None:
        order = startup.choice("startupPolicyOrder", ("AnyOrder", "InOrder"))
        if order == "InOrder" and len(workers.names) > 1:
            report.add_dropped(startup.path_of("startupPolicyOrder"), startup.where("startupPolicyOrder"), why)
