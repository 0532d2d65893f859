"""Translate a launch command to a TrainingJob."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import Word
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.option_fields import OptionFields
from trainc.launchers.registry import field_flags, is_read_by_options, part
from trainc.record import Record
from trainc.source.node import Mapping, Scalar
from trainc.span import Text
from trainc.systems.command.reader import deepspeed, torch
from trainc.systems.command.reader.environment import Environment
from trainc.systems.command.reader.launcher_line import LauncherLine, is_accepted, report_path
from trainc.systems.command.reader.mpirun import names_hosts, translate_mpirun
from trainc.systems.command.reader.others import OF_PROCESS, is_cluster, read_accelerate, read_world
from trainc.systems.command.reader.words import resolve_words
from trainc.systems.command.reader.world import Nodes, fixed_nodes
from trainc.systems.shared.reader.command import TranslatedCommand, translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_job
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand, job_name
from trainc.systems.shared.reader.pod import TranslatedPod

# Image of a job whose command does not say it, which is checked but never compiled.
UNSPECIFIED_IMAGE = f"unspecified@sha256:{'0' * 64}"


class _Parts(Record):
    """What a launcher's options say."""

    nodes: Nodes
    command: TranslatedCommand
    environment: Environment


def translate(command: LaunchCommand, report: CommandReport) -> Mapping | None:
    """Return the job, None if errors were reported."""
    launchers = calls(command.words, command.env, plugins=True)
    call = launchers[0] if launchers else None
    if call is not None and (is_cluster(call, report) or not is_accepted(call, report)):
        return None
    parts = _with_launcher(command, call, report) if call is not None else _program(command, report)
    if parts is None or report.failed:
        return None
    report_path(command.words, call, parts.command.launch, report)
    report.names |= _names(call)
    image = report.settings.get("spec.image")
    if image is None:
        report.require("spec.image", "the command does not name an image", command.span, "IMAGE")
        image = Scalar(UNSPECIFIED_IMAGE, UNSPECIFIED_IMAGE, command.span)
    name = _name(parts.command.run, call, report)
    message = "a pod that fails is replaced until lifecycle.backoffLimit is reached; a command runs once"
    report.add_change(message, command.span)
    environment, gpus = parts.environment, parts.environment.gpus
    spec: dict[str, Any] = {
        "image": image,
        "launch": parts.command.launch,
        "run": parts.command.run,
        **parts.nodes.fields(report),
        "resources": {"gpu": Scalar(gpus, str(gpus), environment.gpus_span or command.span) if gpus else None},
        "workingDir": command.directory,
        "env": {Text(name, value.span): value for name, value in environment.variables.items()},
    }
    return assemble_job({"name": name}, spec, command.span)


def _names(call: Call | None) -> dict[str, str]:
    """Return the launcher's options by the paths of the fields that set the same."""
    if call is None:
        return {}
    launcher = "torchrun" if call.launcher.startswith("torch") else call.launcher.partition(".")[0]
    if launcher == "accelerate":
        return {"workers": "--num_machines"}
    workers = [("workers", row.flags[-1]) for row in part(launcher, "options").OPTIONS if row.field == "workers"]
    return {**field_flags((launcher,)), **dict(workers)}


def _name(run: dict[str, Any], call: Call | None, report: CommandReport) -> Text:
    """Return the job's name, from its script or module: `train` of `python -m train.__main__`."""
    ((kind, words),) = run.items()
    program, where = words[0], words[0].span
    if kind == "exec" and call is not None:
        program = call.parsed.program[0].text
        kind = "module" if call.option("module") else kind
    if kind == "module":
        program = next((part for part in reversed(program.split(".")) if part != "__main__"), program)
    elif kind == "exec":
        program = next((word for word in words if word.endswith(".py")), program)
    return job_name(program, where, report)


def _with_launcher(command: LaunchCommand, call: Call, report: CommandReport) -> _Parts | None:
    line = LauncherLine(command.words, call)
    if call.launcher.startswith("torch"):
        return _torch(command, line, report)
    if call.launcher.startswith("deepspeed"):
        return _deepspeed(command, line, report)
    if is_read_by_options(call.launcher):
        return _by_options(command, line, report)
    is_local = call.launcher == "mpirun" and not names_hosts(line, report)
    nodes = fixed_nodes(report, 1, line.span) if is_local else None
    if call.launcher == "accelerate":
        nodes = read_accelerate(line, report)
        if nodes is None:
            return None
    environment = Environment(command, report, OF_PROCESS, ())
    if environment.gpus is None:
        report.ask_for_gpus(line.span, 8)
    if nodes is None:
        result = translate_mpirun(command, line, environment, report)
        return _Parts(nodes=result[0], command=result[1], environment=environment) if result else None
    program = call.parsed.program
    # The launcher runs in each pod, next to the variables of launch.basic.
    if nodes.most == 1:
        words = resolve_words(command.words, report, OF_PROCESS)
    else:
        options = [Text(word.text, word.span or line.span) for word in line.words()]
        words = [*options, *resolve_words(program, report, OF_PROCESS)]
    translated = TranslatedCommand(launch={Text("basic", line.span): {}}, run={"exec": words}, env={})
    return _Parts(nodes=nodes, command=translated, environment=environment)


