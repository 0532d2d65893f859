"""The slow tier of validation: diagnostics for an invalid document, with a function for each keyword."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT7

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.record import Record
from trainc.schema.accept import matches
from trainc.schema.cures.cure import Cure, cure_value, guess_value
from trainc.schema.cures.unknown import Group, cure_unknown
from trainc.schema.documents import JOB, KUBERNETES, PATCH, document
from trainc.schema.edits import fixes_of
from trainc.schema.fields import field_at
from trainc.schema.hints import nearest
from trainc.schema.paths import Path, dotted, node_at
from trainc.schema.wording import described, shown
from trainc.secrets.names import is_secret
from trainc.secrets.text import HIDDEN, redact
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain, scalar_text
from trainc.span import Span

Named = Callable[[Span, Span], str | None]  # name of a place in its original file, by the span of its value or key


class Finding(Record):
    """Diagnostic with its cure, and the fields that are missing."""

    diagnostic: Diagnostic
    place: Path
    cure: Cure | None = None
    missing: tuple[Path, ...] = ()

    @property
    def moves(self) -> bool:
        """Return whether the cure sets another value than that of the finding."""
        return self.cure is not None and self.cure.put is not None and self.cure.put[0] != self.place


class Problem:
    """Error of jsonschema and its position in the user's tree; `owner` is the span to report."""

    def __init__(self, error: Any, root: Node, named: Named | None = None) -> None:
        self.error = error
        self.root = root
        self.named = named
        self.keyword: str = error.validator
        self.argument: Any = error.validator_value
        self.schema: dict[str, Any] = error.schema
        self.place: Path = tuple(error.absolute_path)
        self.node, self.owner = _at(root, self.place)
        # jsonschema reports the name as the instance, at the path of the mapping
        self.of_name = list(error.schema_path)[-2:-1] == ["propertyNames"]

    @property
    def path(self) -> str:
        """Path as a user writes it: `spec.volumes[0].name`, or its name in another system's file."""
        original = self.named(self.node.span, self.owner) if self.named else None
        if original:
            return original
        return dotted(self.place) or "the job"

    def finding(
        self, code: Code, message: str, where: Span | None = None, expected: str | None = None, cure: Cure | None = None
    ) -> Finding:
        """Return an error about this problem, by default at its owner."""
        message = self._redact(message.replace("`the job`", "the job"))
        help_ = self._redact(cure.help) if cure else None
        diagnostic = error(code, message, where or self.owner, expected=expected or None, help=help_)
        return Finding(diagnostic=diagnostic.replace(field=self._documented_field()), place=self.place, cure=cure)

    def _documented_field(self) -> str | None:
        """Return the field inside `spec` or `metadata` whose page describes the place, if it is of this language."""
        names = tuple(step for step in self.place if isinstance(step, str))
        item = field_at(names) if len(names) > 1 and not self.named else None
        return item.path if item is not None and item.base == JOB else None

    def _redact(self, text: str) -> str:
        """Return a text without secrets; the value of a variable in Kubernetes' list has its name beside it."""
        around = node_at(self.root, self.place[:-1]) if self.place[-1:] == ("value",) else None
        name = scalar_text(around.get("name")) if isinstance(around, Mapping) else ""
        value = scalar_text(self.node)
        return redact(text.replace(value, HIDDEN) if value and is_secret(name, value) else text)

    def missing(self, finding: Finding, *names: str) -> Finding:
        """Return a finding about fields that the mapping lacks."""
        return finding.replace(missing=tuple((*self.place, name) for name in names))


def explain(node: Node, named: Named | None = None) -> list[Diagnostic]:
    """Return the errors of the jsonschema package as diagnostics; empty for a valid document.

    `named` maps places to their names in the file of another system.
    """
    return _explained(node, _validator(), named, fixable=named is None, apart=False)


