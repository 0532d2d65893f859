"""`trainc explain --manifest FILE:LINE`: where a line of a manifest comes from."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from typing import Any

from trainc.cli.compilation import compile_files
from trainc.cli.exit_codes import OK
from trainc.cli.input_files import read_files
from trainc.cli.parameters import InvalidParameter
from trainc.cli.settings import Configuration, Values
from trainc.cli.streams import to_stdout
from trainc.compiled import Outcome
from trainc.diagnostics.cells import visible
from trainc.emit.manifest import Manifest, to_yaml
from trainc.emit.manifest import to_json as manifests_json
from trainc.provenance.manifests import manifest_origins, own_manifests
from trainc.provenance.origins import Origin
from trainc.provenance.source_map import VERSION, Written, digest, read_map, source_map
from trainc.systems.registry import backend_names
from trainc.target import Target

_MANIFEST, _MAP, _SUBJECT = "--manifest", "--source-map", "SUBJECT"
_MAXIMUM_BYTES = 64 * 1024 * 1024
_MAXIMUM_PLACES = 12  # of a line that has many others inside


def explain_line(location: str, map_name: str | None, job: str | None, configuration: Configuration) -> int:
    """Print the origin of a line; return the exit code. Raises InvalidParameter if it can't be known."""
    name, _, number = location.rpartition(":")
    if not name or not re.fullmatch("[1-9][0-9]{0,8}", number):
        raise InvalidParameter("expected FILE:LINE, such as job-manifest.yaml:12", _MANIFEST)
    text, line = _read(name, _MANIFEST), int(number)
    lines = text.split("\n")
    if line >= len(lines) + (not text.endswith("\n")):
        raise InvalidParameter(f"{name} has {len(lines) - text.endswith(chr(10))} lines", _MANIFEST)
    document = _compiled_map(text, line, job, configuration) if job is not None else _written_map(name, text, map_name)
    file = next(each for each in document["files"] if each["sha256"] == digest(text))
    own = [each for each in file["lines"] if each["line"] <= line <= each["end"]]
    last = line if own else _last_line(lines, line)
    inside = own or [each for each in file["lines"] if line <= each["line"] <= last]
    described = _leaf(inside[0], document) if own else _section(inside, document)
    shown = [f"{name}:{line}", *described, *_target(file, line, document)]
    to_stdout("".join(f"{visible(each)}\n" for each in shown))
    return OK


def _read(name: str, parameter: str) -> str:
    sources, errors = read_files([name], _MAXIMUM_BYTES)
    if errors:
        raise InvalidParameter(f"{name}: {errors[0].message}", parameter)
    return sources[0].text


def _written_map(name: str, text: str, map_name: str | None) -> dict[str, Any]:
    """Return the map that is named, or a map next to the manifests, if it is of this text."""
    folder = os.path.dirname(name) or os.curdir
    names = sorted(glob.glob(os.path.join(glob.escape(folder), "*.map"))) if map_name is None else [map_name]
    for each in names:
        document = read_map(_read(each, _MAP))
        if document is None and map_name is not None:
            raise InvalidParameter(f"{each} is not a source map of version {VERSION}", _MAP)
        if document and any(file.get("sha256") == digest(text) for file in document["files"]):
            return document
    if map_name is None and not names:
        problem = f"no source map in {folder}: write one by `compile --source-map`, or name the job file as SUBJECT"
    else:
        problem = f"{', '.join(names)} is of other manifests: {name} was edited, or its map was not written again"
    raise InvalidParameter(problem, _MAP)


