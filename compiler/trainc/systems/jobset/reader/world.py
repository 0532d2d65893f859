"""Variables and host names by which the pods of a JobSet describe their world: the controller sets none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.commandline.word import parse_count
from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar, Sequence, scalar_text
from trainc.span import Span, Text, span_of
from trainc.systems.job.facts import INDEX_LABEL, INDEX_VARIABLE, RUN_LABEL
from trainc.systems.jobset import facts
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.injected_env import referenced_variables
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child

# Labels, which are annotations too, with the number of a pod in a Job, or of a Job.
JOB_NUMBERS = (facts.JOB_INDEX_LABEL, facts.GLOBAL_INDEX_LABEL, facts.GROUP_INDEX_LABEL)
# Fields with which each run, or each restart, has an id of its own.
RUN_IDS = tuple(
    f"metadata.{kind}['{label}']" for kind in ("labels", "annotations") for label in (RUN_LABEL, *facts.LABELS)
)
HIGHEST_PORT = 65535


class World(Record):
    """Names of the JobSet and of its replicated jobs, host names of the first pod, the number of pods, and torchrun's
    number of nodes, one or a range."""

    name: str
    jobs: tuple[str, ...]
    hosts: tuple[str, ...]
    total: int
    nodes: str


def index_variables(env: Any, workers: Workers) -> list[str]:
    """Return the variables with the number of the worker: of the pod in its Job, or of the Job if it has one pod."""
    labels = (INDEX_LABEL,) if workers.jobs == 1 else JOB_NUMBERS if workers.jobs == workers.total else ()
    fields = {f"metadata.{kind}['{label}']" for kind in ("labels", "annotations") for label in labels}
    own = [INDEX_VARIABLE] if workers.jobs == 1 else []
    return own + [name for name, value, _ in _variables(env) if _field(value) in fields]


def _field(value: Node | None) -> str:
    return scalar_text(child(value, "valueFrom", "fieldRef", "fieldPath"))


def _variables(env: Any) -> Iterator[tuple[str, Node | None, Span]]:
    """Yield names, values or the variables themselves, and the positions of the names."""
    if isinstance(env, dict):
        yield from ((str(key), value, span) for key, value in env.items() if (span := span_of(key)) is not None)
        return
    for item in env or []:
        if isinstance(item, Mapping):
            yield scalar_text(item.get("name")), item.get("value") or item, item.where("name")


def remove_own_world(
    env: Any, world: World, index: list[str], command: TranslatedCommand, report: TranslationReport
) -> tuple[Any, Scalar | None]:
    """Return the variables without those that the launcher of the job sets, and the value of MASTER_PORT.

    launch.torchrun has no MASTER_ADDR, to which a command line that starts torchrun itself may refer.
    """
    is_basic = "basic" in command.launch
    used = set() if is_basic else referenced_variables(word for line in command.run.values() for word in line)
    port, same = None, set()
    for name, value, span in _variables(env):
        text = scalar_text(value)
        is_same = (
            (name == "MASTER_ADDR" and text in world.hosts)
            or (name == "WORLD_SIZE" and text == str(world.total) and is_basic)
            or (name in index and name in ("RANK", "NODE_RANK", "PET_NODE_RANK"))
            or (name == "PET_NNODES" and text == world.nodes and not is_basic)
            or (name == "PET_RDZV_ID" and _field(value).startswith(RUN_IDS) and not is_basic)
            or (name == "MASTER_PORT" and 0 < (parse_count(text) or 0) <= HIGHEST_PORT)
        )
        if not is_same or name in used:
            continue
        if name == "MASTER_PORT":
            assert isinstance(value, Scalar)
            port = Scalar(parse_count(text), text, value.span)
        same.add(name)
        launcher = next(iter(command.launch))
        report.add_change(f"variable `{name}` is left out: launch.{launcher} sets it", span)
    if isinstance(env, dict):
        return {key: value for key, value in env.items() if key not in same}, port
    return [item for item in env or [] if scalar_text(child(item, "name")) not in same], port


def report_lost_host_names(
    world: World, command: TranslatedCommand, main: TranslatedPod, report: TranslationReport
) -> None:
    """Report each host name of the JobSet's pods once per place: the job's pods have other names."""
    jobs = "|".join(map(re.escape, world.jobs))
    host = re.compile(rf"(?<![\w-]){re.escape(world.name)}-(?:{jobs})-[0-9]+-[0-9]+(?![\w-])")
    words = [word for line in command.run.values() for word in line if isinstance(word, Text)]
    for text in (*words, *_strings(main.fields["env"]), *_strings(main.patch)):
        for lost in dict.fromkeys(host.findall(text)):
            help_ = f"use {world.name}-0, the host name of worker 0"
            report.add_dropped(lost, text.span, "only the pods of the JobSet have such names", help=help_)


def _strings(value: Any) -> Iterator[Text]:
    if isinstance(value, Scalar):
        if isinstance(value.value, str):
            yield Text(value.value, value.span)
    elif isinstance(value, Mapping | dict):
        for inner in dict(value.items()).values():
            yield from _strings(inner)
    elif isinstance(value, list | Sequence):
        for inner in value.items if isinstance(value, Sequence) else value:
            yield from _strings(inner)
