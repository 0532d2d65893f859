"""Translate the `config` of a DeepSpeedJob, with options of the `deepspeed` command, to launch.deepspeed and run.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py
"""

from __future__ import annotations

import shlex
from typing import Any

from trainc.commandline.argparse import Parsed, parse
from trainc.commandline.word import Word, parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, warning
from trainc.launchers.deepspeed.options import BY_FLAG, grammar
from trainc.launchers.find_launchers import calls
from trainc.record import Record
from trainc.schema.cures.guess import intended_value
from trainc.source.node import Scalar, scalar_text
from trainc.span import Span, Text
from trainc.systems.deepspeedjob.fields import CONFIG, FIELDS
from trainc.systems.deepspeedjob.traits import HOSTFILE
from trainc.systems.shared.fields import names
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import parse_single_command
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.t9k.reader import IDLE_PROGRAM, correct_names, note_missing_program

# Options of the command that starts the workers' launchers over ssh.
OVER_SSH = tuple(row.name for row in BY_FLAG.values() if row.only_ssh)
# Those that trainc sets itself with transport: ssh.
SET_BY_TRAINC = ("ssh_port", "force_multi")
# Options that pdsh, by which T9k's workers are reached, does not pass on to several hosts.
NOT_PASSED_ON = tuple(row.name for row in BY_FLAG.values() if row.over_ssh in ("dropped", "local"))
SLOTS, LOCAL_RANK, AUTOTUNE, OTHER_ARGS, RUN = names(FIELDS, f"spec.{CONFIG}")
KINDS = names(FIELDS, f"spec.{CONFIG}.{RUN}")
TUNING = ("none", "tune", "run")
LaunchAndRun = tuple[dict[str, Any], dict[str, Any]]


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
    tunes = "autotuning" in parsed.options or scalar_text(section.node.get(AUTOTUNE)) not in ("", "none")
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
        elif (name == "hostfile" and text == HOSTFILE) or (tunes and name in SET_BY_TRAINC):
            section.report.add_change(f"`--{name}` is left out: trainc sets it itself", where)
        elif name != "num_nodes" or number != workers:
            if name in NOT_PASSED_ON and workers != 1:
                message = f"`--{name}` takes effect on all workers; pdsh does not pass it on"
                section.report.add_change(message, where)
            known = (*NOT_PASSED_ON, *OVER_SSH, "enable_each_rank_log")
            has_unknown = has_unknown or name not in known or (name == "launcher" and text.lower() != "pdsh")
            words = [option.flag] if option.value is None or "=" in option.flag.text else [option.flag, option.value]
            others += [Text(word.text, word.span or where) for word in words]
    return LauncherArguments(fields=fields, kind=kind, others=others, has_unknown=has_unknown)


def translate_config(spec: ForeignMapping, main: TranslatedPod, workers: Any, idle: bool) -> LaunchAndRun | None:
    """Return `launch` and `run`; None if the job has no program, which is an error unless it is idle."""
    section = correct_names(spec.section(CONFIG), "customCommand", SLOTS, LOCAL_RANK, AUTOTUNE, RUN, OTHER_ARGS)
    custom = section.string("customCommand") if section is not None else None
    if section is not None and custom is not None and custom.strip():
        return _custom_command(section, custom, main, workers)
    run = read_run(section) if section is not None else None
    if run is not None and section is not None:
        kind, words = run
        arguments = read_arguments(section, OTHER_ARGS, workers)
        return {"deepspeed": _launcher_fields(section, arguments, main)}, {arguments.kind or kind: words}
    if not idle:
        where = section.where(RUN) if section is not None else spec.node.span.first
        spec.report.add_error("the job has no program", where, expected="spec.config.run.python, module or exec")
        return None
    has_fields = section is not None and section.node.entries.keys() - {RUN}
    if section is not None:
        section.ignore_all()
    note_missing_program(spec, f"spec.{CONFIG}" if has_fields else "")
    return IDLE_PROGRAM


