"""Report host names and variables of the operator's pods that trainc's pods lack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.source.node import Mapping, Scalar, Sequence
from trainc.span import Text
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.expansion import referenced_variables
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child

# A script that looks for a role in its pod's name: `[[ $HOSTNAME == *-master-0 ]]`, `hostname | grep -q master`.
_POD_NAME = re.compile(r"HOSTNAME|hostname|POD_NAME")
_ROLE = re.compile(r"(?:\*-?|grep (?:-\w+ )*[\"']?-?)((?:master|worker)(?:-[0-9]+)?)\b")


def report_lost_variables(names: tuple[str, ...], patch: dict[str, Any], report: TranslationReport) -> None:
    """Report the operator's variables that other containers use; trainc sets them in the training container only.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    for word in _strings(patch.get("spec", {}).get("containers")):
        for name in sorted(referenced_variables([word]) & set(names)):
            report.add_dropped(name, word.span, "trainc sets it in the training container only")


def report_lost_host_names(
    name: str, command: TranslatedCommand, env: Any, patch: dict[str, Any], report: TranslationReport
) -> None:
    """Report each host name once per place. Every replica has a Service of its pod's name, `JOB-ROLE-NUMBER`.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/common/service.go
    """
    host = re.compile(rf"(?<![\w-]){re.escape(name)}-(?:master|worker)-[0-9]+(?![\w-])")
    for word in (*_program_and_env(command, env), *_strings(patch)):
        names = [*host.findall(word), *(_ROLE.findall(word) if _POD_NAME.search(word) else ())]
        for lost in dict.fromkeys(names):
            why = "only the operator's pods have such names"
            report.add_dropped(lost, word.span, why, help=f"use {name}-0, the host name of worker 0")


def _program_and_env(command: TranslatedCommand, env: Any) -> Iterator[Text]:
    for words in command.run.values():
        yield from (word for word in words if isinstance(word, Text))
    for variable in env.values() if isinstance(env, dict) else env if isinstance(env, list) else []:
        value = child(variable, "value") if isinstance(variable, Mapping) else variable
        if isinstance(value, Scalar):
            yield from _strings(value)


def _strings(value: Any) -> Iterator[Text]:
    """Yield all strings of the user in a pod's patch."""
    if isinstance(value, Scalar):
        if isinstance(value.value, str):
            yield Text(value.value, value.span)
    elif isinstance(value, Mapping):
        for entry in value.entries.values():
            yield from _strings(entry.value)
    elif isinstance(value, dict | list | Sequence):
        values = value.items if isinstance(value, Sequence) else value
        for inner in values.values() if isinstance(values, dict) else values:
            yield from _strings(inner)
