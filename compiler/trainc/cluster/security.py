"""Pod Security level of the job's namespace in a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.pod.pod_security import field_of, violations
from trainc.cluster.entry import Entry
from trainc.compiled import Compiled, Task
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.driver import rule_context
from trainc.plan.fields import items, text

_LEVELS = ("privileged", "baseline", "restricted")


def security_problems(job: Compiled, entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error if the namespace enforces a stricter level than the job's own, and forbids its pods."""
    namespace = job.namespace or "default"
    levels = (text(each, "podSecurity") for each in items(entry.spec, "namespaces") if text(each, "name") == namespace)
    level = next(levels, "")
    if _rank(level) <= _rank(job.spec.pod_security or ""):
        return
    context = rule_context(Task(spec=job.spec, target=job.target))
    forbidden = list(violations(context, level))
    if not forbidden:
        return
    message = f"namespace `{namespace}` of cluster `{entry.name}` enforces the level {level}, which forbids "
    message += ", ".join(dict.fromkeys(words for words, _ in forbidden))
    words, span = forbidden[0]
    where = field_of(context, words) if span is context.pod.generated else span
    where = job.job.origin if where is context.spec.node.span else where
    help_ = f"set `podSecurity: {level}`, and remove what that level forbids"
    yield error(codes.POD_SECURITY_OF_NAMESPACE, message, where, help=help_)


def _rank(level: str) -> int:
    return _LEVELS.index(level) if level in _LEVELS else 0
