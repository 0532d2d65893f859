"""What was made, in three lines."""

from __future__ import annotations

from collections import Counter
from shlex import join, quote

from trainc.driver import Compiled
from trainc.ir.job import Job
from trainc.lower.quantity import NANO, amount
from trainc.systems.registry import DEFAULT


def summarise(
    jobs: list[Compiled], files: list[str], sets: list[str], options: dict[str, str | None], output: str
) -> str:
    """Two lines for each job, what trains and which objects, and one for all: how to apply them."""
    apply = f"kubectl apply -f {quote(output)}"
    if output == "-":
        apply = f"{_command(files, sets, options)} | kubectl apply -f -"
    return "".join(_one(job, options["--backend"] or DEFAULT) for job in jobs) + f"  apply: {apply}\n"


def _command(files: list[str], sets: list[str], options: dict[str, str | None]) -> str:
    given = {**options, "--backend": None if options["--backend"] == DEFAULT else options["--backend"]}
    words = [word for name, value in given.items() if value is not None for word in (name, value)]
    # What is set may be secret, and this goes to a log.
    words += [word for text in sets for word in ("--set", f"{text.partition('=')[0]}=...")]
    return join(["trainc", "compile", *files, *words])


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
