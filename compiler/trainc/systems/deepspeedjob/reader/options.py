"""Options of the `deepspeed` command in a DeepSpeedJob as fields of launch.deepspeed.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import Given, Parsed, parse
from trainc.commandline.word import Word
from trainc.launchers.deepspeed.options import BY_FLAG, grammar
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Span, Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping

# How the workers are reached, and where they are: trainc knows, or nothing has to be reached.
REACHING = ("no_ssh_check", "launcher_args", "ssh_port", "force_multi", "hostfile", "launcher")
# Options that pdsh, by which T9k's workers are reached, doesn't carry to several hosts.
NOT_CARRIED = tuple(row.name for row in BY_FLAG.values() if row.over_ssh in ("dropped", "local"))
HOSTFILE = "/t9k/hostfile"


class LauncherArguments(Record):
    """Fields; the kind of program, None when they don't say; what remains for otherArgs, some of it
    `others_unknown` to trainc.
    """

    fields: dict[str, Any]
    kind: str | None
    others: list[Text]
    others_unknown: bool = False


def read_arguments(section: ForeignMapping, name: str, workers: Any) -> LauncherArguments:
    """Of a list of words. One that the launcher itself would refuse stays, for trainc's own checks to say so."""
    given = section.strings(name) or []
    parsed = parse(grammar(), [Word(text=str(word), span=word.span) for word in given])
    if parsed.problem is not None or not parsed.complete or parsed.program:
        return LauncherArguments(fields={}, kind=None, others=given)
    return read_options(section, parsed, workers, section.where(name))


def read_options(section: ForeignMapping, parsed: Parsed, workers: Any, span: Span) -> LauncherArguments:
    """Of options that have been read."""
    fields: dict[str, Any] = {}
    others: list[Text] = []
    kind, unknown = None, False
    for option, one in parsed.options.items():
        where = one.flag.span or span
        value = _number(one)
        if option in ("module", "no_python"):
            kind = "module" if option == "module" else "exec"
        elif option == "no_local_rank":
            fields["localRank"] = Scalar(False, "false", where)
        elif option == "autotuning" and one.value is not None:
            fields["autotune"] = Text(one.value.text, where)
        elif option in ("master_port", "num_gpus") and value is not None:
            name = "port" if option == "master_port" else "slotsPerWorker"
            fields[name] = Scalar(value, str(value), (one.value.span if one.value else None) or where)
        elif option in REACHING and not _another_place(option, one):
            section.report.add_change(f"`--{option}` is left out: the workers don't use ssh", where)
        elif option == "save_pid":
            section.report.add_dropped(f"--{option}", where, "the launcher of each pod has no such option")
        elif option == "num_nodes" and value == workers:
            continue
        else:
            if option in NOT_CARRIED and workers != 1:
                message = f"pdsh doesn't carry `--{option}` to the workers; with trainc it has its effect"
                section.report.add_change(message, where)
            unknown = unknown or option not in (*NOT_CARRIED, "enable_each_rank_log")
            others += _typed(option, one, where)
    return LauncherArguments(fields=fields, kind=kind, others=others, others_unknown=unknown)


def _another_place(option: str, one: Given) -> bool:
    """Hosts that aren't the job's own workers, or another way to reach them, which T9k doesn't have either."""
    text = one.value.text if one.value is not None else ""
    return (option == "hostfile" and text != HOSTFILE) or (option == "launcher" and text.lower() != "pdsh")


def _typed(option: str, one: Given, where: Span) -> list[Text]:
    if one.value is None or "=" in one.flag.text:
        return [Text(one.flag.text, where)]
    return [Text(one.flag.text, where), Text(one.value.text, one.value.span or where)]


def _number(one: Given) -> int | None:
    text = one.value.text if one.value is not None else ""
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 10 else None
