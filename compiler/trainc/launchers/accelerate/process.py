"""Process model of accelerate, which starts torchrun's agent in its own process."""

from __future__ import annotations

from trainc.commandline.word import Word
from trainc.launchers.accelerate.config_file import default_path
from trainc.launchers.accelerate.options import NAME
from trainc.launchers.accelerate.torchrun_call import Config, torchrun_call
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.frameworks import starts_on
from trainc.launchers.shared.hostfile import mounted_text
from trainc.launchers.torchrun.process import failure_cases, line_env, masked_word, process_env
from trainc.launchers.torchrun.worker_launch import worker_launch
from trainc.plan.launch import LOCAL, LaunchCommand, WorkerLaunch
from trainc.source.load import load_mapping
from trainc.source.node import plain

__all__ = ["failure_cases", "process_env", "recognize"]


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of an accelerate that starts torchrun; None for other commands and for a single process."""
    env: dict[str, Word | None] = {each.name: masked_word(each.value) for each in command.container.env}
    started = (each for each in calls([masked_word(word) for word in command.argv], env))
    call = next((each for each in started if starts_on(each.framework, each.env, command.gpus)), None)
    if call is None or call.launcher != NAME:
        return None
    inner = torchrun_call(call, command.gpus, _config(call, command))
    if inner is None:
        return None
    launch = worker_launch(inner.call, command.argv, command.gpus, command.container.value)
    return launch.replace(
        launcher=NAME,
        label=NAME,
        framework=call.framework,
        is_standalone=launch.nodes == (1, 1) and launch.rendezvous_host in LOCAL,
        process_env={**line_env(call, env), **launch.process_env, **inner.env},
        errors=(*inner.errors, *launch.errors),
    )


def _config(call: Call, command: LaunchCommand) -> Config | None:
    """Return the content of the configuration file, else of the default one; None if no ConfigMap has it."""
    option = call.value("config_file")
    path = option.text if option is not None else default_path(command.container.value)
    text = mounted_text(path, command.pod, command.surroundings.config_maps)
    mapping = load_mapping(NAME, text) if text is not None else None
    content = plain(mapping) if mapping is not None else None
    return content if isinstance(content, dict) else None
