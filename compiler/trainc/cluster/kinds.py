"""Kinds of custom resources that the objects of a job need in a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.cluster.entry import Entry
from trainc.compiled import Compiled
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.driver import check, manifests
from trainc.plan.fields import Object, api_group, items, listed, text
from trainc.systems.registry import DEFAULT, NAMES, traits


def kind_problems(job: Compiled, objects: list[Object], entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error for each object whose kind or version the cluster does not serve."""
    unserved = list(_unserved(objects, entry))
    name = _other_backend(job, entry) if unserved else None
    other = f", or use `--backend {name}`" if name else ""
    for message, help_ in unserved:
        yield error(codes.KIND_NOT_INSTALLED, message, job.job.origin, help=help_ + other)


def _unserved(objects: Iterable[Object], entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield a message and a help for each object of a kind or version that the cluster lacks."""
    known = {(text(each, "group"), text(each, "kind")): each for each in items(entry.spec, "customResources")}
    for each in objects:
        group, kind, version = api_group(each), text(each, "kind"), text(each, "apiVersion").rpartition("/")[2]
        if "." not in group or group.endswith(".k8s.io"):
            continue  # Kubernetes' own
        if (group, kind) not in known:
            message = f"cluster `{entry.name}` has no CustomResourceDefinition of {kind} in {group}"
            yield message, "install its operator"
        elif version not in (versions := list(map(str, listed(known[group, kind], "versions")))):
            served = ", ".join(versions) or "no version"
            yield (
                f"cluster `{entry.name}` serves {kind} in {group} as {served}, not as {version}",
                "update its operator",
            )


def _other_backend(job: Compiled, entry: Entry) -> str | None:
    """Return the first back end that compiles the job without errors and emits only kinds that the cluster serves."""
    names = dict.fromkeys((DEFAULT, *NAMES))
    return next((name for name in names if _is_possible(name, job, entry)), None)


def _is_possible(name: str, job: Compiled, entry: Entry) -> bool:
    main = traits(name)
    if any(_unserved([{"kind": main.kind, "apiVersion": main.api_versions[0]}], entry)):
        return False  # without the cost of a compilation
    target = job.target.replace(backend=name)
    if any(each.severity == "error" for each in check(job.spec, target)):
        return False
    return not any(_unserved((each.data() for each in manifests(job.spec, target)), entry))
