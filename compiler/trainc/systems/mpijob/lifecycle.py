"""What follows when the launcher of an MPIJob fails: its Job decides.

newLauncherJob of https://github.com/kubeflow/mpi-operator/blob/v0.8.2/pkg/controller/mpi_job_controller.go
"""

from __future__ import annotations

from trainc.plan.fields import Object, number, text
from trainc.systems.job import lifecycle
from trainc.systems.mpijob.facts import LAUNCHER
from trainc.systems.shared.lifecycle import Retries


def retries(resource: Object) -> Retries:
    """Return the limit of the launcher, whose container restarts in its pod by default."""
    policy = text(resource, "spec", "mpiReplicaSpecs", LAUNCHER, "restartPolicy")
    limit = number(resource, "spec", "runPolicy", "backoffLimit")
    return lifecycle.retries({"spec": {"backoffLimit": limit, "template": {"spec": {"restartPolicy": policy}}}})
