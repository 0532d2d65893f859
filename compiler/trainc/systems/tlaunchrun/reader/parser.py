"""Parse tlaunchrun's options as its argparse parses them: tlaunch/lp_k8s/runner/run.py of 0.0.2."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.commandline.argparse import Parsed, ParsedOption, Table, parse, table
from trainc.commandline.word import Word
from trainc.record import Record
from trainc.schema.hints import nearest
from trainc.source.node import Scalar
from trainc.span import Span, Text
from trainc.systems.shared.reader.launch_command import report_usage
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


class Options:
    """Options of the command or of its launcher. An absent option has the position of that word."""

    def __init__(self, options: dict[str, ParsedOption], report: TranslationReport, span: Span) -> None:
        self.options = options
        self.report = report
        self.span = span

    def __contains__(self, name: str) -> bool:
        return name in self.options

    def where(self, name: str) -> Span:
        """Return the position of an option's value, or of the option if it takes none."""
        option = self.options.get(name)
        return _span(option.value or option.flag) if option else self.span

    def text(self, name: str, default: str) -> Text:
        """Return a string option."""
        value = self.options[name].value if name in self else None
        return Text(default if value is None else value.text, self.where(name))

    def number(self, name: str, default: int) -> int:
        """Return a number as Python's int() parses it; the default, with an error, for other text."""
        text = self.text(name, str(default))
        number = parse_int(text)
        if number is None:
            self.report.add_error(f"`{text}` is not a whole number", self.where(name), expected=f"--{name} {default}")
        return default if number is None else number

    def node(self, name: str, default: int) -> Scalar:
        """Return a number as a node at the option's position."""
        number = self.number(name, default)
        return Scalar(number, str(number), self.where(name))


class CommandLine(Record):
    """Global options, the launcher with its own options, and the program with its arguments."""

    options: Options
    launcher: Text
    launcher_options: Options
    program: list[Text]


def parse_int(text: str) -> int | None:
    """Parse a number as argparse's type=int does; return None for other text and for more than 64 bits."""
    try:
        number = int(text)
    except ValueError:  # or more digits than Python parses
        return None
    return number if abs(number) < 2**63 else None


def parse_command_line(words: Sequence[Word], report: TranslationReport) -> CommandLine | None:
    """Return the parsed command line, or None with an error if tlaunchrun would reject it."""
    command = parse(_GLOBAL, words[1:])
    if _is_rejected(command, _GLOBAL, "tlaunchrun", report):
        return None
    expected = ", ".join(_LAUNCHERS)
    if not command.program:
        report.add_error("the launcher is missing", _span(words[-1]), expected=expected)
        return None
    launcher = command.program[0]
    if launcher.text not in _LAUNCHERS:
        similar = nearest(launcher.text, list(_LAUNCHERS))
        help_ = f"did you mean `{similar}`?" if similar else None
        report.add_error(f"unknown launcher `{launcher.text}`", _span(launcher), expected=expected, help=help_)
        return None
    options = parse(_LAUNCHERS[launcher.text], command.program[1:])
    if _is_rejected(options, _LAUNCHERS[launcher.text], f"tlaunchrun {launcher.text}", report):
        return None
    if not options.program:
        report.add_error(f"`{launcher.text}` has no program to start", _span(words[-1]), expected="train.py")
        return None
    return CommandLine(
        options=Options(command.options, report, _span(words[0])),
        launcher=Text(launcher.text, _span(launcher)),
        launcher_options=Options(options.options, report, _span(launcher)),
        program=[Text(word.text, _span(word)) for word in options.program],
    )


def _is_rejected(parsed: Parsed, known: Table, command: str, report: TranslationReport) -> bool:
    if parsed.problem is not None:
        report_usage(parsed.problem, known, command, report, before=_GLOBAL)
    elif "help" in parsed.options:
        flag = parsed.options["help"].flag
        report.add_error(f"`{flag.text}` prints help and starts no job", _span(flag))
    return report.failed


def _span(word: Word) -> Span:
    assert word.span is not None
    return word.span
