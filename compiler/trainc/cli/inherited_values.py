"""Values of a job that are not in its file: from the project file or --set, with the positions where they are."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiled import Compiled
from trainc.provenance.variants import stated_options
from trainc.report.document import Fact, Facts
from trainc.schema.paths import Path, dotted
from trainc.source.node import Mapping, Node
from trainc.span import Source, Span


def inherited_fields(job: Compiled) -> dict[Path, str]:
    """Return the places of the outermost fields that are not in the job file."""
    own = job.spec.metadata.where("name").source  # no project file has a name
    return {path: place for name, node in job_sections(job).items() for path, place in _inside(node, (name,), own)}


def inherited_options(job: Compiled) -> dict[str, str]:
    """Return the places of the back end and the versions that the command does not state, by the options for them."""
    return {f"{option} {value}": _place(where) for option, value, where in stated_options(job.target)}


def inherited_facts(job: Compiled) -> tuple[Facts, ...]:
    """Return a block with the options and fields that are not in the job file, and their places; none without any."""
    options = inherited_options(job)
    fields = {dotted(path[path[0] == "spec" :]): place for path, place in inherited_fields(job).items()}
    facts = tuple(Fact(name=name, text=place) for name, place in {**options, **fields}.items())
    return (Facts(title="Values from other files", facts=facts, is_code=True),) if facts else ()


def job_sections(job: Compiled) -> dict[str, Node]:
    """Return the sections of the whole job, without what `mode.resumed` changes."""
    return {"metadata": job.spec.metadata.node, "spec": job.spec.paused_spec or job.spec.node}


def _inside(node: Node, path: Path, own: Source) -> Iterator[tuple[Path, str]]:
    for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
        where = entry.key.span
        if where.source.name != own.name:
            yield (*path, name), _place(where)
        else:
            yield from _inside(entry.value, (*path, name), own)


def _place(where: Span) -> str:
    """Return the position of a field; the name of an option has its value, which may be secret."""
    source = where.source
    return f"{source.name}:{where.line}" if source.is_file else source.name.partition(" ")[0]
