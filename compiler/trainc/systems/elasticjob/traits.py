"""Behavior of ElasticJobs under the Torch Elastic operator, and its constants.

Paths are of https://github.com/pytorch/elastic/tree/master/kubernetes, and of kubeflow/common at 0b3a4c3fca85, on
which that is built.
"""

from __future__ import annotations

from trainc.systems.traits import Traits

CONTAINER = "elasticjob-worker"  # api/v1alpha1/constants.go
GROUP = "elastic.pytorch.org"

# pkg/apis/common/v1/constants.go of kubeflow/common
POD_LABELS = ("group-name", "job-name", "replica-type", "replica-index")
JOB_LABEL, INDEX_LABEL = POD_LABELS[1], POD_LABELS[-1]

# Arguments that the operator prepends to those of every container: SetClusterSpecForPod of controllers/pod.go; here as
# in a job file, for a command line that contains them itself.
INJECTED = (
    "--rdzv_backend=$(PET_RDZV_BACKEND)",
    "--rdzv_endpoint=$(PET_RDZV_ENDPOINT)",
    "--rdzv_id=$(PET_RDZV_ID)",
    "--nnodes=$(PET_NNODES)",
)
BACKEND = "etcd"  # of every job
# Drops the operator's arguments and starts the program after them, for other programs than torchrun; `sh` is $0.
SHIFTED = ("sh", "-c", f'shift {len(INJECTED)}; exec "$@"', "sh")

TRAITS = Traits(
    name="elasticjob",
    kind="ElasticJob",
    api_versions=("elastic.pytorch.org/v1alpha1",),
    deadline=("spec", "replicaSpecs", "*", "template", "spec", "activeDeadlineSeconds"),
    pod_counts=(("spec", "replicaSpecs", "*", "replicas"), ("spec", "maxReplicas")),
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
    container=CONTAINER,
    pod_labels=POD_LABELS,
    job_label=JOB_LABEL,
    pod_infix="-worker",
    has_full_names=False,
    pod_schema=("crds/elasticjob-elastic-v1alpha1.json", "spec", "replicaSpecs", "*", "template"),
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


def injected_arguments(name: str, endpoint: str, low: int, high: int) -> tuple[str, ...]:
    """Return the arguments of a job. torchrun uses the last of a repeated option, so that the job's own prevails."""
    rendezvous = (f"--rdzv_backend={BACKEND}", f"--rdzv_endpoint={endpoint}", f"--rdzv_id={name}")
    return (*rendezvous, f"--nnodes={low}:{high}")
