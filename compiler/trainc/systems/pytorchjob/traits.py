"""Behavior of PyTorchJobs under Kubeflow's training operator 1.9.

https://github.com/kubeflow/training-operator/tree/release-1.9
"""

from __future__ import annotations

from trainc.systems.pytorchjob import facts
from trainc.systems.pytorchjob.dialects import DIALECTS
from trainc.systems.pytorchjob.fields import FIELDS, ROLES
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="pytorchjob",
    kind="PyTorchJob",
    api_versions=tuple(DIALECTS),
    deadline=FIELDS["lifecycle.activeDeadlineSeconds"].steps,
    pod_counts=(("spec", ROLES, "*", "replicas"), FIELDS["elastic.maxReplicas"].steps),
    operator="the training operator",
    versions=tuple(DIALECTS),
    version_name="pytorchjob",
    unsupported={
        "spec.lifecycle.stopWhenDone": "a PyTorchJob completes on its own",
        "spec.lifecycle.backoffLimitPerIndex": "the operator counts the restarts of all pods together",
        "spec.elastic.behavior": "the operator's autoscaler has no behavior",
    },
    container=facts.CONTAINER,
    init_containers=(facts.INIT_CONTAINER,),
    job_label=facts.JOB_LABEL,
    pod_infix="-worker",
    leader_role="master",
    index_variable_with_leader="RANK",
    has_full_names=False,
    pod_schema=("crds/pytorchjob-kubeflow-v1.json", "spec", ROLES, "*", "template"),
    container_restarts="by default",
    cleans_pods=True,
    pause=("spec", "runPolicy", "suspend"),
    autoscaling="on request",
    scale_by_hand="kubectl scale pytorchjob NAME --replicas=N",
)