def explain_resource(node: Node, schema: str, rejects_unknown: bool) -> list[Diagnostic]:
    """Return the errors in the `spec` of a custom resource, by the schema document of its kind.

    If unknown fields aren't rejected, a misspelled field that is required is also missing.
    """
    resource = document(schema)
    fields = {name: schema if name == "spec" else {} for name, schema in resource["properties"].items()}
    validator = _validator_class()({**resource, "properties": fields, "required": ["spec"]})
    return _explained(node, validator, lambda *_: None, fixable=True, apart=not rejects_unknown)


def _explained(node: Node, validator: Any, named: Named | None, *, fixable: bool, apart: bool) -> list[Diagnostic]:
    """Leave out second errors of one mistake: a misspelled required field is also missing, null is also no choice.

    With `apart`, missing fields are mistakes of their own.
    """
    findings = [f for error in validator.iter_errors(plain(node)) for f in _findings(Problem(error, node, named))]
    meant = {path for finding in findings if finding.cure and not apart for path in finding.cure.meant}
    around = {part for path in meant for part in _parts(path)}
    mistyped = {f.diagnostic.span.place for f in findings if f.diagnostic.code is codes.WRONG_TYPE}
    kept = [
        f
        for f in _without_cured(findings)
        if not any(path in around or not meant.isdisjoint(_parts(path)) for path in f.missing)
        and not (f.diagnostic.code is codes.INVALID_VALUE and f.diagnostic.span.place in mistyped)
    ]
    fixes = fixes_of([f.cure for f in kept], node) if fixable else [None] * len(kept)
    return [f.diagnostic.replace(fix=fix) for f, fix in zip(kept, fixes, strict=True)]


def _without_cured(findings: list[Finding]) -> list[Finding]:
    """Leave out findings about values that the cure of another finding replaces."""
    replaced: set[Path] = set()
    kept = []
    for finding in sorted(findings, key=lambda finding: not finding.moves):
        if replaced.isdisjoint(_parts(finding.place)):
            kept.append(finding)
            if finding.moves and finding.cure and finding.cure.put:
                replaced.add(finding.cure.put[0])
    return kept


def _parts(path: Path) -> list[Path]:
    """Return a path and those of the mappings and lists around it."""
    return [path[:end] for end in range(1, len(path) + 1)]


@cache
def _validator() -> Any:
    resources = [(name, DRAFT7.create_resource(document(name))) for name in (JOB, KUBERNETES, PATCH)]
    registry: Any = Registry().with_resources(resources)
    return _validator_class()(document(JOB), registry=registry)


@cache
def _validator_class() -> Any:
    return extend(Draft7Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]  # it has no types


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[Any]:
    """Replace jsonschema's rule, whose `$` also matches before a final line break."""
    if isinstance(instance, str) and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _findings(problem: Problem) -> Iterator[Finding]:
    """Yield the findings of an error: one per unknown field, and those of one branch for alternatives."""
    if problem.of_name:
        yield _bad_name(problem)
    elif problem.keyword == "anyOf":
        yield from _alternatives(problem)
    elif problem.keyword == "additionalProperties":
        yield from _unknown_fields(problem)
    elif problem.keyword == "required":
        yield _missing_field(problem)
    elif problem.keyword in ("minProperties", "maxProperties"):
        yield from _not_exactly_one(problem, sorted(problem.schema["properties"]))
    elif problem.keyword == "oneOf" and isinstance(problem.node, Mapping):  # otherwise the wrong type is reported
        yield from _not_exactly_one(problem, [branch["required"][0] for branch in problem.argument])
    elif problem.keyword != "oneOf":
        yield _bad_value(problem)


def _alternatives(problem: Problem) -> Iterator[Finding]:
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
        yield from _findings(Problem(inner, problem.root, problem.named))


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


