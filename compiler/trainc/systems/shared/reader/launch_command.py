"""Launch command of a shell script, what the user sets in addition, and the report of its translation."""

from __future__ import annotations

import re

from trainc.commandline.argparse import Problem, Table
from trainc.commandline.shell import Variables
from trainc.commandline.word import Word, parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.record import Record
from trainc.schema.hints import nearest
from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.span import Source, Span, Text
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_MAX_NAME = 40  # objects and pods add suffixes; 63 is the limit of a label
_EXTENSIONS = (".py", ".sh", ".bash")


class Tasks(Record):
    """Processes of a command that a scheduler starts on every node, and the position of their number."""

    count: int
    span: Span | None


class LaunchCommand(Record):
    """Words from the launcher on, the variables that the script has set, and the folder that it runs in, if known.

    `tasks` are those of a scheduler, which starts the command on every node; None if it runs once.
    """

    words: tuple[Word, ...]
    env: Variables
    directory: str | None
    span: Span
    tasks: Tasks | None = None
    is_typed: bool = False  # on trainc's own command line, in the caller's environment

    @property
    def source(self) -> Source:
        """Source of the command."""
        return self.span.source


class Settings:
    """Fields that `--set` gives to the job, of which a command need not say anything.

    `defaults` are fields that the script says around its command, by path.
    """

    def __init__(self, job: Node) -> None:
        self.job = job
        self.defaults: dict[str, Scalar] = {}

    def get(self, path: str) -> Node | None:
        """Return the value of a field like `spec.workers`."""
        value = child(self.job, *path.split("."))
        return self.defaults.get(path) if value is None else value

    def default(self, path: str) -> Scalar | None:
        """Return the default of a field that `--set` does not give."""
        return self.defaults.get(path) if child(self.job, *path.split(".")) is None else None

    def count(self, path: str) -> int | None:
        """Return a field that is a number."""
        return parse_count(scalar_text(self.get(path)))

    @property
    def gpus(self) -> int | None:
        """Number of GPUs of a pod, None if the field is not set."""
        count = self.count("spec.resources.gpu")
        return self.count("spec.resources.gpu.count") if count is None else count


class ReadScript(Record):
    """Job of a script, None if there is none, and diagnostics.

    `unspecified` are those about what the script does not say and a job must. `faults` are findings about the command
    where it runs now, which its job does not have. `names` are the command's options by the paths of the job's fields.
    """

    job: Mapping | None = None
    diagnostics: list[Diagnostic] = []
    unspecified: list[Diagnostic] = []
    faults: list[Diagnostic] = []
    names: dict[str, str] = {}


class CommandReport(TranslationReport):
    """Report of a translation; `unspecified` are findings about what the command does not say and no setting adds.

    They keep the job from being compiled, but are no faults of the command.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.unspecified: list[Diagnostic] = []
        self.names: dict[str, str] = {}
        self.examples: dict[str, str] = {}  # values of settings that the script suggests

    def require(self, path: str, message: str, span: Span, example: str) -> None:
        """Add an error unless the user sets the field."""
        if self.settings.get(path) is None:
            help_ = f"add `--set {path}={self.examples.get(path, example)}`"
            self.unspecified.append(error(codes.UNSPECIFIED_BY_COMMAND, message, span, help=help_))

    def require_value(self, message: str, span: Span) -> None:
        """Add an error about a value that only the running shell knows and no field replaces."""
        self.unspecified.append(error(codes.UNSPECIFIED_BY_COMMAND, message, span, help="replace it by its value"))

    def ask_for_gpus(self, span: Span, example: int) -> None:
        """Warn that the job requests no GPUs, unless the user sets their number."""
        if self.settings.gpus is None:
            message = "the command does not say how many GPUs a node has: the job requests none"
            count = self.examples.get("spec.resources.gpu", example)
            help_ = f"add `--set spec.resources.gpu={count}`, or `--set spec.resources.gpu=0` for none"
            self.unspecified.append(warning(codes.GPUS_UNSPECIFIED, message, span, help=help_))


def job_name(program: str, span: Span, report: CommandReport, is_given: bool = False) -> Text:
    """Return a name for the job, from its program: `train` of `/app/train.py`, or from a name that is given."""
    stem = program.rstrip("/").rpartition("/")[2].lower()
    stem = next((stem.removesuffix(end) for end in _EXTENSIONS if stem.endswith(end)), stem)
    name = _NOT_IN_NAMES.sub("-", stem).strip("-")[:_MAX_NAME].strip("-")
    if not name or not name[0].isalpha():
        name = f"job-{name}".rstrip("-")
    if is_given and name != program:
        report.add_change(f"the job is named `{name}`: Kubernetes has no name `{program}`", span)
    elif not is_given and report.settings.get("metadata.name") is None:
        message = f"the job is named `{name}`: a command has no name"
        report.add_change(message, span, help="set metadata.name for another one")
    return Text(name, span)


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
