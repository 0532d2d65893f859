"""`trainc status`: the state of running jobs, from the output of kubectl."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from trainc.cli.commands.status import Options
from trainc.cli.commands.status.watch import KubectlError, MissingKubectl, cluster_objects, report_failure, watch
from trainc.cli.exit_codes import OK, USAGE, WRONG_INPUT
from trainc.cli.input_files import ListedFile, job_files, read_files
from trainc.cli.job_names import is_job_file, is_live, names_job, of_sources, subjects
from trainc.cli.launch_commands import launch_command_as_files
from trainc.cli.live_objects import read_objects
from trainc.cli.messages import Messages
from trainc.cli.output import is_stream, write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cli.report_format import format_report
from trainc.cli.settings import Cluster
from trainc.cli.streams import to_stdout
from trainc.compiled import Outcome
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, in_order
from trainc.launchers.registry import COMMANDS
from trainc.plan.fields import Object, mapping
from trainc.secrets.mask import redact_excerpts
from trainc.span import STDIN, Source, Span
from trainc.status.documents import MAXIMUM_BYTES
from trainc.status.formats.json_document import to_json
from trainc.status.formats.report import report
from trainc.status.queries import Subject, queries, shell_line
from trainc.status.status import NO_FILES, JobStatus, job_statuses, redact_statuses
from trainc.status.times import newest, timestamp
from trainc.systems.registry import NAMES, traits
from trainc.target import Target
from trainc.well_known import JOB_LABEL

_NO_JOB = "the input has no job: no object that creates workers, and no pod"
_NO_JOB_HELP = "run `trainc status JOB` to query a job file or a name in the cluster"


def report_status(options: Options) -> int:
    """Print the status of jobs, once or until they have ended, or how to query it; return the exit code."""
    target = Cluster(namespace=options.namespace).target(options.backend)
    if options.is_page and options.format:
        raise InvalidParameter(f"conflicts with the output {options.output}, a page", "--format")
    if options.now not in (None, "newest") and timestamp(options.now) is None:
        raise InvalidParameter("not a time like 2026-11-22T11:30:00Z", "--now")
    if (job := options.watch or options.command) is None:
        return _show_status(options.files or ["-"], target, options)
    if options.files or (options.watch and options.command):
        raise InvalidParameter("conflicts with FILE and with the other of --command and --watch", "JOB")
    if options.watch:
        return _watch_status(job, target, options)
    return _print_command(job, target, options.messages)


def _show_status(files: list[str], target: Target, options: Options) -> int:
    """Print the status of the jobs in files; return the exit code. Jobs without objects are queried in the cluster."""
    files = job_files(files)
    if files == ["-"] and sys.stdin is not None and sys.stdin.isatty():
        raise InvalidParameter("name the job: trainc status job.yaml; or pipe in the output of kubectl", "FILE")
    names = [each for each in files if names_job(each)]
    if files[0] in COMMANDS and files[0] in names and (problem := launch_command_as_files(files)):
        raise problem
    objects, job_sources, outcome = _read([each for each in files if each not in names])
    wanted = [each for name in names for each in subjects(name, target)[0]]
    jobs: dict[str, str] = {}
    for source in job_sources if outcome.ok else ():
        subjects_in_file, outcome = of_sources([source], target)
        jobs |= {each.name: source.name for each in subjects_in_file}
        wanted += subjects_in_file
        if not outcome.ok:
            break
    if not outcome.ok:
        options.messages.report(outcome, files)
        return WRONG_INPUT
    if wanted:  # files beside a job have objects that it uses, and none of the cluster
        objects = [each for each in objects if is_live(each)]
    try:
        live = _query(wanted)
    except KubectlError as failure:
        if known := _statuses(options, objects):
            _write(options, known, files)
        report_failure(failure)
        return USAGE
    queried = _statuses(options, live, jobs)
    own = {each.name for each in wanted}
    statuses = [*_statuses(options, objects), *(each for each in queried if each.name in own)]
    missing = [each.name for each in wanted if each.name not in {status.name for status in statuses}]
    if statuses:
        if outcome.skipped:
            options.messages.report(outcome, files)
        _write(options, statuses, files)
    for name in missing:
        options.messages.report(_missing(name, live, target), files)
    if not statuses and not missing:
        start = Span(Source(STDIN if files[0] == "-" else files[0], ""), 1, 1, 1, 2)
        no_job = error(codes.EMPTY_INPUT, _NO_JOB, start, help=_NO_JOB_HELP)
        options.messages.report(Outcome(jobs=[], diagnostics=[no_job]), files)
    return OK if statuses and not missing else WRONG_INPUT


def _statuses(options: Options, objects: list[Object], jobs: Mapping[str, str] = NO_FILES) -> list[JobStatus]:
    """Return the statuses of the jobs at the time of the options, without secrets; `jobs` are files by name."""
    time = newest(objects) if options.now == "newest" else timestamp(options.now)
    statuses = job_statuses(objects, time or datetime.now(UTC), jobs)
    return redact_statuses(statuses, plan_too=options.is_page)


def _write(options: Options, statuses: list[JobStatus], inputs: list[str], before: str = "") -> None:
    """Write the statuses; on a terminal after the text `before`."""
    shown = _format(statuses, "html" if options.is_page else options.format or "text")
    if before and is_stream(options.output):
        to_stdout(before + shown)
    else:
        write_text(shown, options.output, inputs)


def _query(wanted: list[Subject]) -> list[Object]:
    """Return the objects of jobs in the cluster. Raises KubectlError, without kubectl with the line for a shell."""
    if not wanted:
        return []
    if shutil.which("kubectl") is None:
        raise MissingKubectl(shell_line(queries(wanted)))
    return cluster_objects(queries(wanted))


def _print_command(job: str, target: Target, messages: Messages) -> int:
    """Print the commands of kubectl for a job as a line; return the exit code."""
    wanted, outcome = subjects(job, target)
    if not messages.report(outcome, [job]):
        return WRONG_INPUT
    to_stdout(f"{shell_line(queries(wanted))}\n")
    return OK


def _watch_status(job: str, target: Target, options: Options) -> int:
    """Print the status of a job until it has ended; return the exit code."""
    wanted, outcome = subjects(job, target)
    if not options.messages.report(outcome, [job]):
        return WRONG_INPUT
    names = {each.name for each in wanted}
    files = {} if job == "-" or names_job(job) else dict.fromkeys(names, job)

    def show(objects: list[Object], before: str) -> list[JobStatus]:
        statuses = _statuses(options, objects, files)
        # Without a label for its pods, a query prints those of other jobs, too.
        own = [each for each in statuses if each.name in names]
        if own:
            _write(options, own, [], before)
        else:
            options.messages.report(_missing(job, objects, target), [job])
        return own

    return watch(queries(wanted), options.interval, show)


def _missing(job: str, objects: list[Object], target: Target) -> Outcome:
    """Return the error about a job that is not in the cluster, or was compiled for another back end."""
    start = Span(Source("kubectl", ""), 1, 1, 1, 2)
    all_labels = (mapping(each, "metadata", "labels") for each in objects)
    owned = [each for each in all_labels if each.get(JOB_LABEL) == job]
    # Of the labels of a controller, those without a prefix are Kubernetes' own, too.
    labels = {label for each in owned for label in each if "/" in label}
    if not owned:
        message, help_ = f"the cluster has no pod and no object of job `{job}`", None
    else:
        others = (name for name in NAMES if traits(name).job_label in labels and name != target.backend)
        options = " or ".join(f"`--backend {name}`" for name in others)
        message = f"job `{job}` has objects, but no {traits(target.backend).kind}: it has another back end"
        help_ = f"add {options or '`--backend NAME`'}"
    return Outcome(jobs=[], diagnostics=[error(codes.EMPTY_INPUT, message, start, help=help_)])


def _read(files: list[str]) -> tuple[list[Object], list[Source], Outcome]:
    """Return the objects of a cluster in files, and the files with jobs that only a cluster has."""
    sources, diagnostics = read_files(files, MAXIMUM_BYTES)
    objects: list[Object] = []
    jobs: list[Source] = []
    skipped: list[str] = []
    for source in sources:
        objects_in_file, problems = read_objects(source)
        if isinstance(source.name, ListedFile) and [each.code for each in problems] == [codes.EMPTY_INPUT]:
            skipped.append(source.name)
            continue
        if source.name != STDIN and is_job_file(objects_in_file):
            jobs.append(source)
        else:
            objects += objects_in_file
        diagnostics += problems
        if problems:
            redact_excerpts(source)
    return objects, jobs, Outcome(jobs=[], diagnostics=in_order(diagnostics), skipped=skipped)


def _format(statuses: list[JobStatus], form: str) -> str:
    if form == "json":
        return to_json(statuses)
    if form == "html":
        from trainc.status.formats.html_page import html_page

        return html_page(statuses)
    return format_report([report(each) for each in statuses], form)
