"""Translate a JobSet whose Jobs run one program: https://jobset.sigs.k8s.io/docs/concepts/"""

from __future__ import annotations

import re

from trainc.source.node import Mapping, scalar_text
from trainc.systems.jobset import facts
from trainc.systems.jobset.reader.claims import add_volumes, move_claims
from trainc.systems.jobset.reader.exclusive import translate_exclusive
from trainc.systems.jobset.reader.lifecycle import translate_lifecycle
from trainc.systems.jobset.reader.replicated_jobs import Workers, merge_jobs, report_waves
from trainc.systems.jobset.reader.world import pod_world, without_coordinator
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.host_names import report_lost_host_names
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.job_policies import report_manager, translate_mode
from trainc.systems.shared.reader.numbered_pods import translate_program
from trainc.systems.shared.reader.pod import translate_pod

_JOB = "spec.replicatedJobs[0].template.spec"
# Names in a JobSet by the paths of trainc's fields.
NAMES = {
    "workers": f"{_JOB}.completions",
    "mode": "spec.suspend",
    "lifecycle.ttlSecondsAfterFinished": "spec.ttlSecondsAfterFinished",
    **{
        f"lifecycle.{name}": f"{_JOB}.{name}"
        for name in ("backoffLimit", "backoffLimitPerIndex", "activeDeadlineSeconds", "successPolicy")
    },
    "lifecycle.exitCodes": f"{_JOB}.podFailurePolicy",
    "lifecycle.restartPolicy": f"{_JOB}.template.spec.restartPolicy",
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
    report.largest_job = workers.largest if workers.jobs > 1 else None
    main = translate_pod(workers.pods, (), keeps_restart_policy=True)
    if main is None or report.failed:
        return None
    move_claims(claims, main)
    report_waves(workers, main)
    world = pod_world(metadata, spec, workers, main.fields["env"])
    fields = translate_program(main, world, workers.job, workers.count, slices=workers.jobs)
    fields["env"] = without_coordinator(fields["env"], report)
    pods = f"(?:{'|'.join(map(re.escape, workers.names))})-[0-9]+-[0-9]+"
    report_lost_host_names(scalar_text(metadata.get("name")), pods, fields["run"], main)
    fields["mode"] = translate_mode(spec, queued=queue is not None)
    report_manager(spec, facts.MANAGER)
    report_policies(spec, workers)
    fields["lifecycle"] = translate_lifecycle(spec, workers, fields["elastic"] is not None)
    return assemble_from_pod(metadata, queue, main, fields, document.node.span.first)


def report_policies(spec: ForeignMapping, workers: Workers) -> None:
    """Report policies of the JobSet that say something about several Jobs."""
    why = "all workers are one Job"
    success, startup = spec.section("successPolicy"), spec.section("startupPolicy")
    if success is not None:
        if success.choice("operator", ("All", "Any")) == "Any" and workers.jobs > 1:
            success.drop("operator", why)
        targets = success.strings("targetReplicatedJobs")
        if targets and set(targets) != set(workers.names):
            success.drop("targetReplicatedJobs", why)
    if startup is not None:
        order = startup.choice("startupPolicyOrder", ("AnyOrder", "InOrder"))
        if order == "InOrder" and len(workers.names) > 1:
            startup.drop("startupPolicyOrder", why)
