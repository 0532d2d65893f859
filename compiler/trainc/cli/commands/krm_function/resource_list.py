"""KRM function: a ResourceList in, a ResourceList out, as kustomize starts it.

https://github.com/kubernetes-sigs/kustomize/blob/kyaml/v0.20.1/cmd/config/docs/api-conventions/functions-spec.md
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.cli.commands.krm_function import Options
from trainc.cli.embedded_jobs import EmbeddedJobs, compile_embedded, is_job, read_manifests
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import job_files, read_files
from trainc.cli.settings import Values
from trainc.cli.streams import to_stdout
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.formats.strings import replace_surrogates
from trainc.emit.block import document
from trainc.emit.manifest import Manifest
from trainc.emit.scalar import Fragment
from trainc.record import Record
from trainc.source.node import Mapping, Node, Sequence, scalar_text
from trainc.span import STDIN, Span
from trainc.systems.registry import DEFAULT
from trainc.systems.shared.reader.tree import child
from trainc.target import Target
from trainc.typenames import Any
from trainc.well_known import API_VERSION, GENERATOR, KIND, TRANSFORMER

GROUP_OF_LISTS, LIST = "config.kubernetes.io/", "ResourceList"
# kustomize passes a generator its own configuration as an item, which no output contains.
_LOCAL = "config.kubernetes.io/local-config"
_FIELDS = {GENERATOR: ("files",), TRANSFORMER: ()}
_SEVERITIES = {"error": "error", "warning": "warning", "note": "info"}


class ResourceList(Record):
    """List on standard input; `config` are the jobs and files of its functionConfig."""

    version: str
    items: list[Node]
    job: Mapping | None
    files: list[str]

    def job_files(self) -> list[str]:
        """Return the files that the function's configuration names."""
        return job_files(self.files)

    def compile(self, target: Target, values: Values) -> EmbeddedJobs:
        """Compile the jobs of items, functionConfig and files."""
        sources, errors = read_files(self.job_files())
        own = [_without_local(item) for item in self.items]
        return compile_embedded([*own, *([self.job] if self.job else [])], target, values, sources, errors)

    def text(self, result: EmbeddedJobs, diagnostics: list[Diagnostic]) -> str:
        """Return the list with the manifests of each job in its place, and those of files at the end."""
        manifests: list[Any] = []
        for position, item in enumerate([*self.items, *([self.job] if self.job else [])]):
            manifests += result.manifests.get(position, [item])
        manifests += result.generated
        items = [each.data() if isinstance(each, Manifest) else _verbatim(each) for each in manifests]
        values = {"apiVersion": self.version, "kind": LIST, "items": items}
        if diagnostics:
            values["results"] = [_result(each) for each in diagnostics]
        return document(values)


def replace_jobs_of_list(options: Options) -> int:
    """Print the list on standard input with the manifests of its jobs; return the exit code."""
    target = options.cluster.target(options.backend or DEFAULT)
    resources = read_list()
    if isinstance(resources, list):
        return options.messages.report_failure(resources, ["-"])
    projects = options.project.stating(options.backend).projects(["-", *resources.job_files()])
    messages = options.messages.of_project(projects)
    embedded = resources.compile(target, options.values.of(projects))
    diagnostics = messages.selected(embedded.outcome.diagnostics)
    passes = messages.report(embedded.outcome, ["-"])
    to_stdout(resources.text(embedded, diagnostics))
    return OK if passes else WRONG_INPUT


def read_list() -> ResourceList | list[Diagnostic]:
    """Return the list on standard input, or the errors of one that is invalid."""
    documents, source, errors = read_manifests()
    if errors:
        return errors
    node = documents[0] if documents else Mapping({}, Span(source, 1, 1, 1, 2))
    version = scalar_text(child(node, "apiVersion"))
    items = child(node, "items")
    if len(documents) > 1 or scalar_text(child(node, "kind")) != LIST or not version.startswith(GROUP_OF_LISTS):
        message = "standard input is not a ResourceList, which kustomize passes to a KRM function"
        return [error(codes.INVALID_VALUE, message, node.span.first, help="run `trainc compile` for job files")]
    if items is not None and not isinstance(items, Sequence):
        return [error(codes.WRONG_TYPE, "`items` must be a list", items.span)]
    config = child(node, "functionConfig")
    problems = list(_config_problems(config)) if isinstance(config, Mapping) else []
    if problems:
        return problems
    is_own = isinstance(config, Mapping) and is_job(config)
    has_job = is_own and scalar_text(child(config, "kind")) not in _FIELDS
    files = child(config, "files") if is_own and not has_job else None
    return ResourceList(
        version=version,
        items=items.items if isinstance(items, Sequence) else [],
        job=config if has_job and isinstance(config, Mapping) else None,
        files=[scalar_text(file) for file in files.items] if isinstance(files, Sequence) else [],
    )


def _config_problems(config: Mapping) -> Iterator[Diagnostic]:
    """Yield the errors of a functionConfig of trainc; a job is checked like any other, and other kinds are ignored."""
    kind = scalar_text(config.get("kind"))
    if not is_job(config) or kind not in _FIELDS:
        return
    for name, entry in config.entries.items():
        if name not in ("apiVersion", "kind", "metadata", *_FIELDS[kind]):
            yield error(codes.UNKNOWN_FIELD, f"unknown field `{name}` of {kind}", entry.key.span, help="remove it")
    files = config.get("files")
    if kind != GENERATOR:
        return
    if files is None:
        help_ = "add `files: [job.yaml]`"
        yield error(codes.MISSING_FIELD, f"`files` of {kind} is missing", config.where("kind"), help=help_)
    elif not isinstance(files, Sequence) or not all(map(scalar_text, files.items)):
        yield error(codes.WRONG_TYPE, "`files` must be a list of job files or directories", files.span.first)


def _without_local(item: Node) -> Node:
    """Return an item, an empty mapping in place of a function's configuration."""
    is_local = scalar_text(child(item, "metadata", "annotations", _LOCAL)) == "true"
    return Mapping({}, item.span) if is_local or not isinstance(item, Mapping) else item


def _verbatim(node: Node) -> Any:
    """Return a tree for emission, with numbers as they are written."""
    if isinstance(node, Mapping):
        return {key: _verbatim(value) for key, value in node.items()}
    if isinstance(node, Sequence):
        return [_verbatim(item) for item in node.items]
    return Fragment(node.text) if isinstance(node.value, int | float) else node.value


def _result(diagnostic: Diagnostic) -> dict[str, Any]:
    source = diagnostic.span.source
    job = source.name.removeprefix(f"{STDIN} {KIND}/")
    place: dict[str, Any] = {"file": {"path": replace_surrogates(source.name)}} if source.is_file else {}
    if job != source.name:
        place = {"resourceRef": {"apiVersion": API_VERSION, "kind": KIND, "name": replace_surrogates(job)}}
    help_ = f"; help: {diagnostic.help}" if diagnostic.help else ""
    return {
        "message": replace_surrogates(f"{diagnostic.message}{help_}"),
        "severity": _SEVERITIES[diagnostic.severity],
        **place,
        "tags": {"code": diagnostic.code.id},
    }
