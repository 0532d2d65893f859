"""Behavior of Indexed Jobs: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""

from __future__ import annotations

from trainc.systems.job import facts
from trainc.systems.shared.facts import NO_TRAINING, NO_TRAINING_HELP
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="job",
    kind="Job",
    api_versions=("batch/v1",),
    deadline=("spec", "activeDeadlineSeconds"),
    pod_counts=(("spec", "parallelism"), ("spec", "completions")),
    schema="workloads/job.json",
    foreign_description=NO_TRAINING,
    foreign_help=NO_TRAINING_HELP,
    unsupported={
        "spec.lifecycle.stopWhenDone": "a Job completes on its own",
        "spec.elastic.metrics": "a Job has no scale subresource for an autoscaler",
        "spec.elastic.behavior": "a Job has no scale subresource for an autoscaler",
    },
    job_label=facts.JOB_LABEL,
    pod_suffix="-x7k2p",
    index_variable="JOB_COMPLETION_INDEX",
    container_restarts="on request",
    template_is_immutable=True,
    scale_by_hand="""kubectl patch job NAME -p '{"spec": {"parallelism": N, "completions": N}}'""",
    queued="partially",
    tpus="one slice",
)
