"""Compile variants of a job: only objects that differ from those of the job are rendered and read."""

from __future__ import annotations

from trainc.emit.render import Planned, render
from trainc.lower.job import lower
from trainc.provenance.lines import Tree, read_tree
from trainc.spec.job import TrainingJob
from trainc.systems.registry import backend
from trainc.target import Target


class Recompiler:
    """Trees of a job's manifests, and of those of its variants."""

    def __init__(self, job: TrainingJob, target: Target) -> None:
        self._trees: dict[str, Tree] = {}  # by text
        self._known: dict[tuple[str, str], tuple[Planned, Tree]] = {}
        self.planned = self._objects(job, target)
        self.trees = self.compile(job, target)
        self._known = {_key(each): (each, tree) for each, tree in zip(self.planned, self.trees, strict=True)}

    def compile(self, job: TrainingJob, target: Target) -> list[Tree]:
        """Return the tree of each manifest."""
        trees: list[Tree | None] = []
        changed: list[Planned] = []
        for each in self._objects(job, target):
            known, tree = self._known.get(_key(each), (None, None))
            trees.append(tree if known == each else None)
            if trees[-1] is None:
                changed.append(each)
        texts = iter([manifest.text for manifest in render(changed)]) if changed else iter(())
        return [self._tree(next(texts)) if tree is None else tree for tree in trees]

    def _tree(self, text: str) -> Tree:
        if text not in self._trees:
            self._trees[text] = read_tree(text)
        return self._trees[text]

    @staticmethod
    def _objects(job: TrainingJob, target: Target) -> list[Planned]:
        return list(backend(target.backend).objects(lower(job, target), target))


def _key(planned: Planned) -> tuple[str, str]:
    return planned.kind, planned.context["name"]
