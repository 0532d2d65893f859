"""Behavior of Indexed Jobs, and constants of their controller.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

from trainc.systems.shared.facts import NO_TRAINING, NO_TRAINING_HELP
from trainc.systems.traits import Traits

# Labels and annotations of its pods since Kubernetes 1.28 (the label), both in
# https://kubernetes.io/docs/reference/labels-annotations-taints/
INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
RUN_LABEL = "batch.kubernetes.io/controller-uid"
JOB_LABEL = "batch.kubernetes.io/job-name"
# Failures of a worker before this pod that count, and that a rule ignores, with backoffLimitPerIndex.
FAILURES_ANNOTATION = "batch.kubernetes.io/job-index-failure-count"
IGNORED_ANNOTATION = "batch.kubernetes.io/job-index-ignored-failure-count"
# Index of a pod in its variables, unless the container sets it.
INDEX_VARIABLE = "JOB_COMPLETION_INDEX"

GANG = 37  # Kubernetes 1.37: spec.scheduling, behind the feature gate WorkloadWithJob
MUTABLE = (
    36  # Kubernetes 1.36: what a suspended Job may change also after it has run, and resources: https://kep.k8s.io/5440
)
SUCCESS_POLICY = 31  # Kubernetes 1.31: on by default
# Failures before a Job fails, and seconds before a failed pod is replaced, doubled with every failure:
# https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/job_controller.go
BACKOFF_LIMIT = 6
FIRST_BACKOFF, LONGEST_BACKOFF = 10.0, 600.0

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
    job_label=JOB_LABEL,
    pod_suffix="-x7k2p",
    index_variable=INDEX_VARIABLE,
    container_restarts="on request",
    template_is_immutable=True,
    pause=("spec", "suspend"),
    scale_by_hand="""kubectl patch job NAME -p '{"spec": {"parallelism": N, "completions": N}}'""",
    queued="partially",
    tpus="one slice",
)
