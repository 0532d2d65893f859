"""Constants of JobSet 0.12: https://github.com/kubernetes-sigs/jobset/tree/v0.12.0

JobSet 0.10 has the same, unless a comment says otherwise.
"""

from __future__ import annotations

# Labels and annotations of Jobs and pods: api/jobset/v1alpha2/jobset_types.go and pkg/constants/constants.go
PREFIX = "jobset.sigs.k8s.io/"
JOB_LABEL = f"{PREFIX}jobset-name"
UID_LABEL = f"{PREFIX}jobset-uid"
REPLICATED_JOB_LABEL = f"{PREFIX}replicatedjob-name"
REPLICAS_LABEL = f"{PREFIX}replicatedjob-replicas"
ALL_REPLICAS_LABEL = f"{PREFIX}global-replicas"
JOB_INDEX_LABEL = f"{PREFIX}job-index"
GLOBAL_INDEX_LABEL = f"{PREFIX}job-global-index"
JOB_KEY_LABEL = f"{PREFIX}job-key"
ATTEMPT_LABEL = f"{PREFIX}restart-attempt"
GROUP_LABEL = f"{PREFIX}group-name"
GROUP_REPLICAS_LABEL = f"{PREFIX}group-replicas"
GROUP_INDEX_LABEL = f"{PREFIX}job-group-index"
COORDINATOR_LABEL = f"{PREFIX}coordinator"
# Priority of a pod, set by a webhook when the pod is created: pkg/webhooks/pod_webhook.go; in 0.10 only of a pod with
# exclusive placement
PRIORITY_LABEL = f"{PREFIX}priority"
LABELS = (
    *(JOB_LABEL, UID_LABEL, REPLICATED_JOB_LABEL, REPLICAS_LABEL, ALL_REPLICAS_LABEL, JOB_INDEX_LABEL),
    *(GLOBAL_INDEX_LABEL, JOB_KEY_LABEL, ATTEMPT_LABEL, GROUP_LABEL, GROUP_REPLICAS_LABEL, GROUP_INDEX_LABEL),
    *(COORDINATOR_LABEL, PRIORITY_LABEL),
)
# Annotations by which a user asks for a topology domain for each Job alone.
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
NODE_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector"
NAMESPACED_JOB = "alpha.jobset.sigs.k8s.io/namespaced-job"
NO_SCHEDULE = "alpha.jobset.sigs.k8s.io/no-schedule"

MANAGER = "jobset.sigs.k8s.io/jobset-controller"  # the own value of managedBy
# Fields of the pods that can change while the JobSet is suspended: pkg/webhooks/jobset_webhook.go
MUTABLE = ("nodeSelector", "tolerations")
GROUP = "default"  # groupName by default, of the CRD
WORKER = "worker"  # the replicated job that trainc emits

# Reasons of failed Jobs that rules of a failurePolicy can name: validOnJobFailureReasons of
# pkg/webhooks/jobset_webhook.go
REASONS = ("BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy")
# Part of the message of a Job that fails by its podFailurePolicy, because of a condition of a pod:
# https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/pod_failure_policy.go
DISRUPTED = "has condition DisruptionTarget"

# The strategy behind the feature gate of its name: pkg/features/features.go
IN_PLACE = "InPlaceRestart"
