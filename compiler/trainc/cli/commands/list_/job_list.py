"""List of `trainc list`: a row for each job. No row depends on another file, so that several processes read many."""

from __future__ import annotations

from contextlib import closing

from trainc.cli.commands.list_ import Options
from trainc.cli.compilation import MANY
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.output import write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cli.report_format import format_report
from trainc.cli.settings import Values
from trainc.cli.skipped import is_no_job
from trainc.cli.workers import map_chunks
from trainc.compiled import Input, Outcome
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.driver import check, manifests
from trainc.fleet.filters import InvalidFilter, parse_filter
from trainc.fleet.formats import report, to_json
from trainc.fleet.job import FleetJob, fleet_job
from trainc.frontend import read_sources
from trainc.plan.fields import with_namespace
from trainc.plan.group_jobs import group_jobs
from trainc.source.node import Change, plain, scalar_text
from trainc.spec.job import TrainingJob
from trainc.spec.section import inside
from trainc.systems.shared.reader.documents import objects_of
from trainc.target import Target

Rows = tuple[list[FleetJob], list[Diagnostic]]


def list_jobs(options: Options) -> int:
    """Print the rows that pass the filters; return the exit code. Raises InvalidParameter for an invalid filter."""
    try:
        filters = [parse_filter(each) for each in options.filter or []]
    except InvalidFilter as problem:
        raise InvalidParameter(str(problem), "--filter") from None
    chosen = options.report
    inputs, projects = chosen.project.inputs(options.files)
    rows, diagnostics = _read_rows(inputs, chosen.values.of(projects), chosen.target, chosen.jobs)
    rows = [row for row in rows if all(each.accepts(row) for each in filters)]
    outcome = Outcome(jobs=[], diagnostics=in_order(diagnostics))
    messages = options.messages.of_project(projects).replace(quiet=True)
    passes = messages.report(outcome, inputs, "; the other jobs are listed")
    text = to_json(rows) if chosen.form == "json" else format_report([report(rows)], chosen.form)
    write_text(text, chosen.output, inputs)
    return OK if passes else WRONG_INPUT


def _read_rows(files: list[str], values: Values, target: Target, processes: int | None) -> Rows:
    """Return the rows of all jobs that can be read, and the errors of the others, in the order of the files."""
    try:
        changes = values.changes
    except Rejected as rejected:
        return [], list(rejected.diagnostics)
    reader = _Reader(changes, values, target)
    names = list(dict.fromkeys(files))
    if len(names) < MANY:
        return reader(names)
    rows: list[FleetJob] = []
    errors: list[Diagnostic] = []
    with closing(map_chunks(reader, names, processes, shows_progress=True)) as results:
        for chunk in results:
            if chunk is None:  # a process has failed: find out in this one
                return reader(names)
            rows += chunk[0]
            errors += chunk[1]
    return rows, errors


class _Reader:
    """Function that returns the rows of files."""

    def __init__(self, changes: list[Change], values: Values, target: Target) -> None:
        self._changes = changes
        self._projects = values.projects
        self._target = target

    def __call__(self, files: list[str]) -> Rows:
        sources, errors = read_files(files)
        rows: list[FleetJob] = []
        for item in read_sources(sources, self._changes, self._projects):
            own = [each for each in item.diagnostics if each.severity == "error"]
            if isinstance(item.source.name, ListedFile) and own and all(map(is_no_job, own)):
                continue
            errors += [each.replace(remedy=None, fix=None) for each in own]
            file = str(item.source.name)
            cluster = self._projects.cluster_of(file, None) if self._projects else ""
            foreign = {id(job.spec) for job in item.foreign}
            for spec in item.specs:
                if id(spec) not in foreign:
                    own_cluster = self._projects.cluster_of(file, spec) if self._projects else ""
                    problems = self._add(rows, spec, item, own_cluster)
                    errors += [each.replace(remedy=None, fix=None) for each in problems]
            if item.foreign:
                objects = [with_namespace(plain(each), self._target.namespace) for each in objects_of(item.documents)]
                jobs = (fleet_job(each, file, cluster) for each in group_jobs(objects))
                rows += [job for job in jobs if job is not None]
        return rows, errors

    def _add(self, rows: list[FleetJob], spec: TrainingJob, item: Input, cluster: str) -> list[Diagnostic]:
        """Add the row of a job; return its errors if it has no manifests."""
        target = item.target_of(spec, self._target)
        try:
            objects = [each.data() for each in manifests(spec, target)]
        except Exception:
            errors = [each for each in check(spec, target) if each.severity == "error"]
            if not errors:
                raise
            return errors
        fabric = scalar_text(inside(spec.node, "network").get("fabric"))
        row = fleet_job(objects, str(item.source.name), cluster, fabric)
        rows += [row] if row else []
        return []
