"""Behaviour of Indexed Jobs: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="job",
    kind="Job",
    api_versions=("batch/v1",),
    unsupported={
        "spec.lifecycle.stopWhenDone": "a Job ends by itself",
        "spec.elastic.metrics": "a Job has no scale subresource that an autoscaler could change",
        "spec.elastic.behavior": "a Job has no scale subresource that an autoscaler could change",
    },
    container_restarts="on request",
    template_is_immutable=True,
    first_size="always maximum",
    queued="partially",
)
