"""What is compiled for: the cluster's version and names, which no job file knows."""

from __future__ import annotations

from trainc.record import Record

OLDEST, NEWEST = 29, 37
# The oldest version in which all that the compiler emits is generally available (Job successPolicy).
DEFAULT = 33


class Target(Record):
    """Kubernetes 1.`minor`; a namespace that overrides the job's; the cluster's DNS domain when it is known."""

    backend: str = "job"
    minor: int = DEFAULT
    namespace: str | None = None
    cluster_domain: str | None = None
