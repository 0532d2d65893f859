"""Back end: a StatefulSet, which keeps its pods running, and an autoscaler for elastic jobs.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.shared.objects.base import Backend, planned
from trainc.systems.shared.objects.labels import queue_labels, selector
from trainc.systems.statefulset.self_termination import account, rights, wrap
from trainc.systems.statefulset.traits import INDEX_LABEL, TRAITS
from trainc.target import Target
from trainc.typenames import Any


class StatefulSet(Backend):
    """All pods start at once. With an autoscaler the manifest has no `replicas`, so that applying it again keeps the
    number: the set starts with one pod, and the autoscaler raises it to its minimum."""

    traits = TRAITS
    index_label = INDEX_LABEL

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        scaling = job.scaling
        fields: dict[str, Any] = {"subdomain": None}  # the controller sets it to serviceName
        if job.ends_itself:
            yield from rights(job)
            job, fields = wrap(job), {**fields, **account(job)}
        yield self.workers(
            job,
            ("spec", "template"),
            more=(queue_labels(job), {}),
            # Required by the API, even without such a Service.
            service_name=job.name,
            replicas=0 if job.paused else None if scaling else job.replicas.initial,
            selector=selector(job),
            pod=self.pod(job, **fields),
        )
        if scaling:
            bounds = {"minimum": job.replicas.minimum, "maximum": job.replicas.maximum}
            variables = {"target": job.name, **bounds, "scaling": scaling}
            yield planned(job, "HorizontalPodAutoscaler", job.name, "statefulset/autoscaler", **variables)


BACKEND = StatefulSet
