"""`trainc import`: write other systems' jobs as job files."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.cli.commands.import_ import Options
from trainc.cli.commands.import_.decisions import decisions
from trainc.cli.commands.import_.import_report import ELSEWHERE, by_job, field_comments, format_summary
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import job_files, read_files
from trainc.cli.launch_commands import TYPED
from trainc.cli.notices import notify
from trainc.cli.output import write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cli.skipped import inputs_with_jobs
from trainc.cli.streams import to_stderr
from trainc.compiled import Input, Outcome
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.diagnostics.message import Message
from trainc.driver import compile_inputs
from trainc.emit.jobfile import job_file
from trainc.foreign.translations import without_defaults
from trainc.frontend import read_sources
from trainc.record import Record
from trainc.schema.overrides import parse_overrides
from trainc.secrets.mask import redact_excerpts
from trainc.source.node import Change, Mapping, Node, plain, scalar_text
from trainc.span import Place, Source
from trainc.systems.registry import COMMAND_NAMES, script_reader
from trainc.systems.shared.reader.documents import foreign_documents, report_left
from trainc.systems.shared.reader.job_document import without_server_fields
from trainc.systems.shared.reader.owned_objects import without_owned
from trainc.systems.shared.reader.tree import LOSSY, count_values
from trainc.target import Target

_ANY_BACKEND = "TC3"  # codes of rules about the job itself


class Import(Record):
    """Jobs, diagnostics of the translation and of the checks, and the documents that were translated.

    `decisions` are what trainc decides otherwise than the other system, with the places of the values that change.
    `elsewhere` are the diagnostics that do not hold if the job is compiled for the other system again, `skipped` the
    files of directories that hold no job.
    """

    jobs: list[Mapping] = []
    diagnostics: list[Diagnostic] = []
    checks: list[Diagnostic] = []
    documents: list[Node] = []
    decisions: list[Diagnostic] = []
    elsewhere: list[Diagnostic] = []
    skipped: list[str] = []
    changed: set[Place] = set()


def import_jobs(options: Options) -> int:
    """Translate every job of the files and write all of them, or none; return the exit code.

    Raises InvalidParameter for a command that is missing.
    """
    files, messages = options.files, options.messages
    is_command = files[0] in (TYPED, *COMMAND_NAMES)
    if files == [TYPED]:
        raise InvalidParameter("the command is missing: trainc import command -- torchrun train.py", "FILE...")
    command = files[1:] if files[0] == TYPED else files  # a command in place of files
    files = files if is_command else job_files(files)
    try:
        overrides = parse_overrides(options.set or [])
    except Rejected as rejected:
        imported = Import(diagnostics=list(rejected.diagnostics))
    else:
        sources, diagnostics = ([script_reader().command_source(command)], []) if is_command else read_files(files)
        imported = _import(sources, diagnostics, overrides)
    if imported.skipped:
        messages.report(Outcome(jobs=[], diagnostics=[], skipped=imported.skipped), files)
    errors = in_order(diagnostic for diagnostic in imported.diagnostics if diagnostic.severity == "error")
    if errors:
        messages.report(Outcome(jobs=[], diagnostics=errors), files, "; nothing was written")
        return WRONG_INPUT
    checks = [diagnostic for diagnostic in imported.checks if diagnostic.code.id.startswith(_ANY_BACKEND)]
    diagnostics = in_order([*imported.diagnostics, *checks])
    grouped = by_job(imported.jobs, diagnostics)
    texts = [job_file(plain(job), field_comments(job, own)) for job, own in grouped.items()]
    write_text("---\n".join(texts), options.output, [] if is_command else files)
    account = count_values(imported.documents, imported.jobs, diagnostics, imported.changed)
    lines = [str(account)] if account.total else []
    listed = in_order([*diagnostics, *imported.decisions])
    if messages.form is None:
        to_stderr(format_summary(lines, listed, imported.elsewhere))
        return OK
    conditional = {id(each) for each in imported.elsewhere}
    listed = [
        each.replace(text=Message("{}{}", ELSEWHERE, each.text)) if id(each) in conditional else each for each in listed
    ]
    messages.report(Outcome(jobs=[], diagnostics=listed), files)
    if lines and messages.form == "json":
        notify("carried-over", lines[0], "", severity="note")
    return OK


def _import(sources: list[Source], diagnostics: list[Diagnostic], overrides: Sequence[Change]) -> Import:
    read_inputs, skipped = inputs_with_jobs(without_defaults(read_sources(sources, overrides)))
    # The job file is what the user edits: messages name its fields.
    inputs = [each.replace(foreign=[], script=None) for each in read_inputs]
    for each in read_inputs:
        diagnostics += [*each.diagnostics, *(each.script.unspecified if each.script else ())]
    diagnostics += [report_left(document) for each in inputs for _, document in each.objects]
    broken = any(diagnostic.severity == "error" for diagnostic in diagnostics)
    for each in read_inputs:  # whose excerpts go to logs
        redact_excerpts(each.source)
    lost = {diagnostic.span.place for diagnostic in diagnostics if diagnostic.code in LOSSY}
    decided = [decisions(each, lost) for each in read_inputs if not broken]
    return Import(
        jobs=[job for each in inputs for job in each.jobs if isinstance(job, Mapping)],
        diagnostics=diagnostics,
        checks=[] if broken else compile_inputs(inputs, Target()).diagnostics,
        documents=[document for each in read_inputs for document in _documents(each)],
        decisions=[diagnostic for each in decided for diagnostic in each.lines],
        elsewhere=[diagnostic for each in read_inputs for job in each.foreign for diagnostic in job.report.elsewhere],
        skipped=skipped,
        changed={place for each in decided for place in each.places},
    )


def _documents(item: Input) -> list[Mapping]:
    """Return the jobs of a file, with the objects of their systems that are parts of them, such as a runtime."""
    documents = without_owned(foreign_documents(item.documents))
    for job in item.foreign:
        group = scalar_text(job.document.get("apiVersion")).partition("/")[0]
        parts = (part for part in job.parts if scalar_text(part.get("apiVersion")).partition("/")[0] == group)
        documents += (without_server_fields(part) for part in parts if part not in documents)
    return documents
