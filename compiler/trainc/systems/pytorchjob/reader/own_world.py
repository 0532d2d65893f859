"""Variables by which a PyTorchJob without a Master describes its world itself, as launch.basic does.

The operator sets WORLD_SIZE, RANK and the address only next to a Master:
https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.registry import MENTIONS
from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.span import Span, span_of
from trainc.systems.pytorchjob.facts import INDEX_LABEL
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child

HIGHEST_PORT = 65535


def starts_launcher(command: TranslatedCommand) -> bool:
    """Return whether the program's command line may start a launcher, which sets the variables of its processes."""
    return any(name in word for words in command.run.values() for word in words for name in MENTIONS)


def own_world(env: Any, name: str, total: int, report: TranslationReport) -> tuple[Any, Scalar | None]:
    """Return the variables without those that launch.basic sets to the same, and the value of MASTER_PORT."""
    port, same = None, set()
    for variable, value, span in _variables(env):
        if not _is_same(variable, value, name, total):
            continue
        if variable == "MASTER_PORT":
            assert isinstance(value, Scalar)
            port = Scalar(parse_count(value.text), value.text, value.span)
        same.add(variable)
        report.add_change(f"variable `{variable}` is left out: launch.basic sets it", span)
    if isinstance(env, dict):
        return {key: value for key, value in env.items() if key not in same}, port
    return [item for item in env or [] if scalar_text(child(item, "name")) not in same], port


def _variables(env: Any) -> list[tuple[str, Node | None, Span]]:
    """Return names, values or `valueFrom`, and the positions of the names."""
    if isinstance(env, dict):
        return [(str(key), value, span) for key, value in env.items() if (span := span_of(key)) is not None]
    named = [item for item in env or [] if isinstance(item, Mapping)]
    return [(scalar_text(item.get("name")), item.get("value") or item, item.where("name")) for item in named]


def _is_same(variable: str, value: Node | None, name: str, total: int) -> bool:
    text = scalar_text(value)
    if variable == "RANK":
        label = scalar_text(child(value, "valueFrom", "fieldRef", "fieldPath"))
        return label == f"metadata.labels['{INDEX_LABEL}']" or (text == "0" and total == 1)
    if variable == "MASTER_PORT":
        return 0 < (parse_count(text) or 0) <= HIGHEST_PORT
    if variable == "MASTER_ADDR":
        return text.partition(".")[0] == f"{name}-worker-0"
    return variable == "WORLD_SIZE" and text == str(total)
