"""Secrets in plain text instead of a Secret: https://kubernetes.io/docs/concepts/configuration/secret/."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.user_fields import patched_containers
from trainc.diagnostics.secrets import is_secret_name, may_be_secret, secret_kind
from trainc.source.node import Scalar, Sequence, mappings, scalar_text
from trainc.span import Span, span_of

TRIGGERS = ("may_hold_secret()",)


def check(context: RuleContext) -> Diagnostics:
    """Check variables by name and value, and arguments by format."""
    for variable in context.spec.env:
        if variable.value and variable.value_from is None:
            yield from _variable(variable.name, variable.value, variable.span, span_of(variable.value))
    for field in ("initContainers", "containers") if context.job.pod.patch is not None else ():
        for container in patched_containers(context, field):
            for item in mappings(container.get("env")):
                name, value = scalar_text(item.get("name")), item.get("value")
                if name and isinstance(value, Scalar):
                    yield from _variable(name, value.text, item.where("name"), value.span)
            for words in (container.get("command"), container.get("args")):
                for word in words.items if isinstance(words, Sequence) else ():
                    yield from _word(scalar_text(word), word.span)
    for argument in context.spec.run.words:
        where = span_of(argument)
        if where is not None:
            yield from _word(argument, where)


def _variable(name: str, value: str, where: Span, place: Span | None) -> Diagnostics:
    secret = secret_kind(value)
    if secret is None and not (is_secret_name(name) and may_be_secret(value)):
        return
    message = f"`{name}` contains {secret} in plain text" if secret else f"`{name}` looks like a secret in plain text"
    if place is not None:
        place.source.hide(place)
        if where.source is not place.source:  # an option's path and its value
            where.source.hide(place)
    form = f"{{name: {name}, valueFrom: {{secretKeyRef: {{name: …, key: …}}}}}}"
    help_ = f"move it to a Secret, and refer to it by `{form}` in env, or by envFrom with secretRef"
    yield warning(codes.PLAIN_TEXT_SECRET, message, where, help=help_)


def _word(word: str, where: Span) -> Diagnostics:
    secret = secret_kind(word)
    if secret is not None:
        where.source.hide(where)
        message = f"an argument of the program contains {secret} in plain text"
        help_ = "move it to a Secret, set a variable from it in env, and write $(VARIABLE) here"
        yield warning(codes.PLAIN_TEXT_SECRET, message, where, help=help_)
