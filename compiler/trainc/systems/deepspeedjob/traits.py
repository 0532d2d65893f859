"""Behavior of DeepSpeedJobs under T9k's operator, as far as its documents say.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md
"""

from __future__ import annotations

from trainc.systems.deepspeedjob import facts
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="deepspeedjob",
    kind="DeepSpeedJob",
    api_versions=("batch.tensorstack.dev/v1beta1",),
    deadline=("spec", "runPolicy", "activeDeadlineSeconds"),
    pod_counts=(
        *(("spec", "worker", "replicas"), ("spec", "elastic", "maxReplicas"), ("spec", "elastic", "expectedReplicas")),
    ),
    operator="T9k's operator",
    unsupported={
        "spec.launch.deepspeed.sshSecret": "the operator creates the keys",
        "spec.launch.deepspeed.sshPort": "the image configures sshd",
        "spec.lifecycle.stopWhenDone": "a DeepSpeedJob completes on its own",
        "spec.lifecycle.backoffLimitPerIndex": "the operator counts the restarts of all pods together",
        "spec.lifecycle.ttlSecondsAfterFinished": "a finished DeepSpeedJob stays until it is deleted",
        "spec.scheduling.queue": "Kueue does not support DeepSpeedJobs",
    },
    container=facts.CONTAINER,
    job_label=facts.JOB_LABEL,
    pod_infix="-worker",
    has_full_names=False,
    pod_schema=("crds/deepspeedjob-batch-v1beta1.json", "spec", "worker", "template"),
    starts_launcher=True,
    launcher="deepspeed",
    hostfile=facts.HOSTFILE,
    has_run_modes=True,
    scales_fixed_worlds=True,
    scale_by_hand="kubectl patch deepspeedjob NAME --type=merge"
    """ -p '{"spec": {"elastic": {"expectedReplicas": N}}}'""",
    container_restarts="never",
    keeps_backoff_default=True,
    cleans_pods=True,
    queued="never",
)
