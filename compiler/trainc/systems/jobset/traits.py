"""Behavior of JobSets: https://jobset.sigs.k8s.io/docs/concepts/"""

from __future__ import annotations

from trainc.systems.jobset import facts
from trainc.systems.traits import ExclusivePlacement, Traits

# https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/pod_mutating_webhook.go
EXCLUSIVE_PLACEMENT = ExclusivePlacement(
    annotation=facts.EXCLUSIVE, job_label=facts.JOB_KEY_LABEL, node_selector=facts.NODE_SELECTOR
)

TRAITS = Traits(
    name="jobset",
    kind="JobSet",
    api_versions=("jobset.x-k8s.io/v1alpha2",),
    deadline=("spec", "replicatedJobs", "*", "template", "spec", "activeDeadlineSeconds"),
    pod_counts=tuple(
        ("spec", "replicatedJobs", "*", *field)
        for field in (("replicas",), ("template", "spec", "parallelism"), ("template", "spec", "completions"))
    ),
    operator="the JobSet controller",
    unsupported={
        "spec.lifecycle.stopWhenDone": "a JobSet completes on its own",
        "spec.elastic.metrics": "a JobSet has no scale subresource for an autoscaler",
        "spec.elastic.behavior": "a JobSet has no scale subresource for an autoscaler",
    },
    pod_labels=facts.LABELS,
    job_label=facts.JOB_LABEL,
    # The only Job of the replicated job that has the workers.
    pod_infix=f"-{facts.WORKER}-0",
    pod_suffix="-x7k2p",
    index_variable="JOB_COMPLETION_INDEX",
    creates_service=True,
    limits_pod_names=True,
    versions=("0.12", "0.11", "0.10"),
    version_name="jobset",
    pod_schema=(
        "crds/jobset-jobset-v1alpha2.json",
        *("spec", "replicatedJobs", "*", "template", "spec", "template"),
    ),
    release_schemas={each: f"crds/jobset-{each}" for each in ("0.11", "0.10")},
    value_help={
        "spec": "remove `startupPolicy`, or each `dependsOn`",
        "spec.volumeClaimPolicies[]": "remove the namespace: the claims are in that of the JobSet",
    },
    restarts_together=True,
    container_restarts="on request",
    template_is_immutable=True,
    pause=("spec", "suspend"),
    scale_by_hand="""kubectl patch job NAME-worker-0 -p '{"spec": {"parallelism": N, "completions": N}}'""",
    has_elastic_size=False,
    tpus="slices",
    exclusive_placement=EXCLUSIVE_PLACEMENT,
)
