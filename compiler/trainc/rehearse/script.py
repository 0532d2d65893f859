"""Scenario files: YAML lists of steps, parsed with the position of each error."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.record import Record
from trainc.schema.hints import nearest
from trainc.schema.wording import shown
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Source, Span

# Kinds of values, as messages and docs name them.
COUNT, SECONDS, TEXT, TRUE = "a whole number", "a number of seconds", "a string", "true"
SIZE, RESULT, COUNTS = "a number of ranks, full or min", "complete or failed", "a list of whole numbers"
SECONDS_BY_POD = "a mapping from worker indexes to seconds"
_MAX = 10**6  # of numbers
# Each step with its fields. A value that isn't a mapping is the first field's.
STEPS: dict[str, dict[str, str]] = {
    "wait-for": {"world": SIZE, "running": COUNT, "job": RESULT},
    "expect": {"world": SIZE, "running": COUNT, "job": RESULT, "exited": COUNTS, "no-exits": TRUE},
    "kill-process": {"rank": COUNT, "matching": TEXT, "pod": COUNT},
    "kill-pod": {"pod": COUNT, "grace": SECONDS},
    "disconnect": {"pod": COUNT},
    "reconnect": {"pod": COUNT},
    "schedule": {"pod": COUNT},
    "scale": {"to": COUNT},
    "exit": {"code": COUNT, "rank": COUNT},
    "sleep": {"seconds": SECONDS},
    "delete": {"checkpoint": SECONDS},
    "finish": {},
}
_TOP, _START = ("name", "description", "start", "probe", "steps"), ("pending", "delays", "dnsDelays")
# Missing field of a step without fields; the other steps require their first field.
_ANY_FIELD = {
    "wait-for": "`world`, `running` or `job`",
    "expect": "an expectation",
    "kill-process": "`rank`, or `matching` and `pod`",
}
_OPTIONAL = ("delete", "finish")


class Step(Record):
    """One step with its position."""

    name: str
    fields: dict[str, Any]
    span: Span


class Script(Record):
    """Scenario of a file. `pending` workers stay unschedulable until a `schedule` step; delays are in seconds."""

    name: str
    description: str
    pending: tuple[int, ...]
    delays: dict[int, float]
    dns_delays: dict[int | str, float]
    timeout: float | None
    steps: tuple[Step, ...]


def parse_script(source: Source) -> Script:
    """Parse a scenario file; raises Rejected with all errors."""
    documents, diagnostics = load(source)
    if diagnostics:
        raise Rejected(*diagnostics)
    if len(documents) != 1:
        message = f"expected one scenario, found {len(documents) or 'no'} documents"
        raise Rejected(error(codes.EMPTY_INPUT, message, Span(source, 1, 1, 1, 2)))
    parser = _Parser()
    script = parser.parse(documents[0], source)
    if parser.diagnostics:
        raise Rejected(*parser.diagnostics)
    return script


class _Parser:
    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []

    def parse(self, node: Node, source: Source) -> Script:
        top = self._fields(node, _TOP, "a scenario")
        start = self._fields(top["start"], _START, "`start`") if "start" in top else {}
        probe = self._fields(top["probe"], ("timeout",), "`probe`") if "probe" in top else {}
        steps = top.get("steps")
        if isinstance(node, Mapping) and steps is None:
            help_ = f"steps are {', '.join(STEPS)}"
            self._error(codes.MISSING_FIELD, "the scenario has no `steps`", node.span, help_)
        elif steps is not None and not (isinstance(steps, Sequence) and steps.items):
            self._wrong_value(steps, "a list of steps")
        stem = source.name.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or source.name
        return Script(
            name=self._value(top.get("name"), TEXT) or stem,
            description=self._value(top.get("description"), TEXT) or f"the steps of {source.name}",
            pending=tuple(self._value(start.get("pending"), COUNTS) or ()),
            delays=self._value(start.get("delays"), SECONDS_BY_POD) or {},
            dns_delays=self._value(start.get("dnsDelays"), SECONDS_BY_POD) or {},
            timeout=self._value(probe.get("timeout"), SECONDS),
            steps=tuple(filter(None, map(self._step, steps.items if isinstance(steps, Sequence) else ()))),
        )

    def _step(self, node: Node) -> Step | None:
        value: Node | None = None
        if isinstance(node, Scalar) and node.text in STEPS:  # `- finish`
            name, span = node.text, node.span
        elif isinstance(node, Mapping) and len(node.entries) == 1:
            name, value = next(iter(node.items()))
            span = node.entries[name].key.span
        else:
            self._wrong_value(node, "a mapping with one step")
            return None
        if name not in STEPS:
            self._unknown(name, span, STEPS, "unknown step")
            return None
        kinds = STEPS[name]
        fields: dict[str, Node] = {}
        if isinstance(value, Mapping):
            fields = self._fields(value, kinds, f"`{name}`")
        elif value is not None and not (isinstance(value, Scalar) and value.value is None):
            fields = dict.fromkeys(list(kinds)[:1], value)
            if not kinds:
                self._wrong_value(value, "no value")
        parsed = {field: self._value(inner, kinds[field]) for field, inner in fields.items()}
        self._check_required(name, fields, span)
        return Step(name=name, fields=parsed, span=span)

    def _check_required(self, name: str, fields: dict[str, Node], span: Span) -> None:
        if name in _OPTIONAL:
            return
        first = next(iter(STEPS[name]))
        if not fields or (name not in _ANY_FIELD and first not in fields):
            self._error(codes.MISSING_FIELD, f"`{name}` requires {_ANY_FIELD.get(name, f'`{first}`')}", span)
        elif name == "kill-process" and ("rank" in fields) == ("matching" in fields):
            self._error(codes.NOT_EXACTLY_ONE, "`kill-process` requires either `rank` or `matching`", span)
        elif name == "kill-process" and "matching" in fields and "pod" not in fields:
            self._error(codes.MISSING_FIELD, "`kill-process` with `matching` requires `pod`", span)
        elif name == "wait-for" and len(fields) > 1:
            help_ = "write one `wait-for` step per field"
            self._error(codes.NOT_EXACTLY_ONE, "`wait-for` accepts only one field", span, help_)

    def _fields(self, node: Node, names: Collection[str], owner: str) -> dict[str, Node]:
        if not isinstance(node, Mapping):
            self._wrong_value(node, "a mapping")
            return {}
        for name, entry in node.entries.items():
            if name not in names:
                self._unknown(name, entry.key.span, names, f"{owner} has no field")
        return {name: value for name, value in node.items() if name in names}

    def _value(self, node: Node | None, kind: str) -> Any:
        if node is None:
            return None
        value = _PARSERS[kind](node)
        if value is None:
            self._wrong_value(node, kind)
        return value

    def _unknown(self, name: str, span: Span, known: Collection[str], message: str) -> None:
        suggestion = nearest(name, list(known))
        help_ = f"did you mean `{suggestion}`?" if suggestion else f"use one of {', '.join(known)}" if known else None
        self._error(codes.UNKNOWN_FIELD, f"{message} `{name}`", span, help_)

    def _wrong_value(self, node: Node, kind: str) -> None:
        code = codes.INVALID_VALUE if isinstance(node, Scalar) else codes.WRONG_TYPE
        self._error(code, f"expected {kind}, found {shown(node)}", node.span)

    def _error(self, code: Code, message: str, span: Span, help: str | None = None) -> None:
        self.diagnostics.append(error(code, message, span, help=help))


def _number(node: Node, types: type | tuple[type, ...]) -> Any:
    value: Any = node.value if isinstance(node, Scalar) else None
    is_number = isinstance(value, types) and not isinstance(value, bool)
    return value if is_number and 0 <= value < _MAX else None


_count = partial(_number, types=int)
_seconds = partial(_number, types=(int, float))


def _word(node: Node, *words: str) -> str | None:
    return node.text if isinstance(node, Scalar) and node.text in words else None


def _counts(node: Node) -> tuple[int, ...] | None:
    counts = tuple(map(_count, node.items)) if isinstance(node, Sequence) else (None,)
    return None if None in counts else counts


def _seconds_by_pod(node: Node) -> dict[int, float] | None:
    if not isinstance(node, Mapping) or not all(name.isascii() and name.isdecimal() for name in node.entries):
        return None
    delays = {int(name): _seconds(value) for name, value in node.items()}
    return None if None in delays.values() else delays


# Parser of each kind of value; it returns None for another kind.
_PARSERS: dict[str, Callable[[Node], Any]] = {
    COUNT: _count,
    SECONDS: _seconds,
    TEXT: lambda node: node.text or None if isinstance(node, Scalar) and isinstance(node.value, str) else None,
    SIZE: lambda node: _word(node, "full", "min") or _count(node) or None,
    RESULT: lambda node: _word(node, "complete", "failed"),
    TRUE: lambda node: True if isinstance(node, Scalar) and node.value is True else None,
    COUNTS: _counts,
    SECONDS_BY_POD: _seconds_by_pod,
}
