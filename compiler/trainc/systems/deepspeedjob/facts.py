"""Constants of T9k's DeepSpeedJob, whose operator isn't public.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md (manual) and
.../references/api-reference/deepspeedjob.md (reference)
"""

from __future__ import annotations

CONTAINER = "worker"  # reference, Worker.template: the training container, or else the first one
# Assumed: labels like those of a GenericJob.
JOB_LABEL = "deepspeedjob"
HOSTFILE = "/t9k/hostfile"  # manual, the note of "创建 DeepSpeedJob"
# Paths at which the operator mounts its own files: reference, Worker.template
MOUNTS = ("/root/.ssh", HOSTFILE, "/root/.deepspeed_env")
SSHD_PORT = 22  # sshd's default: the documented `/usr/sbin/sshd -D` sets no other
