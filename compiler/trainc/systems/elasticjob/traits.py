"""Behavior of ElasticJobs under the Torch Elastic operator: https://github.com/pytorch/elastic/tree/master/kubernetes"""

from __future__ import annotations

from trainc.systems.elasticjob import facts
from trainc.systems.elasticjob.fields import FIELDS, ROLES
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="elasticjob",
    kind="ElasticJob",
    api_versions=("elastic.pytorch.org/v1alpha1",),
    deadline=("spec", ROLES, "*", "template", "spec", "activeDeadlineSeconds"),
    pod_counts=(("spec", ROLES, "*", "replicas"), FIELDS["elastic.maxReplicas"].steps),
    operator="the Torch Elastic operator",
    namesakes={"elastic.iml.github.io": "dlrover's"},
    unsupported={
        "spec.lifecycle.stopWhenDone": "an ElasticJob completes on its own",
        "spec.lifecycle.backoffLimitPerIndex": "the operator counts the restarts of all pods together",
        "spec.lifecycle.ttlSecondsAfterFinished": "its operator crashes with a nil pointer when the job fails",
        "spec.elastic.metrics": "an ElasticJob has no scale subresource for an autoscaler",
        "spec.elastic.behavior": "an ElasticJob has no scale subresource for an autoscaler",
        "spec.scheduling.topologySpreadConstraints": "its operator is built on Kubernetes 1.15, which lacks the field",
    },
    container=facts.CONTAINER,
    pod_labels=facts.POD_LABELS,
    job_label=facts.JOB_LABEL,
    pod_infix="-worker",
    has_full_names=False,
    pod_schema=("crds/elasticjob-elastic-v1alpha1.json", "spec", ROLES, "*", "template"),
    rejects_unknown_fields=False,  # the CRD does not restrict replicaSpecs, nor other fields in its version of the API
    missing_fields="its operator is built on Kubernetes 1.15 and drops it",  # kubernetes/go.mod
    names_rendezvous=True,
    container_restarts="by default",
    cleans_pods=True,
    # UpdateJobStatus of kubernetes/controllers/job.go
    no_pause="its operator treats one without workers as succeeded",
    scale_by_hand="kubectl patch elasticjob NAME --type=merge"
    """ -p '{"spec": {"replicaSpecs": {"Worker": {"replicas": N}}}}'""",
    queued="by pods",
)
