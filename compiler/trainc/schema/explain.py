"""The slow tier: why a document is no training job, said at the place and with the nearest right word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.schema.documents import JOB, KUBERNETES, PATCH, document
from trainc.schema.wording import described, nearest, quantity_hint, shown
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain
from trainc.span import Span


def explain(node: Node) -> list[Diagnostic]:
    """The findings of the jsonschema package, as diagnostics. Empty for a valid document."""
    from jsonschema import Draft7Validator
    from referencing import Registry
    from referencing.jsonschema import DRAFT7

    resources = [(name, DRAFT7.create_resource(document(name))) for name in (JOB, KUBERNETES, PATCH)]
    registry: Any = Registry().with_resources(resources)
    validator = Draft7Validator(document(JOB), registry=registry)
    return [finding for problem in validator.iter_errors(plain(node)) for finding in _findings(problem, node)]


def _findings(problem: Any, root: Node) -> Iterator[Diagnostic]:
    """One error of jsonschema may be several of ours (two unknown fields), or that of a nested branch."""
    node, owner = _at(root, list(problem.absolute_path))
    keyword, schema = problem.validator, problem.schema
    if keyword == "anyOf":
        yield from _of_branches(problem, root, node, owner)
    elif keyword == "additionalProperties" and isinstance(node, Mapping):
        yield from _unknown_fields(node, schema, problem)
    elif keyword == "required" and isinstance(node, Mapping):
        # jsonschema yields one error for each missing name, and the name only in its message.
        name = next(name for name in problem.validator_value if f"'{name}' is a required" in problem.message)
        hint = schema.get("properties", {}).get(name, {})
        where = f"`{_path(problem)}`" if problem.absolute_path else "the job"
        yield error(codes.MISSING_FIELD, f"{where} has no field `{name}`", owner, expected=described(hint) or None)
    elif keyword in ("minProperties", "maxProperties") and isinstance(node, Mapping):
        yield _exactly_one(sorted(schema["properties"]), node, owner, problem)
    elif keyword == "oneOf":
        names = [branch["required"][0] for branch in problem.validator_value]
        yield _exactly_one(names, node, owner, problem)
    elif keyword == "propertyNames" or (problem.parent is None and "propertyNames" in problem.absolute_schema_path):
        yield from _bad_names(node, owner, problem)
    elif keyword == "type":
        yield _wrong_type(problem, node, owner, described(schema))
    else:
        yield _wrong_value(problem, node, owner)


def _of_branches(problem: Any, root: Node, node: Node, owner: Span) -> Iterator[Diagnostic]:
    """Of alternatives, speak of the one whose type fits; when none does, name them all."""
    branches: dict[int, list[Any]] = {}
    for inner in problem.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    depth = len(problem.absolute_path)
    fitting = [
        inner
        for inner in branches.values()
        if not any(e.validator in ("type", "const") and len(e.absolute_path) == depth for e in inner)
    ]
    if len(fitting) == 1:
        for inner in fitting[0]:
            yield from _findings(inner, root)
        return
    wanted = " or ".join(filter(None, (described(branch) for branch in problem.validator_value)))
    if isinstance(node, Scalar) and isinstance(node.value, str):
        hint = quantity_hint(node.value)
        quantity = any(branch.get("$ref", "").endswith("/Quantity") for branch in problem.validator_value)
        if quantity or problem.schema.get("examples") == ["16Gi"] or "quantity" in wanted:
            message = f"`{_path(problem)}` is no Kubernetes quantity: {shown(node)}"
            yield error(codes.WRONG_QUANTITY, message, owner, expected=wanted, help=hint)
            return
    yield _wrong_type(problem, node, owner, wanted)


def _unknown_fields(node: Mapping, schema: dict[str, Any], problem: Any) -> Iterator[Diagnostic]:
    known = [name for name in schema.get("properties", {}) if not name.startswith("$")]
    patterns = schema.get("patternProperties", {})
    from trainc.schema.accept import matches

    for name, entry in node.entries.items():
        if name in schema.get("properties", {}) or any(matches(pattern, name) for pattern in patterns):
            continue
        where = f"`{_path(problem)}`" if problem.absolute_path else "a training job"
        near = nearest(name, known)
        cure = f"did you mean `{near}`?" if near else None
        expected = None if near else "one of " + ", ".join(sorted(known))
        message = f"{where} has no field `{name}`" if name else f"{where} has a field without a name"
        yield error(codes.UNKNOWN_FIELD, f"unknown field: {message}", entry.key.span, help=cure, expected=expected)


def _exactly_one(names: list[str], node: Node, owner: Span, problem: Any) -> Diagnostic:
    given = [name for name in names if isinstance(node, Mapping) and name in node.entries]
    span = node.entries[given[1]].key.span if isinstance(node, Mapping) and len(given) > 1 else owner
    said = "none is given" if not given else "given are " + " and ".join(given)
    message = f"`{_path(problem)}` takes exactly one of {', '.join(names)}; {said}"
    return error(codes.NOT_ONE_OF, message, span)


def _bad_names(node: Node, owner: Span, problem: Any) -> Iterator[Diagnostic]:
    name = str(problem.instance)
    span = node.entries[name].key.span if isinstance(node, Mapping) and name in node.entries else owner
    message = f"`{name}` can't be a name in `{_path(problem)}`"
    yield error(codes.WRONG_VALUE, message, span, expected=f"a name that matches {problem.validator_value}")


def _wrong_type(problem: Any, node: Node, owner: Span, wanted: str) -> Diagnostic:
    help_ = None
    if isinstance(node, Scalar) and isinstance(node.value, str):
        if "true or false" in wanted and node.value.lower() in ("yes", "no", "on", "off", "y", "n"):
            help_ = f"did you mean {'true' if node.value.lower() in ('yes', 'on', 'y') else 'false'}?"
        elif "number" in wanted and node.value.strip().lstrip("-").isdigit():
            help_ = "leave the quotes out"
    elif isinstance(node, Scalar) and node.value is not None and wanted.startswith("a string"):
        help_ = f'did you mean "{node.text}"?'
    message = f"`{_path(problem)}` can't be {shown(node)}"
    return error(codes.WRONG_TYPE, message, owner, expected=wanted or None, help=help_)


def _wrong_value(problem: Any, node: Node, owner: Span) -> Diagnostic:
    wanted, help_ = described(problem.schema), None
    if problem.validator in ("enum", "const") and isinstance(node, Scalar):
        choices = problem.validator_value if problem.validator == "enum" else [problem.validator_value]
        near = nearest(str(node.text), [str(choice) for choice in choices])
        help_ = f"did you mean `{near}`?" if near else None
    elif problem.validator == "pattern" and "quantity" in wanted and isinstance(node, Scalar):
        help_ = quantity_hint(node.text)
        message = f"`{_path(problem)}` is no Kubernetes quantity: {shown(node)}"
        return error(codes.WRONG_QUANTITY, message, owner, expected=wanted, help=help_)
    message = f"`{_path(problem)}` can't be {shown(node)}"
    return error(codes.WRONG_VALUE, message, owner, expected=wanted or None, help=help_)


def _path(problem: Any) -> str:
    text = ""
    for step in problem.absolute_path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".") or "the job"


def _at(root: Node, path: list[str | int]) -> tuple[Node, Span]:
    """The node at a path, and the span to blame: a scalar itself, a collection's key."""
    node, span = root, root.span.first
    for step in path:
        if isinstance(node, Mapping):
            entry = node.entries[str(step)]
            node, span = entry.value, entry.key.span
            if isinstance(node, Scalar) and node.text:
                span = node.span
        elif isinstance(node, Sequence):
            node = node.items[int(step)]
            if isinstance(node, Scalar):
                span = node.span
            elif isinstance(node, Mapping) and node.entries:
                span = next(iter(node.entries.values())).key.span
    return node, span
