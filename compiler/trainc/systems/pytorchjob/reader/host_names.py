"""Names of the operator's pods that are left in a program's words and variables: with trainc nobody has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.source.node import Mapping, Scalar, Sequence
from trainc.span import Text
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.expansion import referenced_variables
from trainc.systems.shared.reader.report import TranslationReport

# A pod that looks for a role in its own name: `[[ $HOSTNAME == *-master-0 ]]`, `hostname | grep -q master`.
_OWN_NAME = re.compile(r"HOSTNAME|hostname|POD_NAME")
_ROLE = re.compile(r"(?:\*-?|grep (?:-\w+ )*[\"']?-?)((?:master|worker)(?:-[0-9]+)?)\b")


def report_lost_variables(names: tuple[str, ...], patch: dict[str, Any], report: TranslationReport) -> None:
    """Say which of the operator's variables another container uses: with trainc only the training container has such.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    for word in _texts(patch.get("spec", {}).get("containers")):
        for found in sorted(referenced_variables([word]) & set(names)):
            report.add_dropped(
                found, word.span, "the operator sets it in every container, trainc in the training container"
            )


def report_lost_host_names(
    name: str, begun: TranslatedCommand, env: Any, patch: dict[str, Any], report: TranslationReport
) -> None:
    """Say each once at each place. Every replica has a Service of its pod's name, `JOB-ROLE-NUMBER`.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/common/service.go
    """
    host = re.compile(rf"(?<![\w-]){re.escape(name)}-(?:master|worker)-[0-9]+(?![\w-])")
    for word in (*_words(begun, env), *_texts(patch)):
        names = [*host.findall(word), *(_ROLE.findall(word) if _OWN_NAME.search(word) else ())]
        for found in dict.fromkeys(names):
            why, help_ = "only the operator's pods have such names", f"worker 0 is {name}-0 for the others"
            report.add_dropped(found, word.span, why, help=help_)


def _words(begun: TranslatedCommand, env: Any) -> Iterator[Text]:
    for words in begun.run.values():
        yield from (word for word in words if isinstance(word, Text))
    given = env.values() if isinstance(env, dict) else env if isinstance(env, list) else []
    for one in given:
        value = one.get("value") if isinstance(one, Mapping) else one
        if isinstance(value, Scalar) and isinstance(value.value, str):
            yield Text(value.value, value.span)


def _texts(value: Any) -> Iterator[Text]:
    """All strings of the user's in a pod's patch."""
    if isinstance(value, Scalar):
        if isinstance(value.value, str):
            yield Text(value.value, value.span)
    elif isinstance(value, Mapping):
        for entry in value.entries.values():
            yield from _texts(entry.value)
    elif isinstance(value, dict | list | Sequence):
        for inner in (
            value.values() if isinstance(value, dict) else value.items if isinstance(value, Sequence) else value
        ):
            yield from _texts(inner)
