"""Job in a cluster: a file, a name, or kind and name as kubectl writes them."""

from __future__ import annotations

import os
import re

from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.parameters import InvalidParameter
from trainc.compiled import Outcome
from trainc.driver import run
from trainc.plan.fields import Object, api_group, text
from trainc.plan.models import controls_workers
from trainc.span import Source
from trainc.status.documents import parse_objects
from trainc.status.queries import Subject
from trainc.systems.registry import is_backend, traits
from trainc.target import Target
from trainc.well_known import API_VERSION, KIND, QUEUE_LABEL

_FILES = (".yaml", ".yml", ".json")
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names; kinds of any group
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9.-]{0,200}")


def names_job(word: str) -> bool:
    """Return whether an argument is the name of a job, or kind and name, and no file."""
    kind, slash, name = word.rpartition("/")
    is_file = isinstance(word, ListedFile) or word.endswith(_FILES) or os.path.lexists(word)
    return not is_file and bool(_NAME.fullmatch(name)) and (not slash or bool(_KIND.fullmatch(kind)))


def is_job_file(objects: list[Object]) -> bool:
    """Return whether objects are a job as it is written into a file, not as an API server has it."""
    return not any(map(is_live, objects)) and any(is_own(each) or controls_workers(each) for each in objects)


def is_live(manifest: Object) -> bool:
    """Return whether an object is as an API server has it."""
    return bool(text(manifest, "metadata", "uid")) or "status" in manifest


def is_own(manifest: Object) -> bool:
    """Return whether an object is a TrainingJob."""
    return (text(manifest, "apiVersion"), text(manifest, "kind")) == (API_VERSION, KIND)


def subjects(job: str, target: Target) -> tuple[list[Subject], Outcome]:
    """Return the jobs, and the diagnostics of a file. Raises InvalidParameter for what is neither file nor name."""
    if job == "-" or job.endswith(_FILES) or os.path.isfile(job):
        sources, errors = read_files([job])
        return ([], Outcome(jobs=[], diagnostics=errors)) if errors else of_sources(sources, target)
    kind, slash, name = job.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not _KIND.fullmatch(kind)):
        raise InvalidParameter(f"{job!r} is neither a file, nor NAME or KIND/NAME", "JOB")
    namespace = target.namespace or ""
    subject = Subject(kind=kind, name=name, namespace=namespace, has_label=not slash)
    if not kind or is_backend(kind):  # whose name may be the short name of a kind
        system = traits(kind or target.backend)
        subject = subject.replace(kind=system.kind, group=_group(system.api_versions[0]))
    return [subject], Outcome(jobs=[], diagnostics=[])


def of_sources(sources: list[Source], target: Target) -> tuple[list[Subject], Outcome]:
    """Return the jobs of files: those that another system runs as they are, others as trainc compiles them."""
    objects = [each for source in sources for each in parse_objects(source)[0]]
    foreign = [each for each in objects if controls_workers(each)]
    if foreign:
        return [_foreign(each, target) for each in foreign], Outcome(jobs=[], diagnostics=[])
    outcome = run(sources, target)
    system = traits(target.backend)
    compiled = [
        Subject(
            kind=system.kind,
            name=each.job.name,
            namespace=each.job.namespace or "",
            has_label=True,
            is_queued=each.job.queue is not None,
            group=_group(target.controller_version) or _group(system.api_versions[0]),
        )
        for each in outcome.jobs
    ]
    return compiled, outcome


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def _foreign(manifest: Object, target: Target) -> Subject:
    return Subject(
        kind=text(manifest, "kind"),
        name=text(manifest, "metadata", "name"),
        namespace=target.namespace or text(manifest, "metadata", "namespace"),
        is_queued=bool(text(manifest, "metadata", "labels", QUEUE_LABEL)),
        group=api_group(manifest),
    )
