"""Worker index cut from the pod name: pod names of an Indexed Job end in five random characters.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
"""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.span import Text

TRIGGERS = ("reads_pod_name()",)


def check(context: RuleContext) -> Diagnostics:
    words = [word for word in context.spec.run.words if isinstance(word, Text)]
    for variable in context.spec.env:
        reference = (variable.value_from or {}).get("fieldRef")
        if not isinstance(reference, dict) or reference.get("fieldPath") != "metadata.name":
            continue
        name, takes = variable.name, _takes(variable.name)
        word = next((word for word in words if takes.search(word)), None)
        if word is not None:
            message = f"`{name}` is the pod name, which ends in five random characters, not in the worker's index"
            help_ = "use JOB_COMPLETION_INDEX, the index, or HOSTNAME, which ends in it"
            related = [(variable.span, "the pod name")]
            yield warning(codes.RANDOM_POD_NAME, message, word.span, help=help_, related=related)


def _takes(name: str) -> re.Pattern[str]:
    """Match a substring or a comparison of the variable: in shell, in a pipe, and in Python."""
    used = rf"\$(?:{name}\b|\{{{name}\}}|\({name}\))[\"']?"
    cut = rf"\$\{{{name}(?:##?|%%?|:|/)"
    piped = rf"{used}\s*(?:\||\)?\s*<<<|==?|!=|=~)|<<<\s*[\"']?{used}"
    python = rf"{name}[\"'\])]*\.(?:r?split|r?partition|removeprefix)"
    return re.compile(f"{cut}|{piped}|{python}")
