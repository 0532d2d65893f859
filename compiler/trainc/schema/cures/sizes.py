"""Shapes of numbers: workers, GPUs, devices and durations."""

from __future__ import annotations

import re
from typing import Any

from trainc.schema.cures.advice_tables import GPU_MODEL
from trainc.schema.cures.shape import Replacement, count_of, is_true, text_of
from trainc.source.node import Mapping, Node, Sequence

_RANGE = re.compile(r"(\d{1,6})\s*(?::|-|\.\.)\s*(\d{1,6})")
_MODEL = r"(?=[-\w]*\d)[A-Za-z][-\w]*"
_GPUS = re.compile(rf"(?:gpu:)?(?P<model>{_MODEL})?[:=]?(?P<count>\d{{1,5}})?|(?P<number>\d{{1,5}})x(?P<kind>{_MODEL})")
_SHARE = re.compile(r"0?\.\d{1,4}")
_CLOCK = re.compile(r"(?:(\d{1,4})-)?(\d{1,5}):(\d\d):(\d\d)")
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?\s*[a-z]+\s*)+")
_UNIT = re.compile(r"s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds(node: Node, spec: Mapping) -> Any:
    """Read a duration: 24h, 1h30m, 90 min, or 1-12:00:00 of Slurm."""
    text = text_of(node).lower()
    clock = _CLOCK.fullmatch(text)
    if clock:
        days, hours, minutes, rest = (int(part or 0) for part in clock.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + rest
    parts = re.findall(r"(?<![\d.])([\d.]+)\s*([a-z]+)", text) if _DURATION.fullmatch(text) else []
    if not parts or not all(_UNIT.fullmatch(unit) for _, unit in parts):
        return None
    total = sum((float(number) * _SECONDS[unit[0]] for number, unit in parts), 0.0)
    return int(total) if total.is_integer() else None


def _bounds(node: Node) -> dict[str, int] | None:
    texts = [text_of(item) for item in node.items] if isinstance(node, Sequence) else [text_of(node)]
    match = _RANGE.fullmatch(":".join(texts))
    low, high = (int(match[1]), int(match[2])) if match else (0, 0)
    return {"minReplicas": low, "maxReplicas": high} if 0 < low <= high else None


def workers(node: Node, spec: Mapping) -> Any:
    """Read 2:4, as for --nnodes, and {min: 2, max: 4}."""
    bounds = _bounds(node)
    if isinstance(node, Mapping) and node.entries.keys() == {"min", "max"}:
        bounds = _bounds(Sequence([node.entries[name].value for name in ("min", "max")], node.span))
    return bounds and Replacement(value=bounds, field="spec.elastic")


def elastic(node: Node, spec: Mapping) -> Any:
    """Read 2:4, or one of the bounds: the other is the number of workers, or an example."""
    bounds, initial = _bounds(node), count_of(spec.get("workers"))
    if bounds:
        return bounds
    entries = {name: entry.value for name, entry in node.entries.items()} if isinstance(node, Mapping) else {}
    low, high = count_of(entries.get("minReplicas")), count_of(entries.get("maxReplicas"))
    missing = [name for name, bound in (("minReplicas", low), ("maxReplicas", high)) if not bound]
    if not missing or not (entries or is_true(node)):
        return None
    example = {"minReplicas": 1, "maxReplicas": max(low, initial, 1 if low else 2)}
    return Replacement(value={**example, **entries}, note=f"with your own {' and '.join(missing)}")


def gpus(node: Node, spec: Mapping) -> Any:
    """Read H100:8, 8xH100, gpu:8 of Slurm, {H100: 8} of SkyPilot, and 0.5."""
    text = text_of(node)
    if _SHARE.fullmatch(text) and 0 < (percent := round(float(text) * 100)) < 100:
        return Replacement(value={"count": 1, "cores": percent}, note="with a scheduler that shares GPUs")
    if isinstance(node, Mapping) and len(node.entries) == 1:
        name, value = next(iter(node.items()))
        text = f"{name}:{text_of(value)}"
    match = _GPUS.fullmatch(text)
    if not match or not text:
        return None
    model = match["model"] or match["kind"]
    count = match["count"] or match["number"] or ("1" if model else "")
    return Replacement(value=int(count), note=f"and {GPU_MODEL}" if model else "") if count else None


def efa(node: Node, spec: Mapping) -> Any:
    """Read a number of AWS' Elastic Fabric Adapters, or `true`."""
    count = {"count": node} if count_of(node) else {}
    return {"resource": "vpc.amazonaws.com/efa", **count} if count or is_true(node) else None


def rdma(node: Node, spec: Mapping) -> Any:
    """Read a resource, a number of devices or `true`."""
    if "/" in text_of(node):
        return {"resource": node}
    count = {"count": node} if count_of(node) else {}
    note = "with the resource that `kubectl describe nodes` lists"
    return Replacement(value={"resource": "rdma/hca", **count}, note=note) if count or is_true(node) else None
