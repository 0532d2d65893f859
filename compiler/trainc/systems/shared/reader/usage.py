"""Report a command line that a launcher's argparse rejects."""

from __future__ import annotations

from trainc.commandline.argparse import Problem, Table
from trainc.schema.hints import nearest
from trainc.systems.shared.reader.report import TranslationReport


def report_usage(
    problem: Problem, known: Table, command: str, report: TranslationReport, before: Table | None = None
) -> None:
    """Report a usage error at the word that causes it. `before` are the options of the command before this one."""
    text = problem.word.text
    name = text.partition("=")[0]
    options = sorted(option for option in known.options if option.startswith("--") and option != "--help")
    help_ = None
    if problem.reason == "missing value":
        message = f"`{text}` requires a value"
    elif problem.reason == "unexpected value":
        message = f"`{name}` takes no value"
    elif problem.reason == "ambiguous option":
        message = f"`{name}` is ambiguous"
        help_ = f"use one of {', '.join(option for option in options if option.startswith(name))}"
    else:
        similar = nearest(name, options)
        message = f"{command} has no option `{name}`"
        help_ = f"did you mean `{similar}`?" if similar else f"use one of {', '.join(options)}"
        if before is not None and name in before.options:
            help_ = "move it before the launcher"
    assert problem.word.span is not None
    report.add_error(message, problem.word.span, help=help_)
