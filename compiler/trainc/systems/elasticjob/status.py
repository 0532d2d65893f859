"""Status of an ElasticJob under the Torch Elastic operator."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, mapping, text
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.systems.elasticjob.lifecycle import reaction
from trainc.systems.shared.kubeflow.status import former_exits, observe_roles, policy_rule
from trainc.systems.shared.status import ControllerStatus, WorkerRecord, pod_failure


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of an ElasticJob. Its operator sets no start time, so its deadline never passes."""
    policy = mapping(resource, "spec", "RunPolicy")
    status = observe_roles(resource, policy, [_worker_spec(resource)], pods)
    return status.replace(started=None)


def worker_record(resource: Object, worker: str, pods: Sequence[PodState], events: Sequence[Event]) -> WorkerRecord:
    """Return what restartPolicy makes of a worker's failure."""
    failed = next((pod_failure(each) for each in reversed(pods) if each.phase == "Failed"), None)
    policy = text(_worker_spec(resource), "restartPolicy")
    rule = policy_rule("ElasticJob", policy, reaction(policy, failed)) if failed else ""
    return WorkerRecord(rule=rule, former=former_exits(worker, pods, events))


def _worker_spec(resource: Object) -> Object:
    return mapping(resource, "spec", "replicaSpecs", "Worker")
