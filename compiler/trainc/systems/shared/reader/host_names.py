"""Host names of another system's pods in a program, its environment and the pods: trainc's pods have others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.source.node import Mapping, Scalar, Sequence
from trainc.span import Text
from trainc.systems.registry import DEFAULT
from trainc.systems.shared.reader.env import variables
from trainc.systems.shared.reader.pod import TranslatedPod


def report_lost_host_names(job: str, pods: str, run: dict[str, Any], main: TranslatedPod) -> None:
    """Report each host name `JOB-PODS` once per place; `pods` is a regular expression."""
    host = re.compile(rf"(?<![\w-]){re.escape(job)}-(?:{pods})(?![\w-])")
    words = [word for line in run.values() for word in line if isinstance(word, Text)]
    values = [value for _, value in variables(main.fields["env"]) if isinstance(value, Scalar)]
    why = "only the original pods have such names"
    help_ = f"use {job}-0, the host name of worker 0 on the back end {DEFAULT}"
    for text in (*words, *strings(values), *strings(main.patch)):
        for lost in dict.fromkeys(host.findall(text)):
            main.container.report.add_dropped(lost, text.span, why, help=help_)


def strings(value: Any) -> Iterator[Text]:
    """Yield all strings in a value of a pod template."""
    if isinstance(value, Scalar):
        if isinstance(value.value, str):
            yield Text(value.value, value.span)
    elif isinstance(value, Mapping | dict):
        for inner in dict(value.items()).values():
            yield from strings(inner)
    elif isinstance(value, list | Sequence):
        for inner in value.items if isinstance(value, Sequence) else value:
            yield from strings(inner)
