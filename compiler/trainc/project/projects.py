"""Project files of the inputs of a run: each job file has that of the nearest directory above it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from trainc.diagnostics.diagnostic import Diagnostic, Rejected, Related
from trainc.project.ignores import ignored, read_ignores, unused_words, used_words
from trainc.project.load import load_project
from trainc.project.paths import matches_any
from trainc.project.project import Project
from trainc.project.targets import backend_of, cluster_of, known_clusters, named_cluster
from trainc.project.values import environment, unknown_environment, with_defaults
from trainc.project.versions import with_entry, with_versions
from trainc.schema.values import with_values
from trainc.secrets.mask import redact_excerpts
from trainc.source.node import Mapping, Node, scalar_text
from trainc.span import COMMAND, STDIN, Place, Source, Span
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cluster.entries import Entries
    from trainc.cluster.entry import Entry
    from trainc.spec.job import TrainingJob

_IN_JOB = "in this job"


class Projects:
    """Projects by the names of the files that have them; standard input has that of the name `-`.

    `main` is the project of the run, whose jobs, manifests and format of messages apply. With `states_backend`, an
    option of the command overrides the back ends of the projects. `today` is an ISO date. `environment` is the name of
    one that all projects have, None for the jobs as they are. `entries` load those of the clusters, None if no
    project has any. `used_ignores` are the positions of codes and paths of `ignores` that have matched a finding.
    """

    def __init__(
        self,
        files: dict[str, Project],
        main: Project,
        states_backend: bool,
        today: str,
        environment: str | None = None,
    ) -> None:
        self.main = main
        self._files = files
        self._states_backend = states_backend
        self._today = today
        self.environment = environment
        self._ignores = {id(each): read_ignores(each.get("ignores")) for each in files.values()}
        self._paths = {os.path.abspath(each.source.name) for each in files.values()}
        self._is_redacted = False
        self._own = {each.source.name for each in files.values()}
        self.entries: Entries | None = None
        self.used_ignores: set[Place] = set()
        self._clusters: dict[str, str] = {}  # of files, by their paths
        self._selected: tuple[str, frozenset[str]] = ("", frozenset())

    @property
    def names(self) -> list[str]:
        """Paths of the project files."""
        return [source.name for source in self.sources]

    @property
    def sources(self) -> list[Source]:
        """Texts of the project files."""
        return [each.source for each in self.all]

    @property
    def all(self) -> list[Project]:
        """All projects."""
        return list({id(each): each for each in self._files.values()}.values())

    @property
    def message_format(self) -> str | None:
        """Format of messages, None for the default."""
        return self.main.text("messageFormat")

    def is_own(self, file: str) -> bool:
        """Return whether a file is one of the project files."""
        return os.path.abspath(file) in self._paths

    def without_manifests(self, files: list[str]) -> list[str]:
        """Return files without those in the manifests of the main project, which may be below its jobs."""
        manifests = self.main.text("manifests")
        return [name for name in files if manifests is None or not matches_any(name, self.main.folder, [manifests])]

    def without_policy(self) -> Projects:
        """Return the projects for a command that judges no job: without policies and checks."""
        return self._without("policy")._without("checks")

    def without_checks(self) -> Projects:
        """Return the projects without their own checks."""
        return self._without("checks")

    def _without(self, key: str) -> Projects:
        projects = {id(each): each.without(key) for each in (*self._files.values(), self.main)}
        files = {name: projects[id(each)] for name, each in self._files.items()}
        return self._copy(files, projects[id(self.main)], self._states_backend)

    def with_stated_backend(self) -> Projects:
        """Return the projects for a compilation whose target has the back end of all jobs."""
        return self._copy(self._files, self.main, states_backend=True)

    def _copy(self, files: dict[str, Project], main: Project, states_backend: bool) -> Projects:
        projects = Projects(files, main, states_backend, self._today, self.environment)
        projects.entries, projects._selected = self.entries, self._selected
        projects.used_ignores = self.used_ignores
        return projects

    def redact(self) -> None:
        """Hide secrets of the project files from excerpts."""
        if not self._is_redacted:
            self._is_redacted = True
            for source in self.sources:
                redact_excerpts(source)

    def of(self, file: str) -> Project | None:
        """Return the project of an input, None if it has none."""
        return self._files.get("-" if file in (STDIN, COMMAND) or file.startswith(f"{STDIN} ") else file)

    def has(self, key: str) -> bool:
        """Return whether a project has a key."""
        return any(each.get(key) is not None for each in self._files.values())

    def check_packages(self, file: str) -> tuple[str, ...]:
        """Return the packages with the checks of a file's project."""
        project = self.of(file)
        if project is None or project.get("checks") is None:
            return ()
        from trainc.project.own_checks import packages

        return tuple(name for name, _ in packages(project))

    def with_defaults(self, file: str, document: Mapping) -> Node:
        """Return a job document with the defaults of its project, and the values of the environment over its own."""
        project = self.of(file)
        if project is None:
            return document
        defaults = project.section("defaults")
        job = document if defaults is None else with_defaults(document, defaults)
        values = environment(project, self.environment) if self.environment else None
        return job if values is None else with_values(job, values)

    def target_of(self, file: str, spec: TrainingJob | None, target: Target) -> Target:
        """Return the target of a job, with the back end and versions of its project where no option states them."""
        project = self.of(file)
        if project is None:
            return target
        backend = None if self._states_backend else backend_of(project, file, _launcher(spec))
        name, where = (None, None) if backend is None else (scalar_text(backend), backend.span)
        versions, own = project.section("versions"), target
        if not target.cluster and (entry := self.entry_of(file, spec)):
            own = with_entry(own, entry).replace(cluster=entry.name)
            if entry.backend and not self._states_backend:
                name, where = entry.backend, entry.places["backend"]
        own = own if versions is None else with_versions(own, versions)
        return own if where is None else own.replace(backend=name, places={"backend": where, **own.places})

    def companions(self, file: str) -> list[str]:
        """Return the files and directories besides a job's own on which its diagnostics depend.

        The entry is that of the file's path: the job, which may name another one, is not read.
        """
        project = self.of(file)
        if project is None:
            return []
        checks = [os.path.join(project.folder, scalar_text(each)) for each in project.items("checks")]
        entry = self.entry_of(file, None)
        return [project.source.name, *checks, *([entry.file] if entry and entry.file else [])]

    def entry_of(self, file: str, spec: TrainingJob | None) -> Entry | None:
        """Return the entry of the cluster that a job names, else of the cluster of its file; None without a valid one.

        `spec` is None for a job that can't be read.
        """
        project = self.of(file)
        if project is None or self.entries is None:
            return None
        name = self.cluster_of(file, spec)
        return self.entries.get(project, name) if name in known_clusters(project) else None

    def select(self, cluster: str, files: Iterable[str]) -> None:
        """Leave out jobs of other clusters in these files, for --cluster."""
        self._selected = (cluster, frozenset(files))

    def is_selected(self, file: str, spec: TrainingJob) -> bool:
        """Return whether a job is for the selected cluster, or none is selected."""
        cluster, files = self._selected
        return file not in files or self.cluster_of(file, spec) in ("", cluster)

    def cluster_of(self, file: str, spec: TrainingJob | None) -> str:
        """Return the name of the cluster of a job, which may be unknown; empty without one."""
        if spec and (name := named_cluster(spec)):
            return name
        if file not in self._clusters:
            self._clusters[file] = cluster_of(self.of(file), file)
        return self._clusters[file]

    def with_job(self, diagnostics: Iterable[Diagnostic], where: Span) -> list[Diagnostic]:
        """Return diagnostics; those in a project file name the job, whose position is `where`."""
        return [
            each.replace(related=(*each.related, Related(span=where, text=_IN_JOB)))
            if each.span.source.name in self._own and where.source.name not in self._own
            else each
            for each in diagnostics
        ]

    def without_ignored(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics that no project ignores."""
        diagnostics = list(diagnostics)
        self.record_ignores(diagnostics)
        return [each for each in map(self._unless_ignored, diagnostics) if each is not None]

    def _unless_ignored(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """Return a diagnostic unless it is ignored for the file of its job."""
        file = _job_file(diagnostic)
        project = self.of(file)
        if project is None:
            return diagnostic
        return ignored(diagnostic, file, project.folder, self._ignores[id(project)], self._today)

    def record_ignores(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Record the entries of `ignores` that match diagnostics, also those that a comment suppresses."""
        for each in diagnostics:
            file = _job_file(each)
            if (project := self.of(file)) is not None:
                self.used_ignores |= used_words(each, file, project.folder, self._ignores[id(project)])

    def unused_ignores(self) -> list[Diagnostic]:
        """Return notes about `ignores` of the main project that have matched no finding so far."""
        return list(unused_words(read_ignores(self.main.get("ignores")), self.used_ignores))


def _job_file(diagnostic: Diagnostic) -> str:
    """Return the file of the job that has a diagnostic, which may be in its project file."""
    jobs = (each.span.source.name for each in diagnostic.related if each.text == _IN_JOB)
    return next(jobs, diagnostic.span.source.name)


def _launcher(spec: TrainingJob | None) -> str:
    """Return the field of `launch` of a job, empty for one that can't be read."""
    launch = spec.node.get("launch") if spec else None
    return next(iter(launch.entries), "") if isinstance(launch, Mapping) else ""


def load_projects(paths: dict[str, str], states_backend: bool, today: str, environment: str | None = None) -> Projects:
    """Return the projects of files by the path of the project file of each, which is read once.

    The main one is that of standard input, else of the first file.

    Raises Rejected with the errors of all project files, and OSError for one that can't be read.
    """
    projects: dict[str, Project] = {}
    errors: list[Diagnostic] = []
    for path in dict.fromkeys(paths.values()):
        try:
            projects[path] = load_project(path)
        except Rejected as rejected:
            errors += rejected.diagnostics
    errors += unknown_environment(projects.values(), environment) if environment else []
    if errors:
        raise Rejected(*errors)
    main = projects[paths["-"] if "-" in paths else next(iter(paths.values()))]
    files = {name: projects[path] for name, path in paths.items()}
    return Projects(files, main, states_backend, today, environment)
