"""Which launcher a container starts, through what the manifest puts before it."""

from __future__ import annotations

from trainc.commandline.word import UNKNOWN, Word
from trainc.launchers.basic.process import basic
from trainc.launchers.deepspeed.process import by_operator, by_ssh, direct
from trainc.launchers.find_launchers import calls
from trainc.launchers.torchrun.process import torchrun
from trainc.plan.container import Container
from trainc.plan.expand import mask_placeholders
from trainc.plan.fields import Object
from trainc.plan.launch.scripts import parse_script
from trainc.plan.launch.worker_launch import WorkerLaunch
from trainc.plan.pods import Pod


def recognize_launch(container: Container, pod: Pod, gpus: int, objects: list[Object]) -> WorkerLaunch:
    """What the container's first process will start."""
    if pod.start_command:
        return by_operator(pod, objects)
    argv, stops = container.argv, False
    count = node = None
    names = ("", "")
    wrapped = parse_script(argv)
    while wrapped is not None:
        argv, stops = wrapped.command, stops or wrapped.scales_to_zero
        if "count" in wrapped.arguments:
            count, node = wrapped.arguments["count"], wrapped.arguments.get("pod")
            names = wrapped.arguments.get("rank_argument", ""), wrapped.arguments.get("local_argument", "")
        wrapped = parse_script(argv)
    found = by_ssh(argv, pod, objects) or direct(argv) or _torchrun(container, argv, gpus)
    if found is None:
        found = basic(container, argv, count, node, names)
    return found.replace(scales_to_zero=stops)


def _torchrun(container: Container, argv: tuple[str, ...], gpus: int) -> WorkerLaunch | None:
    env: dict[str, Word | None] = {one.name: _word(one.value) for one in container.env}
    for call in calls([_word(word) for word in argv], env):
        if call.launcher == "torchrun":
            return torchrun(call, argv, gpus, container.value)
    return None


def _word(text: str) -> Word:
    return Word(text=mask_placeholders(text, UNKNOWN))
