"""Status of an ElasticJob under the Torch Elastic operator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from trainc.plan.fields import Object, mapping, text
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.systems.elasticjob.lifecycle import reaction
from trainc.systems.shared.kubeflow.status import observe_roles, record
from trainc.systems.shared.status import ControllerStatus, WorkerRecord


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of an ElasticJob. Its operator sets no start time, so its deadline never passes."""
    policy = mapping(resource, "spec", "RunPolicy")
    status = observe_roles(resource, policy, [_worker_spec(resource)], pods)
    return status.replace(started=None)


def worker_record(resource: Object, worker: str, pods: Sequence[PodState], events: Sequence[Event]) -> WorkerRecord:
    """Return what restartPolicy makes of a worker's failure."""
    policy = text(_worker_spec(resource), "restartPolicy")
    return record(resource, worker, pods, events, policy, partial(reaction, policy))


def _worker_spec(resource: Object) -> Object:
    return mapping(resource, "spec", "replicaSpecs", "Worker")
