"""Worker index that a script takes from the host name or the pod name, where the name does not have it.

Systems name pods `mnist-0`, `mnist-worker-0` or `mnist-master-0`; the pod names of a Job end in random characters. Each
expression is evaluated on the names of the target. It is meant as the index, or as a test for worker 0, if it is one on
the names of any system.
"""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, warning
from trainc.checks.shared.helps import index_help
from trainc.commandline.name_parts import NamePart, name_parts
from trainc.commandline.python_parts import UnknownPartError
from trainc.commandline.word import Places
from trainc.ir.launch import Hosts
from trainc.secrets.text import redact
from trainc.span import Span, Text
from trainc.systems.registry import NAMES, is_backend

TRIGGERS = ("reads_host_name()", "reads_pod_name()")

FAILS, UNKNOWN = object(), object()  # in place of a part: Python raises an error; the expression is too complex
ADDRESS = re.compile(r"--(?:master[-_](?:addr|port)|rdzv[-_]endpoint)[=\s]\S+")
LONGEST = 60  # characters of an expression in a message


def check(context: RuleContext) -> Diagnostics:
    """Check the scripts of all containers."""
    if not is_backend(context.system.name):
        return  # the names of a system that is only read are unknown
    containers = (*context.pod.init_containers, *context.pod.containers)
    pod_names = {
        variable.name: variable.span
        for container in containers
        for variable in container.user_variables
        if variable.field_path == "metadata.name"
    }
    commands = [*(word for each in containers for field in ("command", "args") for word in each.words(field))]
    for word in dict.fromkeys(word for word in commands if isinstance(word, Text)):
        knows_roles = "master" in ADDRESS.sub("", word)
        for part in name_parts(word, tuple(pod_names)):
            where = Places(word, word.span).part(part.start, part.start + len(part.text)) or word.span
            yield from _check_part(context, part, knows_roles, where, pod_names.get(part.source))


def _check_part(
    context: RuleContext, part: NamePart, knows_roles: bool, where: Span, pod_name: Span | None
) -> Diagnostics:
    """Check one expression; `pod_name` is the variable with the pod's name, None for the host name.

    A script that `knows_roles` may add to the number in a worker's name.
    """
    hosts, count = context.job.hosts, context.job.replicas.maximum
    indexes = sorted({0, min(1, count - 1), count - 1})
    what, suffix = ("host name", "") if pod_name is None else ("pod name", context.system.pod_suffix)
    names = [hosts.name(index) + suffix for index in indexes]
    values, expected = [_value(part, name) for name in names], _expected(part, context, indexes)
    if pod_name is None and context.job.pod.host_network and expected:
        problem: Phrase = Message(
            "is not the worker's index: with `{network/hostNetwork}` the host name is that of the node"
        )
    elif UNKNOWN in values:
        original = _original_hosts(context)
        if original is None or original.name(1) + suffix == hosts.name(1) + suffix:
            return
        problem = f"depends on the {what}, which changes from `{original.name(0)}` to `{names[0]}`"
    elif values == expected or (knows_roles and values[1:] == [str(index - hosts.offset) for index in indexes[1:]]):
        return
    elif expected or (not part.is_test and all(value in ("", FAILS) for value in values)):
        at = next((at for at, value in enumerate(values) if not expected or value != expected[at]), 0)
        name = f"{'like ' if suffix else ''}`{names[at]}`"
        problem = f"{_effect(part, values[at])} on worker {indexes[at]}, whose {what} is {name}"
    else:
        return
    shown = part.text if len(part.text) <= LONGEST else f"{part.text[: LONGEST - 1]}…"
    message = Message("`{}` {}", redact(" ".join(shown.split())), problem)
    code = codes.RANDOM_POD_NAME if suffix else codes.INDEX_NOT_IN_NAME
    related = [] if pod_name is None else [(pod_name, "the pod name")]
    yield warning(code, message, where, help=index_help(context), related=related)


def _value(part: NamePart, name: str) -> object:
    if part.take is None:
        return UNKNOWN
    try:
        value = part.take(name)
        return bool(value) if part.is_test else value
    except LookupError:
        return FAILS
    except UnknownPartError:
        return UNKNOWN


def _expected(part: NamePart, context: RuleContext, indexes: list[int]) -> list[object]:
    """Return the values that are meant: those of a system where the part is the index, or tells worker 0 from others.

    They are empty if there is no such system.
    """
    for name in NAMES:
        hosts = context.lower(context.spec, context.target.replace(backend=name)).hosts
        first, second = (_value(part, hosts.name(index)) for index in (0, 1))
        if (first, second) == ("0", "1"):
            return [str(index) for index in indexes]
        if part.is_test and second is (not first):
            return [second if index else first for index in indexes]
    return []


def _original_hosts(context: RuleContext) -> Hosts | None:
    """Return the host names in the system that the file is written for, unless the job is checked there."""
    system = context.file_system if not context.in_own_system else None
    if system is None or not is_backend(system.name):
        return None
    return context.lower(context.spec, context.target.replace(backend=system.name)).hosts


def _effect(part: NamePart, value: object) -> str:
    if value is FAILS:
        return "fails"
    if part.is_test:
        return "is true" if value else "is false"
    return f"is `{redact(str(value))}`" if value else "is empty"
