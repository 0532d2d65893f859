"""Findings of an error of jsonschema, with a function for each keyword of the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Related
from trainc.schema.cures.cure import Cure, cure_value, guess_value
from trainc.schema.cures.unknown import Group, cure_unknown
from trainc.schema.documents import JOB, matches, resolve
from trainc.schema.hints import nearest
from trainc.schema.paths import dotted
from trainc.schema.problem import Problem, Violation, span_at
from trainc.schema.rules.errors import FIRST, BrokenRule
from trainc.schema.wording import accepts_quantity, described, shown
from trainc.source.node import Mapping, Scalar

_HELP_IF_MISSING = {
    ("spec", "launch"): "add `launch: {torchrun: {}}`, or import a launch command: `trainc import command -- COMMAND`"
}


def violations(problem: Problem) -> Iterator[Violation]:
    """Yield the violations of an error: one per unknown field, and those of one branch for alternatives."""
    if isinstance(problem.error, BrokenRule):
        yield _broken_rule(problem, problem.error)
    elif problem.of_name:
        yield _bad_name(problem)
    elif problem.keyword == "anyOf":
        yield from _alternatives(problem)
    elif problem.keyword == "additionalProperties":
        yield from _unknown_fields(problem)
    elif problem.keyword == "required":
        yield _missing_field(problem)
    elif problem.keyword in ("minProperties", "maxProperties") and "properties" in problem.schema:
        yield from _not_exactly_one(problem, sorted(problem.schema["properties"]))
    elif problem.keyword == "maxProperties" and isinstance(problem.node, Mapping):
        yield _too_many(problem, problem.node)
    elif problem.keyword == "oneOf" and isinstance(problem.node, Mapping):  # otherwise the wrong type is reported
        yield from _not_exactly_one(problem, [branch["required"][0] for branch in problem.argument])
    elif problem.keyword != "oneOf":
        yield _bad_value(problem)


def _alternatives(problem: Problem) -> Iterator[Violation]:
    """Report the alternative whose type matches, the nearest of several mappings, or all alternatives."""
    branches: dict[int, list[Any]] = {}
    for inner in problem.error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    path = list(problem.error.absolute_path)
    same_type = [
        errors
        for errors in branches.values()
        if not any(_other_type(e) and list(e.absolute_path) == path for e in errors)
    ]
    if not same_type or isinstance(problem.node, Scalar):
        yield _bad_value(problem, codes.INVALID_VALUE if same_type else codes.WRONG_TYPE)
        return
    for inner in min(same_type, key=lambda errors: (_unknown(errors, path), len(errors))):
        yield from violations(Problem(inner, problem.root, problem.named))


def _unknown(errors: list[Any], path: list[str | int]) -> int:
    """Count the fields of the mapping itself that a branch does not know."""
    strict = (e for e in errors if e.validator == "additionalProperties" and list(e.absolute_path) == path)
    return sum(len(set(error.instance) - set(error.schema.get("properties", ()))) for error in strict)


def _other_type(error: Any) -> bool:
    """Return whether a branch has another type than the value; `false` alone is a choice, not a type."""
    if error.validator in ("enum", "const"):
        values = error.validator_value if error.validator == "enum" else [error.validator_value]
        return not any(isinstance(value, str) and isinstance(error.instance, str) for value in values)
    return bool(error.validator == "type")


def _unknown_fields(problem: Problem) -> Iterator[Violation]:
    fields = problem.schema.get("properties", {})
    known = [name for name in fields if not name.startswith("$")]
    patterns = problem.schema.get("patternProperties", {})
    assert isinstance(problem.node, Mapping)
    entries = problem.node.entries
    names = [name for name in entries if name not in fields and not any(matches(pattern, name) for pattern in patterns)]
    for group in _cures(problem, names, known):
        expected = None if group.cure else "one of " + ", ".join(sorted(known))
        *others, last = [f"`{name}`" for name in group.names]
        listed = f"fields {', '.join(others)} and {last}" if others else f"field {last}"
        message = f"unknown {listed} in `{problem.path}`"
        span = entries[group.names[0]].key.span
        violation = problem.violation(codes.UNKNOWN_FIELD, message, span, expected=expected, cure=group.cure)
        related = tuple(Related(span=entries[name].key.span, text="unknown, too") for name in group.names[1:])
        yield violation.replace(diagnostic=violation.diagnostic.replace(related=related))


def _cures(problem: Problem, names: list[str], known: list[str]) -> list[Group]:
    if problem.named is None:
        return cure_unknown(problem.root, problem.place, names, known)
    return [Group(names=[name], cure=_rename(problem, name, nearest(name, known))) for name in names]


def _rename(problem: Problem, name: str, other: str | None) -> Cure | None:
    if other is None:
        return None
    assert isinstance(problem.node, Mapping)
    entries, place = problem.node.entries, (*problem.place, other)
    put = None if other in entries else (place, entries[name].value)
    return Cure(
        help=f"did you mean `{other}`?",
        meant=(place,),
        remove=((*problem.place, name),) if put else (),
        put=put,
        certain=False,
    )


def _missing_field(problem: Problem) -> Violation:
    # jsonschema yields an error for each missing name, and the name only in its message.
    name = next(name for name in problem.argument if f"'{name}' is a required" in problem.error.message)
    schema = problem.schema.get("properties", {}).get(name, {})
    if problem.place == ("spec",) and "$ref" in schema:
        schema, _ = resolve(schema["$ref"], JOB)
    message = f"missing field `{name}` in `{problem.path}`"
    help_ = _HELP_IF_MISSING.get((*problem.place, name))
    violation = problem.violation(codes.MISSING_FIELD, message, expected=described(schema), help=help_)
    return problem.missing(violation, name)


def _not_exactly_one(problem: Problem, names: list[str]) -> Iterator[Violation]:
    assert isinstance(problem.node, Mapping)
    present = [name for name in problem.node.entries if name in names]
    if problem.keyword == "maxProperties" and len(present) < 2:
        return  # the others are unknown, and reported
    span = problem.node.entries[present[1]].key.span if len(present) > 1 else problem.owner
    actual = f"has {' and '.join(present)}" if present else "has none of them"
    message = f"`{problem.path}` requires exactly one of {', '.join(names)}, but {actual}"
    yield problem.missing(problem.violation(codes.NOT_EXACTLY_ONE, message, span), *(() if present else names))


def _too_many(problem: Problem, node: Mapping) -> Violation:
    message = f"`{problem.path}` has {len(node.entries):,} entries, but at most {problem.argument:,} are possible"
    return problem.violation(codes.INVALID_VALUE, message)


def _bad_name(problem: Problem) -> Violation:
    name = str(problem.error.instance)
    assert isinstance(problem.node, Mapping)
    message = f"invalid name `{name}` in `{problem.path}`"
    where, (group,) = problem.node.entries[name].key.span, _cures(problem, [name], [])
    expected = described(problem.schema)
    return problem.violation(codes.INVALID_VALUE, message, where, expected=expected, cure=group.cure)


def _broken_rule(problem: Problem, error: BrokenRule) -> Violation:
    """Return a violation that lacks who rejects the object."""
    around = problem.place[: len(problem.place) - error.depth]
    message = f"`{dotted(around)}`{error.message}" if around else error.message.removeprefix(": ")
    cure = Cure(help="remove one of them") if error.note == FIRST else None
    violation = problem.violation(codes.REJECTED_BY_API_SERVER, message, cure=cure)
    spans = (span_at(problem.root, (*around, *path)) for path in error.related)
    related = tuple(Related(span=span, text=error.note) for span in spans)
    return violation.replace(diagnostic=violation.diagnostic.replace(related=related), value=around)


def _bad_value(problem: Problem, code: Code | None = None) -> Violation:
    node = problem.node
    code = code or (codes.WRONG_TYPE if problem.keyword == "type" else codes.INVALID_VALUE)
    message = f"`{problem.path}` cannot be {shown(node)}"
    negative = isinstance(node, Scalar) and isinstance(node.value, int | float) and node.value < 0
    if accepts_quantity(problem.schema) and isinstance(node, Scalar) and node.value is not None and not negative:
        code, message = codes.INVALID_QUANTITY, f"`{problem.path}` is not a Kubernetes quantity: {shown(node)}"
    # A place in the file of another system has other fields.
    if problem.named is None:
        cure = cure_value(problem.root, problem.place, problem.schema)
    else:
        cure = guess_value(problem.place, node, problem.schema)
    return problem.violation(code, message, expected=described(problem.schema), cure=cure).replace(value=problem.place)
