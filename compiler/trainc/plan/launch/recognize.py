"""Which launcher a container starts, through what the manifest puts before it."""

from __future__ import annotations

from trainc.commandline.find_launchers import calls
from trainc.commandline.word import UNKNOWN, Word
from trainc.launchers.basic.process import basic
from trainc.launchers.deepspeed.process import by_operator, by_ssh, direct
from trainc.launchers.torchrun.process import torchrun
from trainc.plan.container import Container
from trainc.plan.expand import without_unseen
from trainc.plan.fields import Object
from trainc.plan.launch.scripts import script
from trainc.plan.launch.start import Start
from trainc.plan.pods import Pod


def start(container: Container, pod: Pod, gpus: int, objects: list[Object]) -> Start:
    """What the container's first process will start."""
    if pod.starts:
        return by_operator(pod, objects)
    argv, stops = container.argv, False
    count = node = None
    names = ("", "")
    wrapped = script(argv)
    while wrapped is not None:
        argv, stops = wrapped.command, stops or wrapped.stops_set
        if "count" in wrapped.words:
            count, node = wrapped.words["count"], wrapped.words.get("pod")
            names = wrapped.words.get("rank_argument", ""), wrapped.words.get("local_argument", "")
        wrapped = script(argv)
    found = by_ssh(argv, pod, objects) or direct(argv) or _torchrun(container, argv, gpus)
    if found is None:
        found = basic(container, argv, count, node, names)
    return found.replace(stops_set=stops)


def _torchrun(container: Container, argv: tuple[str, ...], gpus: int) -> Start | None:
    env: dict[str, Word | None] = {one.name: _word(one.value) for one in container.env}
    for call in calls([_word(word) for word in argv], env):
        if call.launcher == "torchrun":
            return torchrun(call, argv, gpus, container.value)
    return None


def _word(text: str) -> Word:
    return Word(text=without_unseen(text, UNKNOWN))
