"""Pages of `trainc explain` about the systems that run jobs."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.systems.registry import DEFAULT, NAMES, System, find, of_kind

_OVERVIEW = ("backend", "backends", "back-ends", "systems", "spec.backend")
# Parts of a system, and what trainc does with its objects if they exist.
_USES = {"reader": "reads", "objects": "writes", "model": "plans", "rehearsal": "rehearses"}


def system_page(subject: str) -> str:
    """Return the page of a system, by name or kind, or that of all back ends, as Markdown; empty for other subjects."""
    if subject in _OVERVIEW:
        return _overview()
    system = _find_system(subject)
    if system is None:
        return ""
    return "\n\n".join([f"# {system.name}: {system_title(system)}", "\n".join(f"- {line}" for line in _lines(system))])


def _find_system(subject: str) -> System | None:
    try:
        return find(subject)
    except KeyError:
        return of_kind(subject)


def _overview() -> str:
    lines = ["# back ends", "`--backend NAME` selects the system that runs the job; the job file has no field for it."]
    rows = [f"- {name}: {system_title(find(name))}{' (default)' if name == DEFAULT else ''}" for name in NAMES]
    lines += ["\n".join(rows), "One of them: `trainc explain NAME`. They are compared in docs/back-ends.md."]
    return "\n\n".join(lines)


def system_title(system: System) -> str:
    """Return the kind of a system and what runs it."""
    traits = system.traits
    return f"{traits.kind} of {traits.api_versions[0]}, run by {traits.operator or 'Kubernetes'}"


def _lines(system: System) -> Iterator[str]:
    traits = system.traits
    uses = [use for part, use in _USES.items() if part in system.parts]
    if uses:
        yield f"trainc {', '.join(uses)} its objects."
    if "objects" not in system.parts:
        yield "It is not a back end: trainc compiles no job to it."
        return
    if traits.versions:
        yield f"Releases: {', '.join(traits.versions)} (`--target {traits.version_name}=VERSION`)."
    if traits.scale_by_hand:
        yield f"Number of workers of a running elastic job: {traits.scale_by_hand}"
    elif not traits.scales_fixed_worlds:
        yield "The number of workers of a running job can't change."
    for path, reason in traits.unsupported_fields.items():
        yield f"`{path}` is not supported: {reason}."
