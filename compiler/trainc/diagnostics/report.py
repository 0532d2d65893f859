"""All that is to be said of a run, and the forms in which it can be."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.record import Record

# The forms and the modules of formats/ that write them, each imported only when it is asked for.
_MODULES = {
    "full": "full",
    "concise": "concise",
    "json": "json_list",
    "sarif": "sarif",
    "github": "github",
    "junit": "junit",
}


def _name(code: Code) -> str:
    return code.name.replace("-", " ")


class Report(Record):
    """Diagnostics in order, the names of the files that were looked at, and what an error has meant for the output.

    With `strict` a warning has meant the same.
    `title` is what a code stands for in a few words, which only some forms ask.
    """

    diagnostics: list[Diagnostic]
    files: list[str]
    consequence: str = ""
    strict: bool = False
    colour: bool = False
    title: Callable[[Code], str] = _name

    def text(self, form: str) -> str:
        """The report in a form, with a line break at the end."""
        module = import_module(f"trainc.diagnostics.formats.{_MODULES[form]}")
        text: str = module.render(self)
        return text
