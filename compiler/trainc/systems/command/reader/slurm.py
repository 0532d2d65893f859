"""Options in Slurm's batch scripts: https://slurm.schedmd.com/sbatch.html"""

from __future__ import annotations

import re

_OPTION = re.compile(r"^#SBATCH[ \t]+(.*)", re.MULTILINE)
# Fields of the job with the equivalent options. `srun` starts one program on a node for each of its tasks.
_FIELDS = (
    ("spec.workers", re.compile(r"(?:--nodes[= ]|-N ?)(\d+)(?![\d-])")),
    ("spec.resources.gpu", re.compile(r"--(?:gres[= ]gpu:|gpus-per-node[= ])(?:[a-z]\w*:)?(\d+)\b", re.IGNORECASE)),
)
_TASKS = ("spec.launch.basic.nprocPerNode", re.compile(r"--ntasks-per-node[= ](\d+)\b"))


def is_batch_script(text: str) -> bool:
    """Return whether a script has options for sbatch."""
    return _OPTION.search(text) is not None


def settings(text: str, has_launcher: bool) -> list[str]:
    """Return the values of `--set` for a command that `srun` starts."""
    options = [match[1] for match in _OPTION.finditer(text)]
    fields = _FIELDS if has_launcher else (*_FIELDS, _TASKS)
    values = [(field, match[1]) for field, option in fields for text in options if (match := option.match(text))]
    return [f"{field}={value}" for field, value in values if value != "0"]
