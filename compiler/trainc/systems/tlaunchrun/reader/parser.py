"""tlaunchrun's options, read as its argparse reads them: tlaunch/lp_k8s/runner/run.py of 0.0.2."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.commandline.argparse import Given, Parsed, Problem, Table, parse, table
from trainc.commandline.word import Word
from trainc.record import Record
from trainc.schema.hints import nearest
from trainc.source.node import Scalar
from trainc.span import Span, Text
from trainc.systems.shared.reader.report import TranslationReport

_GLOBAL = table(
    "-h|--help --set_save_path --set_checkpoint_path",
    "--lpjob_name --namespace --image --image_pull_policy --gpu --gpu_memory --gpu_cores",
)
_LAUNCHERS = {
    "basic": table("-h|--help --set_share_file", "--num_trainer"),
    "torchrun": table("-h|--help", "--nnodes --nproc_per_node --rdzv_id --rdzv_backend"),
    "deepspeed": table("-h|--help", "--num_nodes --num_gpus"),
}
PULL_POLICIES = ("Always", "IfNotPresent", "Never")


class Options:
    """What was given. A name that was not has the place of the word that it belongs to."""

    def __init__(self, given: dict[str, Given], report: TranslationReport, span: Span) -> None:
        self.given = given
        self.report = report
        self.span = span

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def where(self, name: str) -> Span:
        """The value, or the option that has none."""
        found = self.given.get(name)
        word = (found.value or found.flag) if found else None
        return (word.span if word else None) or self.span

    def text(self, name: str, default: str) -> Text:
        """A string."""
        found = self.given.get(name)
        value = found.value if found else None
        return Text(value.text if value else default, self.where(name))

    def number(self, name: str, default: int) -> int:
        """What Python's int() makes of it; else the default, with an error."""
        text = self.text(name, str(default))
        found = parse_int(text)
        if found is None:
            self.report.add_error(f"`{text}` is no whole number", self.where(name), expected=f"--{name} {default}")
        return default if found is None else found

    def node(self, name: str, default: int) -> Scalar:
        """The same as a value of a field that stands where the option does."""
        found = self.number(name, default)
        return Scalar(found, str(found), self.where(name))


class CommandLine(Record):
    """Options of all launchers, the launcher with its own, and the program with its arguments."""

    options: Options
    launcher: Text
    own: Options
    program: list[Text]


def parse_int(text: str) -> int | None:
    """A whole number as argparse's type=int reads it, None if it is none or larger than Kubernetes knows."""
    try:
        found = int(text)
    except ValueError:  # or more digits than Python reads
        return None
    return found if abs(found) < 2**63 else None


def parse_command_line(words: Sequence[Word], report: TranslationReport) -> CommandLine | None:
    """The command line behind the name, None when tlaunchrun would refuse it."""
    name, start = words[0], _span(words[0])
    found = parse(_GLOBAL, words[1:])
    if _refused(found, _GLOBAL, "tlaunchrun", report):
        return None
    expected = ", ".join(_LAUNCHERS)
    if not found.program:
        report.add_error(
            "no launcher is given", _span((*words, name)[-2]) if len(words) > 1 else start, expected=expected
        )
        return None
    launcher = found.program[0]
    if launcher.text not in _LAUNCHERS:
        near = nearest(launcher.text, list(_LAUNCHERS))
        help_ = f"did you mean `{near}`?" if near else None
        report.add_error(f"`{launcher.text}` is no launcher", _span(launcher), expected=expected, help=help_)
        return None
    own = parse(_LAUNCHERS[launcher.text], found.program[1:])
    if _refused(own, _LAUNCHERS[launcher.text], f"tlaunchrun {launcher.text}", report):
        return None
    if not own.program:
        report.add_error(f"{launcher.text} is given no program", _span(words[-1]), expected="train.py")
        return None
    return CommandLine(
        options=Options(found.options, report, start),
        launcher=Text(launcher.text, _span(launcher)),
        own=Options(own.options, report, _span(launcher)),
        program=[Text(word.text, _span(word)) for word in own.program],
    )


def _refused(found: Parsed, known: Table, who: str, report: TranslationReport) -> bool:
    if found.problem is not None:
        _usage(found.problem, known, who, report)
        return True
    asked = found.options.get("help")
    if asked is not None:
        report.add_error(f"`{asked.flag.text}` only shows help, and starts no job", _span(asked.flag))
    return asked is not None


def _usage(problem: Problem, known: Table, who: str, report: TranslationReport) -> None:
    """argparse's usage errors, at the word that they speak of."""
    text = problem.word.text
    name = text.partition("=")[0]
    options = sorted(option for option in known.options if option.startswith("--") and option != "--help")
    help_ = None
    if problem.why == "missing":
        message = f"`{text}` is given no value"
    elif problem.why == "not taken":
        message = f"`{name}` takes no value"
    elif problem.why == "ambiguous":
        message = f"`{name}` may mean several options"
        help_ = f"it is one of {', '.join(option for option in options if option.startswith(name))}"
    else:
        near = nearest(name, options)
        message = f"{who} has no option `{name}`"
        help_ = f"did you mean `{near}`?" if near else f"it has {', '.join(options)}"
        if name in _GLOBAL.options:
            help_ = "it stands before the launcher"
    report.add_error(message, _span(problem.word), help=help_)


def _span(word: Word) -> Span:
    assert word.span is not None
    return word.span
