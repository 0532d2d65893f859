"""Names of the jobs of a matrix: `metadata.name` with the values of a combination."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.schema.paths import node_at
from trainc.secrets.mask import hide_secret
from trainc.secrets.names import is_secret
from trainc.secrets.text import redact
from trainc.source.node import Mapping, Node, Scalar, Sequence, start
from trainc.span import Span
from trainc.sweep.combinations import Combination
from trainc.sweep.expressions import START, Lookup, expressions, fill

_OTHERS = re.compile(
    "[^a-z0-9]+"
)  # characters that a name can't have: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/


def name_part(text: str) -> str:
    """Return a value as part of a name: `0.1` becomes `0-1`, `ResNet_50` becomes `resnet-50`."""
    return _OTHERS.sub("-", text.lower()).strip("-")


def job_name(template: Scalar, combination: Combination, look_up: Lookup) -> Scalar:
    """Return the name of a combination's job: the template, or the name with all values if it has no expression."""
    if START in template.text:
        filled = fill(template, look_up, set(), name_part)
        assert isinstance(filled, Scalar)
        return filled
    parts = [name_part(text) for value in combination.values() for text in _leaves(value)]
    name = "-".join(filter(None, [template.text, *parts]))
    return Scalar(name, name, template.span)


def secrets_in_names(combinations: list[Combination]) -> Iterator[Diagnostic]:
    """Yield errors of values that are secrets: everyone may read names."""
    values = {id(value): (name, value) for each in combinations for name, value in each.items()}
    for name, value in values.values():
        if any(is_secret(name, text) or redact(text) != text for text in _leaves(value)):
            for scalar in _scalars(value):
                hide_secret(scalar.text, scalar.span)
            message = f"`matrix.{name}` is a secret, and the manifests would have it"
            help_ = "read it from a Secret: `env: {NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}}`"
            yield error(codes.INVALID_MATRIX, message, start(value), help=help_)


def collisions(
    names: list[Scalar], combinations: list[Combination], template: Scalar, where: Span
) -> Iterator[Diagnostic]:
    """Yield errors of combinations whose jobs have one name, at the values by which they differ from the first.

    `template` is the name in the file, `where` the position of combinations that don't differ.
    """
    used = {path[0] for path, _, _ in expressions(template) if path}
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        other = first.setdefault(name.text, number)
        if other == number:
            continue
        own, others = combinations[number], combinations[other]
        differing = next((key for key in own if own[key] is not others.get(key)), None)
        place = start(own[differing]) if differing else where
        partner = others.get(differing) if differing else None
        related = [(start(partner), "the other job")] if partner else []
        message = f"two combinations make a job `{name.text}`"
        if used and differing and differing not in used:
            help_ = f"add `${{{{ matrix.{differing} }}}}` to `metadata.name`"
        else:
            help_ = "remove one of them, or add a variable for `metadata.name` by `include`"
        yield error(codes.JOBS_WITH_ONE_NAME, message, place, help=help_, related=related)


def _leaves(node: Node) -> list[str]:
    """Return the scalars of a value as text, in their order."""
    return [scalar.text for scalar in _scalars(node)]


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
        return
    inner = node.items if isinstance(node, Sequence) else (value for _, value in node.items())
    for each in inner:
        yield from _scalars(each)


def name_of(document: Mapping) -> Scalar | None:
    """Return the name of a document's job, None if it has no text for one."""
    name = node_at(document, ("metadata", "name"))
    return name if isinstance(name, Scalar) and isinstance(name.value, str) and name.value else None
