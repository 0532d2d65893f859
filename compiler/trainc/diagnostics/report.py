"""Report of a run, and its output formats."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from trainc.diagnostics.bound import LIMIT, bounded
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.record import Record

# GitHub shows at most 5,000 results of a SARIF file:
# https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
_LIMITS = {"json": 5000, "sarif": 5000, "junit": 5000}


def _name(code: Code) -> str:
    return code.name.replace("-", " ")


class Report(Record):
    """Diagnostics in order, names of the files, and the consequence of an error for the output.

    With `strict`, a warning has the same consequence. `title` returns the title of a code, which only some formats use.
    `printed` are the diagnostics within the limit of the format.
    """

    diagnostics: list[Diagnostic]
    printed: list[Diagnostic] = []
    files: list[str]
    consequence: str = ""
    strict: bool = False
    color: bool = False
    title: Callable[[Code], str] = _name

    def text(self, form: str) -> str:
        """Return the report in the format of a module of formats/, with a final line break."""
        module = import_module(f"trainc.diagnostics.formats.{form}")
        text: str = module.render(self.replace(printed=bounded(self.diagnostics, _LIMITS.get(form, LIMIT))))
        return text