def _compiled_map(text: str, line: int, job: str, configuration: Configuration) -> dict[str, Any]:
    """Return the map of a job that some back end compiles to this text, as far as the object of the line needs."""
    showing = configuration.showing()
    own, stated = (showing.replace(states_backend=each).projects([job]) for each in (False, True))
    attempts = [(stated, Target(backend=name)) for name in backend_names()]
    for projects, target in [(own, Target()), *attempts] if own else attempts:
        outcome = compile_files([job], Values(projects=projects), target)
        for candidate in (outcome, outcome.without_other_objects()):
            manifests = [manifest for each in candidate.jobs for manifest in each.manifests()]
            if manifests and text in (to_yaml(manifests), manifests_json(manifests)):
                targets = [(each.target, own_manifests(each)) for each in candidate.jobs]
                origins = list(_manifests(candidate, text, line))
                return source_map([Written(name=None, text=text, manifests=origins, targets=targets)])
    problem = f"no back end compiles {job} to this file: it was edited, or options changed it; use a source map"
    raise InvalidParameter(problem, _SUBJECT)


def _manifests(outcome: Outcome, text: str, line: int) -> Iterator[tuple[Manifest, list[Origin]]]:
    """Yield the manifests of jobs, with the origins of that which has the line; of a List in JSON with all origins."""
    is_list, before = text.startswith("{"), 0
    for job in outcome.jobs:
        for number, manifest in enumerate(job.manifests()):
            last = before + manifest.text.count("\n") + 1
            yield manifest, manifest_origins(job, number) if is_list or before < line <= last else []
            before = last


def _last_line(lines: list[str], line: int) -> int:
    """Return the last line inside the section that starts on a line, by indentation."""
    first = lines[line - 1]
    indent = len(first) - len(first.lstrip(" -"))
    last = line
    while last < len(lines) and lines[last].strip() and lines[last] != "---":
        text = lines[last]
        own = len(text) - len(text.lstrip(" "))
        if own < indent or (own == indent and not text.lstrip(" ").startswith(("- ", "}", "]"))):
            break
        last += 1
    return last


def _leaf(leaf: dict[str, Any], document: dict[str, Any]) -> list[str]:
    lines = [f"  {'field':<10}{leaf['pointer']} of {leaf['object']}"]
    lines += [f"  {'value of':<10}{_place(number, document)}" for number in leaf["values"]]
    rule = document["rules"][leaf["rule"]] if "rule" in leaf else None
    if rule:
        kind = f"trainc explain {rule['field']}" if "field" in rule else rule.get("page", "")
        lines.append(f"  {'rule':<10}{rule['name']}{f' ({kind})' if kind else ''}")
        lines.append(f"  {'template':<10}{rule['template']}:{rule['line']}")
        lines += [f"  {'':<10}{rule['reason']}"] if rule.get("reason") else []
    return [*lines, *(f"  {'because':<10}{_place(number, document)}" for number in leaf["conditions"])]


def _section(leaves: list[dict[str, Any]], document: dict[str, Any]) -> list[str]:
    """Describe a line without a value of its own by the lines inside."""
    numbers = dict.fromkeys(number for leaf in leaves for number in leaf["values"])
    rules = dict.fromkeys(document["rules"][leaf["rule"]]["name"] for leaf in leaves if "rule" in leaf)
    if not leaves:
        return ["  no field"]
    first, last = leaves[0]["line"], leaves[-1]["end"]
    lines = [f"  {'fields':<10}" + (f"lines {first} to {last}" if first < last else f"line {first}")]
    places = [f"  {'value of':<10}{_place(number, document)}" for number in numbers]
    more = len(places) - _MAXIMUM_PLACES
    lines += [*places[:_MAXIMUM_PLACES], *([f"  {'':<10}and {more} more"] if more > 0 else [])]
    return [*lines, *(f"  {'rule':<10}{name}" for name in rules)]


def _target(file: dict[str, Any], line: int, document: dict[str, Any]) -> Iterator[str]:
    """Yield the positions of the back end and versions of a line's job that a project file or a cluster states."""
    for job in file.get("jobs", []):
        if job["line"] <= line <= job["end"]:
            yield from (f"  {'target':<10}{_place(each['place'], document)}" for each in job["options"])


def _place(number: int, document: dict[str, Any]) -> str:
    place = document["places"][number]
    name = document["inputs"][place["input"]]
    return f"{name}:{place['line']} {place['field']}" if "line" in place else str(name)
