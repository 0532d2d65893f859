"""Translate a launch command to a TrainingJob."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import Word
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.option_fields import OptionFields
from trainc.launchers.registry import field_flags, is_read_by_options, part
from trainc.source.node import Mapping, Scalar
from trainc.span import Text
from trainc.systems.command.reader import deepspeed, torch
from trainc.systems.command.reader.accelerate import keep_command, read_machines, translate_accelerate
from trainc.systems.command.reader.launcher_line import CommandParts, LauncherLine, is_accepted, launched, report_path
from trainc.systems.command.reader.mpirun import names_hosts, translate_mpirun
from trainc.systems.command.reader.programs import (
    TASK_VARIABLES,
    agrees_with_tasks,
    framework_of,
    is_cluster,
    rank_arguments,
    read_framework,
    read_tasks,
    read_world,
)
from trainc.systems.command.reader.words import resolve_words
from trainc.systems.command.reader.world import OF_PROCESS, Environment, Nodes, fixed_nodes
from trainc.systems.shared.reader.command import TranslatedCommand, translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_job
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand, job_name
from trainc.systems.shared.reader.pod import TranslatedPod

# Image of a job whose command does not say it, which is checked but never compiled.
UNSPECIFIED_IMAGE = f"unspecified@sha256:{'0' * 64}"


def translate(command: LaunchCommand, report: CommandReport) -> Mapping | None:
    """Return the job, None if errors were reported."""
    launchers = [call for call in calls(command.words, command.env, plugins=True) if not call.framework]
    call = launchers[0] if launchers else None
    if call is not None and (
        is_cluster(call, report) or not (is_accepted(call, report) and agrees_with_tasks(call, command, report))
    ):
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
    defaults = report.settings.default
    gpu = Scalar(gpus, str(gpus), environment.gpus_span or command.span) if gpus else defaults("spec.resources.gpu")
    slots, launch = defaults("spec.launch.mpirun.slotsPerWorker"), parts.command.launch
    if slots is not None and "slotsPerWorker" not in launch.get("mpirun", {"slotsPerWorker": slots}):
        launch["mpirun"]["slotsPerWorker"] = slots
    spec: dict[str, Any] = {
        "image": image,
        "launch": parts.command.launch,
        "run": parts.command.run,
        **parts.nodes.fields(report),
        "resources": {
            "cpu": defaults("spec.resources.cpu"),
            "memory": defaults("spec.resources.memory"),
            "gpu": gpu,
        },
        "workingDir": command.directory,
        "lifecycle": {"activeDeadlineSeconds": defaults("spec.lifecycle.activeDeadlineSeconds")},
        "env": {Text(name, value.span): value for name, value in environment.variables.items()},
    }
    given = defaults("metadata.name")
    return assemble_job({"name": name if given is None else given}, spec, command.span)


def _names(call: Call | None) -> dict[str, str]:
    """Return the launcher's options by the paths of the fields that set the same."""
    if call is None:
        return {}
    launcher = "torchrun" if call.launcher.startswith("torch") else call.launcher.partition(".")[0]
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


def _with_launcher(command: LaunchCommand, call: Call, report: CommandReport) -> CommandParts | None:
    line = LauncherLine(command.words, call)
    if call.launcher.startswith("torch"):
        return _torch(command, line, report)
    if call.launcher.startswith("deepspeed"):
        return _deepspeed(command, line, report)
    if is_read_by_options(call.launcher):
        return _by_options(command, line, report)
    if call.launcher == "accelerate":
        return _accelerate(command, line, report)
    environment = Environment(command, report)
    environment.ask_for_gpus(line.span)
    if names_hosts(line, report):
        return translate_mpirun(command, line, environment, report)
    return _kept(command, line, fixed_nodes(report, 1, line.span), environment)


