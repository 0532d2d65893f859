"""Input and output of a rule, and the names that rules import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, reduce

from trainc.checks.shared.pod import Pod, worker_pod
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, Places, error, note, warning
from trainc.diagnostics.message import BackEnds, Field, Help, Message, Phrase
from trainc.diagnostics.remedy import Remedy, move, put, remove, rename, replace, rewrite
from trainc.ir.job import EtcdServer, Job
from trainc.record import Record
from trainc.span import Span, Text
from trainc.spec.job import TrainingJob
from trainc.spec.section import inside
from trainc.systems.registry import NAMES, System, traits
from trainc.systems.shared.objects.base import Backend
from trainc.systems.traits import Traits
from trainc.target import Target

__all__ = [
    "BackEnds",
    "Code",
    "Diagnostic",
    "Diagnostics",
    "Field",
    "Help",
    "Message",
    "Phrase",
    "Places",
    "Remedy",
    "RuleContext",
    "codes",
    "error",
    "likely",
    "move",
    "no_effect",
    "note",
    "put",
    "remove",
    "rename",
    "replace",
    "rewrite",
    "use_backend",
    "warning",
]

Diagnostics = Iterator[Diagnostic]


class RuleContext(Record):
    """Job as written (`spec`), lowered job (`job`), and the target back end and cluster.

    `lower` makes another job from a spec, for rules that compare two. `file_system` is the system of another
    system's file that the job was read from, None for a job file; `in_own_system` if that job is checked as it runs
    there. `servers` are the etcd servers in the input, `config_maps` the texts of its ConfigMaps. `is_own` if trainc
    emitted that file. `has_own_hosts` if its workers have other host names than trainc's jobs. `largest_job` is
    the number of pods of that file's largest Kubernetes Job if it has several. `packages` are those with the checks of
    the job's project.
    """

    spec: TrainingJob
    job: Job
    backend: Backend
    target: Target
    lower: Callable[[TrainingJob, Target], Job]
    file_system: System | None = None
    in_own_system: bool = False
    is_own: bool = False
    has_own_hosts: bool = False
    largest_job: int | None = None
    servers: tuple[EtcdServer, ...] = ()
    packages: tuple[str, ...] = ()
    config_maps: dict[str, dict[str, Text]] = {}

    @property
    def file_kind(self) -> str:
        """Kind of another system's file that the job was read from, empty for a job file."""
        return self.file_system.kind if self.file_system else ""

    @property
    def system(self) -> Traits:
        """Traits of the system that runs the job."""
        return self.backend.traits

    @property
    def has_runtime(self) -> bool:
        """Return whether a runtime of the cluster has the pods, with devices and networks of its own."""
        return self.job.runtime is not None and self.system.has_runtimes

    @property
    def program(self) -> Span:
        """Position of the program."""
        return self.spec.run.where(self.spec.run.kind)

    @property
    def launch_key(self) -> Span:
        """Position of the job's launcher key."""
        return next(iter(inside(self.spec.node, "launch").entries.values())).key.span

    def cure(self, job_file: Help, manifest: Help) -> Help:
        """Return the help for a job file, or for another system's manifest or a command, which lack its fields."""
        return manifest if self.file_kind or self.in_own_system else job_file

    @cached_property
    def pod(self) -> Pod:
        """A worker's pod as it will run, with podTemplate merged into it."""
        return worker_pod(self.spec, self.job.pod, self.backend.pod_spec(self.job), self.job.origin)


def likely(value: str, place: Span) -> tuple[Help, Remedy]:
    """Return the help and the remedy for a value that probably is another."""
    return f"did you mean {value}?", replace(place, value)


def use_backend(suitable: str | Callable[[Traits], bool], more: Phrase = "") -> Message:
    """Return the advice to use a back end, or one of the suitable ones; `more` is the rest of the clause."""
    names = (suitable,) if isinstance(suitable, str) else [name for name in NAMES if suitable(traits(name))]
    return Message("use {}{}", BackEnds(names), more)


def no_effect(
    context: RuleContext,
    path: str,
    reason: str,
    help: Help,
    where: Span | None = None,
    related: Places = (),
    removable: bool = False,
) -> Diagnostic:
    """Return the warning that the back end ignores a field of the job, which a fix removes if it is `removable`."""
    *sections, name = path.removeprefix("spec.").split(".")
    where = where or reduce(inside, sections, context.spec.node).where(name)
    message = Message("`{}` has no effect on the back end {}: {}", Field(path), context.system.name, reason)
    remedy = remove(where) if removable else None  # unsafe: it may have an effect on other back ends
    return warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help, related=related, remedy=remedy)
