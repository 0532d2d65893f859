"""The public Python API: `trainc.compile(text)`."""

from __future__ import annotations

from typing import Any, Literal

from trainc import driver
from trainc.backends.registry import DEFAULT, NAMES
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.emit.manifest import Manifest, to_json, to_yaml
from trainc.record import Record
from trainc.source.load import decode
from trainc.source.overrides import Override
from trainc.span import Source
from trainc.target import DEFAULT as DEFAULT_MINOR
from trainc.target import NEWEST, OLDEST, Target

__all__ = ["Diagnostic", "Manifest", "Result", "compile"]


class Result(Record):
    """What came of a compilation. With an error among the diagnostics there are no manifests."""

    manifests: list[Manifest]
    diagnostics: list[Diagnostic]

    @property
    def ok(self) -> bool:
        """Whether no diagnostic is an error."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)

    def to_yaml(self) -> str:
        """The manifests as a stream of YAML documents, the bytes that the command line prints."""
        return to_yaml(self.manifests)

    def to_json(self) -> str:
        """The manifests as one Kubernetes `List`."""
        return to_json(self.manifests)

    def objects(self) -> list[dict[str, Any]]:
        """The manifests as plain values."""
        return [manifest.data() for manifest in self.manifests]


def compile(
    text: str | bytes,
    *,
    backend: Literal["pods", "job", "statefulset"] | str = DEFAULT,
    filename: str = "<text>",
    namespace: str | None = None,
    overrides: dict[str, str] | None = None,
    kubernetes_version: str = f"1.{DEFAULT_MINOR}",
    cluster_domain: str | None = None,
) -> Result:
    """Compile every job in a text.

    `overrides` are the command line's --set: a path and a YAML value. What is wrong with the job is in the
    result's diagnostics; ValueError is raised for an unknown back end or Kubernetes version only.
    """
    if backend not in NAMES:
        raise ValueError(f"no back end {backend!r}; there are {', '.join(NAMES)}")
    target = Target(
        backend=backend,
        minor=minor_version(kubernetes_version),
        namespace=namespace,
        cluster_domain=cluster_domain,
    )
    try:
        source = Source(filename, text) if isinstance(text, str) else decode(filename, text)
        changes = [Override(f"{path}={value}") for path, value in (overrides or {}).items()]
    except Rejected as rejected:
        return Result(manifests=[], diagnostics=in_order(rejected.diagnostics))
    outcome = driver.run([source], target, changes)
    manifests = [manifest for job in outcome.jobs for manifest in job.manifests()]
    return Result(manifests=manifests, diagnostics=outcome.diagnostics)


def minor_version(text: str) -> int:
    """NN of `1.NN` (`v1.NN` and `1.NN.P` too). ValueError for a version that trainc does not know."""
    parts = text.removeprefix("v").split(".")
    if len(parts) not in (2, 3) or parts[0] != "1" or not parts[1].isdecimal() or len(parts[1]) > 3:
        raise ValueError(f"`{text}` is no Kubernetes version like 1.{DEFAULT_MINOR}")
    if not OLDEST <= int(parts[1]) <= NEWEST:
        raise ValueError(f"Kubernetes {text} is outside of 1.{OLDEST} to 1.{NEWEST}")
    return int(parts[1])
