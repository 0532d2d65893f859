"""Shell completion of option values and arguments. Where it has nothing, the shell completes file names."""

from __future__ import annotations

from trainc.pages import all_codes, topics
from trainc.schema.fields import UnknownField, field
from trainc.systems.registry import backend_names

_SPEC = "spec."


def backends(incomplete: str) -> list[str]:
    """Return the back ends, plug-ins among them."""
    return _starting(incomplete, backend_names())


def codes(incomplete: str) -> list[str]:
    """Return ids and names of diagnostic codes."""
    return _starting(incomplete, [name for code in all_codes() for name in (code.id, code.name)])


def subjects(incomplete: str) -> list[str]:
    """Return the subjects of `trainc explain`; the paths of fields may lack `spec.`."""
    short = [path.removeprefix(_SPEC) for path in fields(_SPEC + incomplete)] if incomplete else []
    return [*codes(incomplete), *_starting(incomplete, topics()), *fields(incomplete), *short]


def assignments(incomplete: str) -> list[str]:
    """Return the fields that `--set` can change, each with `=`."""
    return [f"{path}=" for path in fields(incomplete)]


def fields(incomplete: str) -> list[str]:
    """Return the paths of the fields at the level that is being typed."""
    try:
        parent = field(incomplete.rpartition(".")[0])
    except UnknownField:
        return []
    return _starting(incomplete, [child.path for child in parent.children()])


def _starting(incomplete: str, names: list[str] | tuple[str, ...]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
