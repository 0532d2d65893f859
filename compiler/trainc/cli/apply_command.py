"""Command line that compiles jobs and applies their manifests."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join

from trainc.target import Target


def apply_command(files: Sequence[str], sets: Sequence[str], target: Target) -> str:
    """Return the command that compiles files for a target and applies the manifests."""
    values = {
        "--backend": target.backend,
        "--namespace": target.namespace,
        "--kubernetes-version": target.kubernetes_version,
        "--cluster-domain": target.cluster_domain,
    }
    defaults = (Target().backend, Target().kubernetes_version, None)
    words = [word for option, value in values.items() if value not in defaults for word in (option, value or "")]
    words += [word for name, version in target.versions.items() for word in ("--target", f"{name}={version}")]
    words += [word for text in sets for word in ("--set", text)]
    return f"{join(['trainc', 'compile', *files, *words])} | kubectl apply -f -"
