"""Row of a job, from its manifests."""

from __future__ import annotations

from fractions import Fraction

from trainc.checks.resources.rdma import is_rdma
from trainc.plan.bounds import most_gpus, queue_of, time_limit
from trainc.plan.fields import Object, mapping, text
from trainc.plan.models import runs_workers
from trainc.plan.plan import Plan, plan
from trainc.record import Record
from trainc.systems.registry import of_kind
from trainc.well_known import JOB_LABEL

OWNERS = ("owner", "team")  # labels, the first of which names the owner
EFA = "vpc.amazonaws.com/efa"  # https://github.com/aws/eks-charts/tree/master/stable/aws-efa-k8s-device-plugin
NO_FABRIC = "none"
_HOUR = 3600


class FleetJob(Record):
    """Job of a fleet. `pods` and `gpus` are those of its largest size; `hours` is its time limit, None without any."""

    name: str
    namespace: str
    file: str
    system: str
    cluster: str
    pods: int
    gpus: int
    hours: Fraction | None
    fabric: str
    queue: str
    owner: str
    labels: dict[str, str]

    @property
    def gpu_hours(self) -> Fraction | None:
        """Most GPU-hours; None for GPUs without a time limit."""
        return Fraction(0) if not self.gpus else None if self.hours is None else self.hours * self.gpus


def fleet_job(objects: list[Object], file: str, cluster: str = "", fabric: str = "") -> FleetJob | None:
    """Return the row of a job's manifests; None if they run no workers. `fabric` is what the job file says of it."""
    head = next(filter(runs_workers, objects), None)
    if head is None:
        return None
    job = plan(objects)
    labels = {name: str(value) for name, value in mapping(head, "metadata", "labels").items()}
    limits = [time_limit(each) for each in objects if runs_workers(each)]
    own = [each for each in limits if each is not None]
    system = of_kind(text(head, "kind"), text(head, "apiVersion"))
    return FleetJob(
        name=labels.get(JOB_LABEL) or text(head, "metadata", "name"),
        namespace=text(head, "metadata", "namespace"),
        file=file,
        system=system.name if system else text(head, "kind"),
        cluster=cluster,
        pods=job.totals.pods,
        gpus=most_gpus(job),
        hours=Fraction(max(own), _HOUR) if len(own) == len(limits) else None,
        fabric=fabric or _fabric(job),
        queue=queue_of(head),
        owner=next((labels[name] for name in OWNERS if labels.get(name)), ""),
        labels=labels,
    )


def _fabric(job: Plan) -> str:
    """Return the network that the pods' resources name."""
    names = [name for worker in job.workers[:1] for name in worker.usage.requests]
    if EFA in names:
        return "efa"
    return "rdma" if any("/" in name and is_rdma(name.lower()) for name in names) else NO_FABRIC
