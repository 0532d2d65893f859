"""Translate options of the `deepspeed` command in a DeepSpeedJob to fields of launch.deepspeed.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import Parsed, ParsedOption, parse
from trainc.commandline.word import Word
from trainc.launchers.deepspeed.options import BY_FLAG, grammar
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Span, Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import parse_count

# Options about connections between the workers, which trainc sets up or does not need.
CONNECTION = ("no_ssh_check", "launcher_args", "ssh_port", "force_multi", "hostfile", "launcher")
# Options that pdsh, by which T9k's workers are reached, does not pass on to several hosts.
NOT_PASSED_ON = tuple(row.name for row in BY_FLAG.values() if row.over_ssh in ("dropped", "local"))
HOSTFILE = "/t9k/hostfile"


class LauncherArguments(Record):
    """Fields; the kind of program, None if no option says it; the words for otherArgs, and whether any is unknown."""

    fields: dict[str, Any]
    kind: str | None
    others: list[Text]
    has_unknown: bool = False


def read_arguments(section: ForeignMapping, name: str, workers: Any) -> LauncherArguments:
    """Return the options in a list of arguments; invalid arguments go to otherArgs, for trainc's checks to report."""
    arguments = section.strings(name) or []
    parsed = parse(grammar(), [Word(text=str(word), span=word.span) for word in arguments])
    if parsed.problem is not None or not parsed.complete or parsed.program:
        return LauncherArguments(fields={}, kind=None, others=arguments)
    return read_options(section, parsed, workers, section.where(name))


def read_options(section: ForeignMapping, parsed: Parsed, workers: Any, span: Span) -> LauncherArguments:
    """Return parsed options as fields; options without a field go to otherArgs."""
    fields: dict[str, Any] = {}
    others: list[Text] = []
    kind, has_unknown = None, False
    for name, option in parsed.options.items():
        where = option.flag.span or span
        text = option.value.text if option.value is not None else ""
        number = parse_count(text)
        if name in ("module", "no_python"):
            kind = "module" if name == "module" else "exec"
        elif name == "no_local_rank":
            fields["localRank"] = Scalar(False, "false", where)
        elif name == "autotuning" and option.value is not None:
            fields["autotune"] = Text(text, where)
        elif name in ("master_port", "num_gpus") and number is not None:
            field = "port" if name == "master_port" else "slotsPerWorker"
            fields[field] = Scalar(number, str(number), (option.value.span if option.value else None) or where)
        elif name in CONNECTION and not _selects_other_hosts(name, text):
            section.report.add_change(f"`--{name}` is left out: the workers do not use ssh", where)
        elif name == "save_pid":
            section.report.add_dropped(f"--{name}", where, "the per-node launcher has no such option")
        elif name != "num_nodes" or number != workers:
            if name in NOT_PASSED_ON and workers != 1:
                message = f"`--{name}` takes effect on all workers; pdsh does not pass it on"
                section.report.add_change(message, where)
            has_unknown = has_unknown or name not in (*NOT_PASSED_ON, "enable_each_rank_log")
            others += _words(option, where)
    return LauncherArguments(fields=fields, kind=kind, others=others, has_unknown=has_unknown)


def _selects_other_hosts(name: str, value: str) -> bool:
    """Return whether an option names hosts other than the workers, or a launcher other than T9k's."""
    return (name == "hostfile" and value != HOSTFILE) or (name == "launcher" and value.lower() != "pdsh")


def _words(option: ParsedOption, where: Span) -> list[Text]:
    if option.value is None or "=" in option.flag.text:
        return [Text(option.flag.text, where)]
    return [Text(option.flag.text, where), Text(option.value.text, option.value.span or where)]
