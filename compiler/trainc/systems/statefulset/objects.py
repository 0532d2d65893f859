"""Back end: a StatefulSet, which keeps its pods running, and an autoscaler for elastic jobs.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.shared.objects.base import Backend, label_field, planned
from trainc.systems.shared.objects.labels import queue_labels, selector
from trainc.systems.statefulset.facts import INDEX_LABEL
from trainc.systems.statefulset.self_termination import rights, wrap
from trainc.systems.statefulset.traits import TRAITS
from trainc.target import Target
from trainc.well_known import GROUP

INITIAL_ANNOTATION = f"{GROUP}/initial-replicas"


class StatefulSet(Backend):
    """All pods start at once. If there is an autoscaler, the manifest has no `replicas`."""

    traits = TRAITS
    index_label = INDEX_LABEL

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        annotations, scaling = {}, job.scaling
        if scaling and job.replicas.initial != job.replicas.minimum:
            # The autoscaler starts at its minimum; for a larger start, scale the set once to this number.
            annotations[INITIAL_ANNOTATION] = str(job.replicas.initial)
        pod = self.pod(job, subdomain=None)  # the controller sets it to serviceName
        if job.ends_itself:
            yield from rights(job)
            pod = wrap(job, pod, label_field(INDEX_LABEL))
        yield self.workers(
            job,
            ("spec", "template"),
            more=(queue_labels(job), annotations),
            # Required by the API, even without such a Service.
            service_name=job.name,
            replicas=0 if job.paused else None if scaling else job.replicas.initial,
            selector=selector(job),
            pod=pod,
        )
        if scaling:
            bounds = {"minimum": job.replicas.minimum, "maximum": job.replicas.maximum}
            variables = {"target": job.name, **bounds, "scaling": scaling}
            yield planned(job, "HorizontalPodAutoscaler", job.name, "statefulset/autoscaler", **variables)


BACKEND = StatefulSet
