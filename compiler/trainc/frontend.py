"""Front end: sources → documents → documents in trainc's language → specs."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.compiled import Input
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, Variant, error
from trainc.record import Record
from trainc.source.load import load
from trainc.source.node import Mapping, Node, scalar_text
from trainc.span import COMMAND, Source, Span
from trainc.spec.document import read
from trainc.spec.job import TrainingJob
from trainc.systems.registry import script_reader
from trainc.typenames import TYPE_CHECKING
from trainc.well_known import KIND

if TYPE_CHECKING:
    from trainc.project.projects import Projects
    from trainc.schema.problem import Named
    from trainc.source.node import Change
    from trainc.systems.shared.reader.documents import ForeignJob
    from trainc.systems.shared.reader.launch_command import ReadScript


_SCRIPTS = (".sh", ".bash", COMMAND)  # names of sources that are no YAML
Translated = tuple[list[Node], list[Diagnostic], "list[ForeignJob]"]  # of a file: TranslatedFile


class _File(Record):
    """Loaded source: the documents that may be jobs, and other objects beside jobs in trainc's language.

    `objects` are each after a number of `jobs`, `problems` those of the syntax.
    """

    source: Source
    documents: list[Node]
    problems: list[Diagnostic]
    jobs: list[Node]
    objects: list[tuple[int, Mapping]]

    @property
    def is_script(self) -> bool:
        """Return whether the source is a shell script; a text in which every document is a mapping is none."""
        if self.documents and not self.problems and all(isinstance(node, Mapping) for node in self.documents):
            return False
        is_script: bool = script_reader().is_script(self.source)
        return is_script


def read_sources(
    sources: Iterable[Source], overrides: Iterable[Change] = (), projects: Projects | None = None
) -> list[Input]:
    """Read sources together, since a job may use the objects of another file; each is loaded and translated once.

    A source is YAML or a shell script. Jobs in trainc's language get the defaults of `projects`.
    """
    changes, files = list(overrides), [_load(source) for source in sources]
    originals: dict[int, Node] = {}
    if projects is not None:
        files = [_with_defaults(file, projects, originals) for file in files]
    translated: list[Translated] = [(file.jobs, [], []) for file in files]
    if not all(is_native(file.jobs) for file in files):
        from trainc.systems.shared.reader.documents import translate_documents

        translated = list(translate_documents([file.jobs for file in files]))
    inputs = [
        _read_script(file.source, changes) if file.is_script else _read(file, translation, changes, originals)
        for file, translation in zip(files, translated, strict=True)
    ]
    inputs = inputs if projects is None else [_of_projects(item, projects) for item in inputs]
    values = [change.source for change in changes if change.source.is_file]
    return [item.replace(values=values, overrides=changes) for item in inputs] if changes else inputs


def _load(source: Source) -> _File:
    documents, problems = ([], []) if source.name.endswith(_SCRIPTS) else load(source)
    jobs, objects = _split(documents)
    return _File(source=source, documents=documents, problems=problems, jobs=jobs, objects=objects)


def _with_defaults(file: _File, projects: Projects, originals: dict[int, Node]) -> _File:
    """Return a file whose jobs in trainc's language have the defaults of their project.

    `originals` gets the jobs without defaults, by the identity of those with them.
    """
    jobs: list[Node] = []
    for job in file.jobs:
        if isinstance(job, Mapping) and _is_own(job):
            jobs.append(projects.with_defaults(file.source.name, job))
            originals[id(jobs[-1])] = job
        else:
            jobs.append(job)
    return file.replace(jobs=jobs)


def _of_projects(item: Input, projects: Projects) -> Input:
    """Return an input with its projects; errors in a default value name the job."""
    start = Span(item.source, 1, 1, 1, 2)
    job = next((each for each in item.jobs if isinstance(each, Mapping)), None)
    metadata = job.get("metadata") if job else None
    where = metadata.where("name") if isinstance(metadata, Mapping) else job.span.first if job else start
    diagnostics = projects.with_job(item.diagnostics, where)
    return _selected(item.replace(projects=projects, diagnostics=diagnostics), projects)


def _selected(item: Input, projects: Projects) -> Input:
    """Return an input without the jobs that are for another cluster than --cluster."""
    are_selected = [projects.is_selected(item.source.name, spec) for spec in item.specs]
    if all(are_selected):
        return item
    objects = [(sum(are_selected[:count]), each) for count, each in item.objects]
    specs = [spec for spec, is_selected in zip(item.specs, are_selected, strict=True) if is_selected]
    return item.replace(specs=specs, objects=objects)


def _read_script(source: Source, overrides: list[Change]) -> Input:
    if "\r\n" in source.text:
        source = Source(source.name, source.text.replace("\r\n", "\n"))  # with the same lines and columns
    script: ReadScript = script_reader().read_script(source, overrides)
    diagnostics, specs, jobs = list(script.diagnostics), [], []
    if script.job is not None:
        try:
            jobs.append(_changed(script.job, overrides))
            if any("matrix" in job.entries for job in jobs if isinstance(job, Mapping)):
                from trainc.sweep.read_sweep import only_in_job_files

                raise Rejected(only_in_job_files(jobs.pop()))
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
    for job in jobs:
        spec = read(job)
        if isinstance(spec, list):
            diagnostics += spec
        else:
            specs.append(spec)
    return Input(source=source, documents=[], jobs=jobs, specs=specs, diagnostics=diagnostics, script=script)


def _split(documents: list[Node]) -> tuple[list[Node], list[tuple[int, Mapping]]]:
    """Return the jobs of a file and, if one is in trainc's language, its other objects after the number of jobs."""
    if is_native(documents) or not any(isinstance(node, Mapping) and _is_own(node) for node in documents):
        return documents, []
    from trainc.systems.shared.reader.documents import is_other_object

    jobs: list[Node] = []
    objects: list[tuple[int, Mapping]] = []
    for node in documents:
        if isinstance(node, Mapping) and is_other_object(node):
            objects.append((len(jobs), node))
        else:
            jobs.append(node)
    return jobs, objects


