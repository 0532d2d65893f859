"""Table of launchers: on which back ends each runs, as the golden manifests prove it.

A cell is ✓ if an example of the launcher has a golden manifest of the back end; every other cell refers to the reason.
"""

from __future__ import annotations

from functools import cache

from ruamel.yaml import YAML

from tools.generated import ROOT
from trainc.launchers.registry import FIELDS
from trainc.systems.registry import NAMES

# What trainc starts, and the reason of each back end that rejects a launcher; tests compare both with the compiler.
LAUNCHERS = {
    "basic": "the program, with rank and world size in its environment",
    "jax": "a program of JAX, with coordinator and process id; TPU slices",
    "torchrun": "torchrun: c10d, static, etcd, etcd-v2 or a plug-in; torchelastic 0.2",
    "deepspeed": "DeepSpeed, with or without ssh",
    "accelerate": "Hugging Face Accelerate: FSDP, DeepSpeed, elastic jobs",
    "mpirun": "Open MPI, Intel MPI or MPICH, on a launcher pod or worker 0",
    "ray": "a Ray cluster, without KubeRay except on `rayjob`",
}
REASONS = {
    "deepspeedjob": "its operator starts deepspeed only",
    "mpijob": "its launcher pod starts all processes: mpirun, deepspeed, or a program that runs mpirun itself",
    "rayjob": "KubeRay starts Ray only",
}
MARKS = dict(zip(REASONS, "ᵃᵇᶜ", strict=True))


@cache
def proven() -> frozenset[tuple[str, str]]:
    """Return the launchers and back ends with a golden manifest of an example that names the launcher itself."""
    pairs = set()
    for file in sorted((ROOT / "examples").glob("*.yaml")):
        jobs = [job for job in YAML(typ="safe").load_all(file.read_text("utf-8")) if job["kind"] == "TrainingJob"]
        launchers = {name for job in jobs for name in job["spec"]["launch"] if "launcherPod" not in job["spec"]}
        backends = [golden.stem for golden in (ROOT / "golden" / file.stem).glob("*.yaml")]
        pairs |= {(launcher, backend) for launcher in launchers for backend in backends}
    return frozenset(pairs)


def table() -> str:
    """Return the table as Markdown with its reasons."""
    header = ["launcher", "starts", *(f"`{name}`" for name in NAMES)]
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    for launcher in FIELDS:
        cells = ["✓" if (launcher, name) in proven() else MARKS[name] for name in NAMES]
        lines.append(f"| {' | '.join([f'`{launcher}`', LAUNCHERS[launcher], *cells])} |")
    return "\n".join([*lines, "", *(f"{mark} {REASONS[name]}  " for name, mark in MARKS.items())])
