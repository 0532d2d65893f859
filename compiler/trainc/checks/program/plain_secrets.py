"""Secrets in plain text instead of a Secret: https://kubernetes.io/docs/concepts/configuration/secret/."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.user_fields import patched_containers
from trainc.secrets.mask import hide_secret
from trainc.secrets.names import is_secret
from trainc.secrets.text import find_secrets, is_secret_option
from trainc.source.node import Mapping, Scalar, Sequence, mappings, scalar_text
from trainc.span import Span, span_of

TRIGGERS = ("may_hold_secret()",)

MAP_FORM = "{}: {{valueFrom: {{secretKeyRef: {{name: …, key: …}}}}}}"
LIST_FORM = "{{name: {}, valueFrom: {{secretKeyRef: {{name: …, key: …}}}}}}"


def check(context: RuleContext) -> Diagnostics:
    form = MAP_FORM if isinstance(context.spec.node.get("env"), Mapping) else LIST_FORM
    for variable in context.spec.env:
        if variable.value and variable.value_from is None:
            yield from _variable(variable.name, variable.value, variable.span, span_of(variable.value), form)
    for container in patched_containers(context):
        for item in mappings(container.get("env")):
            name, value = scalar_text(item.get("name")), item.get("value")
            if name and isinstance(value, Scalar):
                yield from _variable(name, value.text, item.where("name"), value.span, LIST_FORM)
        for words in (container.get("command"), container.get("args")):
            if isinstance(words, Sequence):
                yield from _arguments((scalar_text(word), word.span) for word in words.items)
    yield from _arguments((argument, span_of(argument)) for argument in context.spec.run.words)


def _variable(name: str, value: str, where: Span, place: Span | None, form: str) -> Diagnostics:
    has_secret_name = is_secret(name, value)
    kinds = [kind for *_, kind in find_secrets(value)]
    if not kinds and not has_secret_name:
        return
    kind = next(filter(None, kinds), "" if has_secret_name else "a secret")
    message = f"`{name}` contains {kind} in plain text" if kind else f"`{name}` looks like a secret in plain text"
    if place is not None:
        place.source.hide(place)
        if where.source is not place.source:  # an option's path and its value
            where.source.hide(place)
    help_ = f"move it to a Secret, and refer to it by `{form.format(name)}` in env, or by envFrom with secretRef"
    yield warning(codes.PLAIN_TEXT_SECRET, message, where, help=help_)


def _arguments(arguments: Iterable[tuple[str, Span | None]]) -> Diagnostics:
    previous = ""
    for argument, where in arguments:
        secrets = [(argument[start:end], kind) for start, end, kind in find_secrets(argument)]
        if is_secret_option(previous, argument):
            secrets.append((argument, ""))
        previous = argument
        if where is None or not secrets:
            continue
        for secret, _ in secrets:
            hide_secret(secret, where)
        kinds = (kind for _, kind in secrets if kind)
        message = f"an argument of the program contains {next(kinds, 'a secret')} in plain text"
        help_ = "move it to a Secret, set a variable from it in env, and write $(VARIABLE) here"
        yield warning(codes.PLAIN_TEXT_SECRET, message, where, help=help_)
