"""Behavior of MPIJobs under Kubeflow's MPI operator 0.8: https://github.com/kubeflow/mpi-operator/tree/v0.8.2"""

from __future__ import annotations

from trainc.systems.mpijob import facts
from trainc.systems.mpijob.fields import FIELDS, ROLES
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="mpijob",
    kind="MPIJob",
    api_versions=("kubeflow.org/v2beta1",),
    deadline=FIELDS["lifecycle.activeDeadlineSeconds"].steps,
    pod_counts=(("spec", ROLES, facts.LAUNCHER, "replicas"), FIELDS["workers"].steps),
    operator="the MPI operator",
    namesakes={"batch.tensorstack.dev": "T9k's"},
    former_versions=dict.fromkeys(
        ("kubeflow.org/v1", "kubeflow.org/v1alpha2", "kubeflow.org/v1alpha1"),
        "its launcher starts processes by kubectl exec, that of v2beta1 over ssh, for which the workers run sshd",
    ),
    unsupported={
        "spec.launch.deepspeed.sshSecret": "the operator creates the keys",
        "spec.launch.mpirun.sshSecret": "the operator creates the keys",
        "spec.launch.mpirun.sshPort": "the workers' sshd listens on port 22, or on that of the image's configuration",
        "spec.lifecycle.stopWhenDone": "an MPIJob completes on its own",
        "spec.lifecycle.backoffLimitPerIndex": "only the launcher's failures count",
        "spec.lifecycle.exitCodes": "the operator's Job for the launcher has no podFailurePolicy",
    },
    job_label=facts.JOB_LABEL,
    pod_infix="-worker",
    creates_service=True,
    pod_schema=("crds/mpijob-kubeflow-v2beta1.json", "spec", ROLES, "*", "template"),
    launcher_hostfile=facts.HOSTFILE,
    launcher_label=(facts.ROLE_LABEL, facts.LAUNCHER.lower()),
    keeps_backoff_default=True,
    cleans_pods=True,
    pause=("spec", "runPolicy", "suspend"),
)
