"""Compilation of the files of a command for a cluster, with `--set`."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property

from trainc.cli.input_files import ListedFile, job_files, project_files, read_files
from trainc.cli.parameters import InvalidParameter
from trainc.compiled import Input, Outcome
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.driver import compile_inputs
from trainc.frontend import read_sources
from trainc.record import Record
from trainc.source.load import load
from trainc.source.node import Mapping, plain, scalar_text
from trainc.span import Source, Span
from trainc.systems.registry import is_template
from trainc.target import InvalidTarget, Target, parse_target
from trainc.typenames import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainc.cluster.entry import Entry
    from trainc.plan.fields import Object
    from trainc.project.project import Project
    from trainc.project.projects import Projects
    from trainc.source.node import Change

Build = Callable[[list[Input], Target], Outcome]
JobContents = Literal["names", "manifests", "summaries"]
MANY = 64  # files; for fewer, another process costs more than it saves


class Cluster(Record):
    """Options that describe the cluster; `releases` are versions of controllers, NAME=VERSION.

    `name` is that of the entry of --cluster, empty without the option; `places` are positions in it, as of a target.
    """

    namespace: str | None = None
    version: str | None = None
    domain: str | None = None
    releases: list[str] = []
    name: str = ""
    places: dict[str, Span] = {}

    def target(self, backend: str) -> Target:
        """Return the target of a back end. Raises InvalidParameter for an invalid value."""
        try:
            target = parse_target(backend, self.version, self.namespace, self.domain, self.releases)
        except InvalidTarget as problem:
            raise InvalidParameter(str(problem), problem.option) from None
        return target.replace(cluster=self.name, places=self.places) if self.name else target


class Configuration(Record):
    """Options --config, the project file of all inputs, --no-config, by which `is_off`, and --environment.

    With `states_backend`, the command has --backend, which overrides the back ends of projects. With `shows_only`, it
    shows jobs that need not obey the policy yet, as `plan` does. `runs_checks` unless --no-checks is set.
    """

    file: str | None = None
    is_off: bool = False
    environment: str | None = None
    states_backend: bool = False
    shows_only: bool = False
    runs_checks: bool = True

    def stating(self, backend: str | None) -> Configuration:
        """Return the options of a command with this --backend, None if it has none."""
        return self if backend is None else self.replace(states_backend=True)

    def showing(self) -> Configuration:
        """Return the options of a command that only shows jobs."""
        return self.replace(shows_only=True)

    @property
    def main(self) -> Project | None:
        """Project of the working directory. Raises InvalidConfiguration for an invalid project file."""
        projects = self.projects(["-"])
        return projects.main if projects else None

    def default_files(self) -> list[str]:
        """Return the jobs of the project of the working directory, as `list_project_jobs` does."""
        from trainc.cli.project_jobs import list_project_jobs

        return list_project_jobs(self.projects(["-"]))

    def inputs(
        self, files: list[str] | None, jobs_only: bool = False, *, allows_empty: bool = False
    ) -> tuple[list[str], Projects | None]:
        """Return the files that are read, by default the jobs of the project, and their projects, None without any.

        See `job_files`. Raises InvalidConfiguration for an invalid project file.
        """
        run = [] if files else ["-"]  # for the project of the working directory
        listed = job_files(files or self.default_files(), jobs_only, allows_empty)
        projects = self.projects([*run, *listed])
        if projects is not None:
            own = [name for name in listed if isinstance(name, ListedFile) and projects.is_own(name)]
            listed = [name for name in listed if name not in own]
            listed = projects.without_manifests(listed) if run else listed
        return listed, projects

    def projects(self, files: list[str]) -> Projects | None:
        """Return the projects of files. Raises InvalidConfiguration for an invalid project file."""
        if self.environment is not None and (self.is_off or not (self.file or project_files(files))):
            raise InvalidParameter("requires a project file with `environments`", "--environment")
        if self.is_off:
            return None
        paths = project_files(files) if self.file is None else dict.fromkeys([*files, "-"], self.file)
        if not paths:
            return None
        from trainc.cli.project_jobs import read_projects

        projects = read_projects(paths, self.states_backend, self.environment)
        if self.shows_only:
            return projects.without_policy()
        if not self.runs_checks:
            return projects.without_checks()
        if projects.has("checks"):
            from trainc.cli.own_checks import load_checks

            own = self.file or project_files(["-"]).get("-", "")
            load_checks([each for each in projects.all if each.get("checks")], {os.path.realpath(own)})
        return projects


def on_cluster(
    name: str | None, cluster: Cluster, backend: str | None, project: Configuration
) -> tuple[Cluster, str | None, Entry | None]:
    """Return the options for the cluster of --cluster, with the versions and the back end of its entry where none is
    stated, and the entry.

    Raises InvalidConfiguration for an invalid entry, and InvalidParameter if there is none.
    """
    if name is None:
        return cluster, backend, None
    from trainc.cli.clusters import select_cluster, with_entry

    entry = select_cluster(name, project.main)
    return *with_entry(cluster, backend, entry), entry


def select_jobs(files: list[str], projects: Projects | None, cluster: str) -> None:
    """Leave out jobs of other clusters, but for those of files that are arguments themselves."""
    if projects is not None:
        projects.select(cluster, [name for name in files if isinstance(name, ListedFile)])


class Values(Record):
    """What jobs get besides their files: the assignments of --set, files of values, and project files, None without."""

    sets: list[str] = []
    files: list[str] = []
    projects: Projects | None = None

    def of(self, projects: Projects | None) -> Values:
        """Return the values for jobs of these projects."""
        return self.replace(projects=projects)

    @property
    def options(self) -> list[str]:
        """Return the options of a command line that state them, for a command that the user may repeat."""
        environment = self.projects.environment if self.projects else None
        words = ["--environment", environment] if environment else []
        words += [word for name in self.files for word in ("--values", name)]
        return [*words, *(word for text in self.sets for word in ("--set", text))]

    @property
    def are_stated(self) -> bool:
        """Return whether options state values of jobs, so that they differ from those in the files."""
        return bool(self.sets or self.files or (self.projects and self.projects.environment))

    @cached_property
    def changes(self) -> list[Change]:
        """Return the changes in the order in which they apply. Raises Rejected with all errors of the options."""
        if not self.sets and not self.files:
            return []
        from trainc.cli.values_files import read_changes

        return read_changes(self.files, self.sets)


class Scale(Record):
    """Processes for many files, by default one for each processor, and whether progress may be shown."""

    jobs: int | None = None
    shows_progress: bool = False


def compile_many(
    files: list[str], values: Values, target: Target, build: Build, scale: Scale, contents: JobContents
) -> Outcome:
    """Compile files like `compile_files`, many of them in several processes; the result is the same.

    `contents` are the parts that jobs must have in the outcome: names, also manifests, or also notes for summaries.
    """
    if len(files) >= MANY and all(map(_can_be_read_again, files)):
        from trainc.cli.chunks import compile_chunks

        outcome = compile_chunks(files, values, target, build, scale, contents)
        if outcome is not None:
            return outcome
    return compile_files(files, values, target, build)


def _can_be_read_again(name: str) -> bool:
    """Return whether a file can be read twice, unlike a stream. A missing file counts as readable."""
    return name != "-" and (os.path.isfile(name) or os.path.isdir(name) or not os.path.exists(name))


def compile_files(files: list[str], values: Values, target: Target, build: Build = compile_inputs) -> Outcome:
    """Compile files; errors of unreadable files are in the outcome."""
    return compiler(files, values, build)(target)


def compiler(files: list[str], values: Values, build: Build = compile_inputs) -> Callable[[Target], Outcome]:
    """Read files once, and return a function that compiles them for a target, by `build`."""
    return source_compiler(*read_files(files), values, build)


def source_compiler(
    sources: list[Source], errors: list[Diagnostic], values: Values, build: Build = compile_inputs
) -> Callable[[Target], Outcome]:
    """Return a function that compiles sources for a target; `errors` are those of files that can't be read."""
    try:
        changes = values.changes
    except Rejected as rejected:
        failed = Outcome(jobs=[], diagnostics=in_order(rejected.diagnostics))
        return lambda target: failed
    inputs = read_sources(sources, changes, values.projects)
    skipped: list[str] = []
    if build is compile_inputs and any(
        item.diagnostics and isinstance(item.source.name, ListedFile) for item in inputs
    ):
        from trainc.cli.skipped import inputs_with_jobs

        inputs, skipped = inputs_with_jobs(inputs)

    def compile_for(target: Target) -> Outcome:
        outcome = build(inputs, target)
        if errors:
            outcome = Outcome(jobs=[], diagnostics=in_order([*errors, *outcome.diagnostics]))
        return outcome.replace(skipped=skipped) if skipped else outcome

    return compile_for


def split_templates(sources: list[Source]) -> tuple[list[Source], list[Object]]:
    """Return the sources with jobs, and the objects of those that have only templates, to which jobs refer."""
    if len(sources) < 2:
        return sources, []
    jobs: list[Source] = []
    templates: list[Object] = []
    for source in sources:
        documents, problems = load(source) if "Runtime" in source.text or "PodTemplate" in source.text else ([], [])
        objects = [
            each for each in documents if isinstance(each, Mapping) and is_template(scalar_text(each.get("kind")))
        ]
        if not problems and documents and len(objects) == len(documents):
            templates += map(plain, objects)
        else:
            jobs.append(source)
    return (jobs, templates) if jobs else (sources, [])
