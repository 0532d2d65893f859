"""Other objects in a job file: they are written unchanged, in their place, and checked against what the jobs mount."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from trainc.compiled import Compiled, Input
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.emit.block import document as emit
from trainc.emit.manifest import Manifest
from trainc.ir.job import Job
from trainc.ir.pod import Colocation
from trainc.judge.api_server import OF_FILE
from trainc.judge.objects import companion_rejections
from trainc.schema.hints import nearest
from trainc.schema.paths import node_at
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, plain, scalar_text
from trainc.span import LINE_BREAKS, Source, Span
from trainc.systems.registry import is_template
from trainc.target import Target
from trainc.well_known import HOSTNAME_LABEL

_LINE = re.compile(f".*?(?:{'|'.join(LINE_BREAKS)}|$)", re.DOTALL)
# Schema of the file for editors, which is not that of the object:
# https://github.com/redhat-developer/yaml-language-server#using-inlined-schema
_MODELINE = re.compile(r"[ \t]*#[ \t]*yaml-language-server[ \t]*:")
_MARKER = re.compile(r"(---|\.\.\.)(\s|$)")
# Fields that refer to an object, its kind, and the field with its name:
# https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume/
_REFERENCES = {
    "configMap": ("ConfigMap", "name"),
    "configMapRef": ("ConfigMap", "name"),
    "configMapKeyRef": ("ConfigMap", "name"),
    "secret": ("Secret", "secretName"),
    "secretRef": ("Secret", "name"),
    "secretKeyRef": ("Secret", "name"),
    "persistentVolumeClaim": ("PersistentVolumeClaim", "claimName"),
}
_CONTENTS = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}


def manifest_of(document: Mapping) -> Manifest:
    """Return an object as it stands in its file: with its comments, quotes and order."""
    kind, name = _key(document)
    namespace = scalar_text(node_at(document, ("metadata", "namespace"))) or None
    return Manifest(kind=kind, name=name, namespace=namespace, object=document, written=_text(document))


def _text(document: Mapping) -> str:
    """Return the lines of a document; its values in block style if they aren't a document of their own."""
    lines = _lines(document.span.source.text)
    start = end = document.span.line - 1
    while start and not _MARKER.match(lines[start - 1]):
        start -= 1
    while end < len(lines) and not _MARKER.match(lines[end]):
        end += 1
    above = (line for line in lines[start : document.span.line - 1] if not _MODELINE.match(line))
    text = "".join([*above, *lines[document.span.line - 1 : end]])
    text += "" if text.endswith("\n") else "\n"
    documents, problems = load(Source("", text))
    # kubectl splits a stream at every line that starts with dashes.
    is_whole = not problems and len(documents) == 1 and not any(line.startswith("---") for line in lines[start:end])
    return text if is_whole and plain(documents[0]) == plain(document) else emit(plain(document))


@lru_cache(maxsize=1)
def _lines(text: str) -> list[str]:
    lines: list[str] = _LINE.findall(text)
    return lines


def object_diagnostics(inputs: list[Input], target: Target, jobs: list[Compiled]) -> Iterator[Diagnostic]:
    """Report objects that can't be created, that exist twice, and references of jobs to what an object lacks.

    `jobs` are those of all specs of the inputs.
    """
    yield from _invalid_objects(inputs, target, [job.job for job in jobs])
    yield from _duplicate_objects(inputs, {each.key: job.job.origin for job in jobs for each in job.objects})


def _invalid_objects(inputs: list[Input], target: Target, jobs: list[Job]) -> Iterator[Diagnostic]:
    objects = [each for item in inputs for _, each in item.objects]
    for each in objects:
        kind, name = _key(each)
        if not name and not kind.endswith("List"):
            yield error(codes.MISSING_FIELD, "`metadata.name` is missing", each.where("kind"))
    yield from companion_rejections(objects, OF_FILE)
    known = {_key(each): each for each in objects}
    if not known:
        return
    for spec, job in zip((spec for item in inputs for spec in item.specs), jobs, strict=True):
        namespace = target.namespace or spec.metadata.namespace
        for kind, name, field, reference in _references(spec.node):
            referred = known.get((kind, name))
            if referred is None:
                continue
            yield from _other_namespace(referred, kind, name, namespace, reference.where(field))
            if kind == "PersistentVolumeClaim":
                yield from _access(referred, name, job, reference.where(field))
            if scalar_text(reference.get("optional")) != "true":
                yield from _missing_keys(referred, kind, name, reference)


def other_keys(item: Input) -> list[tuple[str, str | None, str]]:
    """Return kind, namespace and name of the other objects of a file."""
    manifests = [manifest_of(each) for _, each in item.objects]
    return [(each.kind, each.namespace, each.name) for each in manifests]


def references_of(item: Input) -> set[tuple[str, str]]:
    """Return kind and name of the objects to which the jobs of a file refer."""
    if not any(field in item.source.text for field in _REFERENCES):
        return set()
    return {(kind, name) for spec in item.specs for kind, name, _, _ in _references(spec.node)}


def _key(each: Mapping) -> tuple[str, str]:
    return scalar_text(each.get("kind")), scalar_text(node_at(each, ("metadata", "name")))


