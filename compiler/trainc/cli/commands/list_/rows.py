"""Rows of the jobs in files. Many files are read in several processes: no row depends on another file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from trainc.cli.compilation import MANY
from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.settings import Values
from trainc.cli.skipped import is_no_job
from trainc.cli.terminal import progress
from trainc.cli.workers import ordered_map, processor_count
from trainc.compiled import Input
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.driver import check, manifests
from trainc.fleet.job import FleetJob, fleet_job
from trainc.frontend import read_sources
from trainc.plan.fields import Object, with_namespace
from trainc.plan.group_jobs import group_jobs
from trainc.source.node import Change, plain, scalar_text
from trainc.spec.job import TrainingJob
from trainc.spec.section import inside
from trainc.systems.shared.reader.documents import objects_of
from trainc.target import Target

_SIZE = 32  # files of a chunk
Rows = tuple[list[FleetJob], list[Diagnostic]]


def read_rows(files: list[str], values: Values, target: Target, processes: int | None) -> Rows:
    """Return the rows of all jobs that can be read, and the errors of the others, in the order of the files."""
    try:
        changes = values.changes
    except Rejected as rejected:
        return [], list(rejected.diagnostics)
    reader = _Reader(changes, values, target)
    names = list(dict.fromkeys(files))
    chunks = [names[:1], *(names[start : start + _SIZE] for start in range(1, len(names), _SIZE))]
    count = processes or processor_count()
    if len(names) < MANY or count == 1:
        results = list(map(reader, chunks))
    else:
        first = [reader(chunks[0])]  # imports what the processes need before they are forked
        with progress(len(names), True) as report, closing(ordered_map(reader, chunks[1:], count)) as others:
            for result in others:
                if result is None:  # a process has failed: find out in this one
                    return _joined(list(map(reader, chunks)))
                first.append(result)
                report(_SIZE * len(first))
        results = first
    return _joined(results)


def _joined(results: list[Rows]) -> Rows:
    return [row for rows, _ in results for row in rows], [each for _, errors in results for each in errors]


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
                objects = [plain(each) for each in objects_of(item.documents)]
                jobs = (fleet_job(each, file, cluster) for each in group_jobs(self._placed(objects)))
                rows += [job for job in jobs if job is not None]
        return rows, errors

    def _add(self, rows: list[FleetJob], spec: TrainingJob, item: Input, cluster: str) -> Iterator[Diagnostic]:
        """Add the row of a job; return its errors if it has no manifests."""
        target = item.target_of(spec, self._target)
        try:
            objects = [each.data() for each in manifests(spec, target)]
        except Exception:
            errors = [each for each in check(spec, target) if each.severity == "error"]
            if not errors:
                raise
            return iter(errors)
        fabric = scalar_text(inside(spec.node, "network").get("fabric"))
        row = fleet_job(objects, str(item.source.name), cluster, fabric)
        rows += [row] if row else []
        return iter(())

    def _placed(self, objects: list[Object]) -> list[Object]:
        namespace = self._target.namespace
        return [with_namespace(each, namespace) for each in objects] if namespace else objects
