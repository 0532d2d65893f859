"""`config` of a DeepSpeedJob as launch.deepspeed and run."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import Word
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.launchers.find_launchers import calls
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.deepspeedjob.reader.options import LauncherArguments, read_arguments, read_options
from trainc.systems.deepspeedjob.reader.run import read_run
from trainc.systems.shared.reader.expansion import parse_single_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.t9k.reader import correct_names
from trainc.systems.shared.t9k.reader_run_mode import IDLE_PROGRAM, note_missing_program

FIELDS = ("customCommand", "slotsPerWorker", "localRank", "autotune", "run", "otherArgs")
AUTOTUNE = ("none", "tune", "run")
LaunchAndRun = tuple[dict[str, Any], dict[str, Any]]


def translate_config(spec: ForeignMapping, main: TranslatedPod, workers: Any, idle: bool) -> LaunchAndRun | None:
    """`launch` and `run`; None when there is nothing to run, which is right only for a job that is `idle`."""
    section = correct_names(spec.section("config"), *FIELDS)
    custom = section.string("customCommand") if section is not None else None
    if section is not None and custom is not None and custom.strip():
        return _custom(section, custom, main, workers)
    run = read_run(section) if section is not None else None
    if run is None or section is None:
        if not idle:
            where = section.where("run") if section is not None else spec.node.span.first
            spec.report.add_error("there is nothing to run", where, expected="spec.config.run.python, module or exec")
            return None
        left = section is not None and section.node.entries.keys() - {"run"}
        if section is not None:
            section.ignore(*section.node.entries)
        note_missing_program(spec, "spec.config" if left else "")
        return IDLE_PROGRAM
    kind, words = run
    given = read_arguments(section, "otherArgs", workers)
    fields = _fields(section, given, main)
    kind = given.kind or kind
    return {"deepspeed": fields}, {kind: words}


def _fields(section: ForeignMapping, given: LauncherArguments, main: TranslatedPod) -> dict[str, Any]:
    """Options of the launcher, less trainc's defaults."""
    gpus = max(1, main.gpu_count())
    slots = section.consume("slotsPerWorker")
    if slots is None and gpus > 1 and "slotsPerWorker" not in given.fields:
        message = f"without slotsPerWorker trainc starts a process for each of the {gpus} GPUs"
        section.report.add_change(message, section.node.span.first)
    elif isinstance(slots, Scalar) and slots.value == gpus:
        slots = None
    local = section.boolean("localRank")
    autotune = section.string("autotune")
    if autotune is not None and autotune not in AUTOTUNE:
        section.report.add_error(f"there is no autotune {autotune}", autotune.span, expected=", ".join(AUTOTUNE))
    fields: dict[str, Any] = {
        section.key("slotsPerWorker"): slots,
        section.key("localRank"): False if local is False else None,
    }
    tuning = given.fields.get("autotune") or (autotune if autotune != "none" else None)
    if tuning is not None:
        message = "the autotuner reaches the workers by ssh, and needs a key: trainc compile --generate-ssh-key FILE"
        section.report.add_change(message, tuning.span)
        fields |= {"transport": "ssh", "autotune": tuning}
    fields |= given.fields
    fields["otherArgs"] = given.others or None
    return {name: value for name, value in fields.items() if value is not None}


def _custom(section: ForeignMapping, custom: Text, main: TranslatedPod, workers: Any) -> LaunchAndRun | None:
    """A command line for worker 0: what it says of the launcher and the program, if that is all it says."""
    section.ignore("localRank", "autotune", "run", "otherArgs")
    for name in ("localRank", "autotune", "run", "otherArgs"):
        if name in section:
            section.report.add_change(f"`{name}` has no effect beside customCommand", section.key(name).span)
    text = Word(text=str(custom), span=custom.span)
    line = parse_single_command([Word(text="sh"), Word(text="-c"), text], text, {}) or []
    launched = calls(line)
    call = launched[0] if len(launched) == 1 else None
    before = [word.text for word in line[: line.index(call.name)]] if call is not None and call.name in line else None
    if call is not None and call.launcher == "deepspeed" and before in ([], ["python", "-m"], ["python3", "-m"]):
        words = [Text(word.text, word.span or custom.span) for word in call.parsed.program]
        given = read_options(section, call.parsed, workers, custom.span) if words and call.parsed.complete else None
        if given is not None and not given.others_unknown:
            return {"deepspeed": _fields(section, given, main)}, {given.kind or "python": words}
    section.ignore("slotsPerWorker")
    if workers == 1:
        section.report.add_change("trainc starts this command as it is, and without a hostfile", custom.span)
        return IDLE_PROGRAM[0], {"exec": ["/bin/sh", "-c", custom]}
    message = "trainc can't take this command apart, and worker 0 has no hostfile to start the others by"
    help_ = "say the program as config.run, and DeepSpeed's options as config.otherArgs"
    section.report.diagnostics.append(error(codes.CUSTOM_COMMAND, message, custom.span, help=help_))
    return None