def _references(spec: Node) -> Iterator[tuple[str, str, str, Mapping]]:
    """Yield the kind and name of each object that a job refers to, the field of the name, and the reference."""
    nodes = [spec]
    for node in nodes:  # `nodes` grows in the loop
        if isinstance(node, Sequence):
            nodes += [item for item in node.items if type(item) is not Scalar]
        elif isinstance(node, Mapping):
            for key, entry in node.entries.items():
                value = entry.value
                if type(value) is Scalar:
                    continue
                nodes.append(value)
                if key in _REFERENCES and isinstance(value, Mapping):
                    kind, field = _REFERENCES[key]
                    field = field if field in value.entries else "name"  # of a projected volume
                    yield kind, scalar_text(value.get(field)), field, value


def _access(claim: Mapping, name: str, job: Job, where: Span) -> Iterator[Diagnostic]:
    """Report a claim that fewer pods can mount than the job has.

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
    """
    spec = claim.get("spec")
    listed = node_at(claim, ("spec", "accessModes"))
    modes = {scalar_text(item) for item in listed.items} if isinstance(listed, Sequence) else set()
    pods, placement = job.replicas.maximum, job.pod.placement
    on_one_node = HOSTNAME_LABEL in (placement.node_selector or {}) or placement.colocation == Colocation(
        key=HOSTNAME_LABEL, required=True
    )
    if not isinstance(spec, Mapping) or pods < 2:
        return
    related = [(spec.where("accessModes"), "its access mode")]
    if modes == {"ReadWriteOncePod"}:
        message = f"claim `{name}` allows one pod, but {pods} pods mount it: the others stay Pending"
        yield error(codes.CLAIM_NOT_SHARED, message, where, help="use ReadWriteMany", related=related)
    elif modes == {"ReadWriteOnce"} and not on_one_node:
        message = f"claim `{name}` is attached to one node: workers on other nodes stay in ContainerCreating"
        yield warning(codes.CLAIM_NOT_SHARED, message, where, help="use ReadWriteMany", related=related)


def _other_namespace(target: Mapping, kind: str, name: str, namespace: str | None, where: Span) -> Iterator[Diagnostic]:
    own = scalar_text(node_at(target, ("metadata", "namespace")))
    if (own or None) == namespace or (not own and not namespace):
        return
    related = [(target.where("kind"), f"in namespace `{own}`" if own else "without a namespace")]
    job = f"in namespace `{namespace}`" if namespace else "without a namespace"
    message = f"the job is {job}, but {kind} `{name}` is {related[0][1]}"
    yield warning(codes.OTHER_NAMESPACE, message, where, help="write the same namespace in both", related=related)


def _missing_keys(target: Mapping, kind: str, name: str, reference: Mapping) -> Iterator[Diagnostic]:
    """Report keys that the object lacks: the pod stays in ContainerCreating or CreateContainerConfigError."""
    if kind not in _CONTENTS:
        return
    sections = [target.get(section) for section in _CONTENTS[kind]]
    keys = [key for section in sections if isinstance(section, Mapping) for key in section.entries]
    for part in [reference, *mappings(reference.get("items"))]:
        key = scalar_text(part.get("key"))
        if key and key not in keys:
            guess = nearest(key, keys)
            help_ = f"did you mean {guess}?" if guess else "add the key, or set `optional: true`"
            related = [(target.where("kind"), "defined here")]
            message = f"{kind} `{name}` has no key `{key}`: the pods would not start"
            yield error(codes.MISSING_KEY, message, part.where("key"), help=help_, related=related)


def with_objects(inputs: list[Input], jobs: list[Compiled]) -> list[Compiled]:
    """Return each job with the objects above it in its file, and below it, if it is the last one, and those it uses.

    `jobs` are those of all specs of the inputs.
    """
    known = {_key(each): each for item in inputs for _, each in item.objects}
    placed: list[Compiled] = []
    for item in inputs:
        own = jobs[len(placed) : len(placed) + len(item.specs)]
        above: list[list[Manifest]] = [[] for _ in own]
        below: list[Manifest] = []
        for count, each in item.objects if own else ():
            (above[count] if count < len(own) else below).append(manifest_of(each))
        for job, objects in zip(own, above, strict=True):
            rest = below if job is own[-1] else []
            placed.append(job.replace(above=objects, below=rest, used=_used(job, known)))
    return placed


def _used(job: Compiled, objects: dict[tuple[str, str], Mapping]) -> list[Manifest]:
    """Return the objects that a job's pods use, wherever they stand."""
    names = dict.fromkeys((kind, name) for kind, name, _, _ in _references(job.spec.node))
    runtime = scalar_text(job.spec.scheduling.node.get("runtime"))
    keys = [key for key in objects if key in names or (key[1] == runtime and is_template(key[0]))]
    return [manifest_of(objects[key]) for key in keys]


def _duplicate_objects(inputs: list[Input], owners: dict[tuple[str, str | None, str], Span]) -> Iterator[Diagnostic]:
    """Report objects that a job creates, too, or that the input contains twice; `owners` are those of the jobs."""
    for each in (each for item in inputs for _, each in item.objects):
        manifest, where = manifest_of(each), each.where("kind")
        first = owners.setdefault((manifest.kind, manifest.namespace, manifest.name), where)
        if first is not where and manifest.name:
            message = f"`{manifest.kind}/{manifest.name}` exists twice: applying one overwrites the other"
            related = [(first, "creates it too")]
            yield error(codes.DUPLICATE_OBJECT, message, where, help="rename one of them", related=related)
