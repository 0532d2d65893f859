"""Command line of a launcher with options that were removed or replaced."""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import Word
from trainc.launchers.find_launchers import Call
from trainc.record import Record
from trainc.span import Span, Text
from trainc.systems.command.reader.words import resolve_words
from trainc.systems.command.reader.world import Environment, Nodes
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.launch_command import CommandReport, report_usage


class LauncherLine:
    """Launcher, its options by name, the last of each, and the program."""

    def __init__(self, words: tuple[Word, ...], call: Call) -> None:
        self.call = call
        self.options: dict[str, ParsedOption] = dict(call.parsed.options)
        self.start = _launcher_words(words, call)
        for name, variable in call.grammar.variables.items():
            value = call.env.get(variable)
            if value is not None and value.span is not None and name not in self.options:
                self.options[name] = ParsedOption(flag=value, value=value)

    @property
    def span(self) -> Span:
        """Position of the launcher."""
        assert self.call.name.span is not None
        return self.call.name.span

    def where(self, name: str) -> Span:
        """Return the position of an option's value, of the option, or of the launcher."""
        option = self.options.get(name)
        span = ((option.value.span if option.value else None) or option.flag.span) if option else None
        return span or self.span

    def text(self, name: str) -> str | None:
        """Return the value of an option; None if it is absent or known to the running shell only."""
        return self.options[name].text if name in self.options else None

    def is_unknown(self, name: str) -> bool:
        """Return whether only the running shell knows the value of an option."""
        option = self.options.get(name)
        return option is not None and option.value is not None and not option.value.known

    def replace(self, name: str, value: str) -> None:
        """Set an option, at the position of its value."""
        word = Word(text=value, span=self.where(name))
        self.options[name] = ParsedOption(flag=word, value=word)

    def words(self) -> list[Word]:
        """Return the launcher with its options; not its program."""
        words = [*self.start]
        for name, option in self.options.items():
            value = option.value
            span = (value.span if value else None) or option.flag.span
            words.append(Word(text=f"--{name}={value.text}" if value else f"--{name}", span=span))
        return words


class CommandParts(Record):
    """Nodes, `launch`, `run` and variables of the job of a launch command."""

    nodes: Nodes
    command: TranslatedCommand
    environment: Environment


def launched(
    launcher: str, section: dict[str, Any], kind: str, nodes: Nodes, environment: Environment, line: LauncherLine
) -> CommandParts:
    """Return the parts of a command whose program a launcher of trainc starts, by the fields of its section."""
    launch: dict[str, Any] = {Text(launcher, line.span): section}
    run = {kind: resolve_words(line.call.parsed.program, environment.report)}
    return CommandParts(nodes=nodes, command=TranslatedCommand(launch=launch, run=run), environment=environment)


def is_accepted(call: Call, report: CommandReport) -> bool:
    """Return whether the launcher accepts a command line, and report the problem if it doesn't."""
    parsed = call.parsed
    if parsed.problem is not None and call.grammar.complete:
        report_usage(parsed.problem, call.grammar, call.launcher, report)
    elif "help" in parsed.options:
        flag = parsed.options["help"].flag
        where = flag.span or call.name.span
        assert where is not None
        report.add_error(f"`{flag.text}` prints help and starts no job", where)
    elif not parsed.complete:
        assert call.name.span is not None
        message = f"only the running shell knows which options `{call.launcher}` has"
        report.add_error(message, call.name.span, help="replace the variables by their values")
    elif not parsed.program:
        assert call.name.span is not None
        report.add_error(f"`{call.launcher}` has no program to start", call.name.span, expected="train.py")
    return not report.failed


def report_path(words: tuple[Word, ...], call: Call | None, launch: dict[str, Any], report: CommandReport) -> None:
    """Report the folder of a launcher, or of its Python, unless `launch` keeps the command line or the path."""
    section: dict[str, Any] = next(iter(launch.values()), {})
    word, folder = words[0], words[0].text.rpartition("/")[0]
    is_kept = "basic" in launch or section.get("wrap") is False or "command" in section
    if call is not None and folder and not is_kept and word.span is not None:
        message = f"the image's PATH decides which {call.launcher} starts, not `{word.text}`"
        report.add_change(message, word.span, help=f"put {folder} on the image's PATH")


def _launcher_words(words: tuple[Word, ...], call: Call) -> list[Word]:
    """Return the words up to the launcher's name: `python -m torch.distributed.run`, `accelerate launch`."""
    position = next((at for at, word in enumerate(words) if word is call.name), None)
    if position is None:  # -mtorch.distributed.run
        position = next(at for at, word in enumerate(words) if word.text.endswith(call.name.text))
    after = words[position + 1 : position + 2]
    has_subcommand = after and after[0].text == "launch" and call.launcher == "accelerate"
    return [*words[: position + 1], *(after if has_subcommand else ())]
