"""The slow tier of validation: diagnostics for an invalid document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT7

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.schema.documents import JOB, KUBERNETES, PATCH, Schema, document, matches
from trainc.schema.edits import fixes_of
from trainc.schema.keywords import violations
from trainc.schema.paths import Path, dotted
from trainc.schema.problem import Named, Problem, Violation
from trainc.schema.rules.errors import ERRORS
from trainc.source.node import Mapping, Node, plain

_INDEX = re.compile(r"\[\d+\]")
_NONE: dict[str, str] = {}


def explain(node: Node, named: Named | None = None) -> list[Diagnostic]:
    """Return the errors of the jsonschema package as diagnostics; empty for a valid document.

    `named` maps places to their names in the file of another system.
    """
    return _explained(node, _validator(), named, fixable=named is None, separate=False)


def explain_resource(
    node: Node, schema: Schema, rejects_unknown: bool, is_native: bool, helps: dict[str, str]
) -> list[Diagnostic]:
    """Return the errors of a resource by its schema; see `resource_errors`."""
    validator = _validator_class(is_native)(schema, registry=_registry())
    return _explained(node, validator, lambda *_: None, fixable=True, separate=not rejects_unknown, helps=helps)


def explain_document(node: Node, schema: str, title: str) -> list[Diagnostic]:
    """Return the errors of a document by its schema, whose name is not that of jobs; `title` is what messages call it.

    None has a fix.
    """
    validator = _validator_class()(document(schema), registry=_registry())
    names = {id(node.span): title}
    return _explained(node, validator, lambda span, _: names.get(id(span)), fixable=False, separate=False)


def explain_field(node: Mapping, name: str) -> list[Diagnostic]:
    """Return the errors of one field of a job document, such as `matrix`, and of no other. None has a fix."""
    reference = document(JOB)["properties"][name]["$ref"]
    schema = {"properties": {name: {"$ref": f"{JOB}{reference}"}}}
    return _explained(node, _validator_class()(schema, registry=_registry()), None, fixable=False, separate=False)


def _explained(
    node: Node, validator: Any, named: Named | None, *, fixable: bool, separate: bool, helps: dict[str, str] = _NONE
) -> list[Diagnostic]:
    """Leave out second errors of one mistake: a misspelled required field is also missing, null is also no choice.

    With `separate`, a missing field is reported even where the cure of an unknown one would set it.
    """
    everything = [f for error in validator.iter_errors(plain(node)) for f in violations(Problem(error, node, named))]
    meant = {path for violation in everything if violation.cure and not separate for path in violation.cure.meant}
    around = {part for path in meant for part in _parts(path)}
    mistyped = {f.diagnostic.span.place for f in everything if f.diagnostic.code is codes.WRONG_TYPE}
    reported = [
        f
        for f in _without_cured(everything)
        if not any(path in around or not meant.isdisjoint(_parts(path)) for path in f.missing)
        and not (f.diagnostic.code is codes.INVALID_VALUE and f.diagnostic.span.place in mistyped)
    ]
    fixes = fixes_of([f.cure for f in reported], node) if fixable else [None] * len(reported)
    return [_with_help(f, helps).replace(fix=fix) for f, fix in zip(reported, fixes, strict=True)]


def _with_help(violation: Violation, helps: dict[str, str]) -> Diagnostic:
    """Return the diagnostic of a violation, with the help for the field whose value it rejects if it has none."""
    diagnostic = violation.diagnostic
    help_ = None if violation.value is None else helps.get(_INDEX.sub("[]", dotted(violation.value)))
    return diagnostic if help_ is None or diagnostic.advice else diagnostic.replace(advice=(help_,))


def _without_cured(violations: list[Violation]) -> list[Violation]:
    """Leave out violations about values that the cure of another violation replaces."""
    replaced: set[Path] = set()
    reported = []
    for violation in sorted(violations, key=lambda violation: not violation.moves):
        if replaced.isdisjoint(_parts(violation.place)):
            reported.append(violation)
            if violation.moves and violation.cure and violation.cure.put:
                replaced.add(violation.cure.put[0])
    return reported


def _parts(path: Path) -> list[Path]:
    """Return a path and those of the mappings and lists around it."""
    return [path[:end] for end in range(1, len(path) + 1)]


@cache
def _validator() -> Any:
    return _validator_class()(document(JOB), registry=_registry())


@cache
def _registry() -> Any:
    resources = [(name, DRAFT7.create_resource(document(name))) for name in (JOB, KUBERNETES, PATCH)]
    return Registry().with_resources(resources)


@cache
def _validator_class(accepts_null: bool = False) -> Any:
    own = {"pattern": _pattern, **ERRORS, **(_WITH_NULL if accepts_null else {})}
    return extend(Draft7Validator, own)  # type: ignore[no-untyped-call]  # it has no types


def _properties(validator: Any, properties: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Replace jsonschema's rule: null in an optional field is no value."""
    for name, field in properties.items() if isinstance(instance, dict) else ():
        if name in instance and (instance[name] is not None or name in schema.get("required", ())):
            yield from validator.descend(instance[name], field, path=name, schema_path=name)


def _additional(validator: Any, additional: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Replace jsonschema's rule: null in a mapping is the zero value."""
    if isinstance(instance, dict) and "properties" not in schema:
        instance = {name: value for name, value in instance.items() if value is not None}
    yield from Draft7Validator.VALIDATORS["additionalProperties"](validator, additional, instance, schema)


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[Any]:
    """Replace jsonschema's rule, whose `$` also matches before a final line break."""
    if isinstance(instance, str) and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_WITH_NULL = {"properties": _properties, "additionalProperties": _additional}
