"""The values that a job gets from a project file, for a plan."""

from __future__ import annotations

from trainc.cli.inherited_values import inherited_fields, inherited_options
from trainc.compiled import Compiled
from trainc.report.document import Fact, Facts
from trainc.schema.paths import dotted


def inherited_facts(job: Compiled) -> tuple[Facts, ...]:
    """Return a block with the options and fields that are not in the job file, and their places; none without any."""
    options = inherited_options(job)
    fields = {dotted(path[path[0] == "spec" :]): place for path, place in inherited_fields(job).items()}
    facts = tuple(Fact(name=name, text=place) for name, place in {**options, **fields}.items())
    return (Facts(title="Values from other files", facts=facts, is_code=True),) if facts else ()
