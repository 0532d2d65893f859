"""Source map: a JSON document with the origin of every line of the manifests. docs/source-map.md describes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

from trainc.emit.manifest import Manifest
from trainc.provenance.inputs import Inputs, Located
from trainc.provenance.origins import Origin, Place, Rule
from trainc.provenance.variants import stated_options
from trainc.record import Record
from trainc.schema.paths import Path, node_at
from trainc.source.load import load
from trainc.source.node import Mapping, Sequence
from trainc.span import Source
from trainc.systems.registry import NAMES
from trainc.target import Target
from trainc.typenames import Any

VERSION = 1


class Written(Record):
    """File with manifests as it was written, with the origins of each manifest; `name` is None for a stream.

    `targets` are those of the jobs in it, each with the manifests that follow from it.
    """

    name: str | None
    text: str
    manifests: list[tuple[Manifest, list[Origin]]]
    targets: list[tuple[Target, list[Manifest]]] = []


def source_map(files: Iterable[Written]) -> dict[str, Any]:
    """Return the map of files. It contains no values of the job."""
    tables = _Tables()
    described = [tables.file(file) for file in files]
    return {
        "version": VERSION,
        "files": described,
        "inputs": list(tables.inputs),
        "places": [_place(each, tables.inputs) for _, each in tables.places.values()],
        "rules": [_rule(each) for each in tables.rules],
    }


def to_json(document: dict[str, Any]) -> str:
    """Format a map, with one place, rule or line of a manifest on each line."""
    return json.dumps(document, indent=None, separators=(",", ": ")).replace('{"', '\n{"').lstrip("\n") + "\n"


def digest(text: str) -> str:
    """Return the hash by which a manifest is recognized."""
    return hashlib.sha256(text.encode()).hexdigest()


class _Tables:
    """Inputs, places and rules by their numbers in the map."""

    def __init__(self) -> None:
        self.inputs: dict[str, int] = {}
        self.places: dict[tuple[str, int, int, str], tuple[int, Located]] = {}
        self.rules: dict[Rule, int] = {}
        self._inputs = Inputs()

    def file(self, file: Written) -> dict[str, Any]:
        lines, ranges = [], dict[int, tuple[int, int]]()  # of the manifests
        for manifest, origin, first, last, path in _positions(file):
            ranges[id(manifest)] = (ranges.get(id(manifest), (first,))[0], last)
            line: dict[str, Any] = {"line": first, "end": last, "object": f"{manifest.kind}/{manifest.name}"}
            line["pointer"] = pointer(path)
            line["values"] = [self._number(self._inputs.locate(place)) for place in origin.values]
            line["conditions"] = [self._number(self._inputs.locate(place)) for place in origin.conditions]
            if origin.rule:
                line["rule"] = self.rules.setdefault(origin.rule, len(self.rules))
            lines.append(line)
        return {"name": file.name, "sha256": digest(file.text), "jobs": list(self._jobs(file, ranges)), "lines": lines}

    def _jobs(self, file: Written, ranges: dict[int, tuple[int, int]]) -> Iterator[dict[str, Any]]:
        """Yield the lines of each job whose back end or versions a project file or a cluster's entry states."""
        for target, manifests in file.targets:
            own = [ranges[id(each)] for each in manifests if id(each) in ranges]
            options = [
                {"name": name, "place": self._number(self._inputs.locate(Place(span=where, path=())))}
                for name, _, where in stated_options(target)
            ]
            if own and options:
                yield {"line": own[0][0], "end": own[-1][1], "options": options}

    def _number(self, place: Located) -> int:
        self.inputs.setdefault(place.input, len(self.inputs))
        key = (place.input, place.line, place.column, place.field)
        number, _ = self.places.setdefault(key, (len(self.places), place))
        return number


def _positions(file: Written) -> Iterator[tuple[Manifest, Origin, int, int, Path]]:
    """Yield each leaf with its first and last line in the file, and its path in the object."""
    if file.text.startswith("{"):  # a List in JSON
        root = load(Source("", file.text), limit=len(file.text))[0][0]
        items = root.get("items") if isinstance(root, Mapping) else None
        nodes = items.items if isinstance(items, Sequence) else []
        for (manifest, origins), node in zip(file.manifests, nodes, strict=True):
            for origin in origins:
                leaf = node_at(node, origin.path)
                assert leaf is not None
                yield manifest, origin, leaf.span.line, leaf.span.end_line, origin.path
        return
    before = 0
    for manifest, origins in file.manifests:
        for origin in origins:
            yield manifest, origin, before + origin.leaf.line, before + origin.leaf.end, origin.path
        before += manifest.text.count("\n") + 1


def pointer(path: Path) -> str:
    """Return a path as a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _place(place: Located, inputs: dict[str, int]) -> dict[str, Any]:
    document: dict[str, Any] = {"input": inputs[place.input]}
    if place.line:
        document |= {"line": place.line, "column": place.column, "field": place.field}
    if place.pointer is not None:
        document["pointer"] = pointer(place.pointer)
    return document


def _rule(rule: Rule) -> dict[str, Any]:
    document: dict[str, Any] = {"name": rule.name, "template": rule.written.template, "line": rule.written.line}
    if rule.written.reason:
        document["reason"] = rule.written.reason
    if rule.field:
        document["field"] = rule.field
    page = "reference" if rule.field else "back-ends" if rule.system in NAMES else ""
    if page:
        document["page"] = f"docs/{page}.md"
    return document


def read_map(text: str) -> dict[str, Any] | None:
    """Return a source map, None for anything else."""
    try:
        document: dict[str, Any] = json.loads(text)
        places, rules = document["places"], document["rules"]
        for file in document["files"]:
            _ = [places[option["place"]] for job in file.get("jobs", []) for option in job["options"]]
            _ = [job["line"] + job["end"] for job in file.get("jobs", [])]
            for line in file["lines"]:
                numbers = [*line["values"], *line["conditions"]]
                _ = [places[number]["input"] for number in numbers], rules[line.get("rule", -1)] if rules else None
                _ = line["line"] + line["end"], line["object"] + line["pointer"]
        _ = [document["inputs"][place["input"]] for place in places]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return document if document.get("version") == VERSION else None
