"""Settings of a compilation from the options of a command: cluster, project files, values of jobs, processes."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property

from trainc.cli.input_files import ListedFile, job_files, project_files
from trainc.cli.parameters import InvalidParameter
from trainc.compiled import Input, Outcome
from trainc.record import Record
from trainc.span import Span
from trainc.target import InvalidTarget, Target, parse_target
from trainc.typenames import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainc.project.project import Project
    from trainc.project.projects import Projects
    from trainc.source.node import Change

Build = Callable[[list[Input], Target], Outcome]
JobContents = Literal["names", "manifests", "summaries"]


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
    """Project files of a command: --config sets `file`, one for all inputs, --no-config `is_off`.

    `states_backend` if the command has --backend, which overrides the back ends of projects. `shows_only` if it shows
    jobs that need not obey the policy yet, as `plan` does. `runs_checks` unless --no-checks is set.
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


class Values(Record):
    """Values of jobs besides those of their files: from --set, from files of values, and from project files, if any."""

    sets: list[str] = []
    files: list[str] = []
    projects: Projects | None = None

    def of(self, projects: Projects | None) -> Values:
        """Return the values for jobs of these projects."""
        return self.replace(projects=projects)

    @property
    def options(self) -> list[str]:
        """Return these values as options of a command line, for a command that the user may repeat."""
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
