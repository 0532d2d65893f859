"""Comments at the ends of a manifest's lines, about the origin of each."""

from __future__ import annotations

import os

from trainc.compiled import Compiled
from trainc.diagnostics.cells import visible
from trainc.emit.manifest import Manifest
from trainc.emit.scalar import unprintable
from trainc.provenance.inputs import Inputs, Located
from trainc.provenance.origins import Origin, Place
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source

_MAX_COLUMN = 64  # of the comments; those of longer lines follow their lines


def with_comments(job: Compiled, origins: list[list[Origin]]) -> Compiled:
    """Return the job with comments in its manifests; no line changes its number."""
    inputs = Inputs()
    manifests = [_commented(*pair, inputs) for pair in zip(job.manifests(), origins, strict=True)]
    above, below = len(job.above), len(manifests) - len(job.below)
    return job.with_manifests(manifests[:above], manifests[above:below], manifests[below:])


def describe(origin: Origin, inputs: Inputs) -> str:
    """Return the origin of a leaf in a few words."""
    rule = origin.rule
    nearest = next((_name(inputs, place) for place in (*origin.values, *origin.conditions)), "")
    if rule is None or (origin.values and not rule.field):
        return nearest
    name = rule.name if rule.field else f"rule: {rule.name}"
    return f"{name}, {'from' if origin.values else 'for'} {nearest}" if nearest else name


def _name(inputs: Inputs, place: Place) -> str:
    located: Located = inputs.locate(place)
    return str(located.replace(input=os.path.basename(located.input)) if located.line else located)


def _commented(manifest: Manifest, origins: list[Origin], inputs: Inputs) -> Manifest:
    lines = manifest.text.split("\n")
    comments = {origin.leaf.line: describe(origin, inputs) for origin in reversed(origins)}
    column = max((len(lines[line - 1]) for line in comments if len(lines[line - 1]) < _MAX_COLUMN), default=0)
    for line, comment in comments.items():
        text = "".join("?" if character in unprintable() else character for character in visible(comment))
        lines[line - 1] = f"{lines[line - 1]:<{column}}  # {text}"
    commented = "\n".join(lines)
    # Text of a plug-in's template, or of the user, may have lines in which a comment is none.
    return manifest.replace(written=commented) if _data(commented) == _data(manifest.text) else manifest


def _data(text: str) -> list[object]:
    documents, problems = load(Source("", text))
    return [plain(each) for each in documents] if not problems else []
