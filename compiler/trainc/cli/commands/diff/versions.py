"""A version of jobs for `trainc diff`: job files, compiled, or Kubernetes objects as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from trainc.cli.compilation import source_compiler
from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.live_objects import read_objects
from trainc.cli.settings import Configuration, Values
from trainc.compiled import Compiled, Outcome
from trainc.diagnostics import codes
from trainc.frontend import read_sources
from trainc.plan.fields import Object, text, with_namespace
from trainc.record import Record
from trainc.secrets.mask import redact_excerpts
from trainc.source.load import load
from trainc.source.node import Mapping, scalar_text
from trainc.span import COMMAND, Source, Span
from trainc.status.documents import MAXIMUM_BYTES
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING
from trainc.well_known import JOB_LABEL, KIND

if TYPE_CHECKING:
    from trainc.project.projects import Projects

_SOURCE = "name job files or manifests, or pipe in the output of `kubectl get -o yaml`"
_SCRIPTS = (".sh", ".bash", COMMAND)
Pair = tuple[str, list[Object], list[Object]]  # cluster of a job that moves, otherwise empty; objects of both versions


class Version(Record):
    """Objects of a version; the jobs of its job files, compiled, and their checkpoint paths and positions by name.

    `target` is that of its first job, `clusters` are the clusters of the project file to which jobs belong, by name.
    """

    files: list[str]
    objects: list[Object]
    outcome: Outcome
    target: Target
    is_compiled: bool = False
    checkpoints: dict[str, str] = {}
    origins: dict[str, Span] = {}
    jobs: list[Compiled] = []
    clusters: dict[str, str] = {}

    def file_of(self, job: str, files: Sequence[str]) -> Sequence[str]:
        """Return the file of a job, or all files that were named if it has none."""
        return [self.origins[job].source.name] if job in self.origins else files

    def rename_sources(self, names: dict[str, str], other_name: Callable[[str], str]) -> None:
        """Let diagnostics name the sources below some paths by other names, and all others as `other_name` does."""
        for source in {id(each): each for each in self._sources()}.values():
            path = next((path for path in names if f"{source.name}/".startswith(f"{path}/")), None)
            if path is None:
                source.name = other_name(source.name)
            else:
                source.name = names[path].rstrip("/") + source.name.removeprefix(path)

    def _sources(self) -> Iterator[Source]:
        for each in self.outcome.diagnostics:
            yield each.span.source
            yield from (related.span.source for related in each.related)


def read_version(names: Sequence[str], values: Values, configuration: Configuration, target: Target) -> Version:
    """Read files and directories: those with a job of trainc are compiled, others hold objects."""
    files, projects = configuration.inputs(list(names), allows_empty=True) if names else ([], None)
    sources, errors = read_files(files, MAXIMUM_BYTES)
    native = [source for source in sources if _is_job(source)]
    objects: list[Object] = []
    for source in sources:
        if source not in native:
            parsed, problems = read_objects(source, source_help=_SOURCE, allows_empty=True)
            objects += (with_namespace(each, target.namespace) for each in parsed)
            is_other = isinstance(source.name, ListedFile) and all(each.code is codes.EMPTY_INPUT for each in problems)
            errors += [] if is_other else problems
            if problems:
                redact_excerpts(source)
    if not native or errors:
        outcome = Outcome(jobs=[], diagnostics=errors)
        return Version(files=files, objects=objects, outcome=outcome, target=target)
    outcome = source_compiler(native, [], values.of(projects))(target)
    compiled = [manifest.data() for job in outcome.jobs for manifest in job.manifests()]
    own = {job.name for job in outcome.jobs}  # their manifests may be in the same directory
    objects = [each for each in objects if text(each, "metadata", "labels", JOB_LABEL) not in own]
    return Version(
        files=files,
        objects=[*compiled, *objects],
        outcome=outcome,
        target=outcome.jobs[0].target if outcome.jobs else target,
        is_compiled=True,
        checkpoints=_checkpoints(native, projects),
        origins={job.job.name: job.job.origin for job in outcome.jobs},
        jobs=outcome.jobs,
        clusters=_clusters(outcome.jobs, projects),
    )


def _clusters(jobs: Sequence[Compiled], projects: Projects | None) -> dict[str, str]:
    """Return the clusters of jobs; none for a name that jobs of several clusters have."""
    if projects is None:
        return {}
    clusters: dict[str, set[str]] = {}
    for job in jobs:
        clusters.setdefault(job.name, set()).add(projects.cluster_of(job.job.origin.source.name, job.spec))
    return {name: next(iter(own)) for name, own in clusters.items() if len(own) == 1}


def _is_job(source: Source) -> bool:
    """Return whether a source has a job of trainc, or is a script that starts one."""
    if source.name.endswith(_SCRIPTS):
        return True
    if KIND not in source.text:
        return False
    documents, problems = load(source, MAXIMUM_BYTES)
    return bool(problems) or any(
        isinstance(each, Mapping) and scalar_text(each.get("kind")) == KIND for each in documents
    )


def _checkpoints(sources: list[Source], projects: Projects | None) -> dict[str, str]:
    specs = [spec for item in read_sources(sources, (), projects) for spec in item.specs if spec.checkpoint]
    return {spec.metadata.name: spec.checkpoint.path for spec in specs if spec.checkpoint}


def compared_objects(old: Version, new: Version) -> Iterator[Pair]:
    """Yield the objects that are compared with each other; last those of jobs that move to another cluster.

    These are compared with nothing: no object of one cluster changes into one of another.
    """
    moved = [
        name for name, cluster in old.clusters.items() if cluster and new.clusters.get(name, "") not in ("", cluster)
    ]
    before, after = ([each for each in version.objects if _job(each) not in moved] for version in (old, new))
    yield "", before, after
    for name in moved:
        yield old.clusters[name], [each for each in old.objects if _job(each) == name], []
        yield new.clusters[name], [], [each for each in new.objects if _job(each) == name]


def _job(each: Object) -> str:
    return text(each, "metadata", "labels", JOB_LABEL)
