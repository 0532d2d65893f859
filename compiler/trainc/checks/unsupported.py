"""What the chosen back end can't express: the field, why, and which back ends can."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.backends.registry import NAMES, backend
from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.ir.env import PodFact
from trainc.lower.storage import RUN_VARIABLE
from trainc.source.node import Mapping, Node, Sequence


def check(case: Case) -> Iterator[Diagnostic]:
    """Every field of the job that is in the back end's own list."""
    for path, reason in case.backend.unsupported.items():
        *sections, name = path.split(".")[1:]
        here: object = case.spec.node
        for section in sections:
            here = here.get(section) if isinstance(here, Mapping) else None
        if isinstance(here, Mapping) and _says_something(here.get(name)):
            able = [other for other in NAMES if path not in backend(other).unsupported]
            message = f"`{path}` has no effect on the back end {case.backend.name}: {reason}"
            help_ = f"back ends that can: {', '.join(able)}"
            yield warning(codes.UNSUPPORTED_FIELD, message, here.entries[name].key.span, help=help_)
    yield from _same_file_again(case)


def _says_something(value: Node | None) -> bool:
    return value is not None and not (isinstance(value, Sequence) and not value.items)


def _same_file_again(case: Case) -> Iterator[Diagnostic]:
    """init_method file:// needs a new file for every run; only some back ends know a name for the run."""
    if case.spec.share_file is None or isinstance(case.backend.fact(PodFact.RUN, case.job, 0), dict):
        return
    message = f"on the back end {case.backend.name} a second run finds the share file of the first"
    help_ = f"remove the file before you apply the job again, or use the back end job ({RUN_VARIABLE} is its UID)"
    yield warning(codes.UNSUPPORTED_FIELD, message, case.spec.share_file.where("directory"), help=help_)
