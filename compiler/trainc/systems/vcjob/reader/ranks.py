"""Node ranks that tasks count on from each other, as of a master and its workers, become each worker's own rank."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.commandline.arithmetic import evaluate
from trainc.source.node import Mapping, scalar_text
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod_trees import command_words, containers_of, reference, with_containers, with_words
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.model.spec import Task

RANK = "PET_NODE_RANK"  # of torchrun, which trainc sets
_OPTIONS = ("--node_rank", "--node-rank")
_VALUE = r"\$\(\([^()\n]*\)\)|\$\([A-Z_]+\)|\$\{[A-Z_]+\}|\$[A-Z_]+|[0-9]+"
_OPTION = re.compile(rf"(--node[-_]rank(?:=|[ \t]+)\"?)({_VALUE})(?![^\s\"';&|)])")
_CHECKED = 1000  # pods of a task whose ranks are computed, and the last


def merge_ranks(templates: dict[str, ForeignMapping], tasks: list[Task]) -> str:
    """Replace the ranks of the tasks by RANK, with a note, and return the task of rank 0.

    Change nothing and return an empty text unless the ranks number the pods of several tasks, or a shell computes them.
    """
    values = {task.name: list(_values(templates[task.name].node)) for task in tasks}
    if any(len({text for text, _ in each}) != 1 for each in values.values()):
        return ""
    texts = {name: each[0][0] for name, each in values.items()}
    if len(tasks) == 1 and not texts[tasks[0].name].startswith("$(("):
        return ""
    first, total = "", 0
    for task in sorted(tasks, key=lambda task: _rank(texts[task.name], 0) or 0):
        indexes = {*range(min(task.replicas, _CHECKED)), task.replicas - 1}
        if any(_rank(texts[task.name], index) != total + index for index in indexes):
            return ""
        first, total = first or task.name, total + task.replicas
    shown = "the node ranks of the tasks become" if len(tasks) > 1 else "the node rank becomes"
    where = values[tasks[-1].name][0][1]
    templates[tasks[0].name].report.add_change(f"{shown} each worker's own rank", where)
    for task in tasks:
        template = templates[task.name]
        template.node = with_containers(template.node, lambda each: with_words(each, _replaced), only_first=True)
    return first


def _rank(text: str, index: int) -> int | None:
    """Return the rank of a pod of a task, by its number in the task."""
    inner = text[3:-2] if text.startswith("$((") else text.strip("$(){}")
    value = evaluate(inner, dict.fromkeys(facts.INDEX_VARIABLES, str(index)))
    return int(value) if value is not None else None


def _values(template: Mapping) -> Iterator[tuple[str, Span]]:
    """Yield the values of the option in the first container, with the positions of their words."""
    for container in containers_of(template)[:1]:
        previous = ""
        for word in command_words(container):
            text = scalar_text(word)
            if previous in _OPTIONS:
                yield text, word.span
            yield from ((match[2], word.span) for match in _OPTION.finditer(text))
            previous = text


def _replaced(text: str, previous: str) -> str:
    variable = reference(RANK, text)
    return variable if previous in _OPTIONS else _OPTION.sub(lambda match: match[1] + variable, text)