def _is_own(document: Mapping) -> bool:
    return scalar_text(document.get("kind")) == KIND or _intended(document) is not None


def _read(file: _File, translated: Translated, overrides: list[Change], originals: dict[int, Node]) -> Input:
    jobs, notes, foreign = translated
    source, problems, objects = file.source, file.problems, file.objects
    if problems:
        overrides = []  # an override of a broken document would be a second error for one mistake
    if not file.jobs and not problems:
        help_ = "run `trainc init` for a starter job"
        problems = [error(codes.EMPTY_INPUT, "the input contains no job", Span(source, 1, 1, 1, 2), help=help_)]
    field_names = None
    if not is_native(file.jobs):
        from trainc.systems.shared.reader.tree import SourcePaths

        field_names = SourcePaths(file.jobs).path
    own = set(map(id, file.jobs))
    diagnostics = [*problems, *notes]
    specs: list[TrainingJob] = []
    by_job: dict[int, TrainingJob] = {}
    variants: dict[int, Variant] = {}
    has_matrix = bool(problems) and "\nmatrix:" in source.text and "${{" in source.text
    for job in jobs:
        try:
            changed = _changed(job, overrides)
            if isinstance(changed, Mapping) and "matrix" in changed.entries:
                has_matrix = True
                from trainc.sweep.read_sweep import read_sweep

                sweep = read_sweep(changed, id(job) in own, _spec)
                objects = sweep.moved(objects, len(specs))
                diagnostics += sweep.diagnostics
                specs += sweep.specs
                variants |= sweep.variants
                continue
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
            continue
        spec, errors = _spec(changed, None if id(job) in own else field_names)
        diagnostics += _with_fixes(errors, originals.get(id(changed))) if errors else []
        if spec is not None:
            specs.append(spec)
            by_job[id(job)] = spec
    if not has_matrix and (field_names is not None or len(specs) < len(jobs) or problems or "{{" in source.text):
        from trainc.systems.shared.reader.documents import report_template

        template = report_template(source, file.jobs, diagnostics)
        if template is not None:
            return Input(source=source, documents=file.jobs, jobs=[], specs=[], diagnostics=[template])
    if "${{" in source.text:
        from trainc.sweep.read_sweep import variables_without_matrix

        diagnostics += variables_without_matrix([job for job in jobs if id(job) in own])
    return Input(
        source=source,
        documents=file.documents if objects else file.jobs,
        jobs=jobs,
        specs=specs,
        diagnostics=diagnostics,
        foreign=[_with_spec(job, by_job.get(id(job.job)), overrides) for job in foreign],
        objects=objects,
        variants=variants,
    )


def _spec(document: Node, names: Named | None = None) -> tuple[TrainingJob | None, list[Diagnostic]]:
    """Return the spec of a document, also of one with an almost right kind, None if it is invalid, and its errors."""
    spec = read(document, names)
    if not isinstance(spec, list):
        return spec, []
    intended = _intended(document)
    intended_spec = read(intended, names) if intended is not None else []
    if isinstance(intended_spec, list):
        return None, [*spec, *intended_spec]
    return intended_spec, spec


def _with_fixes(errors: list[Diagnostic], original: Node | None) -> list[Diagnostic]:
    """Return the errors of a job with defaults, with the fixes of those that its document has without defaults."""
    own = read(original) if original is not None else []
    fixes = {(each.code, each.message, each.span.place): each.fix for each in own} if isinstance(own, list) else {}
    return [each.replace(fix=each.fix or fixes.get((each.code, each.message, each.span.place))) for each in errors]


def _intended(document: Node) -> Mapping | None:
    """Return a document of an almost right kind or version with the right ones."""
    from trainc.spec.other_kind import intended_job

    return intended_job(document)


def _changed(job: Node, overrides: list[Change]) -> Node:
    """Return a job with the overrides applied. Raises Rejected if one does not fit."""
    for override in overrides:
        job = override.apply(job)
    return job


def _with_spec(job: ForeignJob, spec: TrainingJob | None, overrides: list[Change]) -> ForeignJob:
    """Return another system's job with its spec, None if it is invalid, and with the overrides applied."""
    try:
        tree = None if job.job is None else _changed(job.job, overrides)
    except Rejected:  # which was reported
        tree = None
    return job.replace(spec=spec, job=tree)


def is_native(documents: list[Node]) -> bool:
    """Return whether all documents are in trainc's language."""
    return all(scalar_text(node.get("kind")) == KIND for node in documents if isinstance(node, Mapping))
