"""`versions`: versions of Kubernetes and of controllers, as --kubernetes-version and --target have them."""

from __future__ import annotations

from functools import cache

from trainc.source.node import Mapping, scalar_text
from trainc.systems import registry
from trainc.target import InvalidTarget, Target, parse_target

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
    return with_versions_of(target, _parsed(tuple((name, scalar_text(node)) for name, node in versions.items())))


def with_versions_of(target: Target, own: Target) -> Target:
    """Return a target with the versions of another; those that the target states stay."""
    stated = target.states_version or not own.states_version
    return target.replace(
        minor=target.minor if stated else own.minor,
        states_version=target.states_version or own.states_version,
        versions={**own.versions, **target.versions},
    )


def version_option(name: str, version: str) -> str:
    """Return the option of a command for a version."""
    return f"--kubernetes-version {version}" if name == _KUBERNETES else f"--target {name}={version}"


@cache
def _parsed(versions: tuple[tuple[str, str], ...]) -> Target:
    """Raise InvalidTarget for an unknown name or an invalid version."""
    releases = [f"{name}={version}" for name, version in versions if name != _KUBERNETES]
    return parse_target(registry.DEFAULT, dict(versions).get(_KUBERNETES), None, None, releases)
