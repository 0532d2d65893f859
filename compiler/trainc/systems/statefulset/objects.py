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
from trainc.systems.statefulset.self_termination import ADDITION, rights, wrap
from trainc.systems.statefulset.traits import TRAITS
from trainc.target import Target


class StatefulSet(Backend):
    """All pods start at once. With an autoscaler the manifest has no `replicas`, so that applying it again keeps the
    number: the set starts with one pod, and the autoscaler raises it to its minimum."""

    traits = TRAITS
    index_label = INDEX_LABEL

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        scaling = job.scaling
        if job.ends_itself:
            job = job.replace(additions=(ADDITION, *job.additions))
        pod = self.pod(job, subdomain=None)  # the controller sets it to serviceName
        if job.ends_itself:
            yield from rights(job)
            pod = wrap(job, pod, label_field(INDEX_LABEL))
        yield self.workers(
            job,
            ("spec", "template"),
            more=(queue_labels(job), {}),
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
