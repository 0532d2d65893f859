"""A scenario of one's own: a YAML file of steps, read with the places of all that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

_COUNT, _SECONDS, _TEXT = "a whole number", "a number of seconds", "a string"
_SIZE, _END, _COUNTS = "a number of ranks, full or least", "complete or failed", "a list of whole numbers"
_OF_PODS = "a mapping from a worker's number to seconds"
_YES = "true"

# Each step with its fields. One value in place of a mapping is the first field's.
STEPS: dict[str, dict[str, str]] = {
    "wait-for": {"world": _SIZE, "running": _COUNT, "job": _END},
    "expect": {"world": _SIZE, "running": _COUNT, "job": _END, "ended": _COUNTS, "same-pods": _YES},
    "kill-process": {"rank": _COUNT, "matching": _TEXT, "pod": _COUNT},
    "kill-pod": {"pod": _COUNT, "grace": _SECONDS},
    "cut": {"pod": _COUNT},
    "mend": {"pod": _COUNT},
    "arrive": {"pod": _COUNT},
    "scale": {"to": _COUNT},
    "exit": {"code": _COUNT, "rank": _COUNT},
    "pause": {"seconds": _SECONDS},
    "stop": {"save": _SECONDS},
    "finish": {},
}
_TOP = {"name": _TEXT, "description": _TEXT, "start": "a mapping", "probe": "a mapping", "steps": "a list of steps"}
_START = {"hold": _COUNTS, "delays": _OF_PODS, "dnsDelays": _OF_PODS}
_PROBE = {"timeout": _SECONDS}
_NEEDS = {"wait-for": "what to wait for", "expect": "what to expect", "kill-process": "a rank, or matching and a pod"}
_ALL = ("kill-pod", "cut", "mend", "arrive", "scale", "exit", "pause")  # they need their first field


class Step(Record):
    """One step: its word, its fields and its place."""

    word: str
    given: dict[str, Any]
    span: Span


class Script(Record):
    """A scenario from a file. `hold` are the workers that come only when a step says so; delays are in seconds."""

    name: str
    description: str
    hold: tuple[int, ...]
    delays: dict[int, float]
    dns_delays: dict[int | str, float]
    timeout: float | None
    steps: tuple[Step, ...]


def parse_script(source: Source) -> Script:
    """The scenario of a text; raises Rejected with all that is wrong."""
    documents, said = load(source)
    if said:
        raise Rejected(*said)
    start = Span(source, 1, 1, 1, 2)
    if len(documents) != 1:
        raise Rejected(
            error(codes.EMPTY_INPUT, f"the file holds {len(documents) or 'no'} documents, not one scenario", start)
        )
    reader = _Reader()
    script = reader.script(documents[0], source)
    if reader.said:
        raise Rejected(*reader.said)
    return script


class _Reader:
    def __init__(self) -> None:
        self.said: list[Diagnostic] = []

    def script(self, node: Node, source: Source) -> Script:
        top = self._fields(node, _TOP, "a scenario")
        start, probe = self._part(top, "start", _START), self._part(top, "probe", _PROBE)
        steps = top.get("steps")
        if isinstance(node, Mapping) and steps is None:
            self._say(codes.MISSING_FIELD, "the scenario has no `steps`", node.span, help=f"one of {', '.join(STEPS)}")
        elif steps is not None and not (isinstance(steps, Sequence) and steps.items):
            self._wrong(steps, "a list of steps")
        items = steps.items if isinstance(steps, Sequence) else []
        stem = source.name.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or source.name
        return Script(
            name=self._value(top.get("name"), _TEXT) or stem,
            description=self._value(top.get("description"), _TEXT) or f"the steps of {source.name}",
            hold=tuple(self._value(start.get("hold"), _COUNTS) or ()),
            delays=self._value(start.get("delays"), _OF_PODS) or {},
            dns_delays=self._value(start.get("dnsDelays"), _OF_PODS) or {},
            timeout=self._value(probe.get("timeout"), _SECONDS),
            steps=tuple(filter(None, map(self._step, items))),
        )

    def _part(self, top: dict[str, Node], name: str, fields: dict[str, str]) -> dict[str, Node]:
        return self._fields(top[name], fields, f"`{name}`") if name in top else {}

    def _step(self, node: Node) -> Step | None:
        if isinstance(node, Scalar) and node.text in STEPS:  # `- finish`
            node = Mapping({}, node.span)
            word, value = (
                str(node.span.source.line(node.span.line)[node.span.column - 1 : node.span.end_column - 1]),
                None,
            )
        elif isinstance(node, Mapping) and len(node.entries) == 1:
            word, value = next(iter(node.items()))
        else:
            self._wrong(node, "a mapping with one step")
            return None
        if word not in STEPS:
            self._unknown(word, node.entries[word].key.span, list(STEPS), "there is no step")
            return None
        fields = STEPS[word]
        span = node.entries[word].key.span if node.entries else node.span
        given: dict[str, Node] = {}
        if isinstance(value, Mapping):
            given = self._fields(value, fields, f"`{word}`")
        elif value is not None and not (isinstance(value, Scalar) and value.value is None):
            if not fields:
                self._wrong(value, "nothing")
            else:
                given = {next(iter(fields)): value}
        values = {name: self._value(one, fields[name]) for name, one in given.items()}
        self._complete(word, given, span)
        return Step(word=word, given=values, span=span)

    def _complete(self, word: str, given: dict[str, Node], span: Span) -> None:
        first = next(iter(STEPS[word]), "")
        if word in _ALL and first not in given:
            self._say(codes.MISSING_FIELD, f"`{word}` has no `{first}`", span)
        elif word in _NEEDS and not given:
            self._say(codes.MISSING_FIELD, f"`{word}` doesn't say {_NEEDS[word]}", span)
        elif word == "kill-process" and ("rank" in given) == ("matching" in given):
            self._say(codes.NOT_EXACTLY_ONE, "`kill-process` takes either `rank` or `matching`", span)
        elif word == "kill-process" and "matching" in given and "pod" not in given:
            self._say(codes.MISSING_FIELD, "`kill-process` with `matching` has no `pod`", span)
        elif word == "wait-for" and len(given) > 1:
            self._say(codes.NOT_EXACTLY_ONE, "`wait-for` waits for one thing", span, help="write a step for each")

    def _fields(self, node: Node, known: dict[str, str], what: str) -> dict[str, Node]:
        if not isinstance(node, Mapping):
            self._wrong(node, "a mapping")
            return {}
        for name, entry in node.entries.items():
            if name not in known:
                self._unknown(name, entry.key.span, list(known), f"{what} has no field")
        return {name: value for name, value in node.items() if name in known}

    def _value(self, node: Node | None, kind: str) -> Any:
        if node is None:
            return None
        found = _READERS[kind](node)
        if found is None:
            self._wrong(node, kind)
        return found

    def _unknown(self, word: str, span: Span, known: list[str], message: str) -> None:
        meant = nearest(word, known)
        help_ = f"did you mean `{meant}`?" if meant else f"known are {', '.join(known)}" if known else None
        self._say(codes.UNKNOWN_FIELD, f"{message} `{word}`", span, help=help_)

    def _wrong(self, node: Node, kind: str) -> None:
        code = codes.INVALID_VALUE if isinstance(node, Scalar) else codes.WRONG_TYPE
        self._say(code, f"expected {kind}, found {shown(node)}", node.span)

    def _say(self, code: Code, message: str, span: Span, help: str | None = None) -> None:
        self.said.append(error(code, message, span, help=help))


def _count(node: Node) -> int | None:
    value = node.value if isinstance(node, Scalar) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6 else None


def _seconds(node: Node) -> float | None:
    value = node.value if isinstance(node, Scalar) else None
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 10**6 else None
    )


def _text(node: Node) -> str | None:
    return node.text if isinstance(node, Scalar) and isinstance(node.value, str) and node.text else None


def _size(node: Node) -> int | str | None:
    return node.text if isinstance(node, Scalar) and node.text in ("full", "least") else _count(node) or None


def _end(node: Node) -> str | None:
    return node.text if isinstance(node, Scalar) and node.text in ("complete", "failed") else None


def _yes(node: Node) -> bool | None:
    return True if isinstance(node, Scalar) and node.value is True else None


def _counts(node: Node) -> tuple[int, ...] | None:
    return _all(map(_count, node.items)) if isinstance(node, Sequence) else None


def _of_pods(node: Node) -> dict[int, float] | None:
    if not isinstance(node, Mapping) or not all(name.isascii() and name.isdecimal() for name in node.entries):
        return None
    values = _all(map(_seconds, (value for _, value in node.items())))
    return None if values is None else {int(name): value for name, value in zip(node.entries, values, strict=True)}


def _all(found: Iterable[Any]) -> tuple[Any, ...] | None:
    values = tuple(found)
    return None if None in values else values


_READERS: dict[str, Callable[[Node], Any]] = {
    _COUNT: _count,
    _SECONDS: _seconds,
    _TEXT: _text,
    _SIZE: _size,
    _END: _end,
    _YES: _yes,
    _COUNTS: _counts,
    _OF_PODS: _of_pods,
}
