"""Target of a compilation: system, and version and names of the cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainc.record import Record
from trainc.systems import registry
from trainc.systems.traits import Traits
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.span import Span

OLDEST, NEWEST = 29, 37
# The oldest version in which all that the compiler emits is generally available (Job successPolicy).
DEFAULT = 33
# v1.33.4-gke.1 and 1.33.4+k3s1, too: what `kubectl version` shows of a server.
# Compiled when an option is checked, which few compilations need.
_VERSION = r"v?1\.([0-9]{1,3})(\.[0-9]+([-+][0-9A-Za-z.+-]+)?)?"
_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"  # RFC 1123
_DOMAIN = rf"{_LABEL}(\.{_LABEL})*"


class Target(Record):
    """Back end, Kubernetes 1.`minor`, a namespace that overrides the job's, and the cluster's DNS domain if known.

    `states_version` is whether the user has stated that version. `versions` are releases of controllers by their names.
    `cluster` is the name of the job's cluster, empty if it has none. With `makes_keys`, Secrets with
    the workers' SSH keys are generated. `places` are the positions of `backend`, `kubernetes` and names of controllers
    whose values are in a project file or the entry of a cluster.
    """

    backend: str = registry.DEFAULT
    minor: int = DEFAULT
    states_version: bool = False
    namespace: str | None = None
    cluster_domain: str | None = None
    versions: dict[str, str] = {}
    makes_keys: bool = False
    cluster: str = ""
    places: dict[str, Span] = {}

    @property
    def kubernetes_version(self) -> str:
        """Version as users write it."""
        return f"1.{self.minor}"

    @property
    def system(self) -> Traits:
        """Traits of the system that runs the job."""
        return registry.traits(self.backend)

    def for_resource(self, system: Traits, api_version: str) -> Target:
        """Return the target that runs an existing resource of a system, whose releases may be API versions."""
        own = {system.version_name: api_version} if api_version in system.versions else {}
        return self.replace(backend=system.name, versions={**self.versions, **own})

    @property
    def controller_version(self) -> str:
        """Release of the system's controller; empty if all releases accept the same objects."""
        return self.versions.get(self.system.version_name, next(iter(self.system.versions), ""))

    @property
    def pod_schema(self) -> tuple[str, ...] | None:
        """The system's `pod_schema` in this release of its controller."""
        if self.system.pod_schema is None:
            return None
        file, *path = self.system.pod_schema
        return self._of_release(file), *path

    @property
    def schema(self) -> str:
        """The file with the schema of the system's resource in this release of its controller; empty without one."""
        return self._of_release(self.system.schema or next(iter(self.system.pod_schema or ()), ""))

    def _of_release(self, file: str) -> str:
        folder = self.system.release_schemas.get(self.controller_version)
        return f"{folder}/{file.rpartition('/')[2]}" if folder else file


class InvalidTarget(ValueError):
    """Invalid value of a target; `option` is its name on the command line."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


def parse_target(
    backend: str, version: str | None, namespace: str | None, domain: str | None, releases: Sequence[str] = ()
) -> Target:
    """Return the target with these names. Raises InvalidTarget for an unknown system or an invalid value."""
    if problem := backend_problem(backend):
        raise InvalidTarget("--backend", problem)
    if namespace is not None and not re.fullmatch(_LABEL, namespace):
        raise InvalidTarget("--namespace", f"`{namespace}` is not a valid namespace")
    if domain is not None and not re.fullmatch(_DOMAIN, domain):
        raise InvalidTarget("--cluster-domain", f"`{domain}` is not a DNS domain")
    minor = DEFAULT
    if version is not None:
        match = re.fullmatch(_VERSION, version)
        if not match:
            raise InvalidTarget("--kubernetes-version", f"`{version}` is not a Kubernetes version like 1.{DEFAULT}")
        minor = int(match[1])
        if not OLDEST <= minor <= NEWEST:
            raise InvalidTarget("--kubernetes-version", f"Kubernetes {version} is outside 1.{OLDEST} to 1.{NEWEST}")
    versions = parse_releases(releases) if releases else {}
    return Target(
        backend=backend,
        minor=minor,
        states_version=version is not None,
        namespace=namespace,
        cluster_domain=domain,
        versions=versions,
    )


def backend_problem(name: str) -> str | None:
    """Return what is wrong with the name of a back end, None for a known one."""
    if registry.is_backend(name):
        return None
    from trainc.systems.backend_hints import unknown_backend

    return f"`{name}` is not a back end{unknown_backend(name)}"


def parse_releases(releases: Sequence[str]) -> dict[str, str]:
    """Return the releases of controllers, each `NAME=VERSION`. Raises InvalidTarget for an unknown one."""
    known = {system.version_name: system.versions for system in map(registry.traits, registry.backend_names())}
    versions = {}
    for release in releases:
        name, _, version = release.partition("=")
        if not version and (meant := _meant_backend(release)):
            versioned = f"write `{name}={known[name][0]}`, or " if known.get(name) else ""
            raise InvalidTarget("--target", f"`{release}` has no version: {versioned}use `--backend {meant}`")
        if not name or name not in known:
            names = ", ".join(sorted(filter(None, known)))
            hint = registry.traits(name).version_name if registry.is_backend(name) else ""
            expected = f"like {hint}={version}" if hint else f"with one of these names: {names}"
            raise InvalidTarget("--target", f"`{release}` is not NAME=VERSION {expected}")
        if version not in known[name]:
            raise InvalidTarget("--target", f"`{version}` is not a version of {name}: {', '.join(known[name])}")
        versions[name] = version
    return versions


def _meant_backend(word: str) -> str | None:
    from trainc.systems.backend_hints import meant_backends

    return next(iter(meant_backends(word)), None)
