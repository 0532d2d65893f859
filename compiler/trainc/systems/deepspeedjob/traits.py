"""Behavior of DeepSpeedJobs under T9k's operator, and its constants, as far as its documents say.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md (manual) and
.../references/api-reference/deepspeedjob.md (reference)
"""

from __future__ import annotations

from trainc.systems.deepspeedjob.fields import FIELDS, WORKER
from trainc.systems.shared.t9k.fields import EXPECTED, MAXIMUM, PAUSED
from trainc.systems.traits import Traits

CONTAINER = "worker"  # reference, Worker.template: the training container, or else the first one
# Assumed: labels like those of a GenericJob.
JOB_LABEL = "deepspeedjob"
HOSTFILE = "/t9k/hostfile"  # manual, the note of "创建 DeepSpeedJob"
# Paths at which the operator mounts its own files: reference, Worker.template
MOUNTS = ("/root/.ssh", HOSTFILE, "/root/.deepspeed_env")
SSHD_PORT = 22  # sshd's default: the documented `/usr/sbin/sshd -D` sets no other

TRAITS = Traits(
    name="deepspeedjob",
    kind="DeepSpeedJob",
    api_versions=("batch.tensorstack.dev/v1beta1",),
    deadline=FIELDS["lifecycle.activeDeadlineSeconds"].steps,
    pod_counts=(FIELDS["workers"].steps, *((*FIELDS["elastic"].steps, name) for name in (MAXIMUM, EXPECTED))),
    operator="T9k's operator",
    unsupported={
        "spec.launch.deepspeed.sshSecret": "the operator creates the keys",
        "spec.launch.deepspeed.sshPort": "the image configures sshd",
        "spec.lifecycle.stopWhenDone": "a DeepSpeedJob completes on its own",
        "spec.lifecycle.backoffLimitPerIndex": "the operator counts the restarts of all pods together",
        "spec.lifecycle.ttlSecondsAfterFinished": "a finished DeepSpeedJob stays until it is deleted",
        "spec.scheduling.queue": "Kueue does not support DeepSpeedJobs",
    },
    container=CONTAINER,
    job_label=JOB_LABEL,
    pod_infix="-worker",
    has_full_names=False,
    pod_schema=("crds/deepspeedjob-batch-v1beta1.json", "spec", WORKER, "template"),
    starts_launcher=True,
    launcher="deepspeed",
    hostfile=HOSTFILE,
    has_run_modes=True,
    scales_fixed_worlds=True,
    scale_by_hand="kubectl patch deepspeedjob NAME --type=merge"
    """ -p '{"spec": {"elastic": {"expectedReplicas": N}}}'""",
    container_restarts="never",
    keeps_backoff_default=True,
    cleans_pods=True,
    pause=PAUSED,
    queued="never",
)
