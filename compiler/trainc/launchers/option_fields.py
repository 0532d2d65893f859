"""Fields of the job file that options on a launcher's command line set, by the launcher's table of options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import parse_count
from trainc.launchers.option import Kind, Option
from trainc.launchers.registry import part
from trainc.span import Span, Text
from trainc.systems.shared.reader.report import TranslationReport

Options = Mapping[str, ParsedOption]


class Unsupported(ValueError):
    """An option that no field can express, or that contradicts the job."""


class OptionFields:
    """Fields that the options of a launcher set.

    `section` are those below `launch` and the launcher's name, `workers` is the number of workers, None without an
    option, and `kind` that of the program. trainc itself sets the options in `own`, which have no field. Raises
    ValueError for an option whose value no field can hold.
    """

    def __init__(self, launcher: str, options: Options) -> None:
        rows: dict[str, Option] = {row.name: row for row in part(launcher, "options").OPTIONS}
        self.section: dict[str, Any] = {}
        self.workers: int | None = None
        self.workers_span: Span | None = None
        self.kind = "python"
        self.own: Options = {name: option for name, option in options.items() if not rows[name].field}
        for name, option in options.items():
            start, _, path = rows[name].field.partition(".")
            if start == "workers":
                self.workers, self.workers_span = max(1, parse_number(option.text or "")), option_span(option)
            elif start == "run":
                self.kind = path
            elif start == "launch":
                section, steps = self.section, path.split(".")[1:]
                for step in steps[:-1]:
                    section = section.setdefault(step, {})
                section[Text(steps[-1], option_span(option))] = option_value(rows[name].kind, option)

    def report_own(self, report: TranslationReport) -> None:
        """Report the options that trainc sets."""
        for name, option in self.own.items():
            report.add_change(f"`--{name}` is left out: trainc sets it in each pod", option_span(option))


def option_value(kind: Kind, option: ParsedOption) -> Any:
    """Return the value of the field that an option sets. Raises ValueError for one that no field can hold."""
    if kind == "switch":
        return True
    if option.text is None:
        raise Unsupported
    parsers: dict[str, Callable[[str], Any]] = {
        "count": parse_number,
        "port": parse_number,
        "decimal": parse_decimal,
        # One for all processes, or a list by local rank: torch/distributed/elastic/multiprocessing/api.py, Std.from_str
        "streams": lambda text: parse_number(text) if text.isdecimal() else text,
        "names": lambda text: text.split(","),
        "numbers": lambda text: [parse_number(part) for part in text.split(",")],
        "filters": lambda text: [part.replace("\0", ",") for part in text.replace(",,", "\0").split(",")],
    }
    text = Text(option.text, option_span(option))
    return parsers[kind](text) if kind in parsers else text


def parse_number(text: str) -> int:
    """Parse a count. Raises Unsupported for text that the launcher rejects or no field can hold."""
    count = parse_count(text)
    if count is None:
        raise Unsupported
    return count


def parse_decimal(text: str) -> float:
    """Parse a decimal number. Raises ValueError for other text, Unsupported for infinities and NaN: JSON has none."""
    number = float(text)
    if not isfinite(number):
        raise Unsupported
    return number


def option_span(option: ParsedOption) -> Span:
    """Return the position of an option's value, or of the option."""
    span = (option.value.span if option.value else None) or option.flag.span
    assert span is not None
    return span


def option_text(options: Options, name: str) -> str | None:
    """Return the value of an option; None if it is absent or has no value."""
    return options[name].text if name in options else None
