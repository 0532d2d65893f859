"""References `$(NAME)` to variables that are not defined: the kubelet leaves them as they are.

https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.pod import Container
from trainc.checks.shared.program_command import before_shell
from trainc.commandline.shell_variables import may_be_in_pod
from trainc.commandline.word import Places, Word
from trainc.source.node import mappings, scalar_text
from trainc.span import Span, span_of

TRIGGERS = ("mentions_reference()",)

REFERENCE = re.compile(r"(?<!\$)\$\(([A-Z_][A-Z0-9_]*)\)")


def check(context: RuleContext) -> Diagnostics:
    """Check arguments and variables of all containers; envFrom, controllers and operators may set more variables."""
    launch = context.job.launch
    over_ssh = launch.starts_workers and launch.launcher.has_remote_shell  # which may run references as commands
    main = () if over_ssh else (context.pod.main,)
    for container in (*main, *context.pod.init_containers, *context.pod.sidecars):
        if not mappings(container.node.get("envFrom")):
            yield from _container(container)


def _container(container: Container) -> Diagnostics:
    texts = container.words("command") + container.words("args")
    argv = [Word(text=text, span=span_of(text)) for text in texts]
    names = [scalar_text(item.get("name")) for item in mappings(container.node.get("env"))]
    found = [(name, where) for word in before_shell(argv) for name, where in _undefined(word.text, names, word.span)]
    for name, where in dict(reversed(found)).items():
        message = f"`$({name})` is not expanded: no variable `{name}` is defined"
        if where is not None:
            yield warning(codes.UNDEFINED_REFERENCE, message, where, help=f"set `{name}` in env")
    for variable in container.user_variables:
        before = names[: names.index(variable.name)]
        value = variable.value or ""
        for name, where in _undefined(value, before, span_of(value)):
            message = f"`$({name})` is not expanded in `{variable.name}`: no variable `{name}` is defined before it"
            help_ = f"set `{name}` before `{variable.name}`"
            yield warning(codes.UNDEFINED_REFERENCE, message, where or variable.span, help=help_)


def _undefined(text: str, names: Sequence[str], span: Span | None) -> Iterator[tuple[str, Span | None]]:
    """Yield the names that a text refers to and that nothing sets, with the positions of the references."""
    for match in REFERENCE.finditer(text):
        if match[1] not in names and not may_be_in_pod(match[1]):
            yield match[1], Places(text, span).part(*match.span()) or span
