"""Input and output of the compiler: a source, a job to compile, the job with its objects, and the outcome of a run."""

from __future__ import annotations

from functools import cached_property

from trainc.diagnostics.diagnostic import Diagnostic, Variant
from trainc.emit.manifest import Manifest
from trainc.emit.render import Planned, render
from trainc.ir.job import Job
from trainc.record import Record
from trainc.spec.job import TrainingJob
from trainc.systems.registry import is_template
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.ir.job import InputObjects
    from trainc.project.projects import Projects
    from trainc.source.node import Change, Mapping, Node
    from trainc.span import Source
    from trainc.systems.shared.reader.documents import ForeignJob
    from trainc.systems.shared.reader.launch_command import ReadScript

_MOUNTED = ("ConfigMap", "Secret", "PersistentVolumeClaim")


class Input(Record):
    """Source that was read: its documents, the jobs among them in trainc's language, and the specs of valid jobs.

    `foreign` are the jobs of other systems, with the specs of those that can be read. `script` is the launch command of
    a source that has one. `objects` are other objects next to jobs in trainc's language, each with the number of jobs
    before it. `variants` are the variants of specs from documents with `matrix`, by the ids of the specs. `projects`
    are the project files of the sources that were read together, None without any, and `values` the files whose values
    the jobs have; `overrides` are the changes of all jobs.
    """

    source: Source
    documents: list[Node]
    jobs: list[Node]
    specs: list[TrainingJob]
    diagnostics: list[Diagnostic]
    foreign: list[ForeignJob] = []
    script: ReadScript | None = None
    objects: list[tuple[int, Mapping]] = []
    variants: dict[int, Variant] = {}
    projects: Projects | None = None
    values: list[Source] = []
    overrides: list[Change] = []

    def target_of(self, spec: TrainingJob | None, target: Target) -> Target:
        """Return the target of a job of the source, None if it can't be read: the project file may have another."""
        return target if self.projects is None else self.projects.target_of(self.source.name, spec, target)


class Task(Record):
    """Job to compile for a target.

    `foreign` is the job of another system that it was read from, `companions` are other objects of the input, and
    `packages` those with the checks of its project. With `in_own_system` it is checked as it runs now.
    """

    spec: TrainingJob
    target: Target
    foreign: ForeignJob | None = None
    companions: InputObjects | None = None
    packages: tuple[str, ...] = ()
    in_own_system: bool = False


class Compiled(Record):
    """Job and its objects, in the order in which they are written, and other objects of its file around them.

    `spec` and `target` are what was compiled, `used` the objects of the input that its pods use, also of other jobs.
    """

    spec: TrainingJob
    target: Target
    job: Job
    objects: list[Planned]
    above: list[Manifest] = []
    below: list[Manifest] = []
    used: list[Manifest] = []

    @property
    def name(self) -> str:
        """Name of the job."""
        return self.job.name

    @property
    def namespace(self) -> str | None:
        """Namespace of all objects of the job."""
        return self.job.namespace

    def manifests(self) -> list[Manifest]:
        """Return all objects; those of the job are rendered once."""
        return [*self.above, *self._manifests, *self.below]

    def planned_manifests(self) -> list[Manifest]:
        """Return the job's objects and those of its file that its pods use, but no other workloads."""
        own, manifests = set(map(id, self._manifests)), self.manifests()
        known = {(each.kind, each.name) for each in manifests}
        used = [each for each in self.used if (each.kind, each.name) not in known]
        return [
            *used,
            *(each for each in manifests if id(each) in own or each.kind in _MOUNTED or is_template(each.kind)),
        ]

    def with_manifests(self, above: list[Manifest], own: list[Manifest], below: list[Manifest]) -> Compiled:
        """Return the job with other texts of its manifests."""
        job = self.replace(above=above, below=below)
        vars(job)["_manifests"] = own
        return job

    @cached_property
    def _manifests(self) -> list[Manifest]:
        return list(render(self.objects))


class Outcome(Record):
    """Jobs and diagnostics of all inputs; no jobs if a diagnostic is an error. `skipped` are files without a job."""

    jobs: list[Compiled]
    diagnostics: list[Diagnostic]
    skipped: list[str] = []

    @property
    def ok(self) -> bool:
        """Return whether no diagnostic is an error."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)

    def without_other_objects(self) -> Outcome:
        """Return the outcome without the other objects of the files."""
        return self.replace(jobs=[job.replace(above=[], below=[]) for job in self.jobs])
