"""Recognize the launcher that a container starts, through shells and the scripts of a manifest."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.launchers.registry import FIELDS, has_part, part, plugins
from trainc.plan.container import Container
from trainc.plan.fields import Object
from trainc.plan.launch.scripts import parse_script
from trainc.plan.launch.worker_launch import LaunchCommand, WorkerLaunch
from trainc.plan.pods import Pod


def recognize_launch(container: Container, pod: Pod, gpus: int, objects: list[Object]) -> WorkerLaunch:
    """Return what the container's first process starts."""
    argv, scales_to_zero = container.argv, False
    arguments: dict[str, str] = {}
    while (script := parse_script(argv)) is not None:
        argv, scales_to_zero = script.command, scales_to_zero or script.scales_to_zero
        arguments |= script.arguments if "count" in script.arguments else {}
    command = LaunchCommand(container=container, argv=argv, arguments=arguments, pod=pod, gpus=gpus, objects=objects)
    recognized = (part(name, "process").recognize(command) for name in _models())
    launch: WorkerLaunch = next(each for each in recognized if each is not None)
    return launch.replace(scales_to_zero=scales_to_zero)


def _models() -> Iterator[str]:
    """Yield the launchers with a process model; the first field's starts any program, so it comes last."""
    any_program, *launchers = FIELDS
    yield from reversed(launchers)
    yield from (name for name in plugins() if has_part(name, "process"))
    yield any_program
