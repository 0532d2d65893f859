"""A worker's number that the program cuts from its pod's name: an Indexed Job's pods end in five random characters.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.span import Text

TRIGGERS = ("reads_pod_name()",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Of a variable that has the name from the downward API. On other back ends the name ends in the number."""
    words = [word for word in context.spec.run.words if isinstance(word, Text)]
    for given in context.spec.env:
        if _field(given.value_from) != "metadata.name":
            continue
        takes = _takes(given.name)
        word = next((word for word in words if takes.search(word)), None)
        if word is not None:
            message = f"`{given.name}` is the pod's name, which ends in five random characters and in no number"
            help_ = "HOSTNAME is JOB-NUMBER, and JOB_COMPLETION_INDEX that number: Kubernetes sets both"
            related = [Related(span=given.span, message="the pod's name")]
            yield warning(codes.RANDOM_POD_NAME, message, word.span, help=help_, related=related)


def _takes(name: str) -> re.Pattern[str]:
    """A part of the variable, or a comparison: by the shell itself, by what it is piped to, and in Python."""
    used = rf"\$(?:{name}\b|\{{{name}\}}|\({name}\))[\"']?"
    cut = rf"\$\{{{name}(?:##?|%%?|:|/)"
    piped = rf"{used}\s*(?:\||\)?\s*<<<|==?|!=|=~)|<<<\s*[\"']?{used}"
    python = rf"{name}[\"'\])]*\.(?:r?split|r?partition|removeprefix)"
    return re.compile(f"{cut}|{piped}|{python}")


def _field(source: dict[str, Any] | None) -> str:
    reference = (source or {}).get("fieldRef")
    path = reference.get("fieldPath") if isinstance(reference, dict) else None
    return path if isinstance(path, str) else ""
