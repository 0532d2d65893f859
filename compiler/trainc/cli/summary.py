"""`--summary`: size of the jobs, their objects, and the command that applies them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from shlex import quote

from trainc.cli.invocation import apply_command
from trainc.cli.notices import notify
from trainc.cli.settings import Values
from trainc.compiled import Compiled
from trainc.diagnostics.cells import visible
from trainc.ir.job import Job
from trainc.quantity import NANO, nanos
from trainc.secrets.text import redact
from trainc.target import Target
from trainc.typenames import Any
from trainc.well_known import ADDED, DEBUG


def print_summary(jobs: Sequence[Any], files: list[str], values: Values, target: Target, output: str) -> None:
    """Print for each job its size, its objects and what is added to its command, and for all how to apply them.

    Jobs that were compiled in chunks have their notes already.
    """
    apply = f"kubectl apply -f {quote(output)}"
    if output == "-":
        # Values of --set may be secret, and this goes to a log.
        hidden = values.replace(sets=[f"{text.partition('=')[0]}=..." for text in values.sets])
        apply = apply_command(files, hidden.options, target)
    for text in (*map(_job_lines, jobs), f"  apply: {visible(apply)}\n"):
        lines = "; ".join(line.strip() for line in text.splitlines())
        notify("job-summary", lines, text, severity="note")


def _job_lines(job: Any) -> str:
    size, notes = getattr(job, "notes", None) or job_notes(job)
    kinds = Counter(manifest.kind for manifest in job.manifests())
    objects = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds.items())
    namespace = f" in namespace {job.namespace}" if job.namespace else ""
    return f"{job.name}: {size}\n  on the back end {job.target.backend}: {objects}{namespace}\n{notes}"


def job_notes(compiled: Compiled) -> tuple[str, str]:
    """Return the size of a job, and lines with what is added to its command."""
    notes = (("added to the command", _annotation(compiled, ADDED)), ("training command", _annotation(compiled, DEBUG)))
    return _size(compiled.job), "".join(f"  {name}: {visible(redact(text))}\n" for name, text in notes if text)


def _annotation(compiled: Compiled, name: str) -> str:
    annotations = (planned.context.get("annotations", {}) for planned in compiled.objects)
    return next((each[name] for each in annotations if name in each), "")


def _size(job: Job) -> str:
    sizes = job.replicas
    unit = " workers" if sizes.initial > 1 else " worker"
    text = f"{job.launch.launcher.name} on {_amount(job, 1, unit)}"
    if job.launch.process_count:
        text += f" × {job.launch.process_count} process{'es' if job.launch.process_count > 1 else ''}"
        text += f", world size {_amount(job, job.launch.process_count)}"
    gpus = sum(nanos(count) // NANO for name, count in job.pod.limits.items() if name.endswith("/gpu"))
    text += f", {_amount(job, gpus, ' GPUs')}" if gpus else ""
    if not sizes.elastic:
        return text
    return (
        f"{text}\n  at the start, and in parentheses as {'an autoscaler scales it' if job.scaling else 'you scale it'}"
    )


def _amount(job: Job, each: int, unit: str = "") -> str:
    """Format an amount of all workers: at the start and, in parentheses, between the bounds of an elastic job."""
    sizes = job.replicas
    between = f" ({sizes.minimum * each} to {sizes.maximum * each})" if sizes.elastic else ""
    return f"{sizes.initial * each}{unit}{between}"
