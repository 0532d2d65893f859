"""Pod Security level of the job's namespace in a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.security.pod_security import violations
from trainc.cluster.entry import Entry
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.driver import Compiled, rule_context
from trainc.plan.fields import items, text

_LEVELS = ("privileged", "baseline", "restricted")


def security_problems(job: Compiled, entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error if the namespace enforces a stricter level than the job's own, and forbids its pods."""
    namespace = job.namespace or "default"
    levels = (text(each, "podSecurity") for each in items(entry.spec, "namespaces") if text(each, "name") == namespace)
    level = next(levels, "")
    if _rank(level) <= _rank(job.spec.pod_security or ""):
        return
    context = rule_context(job.spec, job.target)
    forbidden = list(violations(context, level))
    if not forbidden:
        return
    message = f"namespace `{namespace}` of cluster `{entry.name}` enforces the level {level}, which forbids "
    message += ", ".join(dict.fromkeys(words for words, _ in forbidden))
    written = [span for _, span in forbidden if span is not context.pod.generated]
    spec = job.spec
    stated = spec.where("podSecurity") if "podSecurity" in spec.node.entries else job.job.origin
    help_ = f"set `podSecurity: {level}`, and remove what that level forbids"
    yield error(codes.POD_SECURITY_OF_NAMESPACE, message, written[0] if written else stated, help=help_)


def _rank(level: str) -> int:
    return _LEVELS.index(level) if level in _LEVELS else 0
