"""Public Python API: `trainc.compile(text)`."""

from __future__ import annotations

from typing import Any

from trainc import driver
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.emit.manifest import Manifest, to_json, to_yaml
from trainc.record import Record
from trainc.schema.overrides import parse_overrides
from trainc.source.load import decode
from trainc.span import Source
from trainc.systems.registry import DEFAULT
from trainc.target import DEFAULT as DEFAULT_MINOR
from trainc.target import parse_target

__all__ = ["Diagnostic", "Manifest", "Result", "compile"]


class Result(Record):
    """Result of a compilation; no manifests if a diagnostic is an error."""

    manifests: list[Manifest]
    diagnostics: list[Diagnostic]

    @property
    def ok(self) -> bool:
        """Return whether no diagnostic is an error."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)

    def to_yaml(self) -> str:
        """Return the manifests as a stream of YAML documents, as the command line prints them."""
        return to_yaml(self.manifests)

    def to_json(self) -> str:
        """Return the manifests as one Kubernetes `List` in JSON."""
        return to_json(self.manifests)

    def objects(self) -> list[dict[str, Any]]:
        """Return the manifests as plain values."""
        return [manifest.data() for manifest in self.manifests]


def compile(
    text: str | bytes,
    *,
    backend: str = DEFAULT,
    filename: str = "<text>",
    namespace: str | None = None,
    overrides: dict[str, str] | None = None,
    kubernetes_version: str = f"1.{DEFAULT_MINOR}",
    cluster_domain: str | None = None,
    versions: dict[str, str] | None = None,
) -> Result:
    """Compile every job in a text.

    `overrides` are the command line's --set: a path and a YAML value; null removes the field. `versions` are those of
    controllers, as in --target. Faults of the job are in the result's diagnostics. Raises ValueError for an invalid
    target: an unknown back end or version, or a namespace or domain that is not a DNS name.
    """
    releases = [f"{name}={version}" for name, version in (versions or {}).items()]
    target = parse_target(backend, kubernetes_version, namespace, cluster_domain, releases)
    try:
        source = Source(filename, text) if isinstance(text, str) else decode(filename, text)
        changes = parse_overrides([f"{path}={value}" for path, value in (overrides or {}).items()])
    except Rejected as rejected:
        return Result(manifests=[], diagnostics=in_order(rejected.diagnostics))
    outcome = driver.run([source], target, changes)
    manifests = [manifest for job in outcome.jobs for manifest in job.manifests()]
    return Result(manifests=manifests, diagnostics=outcome.diagnostics)
