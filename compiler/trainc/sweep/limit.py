"""`matrix.maxParallel`: jobs after the first ones are suspended.

Kubernetes has no limit for several Jobs. A queue has one, its quota, and resumes every job itself: jobs in a queue are
not suspended.
"""

from __future__ import annotations

import shlex

from trainc.compiled import Compiled
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, Variant, error, note, warning
from trainc.source.node import Entry, Mapping, Node, Scalar
from trainc.span import Place, Span
from trainc.spec.section import inside
from trainc.systems.registry import traits

LIMIT = "maxParallel"
_UNSUPPORTED = (codes.PAUSE_UNSUPPORTED, codes.UNSUPPORTED_BY_BACKEND)


def suspended(documents: list[Mapping], limit: Node | None) -> list[tuple[Mapping, bool]]:
    """Return each document, and whether the limit suspends its job, which then has `mode: paused`.

    Raises Rejected for a job that has another mode.
    """
    if not isinstance(limit, Scalar) or not isinstance(limit.value, int):
        return [(each, False) for each in documents]
    jobs: list[tuple[Mapping, bool]] = []
    running = 0
    for each in documents:
        spec = inside(each, "spec")
        if running < limit.value or inside(spec, "scheduling").get("queue") is not None or "spec" not in each.entries:
            running += 1
            jobs.append((each, False))
            continue
        _check_mode(spec, limit)
        mode = Entry(Scalar("mode", "mode", limit.span), Scalar("paused", "paused", limit.span))
        paused = Mapping({**spec.entries, "mode": mode}, spec.span)
        entries = {**each.entries, "spec": Entry(each.entries["spec"].key, paused)}
        jobs.append((Mapping(entries, each.span), True))
    return jobs


def _check_mode(spec: Mapping, limit: Scalar) -> None:
    mode = spec.get("mode")
    if mode is None or (isinstance(mode, Scalar) and mode.value in ("run", "paused")):
        return
    message = f"`{LIMIT}` suspends jobs, which conflicts with their `mode`"
    related = [(spec.where("mode"), "their mode")]
    raise Rejected(error(codes.INVALID_MATRIX, message, limit.span, help="remove one of them", related=related))


def limit_diagnostics(
    diagnostics: list[Diagnostic], jobs: list[Compiled], variants: dict[int, Variant]
) -> list[Diagnostic]:
    """Return the diagnostics with what becomes of `maxParallel`: suspended jobs and how to resume them, or why not."""
    diagnostics = [_not_suspended(each, jobs[0]) for each in diagnostics] if jobs else diagnostics
    suspended_jobs: dict[Place, list[Compiled]] = {}
    for job in jobs:
        variant = variants.get(id(job.spec))
        if variant is None or variant.limit is None:
            continue
        if variant.is_suspended:
            suspended_jobs.setdefault(variant.limit.place, []).append(job)
        if job.job.queue is not None:
            diagnostics.append(_queued(job, variant, variant.limit))
    if not any(each.severity == "error" for each in diagnostics):
        diagnostics += [_suspended(each, variants[id(each[0].spec)]) for each in suspended_jobs.values()]
    return diagnostics


def _not_suspended(diagnostic: Diagnostic, job: Compiled) -> Diagnostic:
    """Return an error in place of that about a mode which the file does not have."""
    variant = diagnostic.variant
    if variant is None or variant.limit is None or not variant.is_suspended or diagnostic.code not in _UNSUPPORTED:
        return diagnostic
    if diagnostic.span.place != variant.limit.place:
        return diagnostic
    message = f"`{LIMIT}` has no effect: {traits(job.target.backend).a_kind} cannot be created suspended"
    help_ = (f"remove `{LIMIT}`, and apply the manifests of a few jobs at a time", "use `--backend job`")
    return error(codes.JOBS_NOT_SUSPENDED, message, variant.limit, help=help_).replace(variant=variant)


def _suspended(jobs: list[Compiled], variant: Variant) -> Diagnostic:
    assert variant.limit is not None
    are = "is" if len(jobs) == 1 else "are"
    message = f"{len(jobs)} of {variant.count} jobs {are} suspended, because Kubernetes has no limit for several jobs"
    command = _resume(jobs[0])
    help_ = f"resume one whenever another ends: {command}" if command else f"raise `{LIMIT}` when a job ends"
    return note(codes.JOBS_SUSPENDED, message, variant.limit, help=help_)


def _resume(job: Compiled) -> str | None:
    """Return the command that resumes a job, None if no patch of its object does."""
    system = traits(job.target.backend)
    manifest = next((each for each in job.manifests() if each.kind == system.kind), None)
    if manifest is None or not system.pause:
        return None
    options = ["-n", job.namespace] if job.namespace else []
    command = ["kubectl", "patch", system.kind.lower(), manifest.name, *options]
    return shlex.join([*command, "--type", "merge", "-p", system.resume_patch])


def _queued(job: Compiled, variant: Variant, limit: Span) -> Diagnostic:
    message = f"`{LIMIT}` does not limit jobs in a queue: its quota decides how many run"
    help_ = "remove it, and set the quota of the ClusterQueue to that of as many jobs"
    related = [(job.spec.scheduling.span_of("queue"), "the queue")]
    problem = warning(codes.LIMIT_BY_QUEUE, message, limit, help=help_, related=related)
    return problem.replace(variant=variant)
