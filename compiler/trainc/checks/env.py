"""Environment variables that the launcher's own would contradict, and names given twice."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.span import Span


def check(case: Case) -> Iterator[Diagnostic]:
    """A variable stands once: of two, the later wins silently, and then the launcher's or the user's is lost."""
    own = {variable.name for variable in case.job.pod.env if variable.origin is None}
    seen: dict[str, Span] = {}
    for variable in case.job.pod.env:
        if variable.origin is None:
            continue
        if variable.name in own:
            message = f"`{variable.name}` is set by the {case.job.launcher} launcher"
            help_ = "leave it out: trainc sets it from workers, resources and launch"
            yield error(codes.OWNED_ENV, message, variable.origin, help=help_)
        elif variable.name in seen:
            first = Related(span=seen[variable.name], message="first given here")
            message = f"the environment variable `{variable.name}` is given twice"
            yield error(codes.DUPLICATE_ENV, message, variable.origin, related=[first])
        seen.setdefault(variable.name, variable.origin)
