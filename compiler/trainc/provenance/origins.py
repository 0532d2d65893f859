"""Origins of the leaves of a job's manifests, from what changes when a field of the job does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from trainc.provenance.difference import Difference, difference
from trainc.provenance.lines import Leaf, Tree, leaves
from trainc.provenance.recompile import Recompiler
from trainc.provenance.template_lines import TemplateLine, TemplateLines
from trainc.provenance.variants import Variant, option_variants, variants
from trainc.record import Record
from trainc.schema.accept import accepts
from trainc.schema.paths import Path, dotted
from trainc.source.node import Entry, Mapping, Node, Scalar
from trainc.span import Span
from trainc.spec.job import TrainingJob, read_job
from trainc.systems.shared.objects.pod import REASONS
from trainc.target import Target
from trainc.well_known import API_VERSION, KIND


class Place(Record):
    """Position of a field in the input, and its path in trainc's language; an option has no path."""

    span: Span
    path: Path


class Rule(Record):
    """Rule that adds a leaf whose value isn't in the job file.

    `field` is the field whose default the leaf is, empty for a rule of the back end `system`.
    """

    field: str
    system: str
    written: TemplateLine

    @property
    def name(self) -> str:
        """Name of the rule."""
        return f"default of {self.field.removeprefix('spec.')}" if self.field else self.system


class Origin(Record):
    """Origin of one leaf.

    Its text depends on the fields `values`, its presence on the fields `conditions`; the closest ones are first. `rule`
    is None if the text contains the first of the values verbatim.
    """

    path: Path
    leaf: Leaf
    values: list[Place]
    conditions: list[Place]
    rule: Rule | None


class _Effect(Record):
    """What one variant changes."""

    variant: Variant
    difference: Difference

    def replaces(self, path: Path, text: str) -> bool:
        """Return whether the variant's value takes the place of a leaf's text, or of a part of it."""
        changed = self.difference.changed.get(path, "")
        return _contains(changed, self.variant.text) and text.strip("\"'") not in changed

    @property
    def place(self) -> Place:
        """Place of the change."""
        return Place(span=self.variant.span, path=self.variant.path)


def origins(job: TrainingJob, target: Target, wanted: Collection[int] | None = None) -> list[list[Origin]]:
    """Return the origins of the leaves of each manifest of a job, or of the manifests with the numbers `wanted`."""
    compiler = Recompiler(job, target, wanted)
    effects = list(_effects(compiler, job, target))
    templates = map(TemplateLines, compiler.planned)
    return [
        [_origin(template, (place, *path), leaf, effects, target) for path, leaf in leaves(tree)]
        for place, (template, tree) in enumerate(zip(templates, compiler.trees, strict=True))
    ]


def _effects(compiler: Recompiler, job: TrainingJob, target: Target) -> Iterator[_Effect]:
    """Yield the variants of the job and of the target that are valid and change the manifests."""
    documents = [(each, each.document, target) for each in variants(job_document(job))]
    for text, span, other in option_variants(target):
        variant = Variant(path=(), kind="value", span=span, text=text, document=job.node)
        documents.append((variant, job_document(job), other))
    for variant, document, chosen in documents:
        trees = _compiled(compiler, document, chosen)
        changes = difference(compiler.trees, trees) if trees is not None else None
        if changes is not None and changes.size:
            yield _Effect(variant=variant, difference=changes)


def _compiled(compiler: Recompiler, document: Node, target: Target) -> list[Tree | None] | None:
    """Return the manifests of a variant; None for an invalid one, and where the compiler fails, as a plug-in may."""
    try:
        return compiler.compile(read_job(document), target) if accepts(document) else None
    except Exception:
        return None


def job_document(job: TrainingJob) -> Mapping:
    """Return the document of a job, with overrides and without what `mode.resumed` changed."""
    span = job.metadata.node.span
    version, kind = (Scalar(text, text, span) for text in (API_VERSION, KIND))
    sections: dict[str, Node] = {"metadata": job.metadata.node, "spec": job.paused_spec or job.node}
    fields: dict[str, Node] = {"apiVersion": version, "kind": kind, **sections}
    return Mapping({name: Entry(Scalar(name, name, span), node) for name, node in fields.items()}, span)


def _origin(template: TemplateLines, at: Path, leaf: Leaf, effects: list[_Effect], target: Target) -> Origin:
    """Return the origin of the leaf at a path, whose first step is the number of its object."""
    effects = [each for each in effects if at in each.difference]
    values = [each for each in effects if each.variant.kind == "value" and at in each.difference.changed]
    defaults = [each for each in effects if each.variant.kind == "default" and each.replaces(at, leaf.text)]
    conditions = [each for each in effects if each not in values and each.variant.kind != "default"]
    values.sort(key=lambda each: (_distance(leaf.text, each.variant.text), each.difference.size))
    defaults.sort(key=lambda each: (each.difference.size, len(each.variant.path)))
    conditions.sort(key=lambda each: each.difference.size)
    rule = None
    if not values or not _contains(leaf.text, values[0].variant.text):
        written = template.line_of(at[1:])
        written = written.replace(reason=written.reason or REASONS.get(str(at[-1]), ""))
        field = dotted(defaults[0].variant.path) if defaults else ""
        rule = Rule(field=field, system=target.backend, written=written)
    return Origin(path=at[1:], leaf=leaf, values=_places(values), conditions=_places(conditions), rule=rule)


def _places(effects: Iterable[_Effect]) -> list[Place]:
    """Return the places of effects without duplicates: a field may have one for its name and one for its value."""
    places: dict[tuple[str, int, Path], Place] = {}
    for place in (each.place for each in effects):
        places.setdefault((place.span.source.name, place.span.line, place.path), place)
    return list(places.values())


def _distance(text: str, part: str) -> int:
    return 0 if text.strip("\"'") == part else 1 if _contains(text, part) else 2


def _contains(text: str, part: str) -> bool:
    """Return whether a text contains another one as a whole word."""
    return bool(part) and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None
