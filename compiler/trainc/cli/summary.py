"""What was made, in three lines."""

from __future__ import annotations

from collections import Counter

from trainc.backends.registry import DEFAULT
from trainc.driver import Compiled
from trainc.ir.job import Job
from trainc.lower.quantity import NANO, amount


def summarise(jobs: list[Compiled], files: list[str], backend: str, output: str) -> str:
    """Two lines for each job, what trains and which objects, and one for all: how to apply them."""
    chosen = "" if backend == DEFAULT else f" --backend {backend}"
    apply = f"kubectl apply -f {output}"
    if output == "-":
        apply = f"trainc compile {' '.join(files)}{chosen} | kubectl apply -f -"
    return "".join(_one(job, backend) for job in jobs) + f"  apply: {apply}\n"


def _one(compiled: Compiled, backend: str) -> str:
    job = compiled.job
    kinds = Counter(planned.kind for planned in compiled.objects)
    objects = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds.items())
    namespace = f" in namespace {job.namespace}" if job.namespace else ""
    return f"{job.name}: {_size(job)}\n  on the back end {backend}: {objects}{namespace}\n"


def _size(job: Job) -> str:
    sizes = job.replicas
    workers = f"{sizes.minimum} to {sizes.maximum}" if sizes.elastic else str(sizes.maximum)
    text = f"{job.launcher} on {workers} worker{'s' if sizes.maximum > 1 else ''}"
    if job.processes_per_pod:
        text += f" × {job.processes_per_pod} process{'es' if job.processes_per_pod > 1 else ''}"
        low, high = sizes.minimum * job.processes_per_pod, sizes.maximum * job.processes_per_pod
        text += f", a world of {f'{low} to {high}' if sizes.elastic else high}"
    gpus = sum(amount(count) // NANO for name, count in job.pod.limits.items() if name.endswith("/gpu"))
    return text + (f", {gpus * sizes.maximum} GPUs" if gpus else "")
