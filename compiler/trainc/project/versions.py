"""`versions`: versions of Kubernetes and of controllers, as --kubernetes-version and --target have them."""

from __future__ import annotations

from functools import cache

from trainc.source.node import Mapping, scalar_text
from trainc.span import Span
from trainc.systems import registry
from trainc.target import InvalidTarget, Target, parse_target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cluster.entry import Entry

_KUBERNETES = "kubernetes"


def version_problem(name: str, version: str) -> str | None:
    """Return what is wrong with a version, None if it is valid."""
    try:
        _parsed(((name, version),))
    except InvalidTarget as problem:
        return str(problem)
    return None


def with_versions(target: Target, versions: Mapping) -> Target:
    """Return a target with the versions of a project, which are valid; those that the target states stay."""
    own = _parsed(tuple((name, scalar_text(node)) for name, node in versions.items()))
    return _with(target, own, {name: node.span for name, node in versions.items()})


def with_entry(target: Target, entry: Entry) -> Target:
    """Return a target with the versions of a cluster; those that the target states stay."""
    kubernetes = {_KUBERNETES: entry.kubernetes} if entry.kubernetes else {}
    versions = {**kubernetes, **dict(each.split("=", 1) for each in entry.releases)}
    return _with(target, _parsed(tuple(versions.items())), {name: entry.places[name] for name in versions})


def _with(target: Target, own: Target, places: dict[str, Span]) -> Target:
    stated = target.states_version or not own.states_version
    known = {*target.versions, *([_KUBERNETES] if target.states_version else [])}
    return target.replace(
        minor=target.minor if stated else own.minor,
        states_version=target.states_version or own.states_version,
        versions={**own.versions, **target.versions},
        places={**target.places, **{name: where for name, where in places.items() if name not in known}},
    )


@cache
def _parsed(versions: tuple[tuple[str, str], ...]) -> Target:
    """Raise InvalidTarget for an unknown name or an invalid version."""
    releases = [f"{name}={version}" for name, version in versions if name != _KUBERNETES]
    return parse_target(registry.DEFAULT, dict(versions).get(_KUBERNETES), None, None, releases)