def _unknown_fields(problem: Problem) -> Iterator[Finding]:
    fields = problem.schema.get("properties", {})
    known = [name for name in fields if not name.startswith("$")]
    patterns = problem.schema.get("patternProperties", {})
    assert isinstance(problem.node, Mapping)
    entries = problem.node.entries
    names = [name for name in entries if name not in fields and not any(matches(pattern, name) for pattern in patterns)]
    for group in _cures(problem, names, known):
        expected = None if group.cure else "one of " + ", ".join(sorted(known))
        *others, last = [f"`{name}`" for name in group.names]
        named = f"s {', '.join(others)} and {last}" if others else f" {last}"
        message = f"unknown field{named} in `{problem.path}`"
        span = entries[group.names[0]].key.span
        finding = problem.finding(codes.UNKNOWN_FIELD, message, span, expected=expected, cure=group.cure)
        related = tuple(Related(span=entries[name].key.span, message="unknown, too") for name in group.names[1:])
        yield finding.replace(diagnostic=finding.diagnostic.replace(related=related))


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


def _missing_field(problem: Problem) -> Finding:
    # jsonschema yields an error for each missing name, and the name only in its message.
    name = next(name for name in problem.argument if f"'{name}' is a required" in problem.error.message)
    expected = described(problem.schema.get("properties", {}).get(name, {}))
    message = f"missing field `{name}` in `{problem.path}`"
    return problem.missing(problem.finding(codes.MISSING_FIELD, message, expected=expected), name)


def _not_exactly_one(problem: Problem, names: list[str]) -> Iterator[Finding]:
    assert isinstance(problem.node, Mapping)
    present = [name for name in problem.node.entries if name in names]
    if problem.keyword == "maxProperties" and len(present) < 2:
        return  # the others are unknown, and reported
    span = problem.node.entries[present[1]].key.span if len(present) > 1 else problem.owner
    actual = f"has {' and '.join(present)}" if present else "has none of them"
    message = f"`{problem.path}` requires exactly one of {', '.join(names)}, but {actual}"
    yield problem.missing(problem.finding(codes.NOT_EXACTLY_ONE, message, span), *(() if present else names))


def _bad_name(problem: Problem) -> Finding:
    name = str(problem.error.instance)
    assert isinstance(problem.node, Mapping)
    message = f"invalid name `{name}` in `{problem.path}`"
    where, (group,) = problem.node.entries[name].key.span, _cures(problem, [name], [])
    expected = described(problem.schema)
    return problem.finding(codes.INVALID_VALUE, message, where, expected=expected, cure=group.cure)


def _bad_value(problem: Problem, code: Code | None = None) -> Finding:
    node, expected = problem.node, described(problem.schema)
    code = code or (codes.WRONG_TYPE if problem.keyword == "type" else codes.INVALID_VALUE)
    message = f"`{problem.path}` cannot be {shown(node)}"
    negative = isinstance(node, Scalar) and isinstance(node.value, int | float) and node.value < 0
    if "quantity" in expected and isinstance(node, Scalar) and node.value is not None and not negative:
        code, message = codes.INVALID_QUANTITY, f"`{problem.path}` is not a Kubernetes quantity: {shown(node)}"
    # A place in the file of another system has other fields.
    if problem.named is None:
        cure = cure_value(problem.root, problem.place, problem.schema)
    else:
        cure = guess_value(problem.place, node, problem.schema)
    return problem.finding(code, message, expected=expected, cure=cure)


def _at(root: Node, path: Path) -> tuple[Node, Span]:
    """Return the node at a path, and the span to report: a scalar itself, a collection's key, an item's first key."""
    node, span = root, root.span.first
    for step in path:
        if isinstance(node, Mapping):
            entry = node.entries[str(step)]
            node, span = entry.value, entry.key.span
            if isinstance(node, Scalar) and not node.span.empty:
                span = node.span
        elif isinstance(node, Sequence):
            node = node.items[int(step)]
            if isinstance(node, Mapping) and node.entries:
                span = next(iter(node.entries.values())).key.span
            else:
                span = node.span if isinstance(node, Scalar) else node.span.first
    return node, span
