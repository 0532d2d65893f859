"""Jobs among other manifests: each is replaced by its own manifests, and all others stay as they are."""

from __future__ import annotations

from trainc.cli.compilation import source_compiler
from trainc.cli.input_files import read_files
from trainc.cli.settings import Values
from trainc.cli.skipped import inputs_with_jobs
from trainc.compiled import Input, Outcome
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import compile_inputs
from trainc.emit.block import document
from trainc.emit.manifest import Manifest
from trainc.passthrough import manifest_of
from trainc.record import Record
from trainc.secrets.mask import redact_excerpts
from trainc.source.load import MANIFESTS_BYTES, load
from trainc.source.node import Mapping, Node, plain, scalar_text
from trainc.span import STDIN, Source
from trainc.systems.shared.reader.documents import is_other_object
from trainc.systems.shared.reader.tree import child
from trainc.target import Target
from trainc.typenames import Any
from trainc.well_known import GROUP, KIND

# Annotations by which tools pass objects to a program and recognize them in its output. A job's objects are new.
# https://github.com/kubernetes-sigs/kustomize/blob/kyaml/v0.20.1/kyaml/kio/kioutil/kioutil.go
# https://github.com/kubernetes-sigs/kustomize/blob/api/v0.20.1/api/internal/plugins/utils/utils.go
# https://github.com/helm/helm/blob/v4.3.1/pkg/action/action.go
_FILE_NAME = "postrenderer.helm.sh/postrender-filename"
_INTERNAL = ("config.kubernetes.io/", "internal.config.kubernetes.io/", "config.k8s.io/", "kustomize.config.k8s.io/")


class EmbeddedJobs(Record):
    """Result: the manifests of each job by its position among the documents, and those of further files."""

    outcome: Outcome
    manifests: dict[int, list[Manifest]]
    generated: list[Manifest]


def read_manifests() -> tuple[list[Node], Source, list[Diagnostic]]:
    """Return the documents on standard input, their text, and its errors."""
    sources, errors = read_files(["-"], MANIFESTS_BYTES)
    if errors:
        return [], Source(STDIN, ""), errors
    documents, problems = load(sources[0], MANIFESTS_BYTES)
    return documents, sources[0], problems


def is_job(document: Node) -> bool:
    """Return whether a document is a job file of trainc; other groups have a TrainingJob, too."""
    version = scalar_text(document.get("apiVersion")) if isinstance(document, Mapping) else ""
    return version.startswith(f"{GROUP}/")


def compile_embedded(
    documents: list[Node],
    target: Target,
    values: Values,
    files: list[Source] | None = None,
    errors: list[Diagnostic] | None = None,
) -> EmbeddedJobs:
    """Compile the jobs among documents, checked against the others, and those of files that were read, with errors."""
    positions = [position for position, each in enumerate(documents) if is_job(each)]
    sources = [_source(plain(documents[position])) for position in positions]
    others = _named_objects(documents)

    def build(inputs: list[Input], target: Target) -> Outcome:
        inputs, skipped = inputs_with_jobs(inputs)
        if inputs and others:
            objects = [(0, each) for each in others]
            inputs = [inputs[0].replace(objects=[*objects, *inputs[0].objects]), *inputs[1:]]
        return compile_inputs(inputs, target).replace(skipped=skipped)

    outcome = source_compiler([*sources, *(files or [])], errors or [], values, build)(target)
    if outcome.diagnostics and others:
        redact_excerpts(others[0].span.source)
    count = len(positions)
    own = outcome.without_other_objects().jobs[:count]
    return EmbeddedJobs(
        outcome=outcome,
        manifests={position: job.manifests() for position, job in zip(positions, own, strict=False)},
        generated=[manifest for job in outcome.jobs[count:] for manifest in job.manifests()],
    )


def replace_jobs(documents: list[Node], manifests: dict[int, list[Manifest]]) -> str:
    """Return the stream of documents, with the manifests of each job in its place and of its file."""
    texts: list[str] = []
    for position, each in enumerate(documents):
        if position in manifests:
            file = scalar_text(child(each, "metadata", "annotations", _FILE_NAME))
            texts += [_with_file(manifest, file) for manifest in manifests[position]]
        else:
            texts.append(manifest_of(each).text if isinstance(each, Mapping) else document(plain(each)))
    return "---\n".join(texts)


def _with_file(manifest: Manifest, file: str) -> str:
    """Return a manifest with Helm's annotation of the template that it comes from, which Helm removes."""
    if not file:
        return manifest.text
    values = manifest.data()
    values["metadata"].setdefault("annotations", {})[_FILE_NAME] = file
    return document(values)


def _named_objects(documents: list[Node]) -> list[Mapping]:
    """Return the objects that jobs may refer to; a chart may contain one twice, as a hook."""
    objects: dict[tuple[str, str, str], Mapping] = {}
    for each in documents:
        name, namespace = (scalar_text(child(each, "metadata", field)) for field in ("name", "namespace"))
        if name and isinstance(each, Mapping) and is_other_object(each):
            objects.setdefault((scalar_text(each.get("kind")), namespace, name), each)
    return [*objects.values()]


def _source(job: Any) -> Source:
    """Return a job as a file of its own, without the annotations of the tool that passes it."""
    metadata = job.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict):
        left = {each: value for each, value in annotations.items() if not each.startswith(_INTERNAL)}
        left.pop(_FILE_NAME, None)
        metadata["annotations"] = left
        if not left:
            del metadata["annotations"]
    return Source(f"{STDIN} {KIND}/{name}" if isinstance(name, str) else STDIN, document(job))