def _accelerate(command: LaunchCommand, line: LauncherLine, report: CommandReport) -> CommandParts | None:
    nodes = read_machines(line, report)
    if nodes is None:
        return None
    parts = translate_accelerate(command, line, nodes, report)
    if parts is not None:
        return parts
    keep_command(line, nodes, report)
    environment = Environment(command, report)
    environment.ask_for_gpus(line.span)
    return _kept(command, line, nodes, environment)


def _kept(command: LaunchCommand, line: LauncherLine, nodes: Nodes, environment: Environment) -> CommandParts:
    """Return the launcher with its options in each pod, next to the variables of launch.basic."""
    report = environment.report
    if nodes.most == 1:
        words = resolve_words(command.words, report, OF_PROCESS)
    else:
        options = [Text(word.text, word.span or line.span) for word in line.words()]
        words = [*options, *resolve_words(line.call.parsed.program, report, OF_PROCESS)]
    translated = TranslatedCommand(launch={Text("basic", line.span): {}}, run={"exec": words})
    return CommandParts(nodes=nodes, command=translated, environment=environment)


def _torch(command: LaunchCommand, line: LauncherLine, report: CommandReport) -> CommandParts | None:
    nodes = torch.read_nodes(line, report)
    if nodes is None:
        return None
    environment = _environment("torchrun", command, line, report)
    torch.translate_options(line, nodes, environment.gpus, report)
    injected = InjectedEnv(
        minimum=nodes.fewest,
        maximum=nodes.most,
        gpus=environment.pod_gpus,
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
    return CommandParts(nodes=nodes, command=translated, environment=environment)


def _deepspeed(command: LaunchCommand, line: LauncherLine, report: CommandReport) -> CommandParts | None:
    hosts = deepspeed.read_hosts(line, report)
    if hosts is None:
        return None
    environment = _environment("deepspeed", command, line, report)
    environment.request_gpus(hosts.slots, hosts.slots_span, "deepspeed starts a process for each")
    environment.ask_for_gpus(line.span)
    fields, kind = deepspeed.translate_options(line, hosts, environment.pod_gpus, report)
    return launched("deepspeed", fields, kind, hosts.nodes, environment, line)


def _by_options(command: LaunchCommand, line: LauncherLine, report: CommandReport) -> CommandParts | None:
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
    environment.ask_for_gpus(line.span)
    nodes = fixed_nodes(report, fields.workers or 1, fields.workers_span or line.span)
    return launched(launcher, fields.section, fields.kind, nodes, environment, line)


def _environment(launcher: str, command: LaunchCommand, line: LauncherLine, report: CommandReport) -> Environment:
    own = part(launcher, "traits").TRAITS.process_variables
    return Environment(command, report, own, line.call.grammar.variables.values())


def _program(command: LaunchCommand, report: CommandReport) -> CommandParts:
    """Return a program without a launcher."""
    framework = framework_of(command)
    if framework is None:
        read = read_world if command.tasks is None else read_tasks
        nodes, basic = read(command, report)
        environment = Environment(command, report, read=("WORLD_SIZE", "MASTER_PORT"))
    else:
        nodes, basic, processes = read_framework(framework, command, report)
        of_launch = framework.variables if nodes.most > 1 else ()
        environment = Environment(command, report, read=("MASTER_PORT",), of_launch=of_launch)
        environment.request_gpus(processes, command.span, "a process is started for each")
    environment.ask_for_gpus(command.span, 1)
    injected = InjectedEnv(minimum=nodes.fewest, maximum=nodes.most, gpus=environment.pod_gpus)
    provided = OF_PROCESS if command.tasks is None else (*OF_PROCESS, *TASK_VARIABLES)
    pod = _container(command, resolve_words(command.words, report, provided), report)
    translated = translate_command(pod, injected)
    if command.tasks is not None and framework is None:
        translated = rank_arguments(translated, basic, report)
    if "basic" in translated.launch:
        translated = translated.replace(launch={Text("basic", command.span): basic})
    return CommandParts(nodes=nodes, command=translated, environment=environment)


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
