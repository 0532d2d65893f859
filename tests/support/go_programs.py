"""kustomize, helm, conftest and Kyverno's command line, built from the Go module proxy at the versions of tools/.

They are cached by version.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from tests.support.golang import build, cache_folder, required_version

TOOLS = Path(__file__).resolve().parents[2] / "tools"
# Module and package of each program; the directory in tools/ has its name.
PROGRAMS = {
    "kustomize": ("sigs.k8s.io/kustomize/kustomize/v5", "sigs.k8s.io/kustomize/kustomize/v5"),
    "helm": ("helm.sh/helm/v4", "helm.sh/helm/v4/cmd/helm"),
    "conftest": ("github.com/open-policy-agent/conftest", "github.com/open-policy-agent/conftest"),
    "kubectl-kyverno": ("github.com/kyverno/kyverno", "github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno"),
}


def is_built(name: str) -> bool:
    """Return whether a program is in the cache."""
    return (cache_folder(name, required_version(TOOLS / name, PROGRAMS[name][0])) / name).exists()


def program(name: str) -> Path:
    """Return a program, built by the first process that needs it. Raises subprocess.SubprocessError and OSError."""
    module, package = PROGRAMS[name]
    folder = cache_folder(name, required_version(TOOLS / name, module))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).exists():
            build([package], TOOLS / name, folder)
    return folder / name