def _torch(command: LaunchCommand, line: LauncherLine, report: CommandReport) -> _Parts | None:
    nodes = torch.read_nodes(line, report)
    if nodes is None:
        return None
    environment = _environment("torchrun", command, line, report)
    torch.translate_options(line, nodes, environment.gpus, report)
    injected = InjectedEnv(
        minimum=nodes.fewest,
        maximum=nodes.most,
        elastic=False,
        gpus=_gpus(environment, report),
        launcher_fields={},
        hosts=(torch.WORKER_0,),
        span=line.span,
    )
    pod = _pod(line, report)
    translated = translate_command(pod, injected)
    if translated.launch.get("torchrun", {}).get("wrap") is False:
        pod = _pod(line, report, torch.rendezvous_variables(line))
        translated = translate_command(pod, injected)
        environment.variables |= pod.fields["env"] or {}  # those that no field expresses
    if "torchrun" in translated.launch:
        torch.finish_launch(translated.launch["torchrun"], line, nodes)
    return _Parts(nodes=nodes, command=translated, environment=environment)


def _deepspeed(command: LaunchCommand, line: LauncherLine, report: CommandReport) -> _Parts | None:
    hosts = deepspeed.read_hosts(line, report)
    if hosts is None:
        return None
    environment = _environment("deepspeed", command, line, report)
    if environment.gpus is None and report.settings.gpus is None and hosts.slots:
        environment.gpus, environment.gpus_span = hosts.slots, hosts.slots_span
        message = f"each pod requests {hosts.slots} GPUs: deepspeed starts a process for each"
        report.add_change(message, hosts.slots_span, help="set spec.resources.gpu for another number")
    elif environment.gpus is None:
        report.ask_for_gpus(line.span, 8)
    fields, kind = deepspeed.translate_options(line, hosts, _gpus(environment, report), report)
    return _launched("deepspeed", fields, kind, hosts.nodes, environment, line, report)


def _by_options(command: LaunchCommand, line: LauncherLine, report: CommandReport) -> _Parts | None:
    """Return the parts by the launcher's table of options."""
    launcher = line.call.launcher
    environment = _environment(launcher, command, line, report)
    for name in [name for name in line.options if line.is_unknown(name)]:
        report.require_value("only the running shell knows this value", line.where(name))
        del line.options[name]
    try:
        fields = OptionFields(launcher, line.options)
    except ValueError:
        report.add_error(f"launch.{launcher} can't express this command line", line.span)
        return None
    fields.report_own(report)
    if environment.gpus is None:
        report.ask_for_gpus(line.span, 8)
    nodes = fixed_nodes(report, fields.workers or 1, fields.workers_span or line.span)
    return _launched(launcher, fields.section, fields.kind, nodes, environment, line, report)


def _environment(launcher: str, command: LaunchCommand, line: LauncherLine, report: CommandReport) -> Environment:
    own = part(launcher, "traits").TRAITS.process_variables
    return Environment(command, report, own, line.call.grammar.variables.values())


def _launched(
    launcher: str,
    section: dict[str, Any],
    kind: str,
    nodes: Nodes,
    environment: Environment,
    line: LauncherLine,
    report: CommandReport,
) -> _Parts:
    """Return a program that a launcher starts."""
    launch: dict[str, Any] = {Text(launcher, line.span): section}
    run = {kind: resolve_words(line.call.parsed.program, report)}
    return _Parts(nodes=nodes, command=TranslatedCommand(launch=launch, run=run, env={}), environment=environment)


def _program(command: LaunchCommand, report: CommandReport) -> _Parts:
    """Return a program without a launcher."""
    nodes, basic = read_world(command.env, command.span, report)
    environment = Environment(command, report, OF_PROCESS, ("WORLD_SIZE", "MASTER_PORT"))
    if environment.gpus is None:
        report.ask_for_gpus(command.span, 1)
    injected = InjectedEnv(
        minimum=nodes.fewest, maximum=nodes.most, elastic=False, gpus=_gpus(environment, report), launcher_fields={}
    )
    pod = _container(command, resolve_words(command.words, report, OF_PROCESS), report)
    translated = translate_command(pod, injected)
    if "basic" in translated.launch:
        translated = translated.replace(launch={Text("basic", command.span): basic})
    return _Parts(nodes=nodes, command=translated, environment=environment)


def _pod(line: LauncherLine, report: CommandReport, variables: dict[str, Scalar] | None = None) -> TranslatedPod:
    """Return a container with the launcher's command line; unknown values of options are reported."""
    options: list[Word] = []
    for word in line.words():
        if not word.known:
            report.require_value("only the running shell knows this value", word.span or line.span)
        else:
            options.append(word)
    words = [Text(word.text, word.span or line.span) for word in options]
    return _container(line, [*words, *resolve_words(line.call.parsed.program, report)], report, variables)


def _container(
    of: LaunchCommand | LauncherLine,
    words: list[Text],
    report: CommandReport,
    variables: dict[str, Scalar] | None = None,
) -> TranslatedPod:
    container = ForeignMapping(Mapping({}, of.span), report)
    fields: dict[str, Any] = {"env": variables, "network": {}}
    return TranslatedPod(fields=fields, command=words, args=[], patch={}, container=container, span=of.span)


def _gpus(environment: Environment, report: CommandReport) -> int:
    """Return the GPUs of a pod."""
    gpus = report.settings.gpus
    return (environment.gpus or 0) if gpus is None else gpus
