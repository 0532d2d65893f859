"""Origins of all manifests of a job, also of other objects in its file, which are written as they are there."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiled import Compiled
from trainc.emit.manifest import Manifest
from trainc.provenance.lines import Leaf
from trainc.provenance.origins import Origin, Place, origins
from trainc.schema.paths import Path
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Scalar
from trainc.span import Source


def own_manifests(job: Compiled) -> list[Manifest]:
    """Return the manifests of a job without other objects of its file."""
    first = len(job.above)
    return job.manifests()[first : first + len(job.objects)]


def job_origins(job: Compiled) -> list[list[Origin]]:
    """Return the origins of the leaves of each manifest, in the order in which they are written."""
    return [*map(_copied, job.above), *origins(job.spec, job.target), *map(_copied, job.below)]


def manifest_origins(job: Compiled, number: int) -> list[Origin]:
    """Return the origins of the leaves of one manifest."""
    above, own = len(job.above), len(job.objects)
    if above <= number < above + own:
        return origins(job.spec, job.target, [number - above])[0]
    return _copied(job.above[number] if number < above else job.below[number - above - own])


def _copied(manifest: Manifest) -> list[Origin]:
    document = load(Source("", manifest.text))[0][0]
    return list(_leaves(document, manifest.tree, ()))


def _leaves(written: Node, read: Node, path: Path) -> Iterator[Origin]:
    """Yield the leaves of an object as written, each with its position in the file it was read from."""
    if isinstance(written, Scalar) or not _children(written):
        span = written.span
        end = span.end_line - (span.end_column == 1 and span.end_line > span.line)  # a literal block ends below
        leaf = Leaf(text="", line=span.line, end=end)
        yield Origin(path=path, leaf=leaf, values=[Place(span=read.span, path=path)], conditions=[], rule=None)
        return
    for (step, inner), (_, other) in zip(_children(written), _children(read), strict=True):
        yield from _leaves(inner, other, (*path, step))


def _children(node: Node) -> list[tuple[str | int, Node]]:
    if isinstance(node, Scalar):
        return []
    return list(node.items() if isinstance(node, Mapping) else enumerate(node.items))
