"""Constants of both T9k kinds, whose operator isn't public.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src
"""

from __future__ import annotations

from trainc.systems.shared.facts import GANG_SCHEDULERS
from trainc.systems.shared.kubeflow import facts as kubeflow

# modules/jobs/pytorchtrainingjob.md#重启机制 lists kubeflow/common's codes.
RETRYABLE = kubeflow.RETRYABLE
# cleanPodPolicy of a job file → cleanUpPolicy: references/api-reference/deepspeedjob.md, RunPolicy
CLEAN_UP_POLICY = {"Running": "Unfinished"}
SCHEDULER = GANG_SCHEDULERS["t9k"]
DEFAULT_QUEUE = "default"  # references/api-reference/scheduler.md, PodGroupSpec
SSHD = ("/usr/sbin/sshd", "-D")  # modules/jobs/deepspeedjob.md#调试模式: what pods run in debug mode by default
