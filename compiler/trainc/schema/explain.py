"""The slow tier of validation: diagnostics for an invalid document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT7

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.schema.accept import matches
from trainc.schema.documents import JOB, KUBERNETES, PATCH, document
from trainc.schema.findings import Finding, Named, Problem, findings
from trainc.source.node import Node, plain


def explain(node: Node, named: Named | None = None) -> list[Diagnostic]:
    """Return the errors of the jsonschema package as diagnostics; empty for a valid document.

    `named` maps places to their names in the file of another system.
    """
    errors = [f for error in _validator().iter_errors(plain(node)) for f in findings(Problem(error, node, named))]
    return _without_echoes(errors)


@cache
def _validator() -> Any:
    resources = [(name, DRAFT7.create_resource(document(name))) for name in (JOB, KUBERNETES, PATCH)]
    registry: Any = Registry().with_resources(resources)
    validator_class: Any = extend(Draft7Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]  # it has no types
    return validator_class(document(JOB), registry=registry)


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[Any]:
    """Replace jsonschema's rule, whose `$` also matches before a final line break."""
    if isinstance(instance, str) and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _without_echoes(errors: list[Finding]) -> list[Diagnostic]:
    """Drop second errors of one mistake: a misspelled required field is also missing, null is also no choice."""
    meant = {(finding.path, name) for finding in errors for name in finding.meant}
    mistyped = {f.diagnostic.span.place for f in errors if f.diagnostic.code is codes.WRONG_TYPE}
    return [
        f.diagnostic
        for f in errors
        if not any((f.path, name) in meant for name in f.missing)
        and not (f.diagnostic.code is codes.INVALID_VALUE and f.diagnostic.span.place in mistyped)
    ]
