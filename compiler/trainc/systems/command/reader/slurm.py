"""Slurm's batch scripts and srun: https://slurm.schedmd.com/sbatch.html, https://slurm.schedmd.com/srun.html"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainc.launchers.find_launchers import Call
from trainc.record import Record
from trainc.secrets.text import redact
from trainc.span import Source
from trainc.systems.shared.reader.launch_command import CommandReport

WORKERS, GPUS = "spec.workers", "spec.resources.gpu"
BASIC_TASKS, MPIRUN_TASKS = "spec.launch.basic.nprocPerNode", "spec.launch.mpirun.slotsPerWorker"
_DIRECTIVE = re.compile(r"^#SBATCH[ \t]+(\S.*)", re.MULTILINE)
_START, _END = r"(?:^|(?<=\s))", r"(?![\w-])"
# Sizes that options say. --gpus and --ntasks are those of all nodes.
_OPTIONS = {
    name: re.compile(f"{_START}(?:{flags})(\\d+){_END}", re.IGNORECASE if "gres" in flags else 0)
    for name, flags in {
        "nodes": r"--nodes[= ]|-N ?",
        "gpus per node": r"--(?:gres[= ]gpu:|gpus-per-node[= ])(?:[a-z][\w.-]*:)?",
        "gpus": r"(?:--gpus[= ]|-G ?)(?:[a-z][\w.-]*:)?",
        "gpus per task": r"--gpus-per-task[= ](?:[a-z][\w.-]*:)?",
        "tasks per node": r"--ntasks-per-node[= ]",
        "tasks": r"--ntasks[= ]|-n ?",
    }.items()
}
_MAX_SHOWN = 80  # characters of a directive in a message


class _Size(Record):
    """Number of an option, and the position of its directive."""

    number: int
    position: int


def is_batch_script(text: str) -> bool:
    return _DIRECTIVE.search(text) is not None


def settings(text: str, has_launcher: bool, arguments: Iterable[str] = ()) -> list[str]:
    """Return the values of `--set` for a command that srun starts; `arguments` are those of srun."""
    fields = _fields(_sizes(text, arguments), "" if has_launcher else BASIC_TASKS)
    return [f"{field}={size.number}" for field, size in fields.items()]


def report_directives(source: Source, call: Call | None, report: CommandReport) -> None:
    """Report the directives of a batch script that starts its command without srun, which no job reads.

    Only mpirun starts processes on all nodes of an allocation.
    """
    nodes = _sizes(source.text, ()).get("nodes")
    is_on_all = call is not None and call.launcher == "mpirun" and nodes is not None and nodes.number > 1
    takes_slots = is_on_all and call is not None and "np" not in call.parsed.options
    fields = _fields(_sizes(source.text, ()), MPIRUN_TASKS if takes_slots else "")
    report.examples |= {field: str(size.number) for field, size in fields.items()}
    if not is_on_all:
        fields.pop(WORKERS, None)
    for match in _DIRECTIVE.finditer(source.text):
        own = {field: size.number for field, size in fields.items() if size.position == match.start()}
        missing = [f"--set {field}={number}" for field, number in own.items() if report.settings.get(field) is None]
        if missing or not own:
            shown, start = redact(match[0].rstrip()[:_MAX_SHOWN]), source.span_at(match.start())
            where = start.until(start.line, start.column + len(match[0].rstrip()))
            help_ = f"add `{' '.join(missing)}`" if missing else None
            report.add_dropped(shown, where, "only Slurm reads it", help=help_)


def _sizes(text: str, arguments: Iterable[str]) -> dict[str, _Size]:
    """Return the sizes by their option; those of srun's arguments override the directives."""
    lines = [(match[1], match.start()) for match in _DIRECTIVE.finditer(text)]
    sizes: dict[str, _Size] = {}
    for line, position in (*lines, (" ".join(arguments), -1)):
        for name, option in _OPTIONS.items():
            if match := option.search(line.partition(" #")[0]):
                sizes[name] = _Size(number=int(match[1]), position=position)
    return sizes


def _fields(sizes: dict[str, _Size], tasks: str) -> dict[str, _Size]:
    """Return the sizes by the fields of a job that say the same."""
    nodes, on_node = sizes.get("nodes"), sizes.get("tasks per node")
    count = nodes.number if nodes else 1
    on_node = on_node or _divided(sizes.get("tasks"), count)
    gpus = sizes.get("gpus per node") or _divided(sizes.get("gpus"), count)
    each = sizes.get("gpus per task")
    if gpus is None and each is not None and on_node is not None:
        gpus = each.replace(number=each.number * on_node.number)
    fields = {WORKERS: nodes, GPUS: gpus, **({tasks: on_node} if tasks else {})}
    return {field: size for field, size in fields.items() if size is not None and size.number}


def _divided(size: _Size | None, count: int) -> _Size | None:
    """Return the part of a size that each of the nodes has; None if the parts differ."""
    if size is None or not count or size.number % count:
        return None
    return size.replace(number=size.number // count)
