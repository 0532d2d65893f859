"""Compile variants of a job: only objects that differ from those of the job are rendered and read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trainc.emit.render import Planned, render
from trainc.lower.job import lower
from trainc.provenance.difference import partners
from trainc.provenance.lines import Tree, written_tree
from trainc.spec.job import TrainingJob
from trainc.systems.shared.objects.backend import backend
from trainc.target import Target


class Recompiler:
    """Trees of a job's manifests, and of those of its variants; only of the objects with the numbers `wanted`."""

    def __init__(self, job: TrainingJob, target: Target, wanted: Collection[int] | None = None) -> None:
        self._planned = self._objects(job, target)
        self._wanted = range(len(self._planned)) if wanted is None else sorted(wanted)
        self.planned = [self._planned[number] for number in self._wanted]
        self.trees = [_tree(each) for each in self.planned]

    def compile(self, job: TrainingJob, target: Target) -> list[Tree | None]:
        """Return the tree of each object in a variant of the job, None for one that the variant lacks."""
        objects = self._objects(job, target)
        numbers = _partners(self._planned, objects)
        return [
            None if other is None else tree if objects[other] == each else _tree(objects[other])
            for each, tree, other in zip(self.planned, self.trees, map(numbers.get, self._wanted), strict=True)
        ]

    @staticmethod
    def _objects(job: TrainingJob, target: Target) -> list[Planned]:
        return list(backend(target.backend).objects(lower(job, target), target))


def _tree(planned: Planned) -> Tree:
    (manifest,) = render([planned])
    return written_tree(manifest.data())


def _partners(objects: Sequence[Planned], others: Sequence[Planned]) -> dict[int, int]:
    """Return the number of each object among those of a variant, which may have another name there."""
    kinds, other_kinds = [each.kind for each in objects], [each.kind for each in others]
    if kinds == other_kinds:
        return dict(enumerate(range(len(objects))))
    return partners(kinds, other_kinds)