def _launcher_fields(section: ForeignMapping, arguments: LauncherArguments, main: TranslatedPod) -> dict[str, Any]:
    """Return the launcher's options that differ from trainc's defaults."""
    gpus = max(1, main.gpu_count())
    slots = section.consume(SLOTS)
    if slots is None and gpus > 1 and "slotsPerWorker" not in arguments.fields:
        message = f"slotsPerWorker is not set: trainc starts one process per GPU, {gpus} per worker"
        section.report.add_change(message, section.node.span.first)
        message = "without `slotsPerWorker` the number of processes is the operator's default, which isn't documented"
        help_, where = f"set `slotsPerWorker: {gpus}`", section.node.span.first
        section.report.faults.append(warning(codes.GPU_COUNT_MISMATCH, message, where, help=help_))
    elif isinstance(slots, Scalar) and slots.value == gpus:
        slots = None
    local_rank = section.boolean(LOCAL_RANK)
    autotune = section.choice(AUTOTUNE, TUNING)
    fields: dict[str, Any] = {
        section.key(SLOTS): slots,
        section.key(LOCAL_RANK): False if local_rank is False else None,
    }
    tuning = arguments.fields.get("autotune") or (autotune if autotune != "none" else None)
    if tuning is not None:
        message = "the autotuner connects to the workers by ssh and needs a key: trainc compile --generate-ssh-key FILE"
        section.report.add_change(message, tuning.span)
        fields |= {"transport": "ssh", "autotune": tuning}
    fields |= {**arguments.fields, "otherArgs": arguments.others or None}
    return {name: value for name, value in fields.items() if value is not None}


def _custom_command(section: ForeignMapping, custom: Text, main: TranslatedPod, workers: Any) -> LaunchAndRun | None:
    """Return the launcher and the program of worker 0's command, if it is one `deepspeed` command."""
    others = (LOCAL_RANK, AUTOTUNE, RUN, OTHER_ARGS)
    section.ignore(*others)
    for name in others:
        if name in section:
            section.report.add_change(f"`{name}` has no effect with customCommand", section.key(name).span)
    script = Word(text=str(custom), span=custom.span)
    line = parse_single_command([Word(text="sh"), Word(text="-c"), script], script, {}) or []
    launchers = calls(line)
    call = launchers[0] if len(launchers) == 1 else None
    prefix = [word.text for word in line[: line.index(call.name)]] if call is not None and call.name in line else None
    if call is not None and call.launcher == "deepspeed" and prefix in ([], ["python", "-m"], ["python3", "-m"]):
        words = [Text(word.text, word.span or custom.span) for word in call.parsed.program]
        if words and call.parsed.complete:
            arguments = read_options(section, call.parsed, workers, custom.span)
            if not arguments.has_unknown:
                launch = {"deepspeed": _launcher_fields(section, arguments, main)}
                return launch, {arguments.kind or "python": words}
    section.ignore(SLOTS)
    if workers == 1:
        section.report.add_change("the command runs unchanged, without a hostfile", custom.span)
        return IDLE_PROGRAM[0], {"exec": ["/bin/sh", "-c", custom]}
    message = "unsupported customCommand: worker 0 has no hostfile to start the other workers with"
    help_ = "move the program to config.run and DeepSpeed's options to config.otherArgs"
    section.report.diagnostics.append(error(codes.CUSTOM_COMMAND, message, custom.span, help=help_))
    return None


def read_run(section: ForeignMapping) -> tuple[str, list[Text]] | None:
    """Return the kind of program and its words, or None if there is no program."""
    run = correct_names(section.section(RUN), *KINDS)
    if run is None:
        return None
    programs = {run.key(kind): words for kind in KINDS if kind in run and (words := _words(run, kind))}
    if len(programs) > 1:
        first, second, *_ = programs
        message = f"only one of {', '.join(KINDS)} can be set"
        section.report.add_error(message, run.key(second).span, help=f"remove {first} or {second}")
    return next(iter(programs.items()), None)


def _words(run: ForeignMapping, kind: str) -> list[Text]:
    """Return a list of words; a string is split, with a warning."""
    node = run.node.get(kind)
    if not isinstance(node, Scalar):
        return run.strings(kind) or []
    run.consume(kind)
    guess = intended_value(node, ["array"])
    help_ = guess.help if guess else None
    run.report.add_correction(f"`{run.path_of(kind)}` must be a list of strings", node.span, help_)
    try:
        words = shlex.split(node.text)
    except ValueError:
        words = [node.text]
    return [Text(word, node.span) for word in words]
