"""References to variables that nothing expands: those of a shell without one, and `$(NAME)` without a variable.

Kubernetes expands `$(NAME)`, in commands, arguments and env only, and leaves the names that it does not know:
https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from functools import reduce

from trainc.checks.rule import Diagnostics, Remedy, RuleContext, codes, rewrite, warning
from trainc.checks.shared.pod import Container
from trainc.checks.shared.program_command import before_shell, program_command
from trainc.commandline.shell_variables import is_preset, may_be_in_pod, reference
from trainc.commandline.word import Places, Word, words
from trainc.secrets.names import is_secret
from trainc.source.node import mappings, scalar_text
from trainc.span import Span, span_of
from trainc.systems.shared.reader.templates import in_place_of_values

TRIGGERS = ("mentions_variable()",)

REFERENCE = reference()
_KUBERNETES_REFERENCE = re.compile(r"(?<!\$)\$\(([A-Z_][A-Z0-9_]*)\)")


def check(context: RuleContext) -> Diagnostics:
    """Check arguments and variables of all containers, and fields that nothing expands, like the image."""
    pod, spec, launch = context.pod, context.spec, context.job.launch
    over_ssh = launch.starts_workers and launch.launcher.has_remote_shell  # which may expand arguments and variables
    for container in (*(() if over_ssh else (pod.main,)), *pod.init_containers, *pod.sidecars):
        own = words(container.words("command") + container.words("args"))
        yield from _arguments(container, program_command(context).argv if container is pod.main else own)
        yield from _values(container)
        if not mappings(container.node.get("envFrom")):  # envFrom, controllers and operators may set more variables
            yield from _undefined_names(container)
    fields = [(text, span) for text, span in in_place_of_values(spec.node) if span is not spec.where("workingDir")]
    if fields:
        message = f"{_subject([text for text, _ in fields])} not expanded: no shell reads the field"
        help_ = _render_first(has_default=any(text.endswith(":-…}") for text, _ in fields))
        yield warning(codes.SHELL_VARIABLE, message, fields[0][1], help=help_)


def _arguments(container: Container, argv: list[Word]) -> Diagnostics:
    """Check a command line up to a shell."""
    names = _names(container)
    references = [(match, word) for word in before_shell(argv) for match in _references(word.text, names)]
    where = next((span for match, word in references if (span := _span(match, word.span))), None)
    if where is None:
        return
    matches = [match for match, _ in references]
    message = f"{_subject(list(map(_shown, matches)))} not expanded: no shell runs the program"
    if any(match["operator"] for match in matches):
        help_ = 'start the program by a shell: [bash, -c, "…"]'
    else:
        help_ = _help(matches[0], names)
    remedy = _remedy([(match, _span(match, word.span)) for match, word in references], names)
    yield warning(codes.SHELL_VARIABLE, message, where, help=help_, remedy=remedy)


def _values(container: Container) -> Diagnostics:
    names = _names(container)
    for variable in container.user_variables:
        name, value = variable.name, variable.value or ""
        matches = [] if is_secret(name, value) else list(_references(value, names))
        if not matches:
            continue
        message = f"{_subject(list(map(_shown, matches)))} not expanded in `{name}`: Kubernetes expands only `$(NAME)`"
        help_ = _value_help(matches[0], name, names - {name})
        yield warning(codes.SHELL_VARIABLE, message, _span(matches[0], span_of(value)) or variable.span, help=help_)


def _references(text: str, names: set[str]) -> Iterator[re.Match[str]]:
    """Yield the references to variables; programs have a syntax of their own, mostly with names in lower case."""
    if not any(character.isspace() for character in text):  # a text or code, not a value
        for match in REFERENCE.finditer(text):
            if _name(match).isupper() or _name(match) in names:
                yield match


def _span(match: re.Match[str], span: Span | None) -> Span | None:
    return Places(match.string, span).part(*match.span())


def _names(container: Container) -> set[str]:
    return {scalar_text(item.get("name")) for item in mappings(container.node.get("env"))}


def _name(match: re.Match[str]) -> str:
    return match["braced"] or match["bare"]


def _shown(match: re.Match[str]) -> str:
    return f"${{{_name(match)}:-…}}" if match["operator"] else match[0]  # a default may be a secret


def _subject(texts: list[str]) -> str:
    others = len({*texts}) - 1
    return f"`{texts[0]}`" + (f" and {others} more variable{'s' * (others > 1)} are" if others else " is")


def _remedy(references: list[tuple[re.Match[str], Span | None]], names: set[str]) -> Remedy | None:
    """Return the remedy that writes the references as Kubernetes expands them, None unless it expands all."""
    steps = [rewrite(span, f"$({_name(match)})", safe=True) for match, span in references]
    is_known = all(not match["operator"] and _name(match) in names for match, _ in references)
    return reduce(operator.add, steps) if is_known else None


def _help(match: re.Match[str], names: set[str]) -> str:
    name = _name(match)
    return f"write `$({name})`" if name in names else f"set `{name}` in env, and write `$({name})`"


def _value_help(match: re.Match[str], name: str, others: set[str]) -> str:
    """Return the help for a reference in the value of a variable; `others` are the other variables."""
    reference = _name(match)
    if reference not in others and match[0] == match.string:
        return _render_first(has_default=bool(match["operator"]), other=", or use valueFrom")
    if reference == name or (is_preset(reference) and reference not in others):
        return f"write the whole value: Kubernetes does not know the image's `{reference}`"
    return _help(match, others)


def _render_first(*, has_default: bool, other: str = "") -> str:
    """Return the help about envsubst, which supports no default values.

    https://www.gnu.org/software/gettext/manual/html_node/envsubst-Invocation.html
    """
    if has_default:
        return f"remove the default, and render the file with envsubst first, which knows none{other}"
    return f"render the file with envsubst first{other}"


def _undefined_names(container: Container) -> Diagnostics:
    texts = container.words("command") + container.words("args")
    argv = [Word(text=text, span=span_of(text)) for text in texts]
    names = [scalar_text(item.get("name")) for item in mappings(container.node.get("env"))]
    undefined = [
        (name, where) for word in before_shell(argv) for name, where in _undefined(word.text, names, word.span)
    ]
    for name, where in dict(reversed(undefined)).items():
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
    for match in _KUBERNETES_REFERENCE.finditer(text):
        if match[1] not in names and not may_be_in_pod(match[1]):
            yield match[1], Places(text, span).part(*match.span()) or span
