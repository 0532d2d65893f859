"""Slurm's batch scripts: what their directives and srun say about the job that their launch command is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trainc.commandline.shell import Variables
from trainc.commandline.word import Word
from trainc.launchers.find_launchers import Call
from trainc.launchers.node_count import node_count
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Source
from trainc.systems.command.reader.slurm_options import SlurmOption, batch_options
from trainc.systems.command.reader.slurm_sizes import Sizes, memory_quantity, read_sizes
from trainc.systems.shared.reader.launch_command import CommandReport, Tasks, job_name

WORKERS, GPUS = "spec.workers", "spec.resources.gpu"
BASIC_TASKS, MPIRUN_TASKS = "spec.launch.basic.nprocPerNode", "spec.launch.mpirun.slotsPerWorker"
# Options whose values become fields of the job.
_READ = frozenset(
    (
        *("nodes", "gres", "gpus", "gpus_per_node", "gpus_per_task", "ntasks", "ntasks_per_node", "ntasks_per_gpu"),
        *("cpus_per_task", "cpus_per_gpu", "mem", "mem_per_cpu", "mem_per_gpu"),
        *("time", "job_name", "chdir", "container_image"),
    )
)
_GPU_OPTIONS = ("gres", "gpus", "gpus_per_node", "gpus_per_task")
_GPU_TYPE = re.compile(r"(?:gpu:|^)(?!gpu:)([a-z][\w.-]*):\d", re.IGNORECASE)
_PARTS = (" hetjob", " packjob")  # of a heterogeneous job
_SLURM_ONLY = "only Slurm reads it"
_REASONS = {
    **dict.fromkeys(("output", "error", "open_mode"), "`kubectl logs` shows the output"),
    **dict.fromkeys(("requeue", "no_requeue"), "lifecycle.backoffLimit limits the retries"),
    "export": "a pod has the variables of its image and of spec.env",
    "signal": "a pod gets SIGTERM before it ends",
    "container_mounts": "a pod has the volumes of spec.volumes",
    "unknown": "sbatch has no such option",
}
_QUEUE = "set spec.scheduling.queue if a queue admits the job"
_NODE = "set spec.scheduling.nodeSelector for nodes of a kind"
_HELP = {
    **dict.fromkeys(("partition", "account", "qos"), _QUEUE),
    "container_mounts": "set spec.volumes",
    "container_workdir": "set spec.workingDir",
    **dict.fromkeys(("constraint", "nodelist", "exclude", "reservation"), _NODE),
}


class Batch(Record):
    """Options of a script's directives, and their sizes."""

    source: Source
    options: list[SlurmOption]
    sizes: Sizes


def read_batch(source: Source) -> Batch | None:
    """Return the directives of a batch script; None for another script."""
    options = batch_options(source)
    return Batch(source=source, options=options, sizes=read_sizes(options)) if options else None


def variables(batch: Batch | None, report: CommandReport) -> Variables:
    """Return the variables that sbatch sets for the script, as far as the directives say them."""
    if batch is None:
        return {}
    sizes, names = batch.sizes, {option.name for option in batch.options}
    nodes = report.settings.count(WORKERS) or (sizes.nodes.number if sizes.nodes else 1)
    gpus = report.settings.gpus or (sizes.gpus.number if sizes.gpus else None)
    values: dict[str, object] = {"SLURM_NNODES": nodes, "SLURM_JOB_NUM_NODES": nodes, "SLURM_GPUS_ON_NODE": gpus}
    if sizes.tasks is not None:
        values |= dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS"), nodes * sizes.tasks.number)
    if "ntasks_per_node" in names and sizes.tasks is not None:
        values |= dict.fromkeys(("SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"), sizes.tasks.number)
    if "gpus_per_node" in names:
        values["SLURM_GPUS_PER_NODE"] = gpus
    options = {option.name: option.value for option in batch.options}
    values |= {"SLURM_CPUS_PER_TASK": options.get("cpus_per_task"), "SLURM_JOB_NAME": options.get("job_name")}
    return {name: Word(text=str(value)) for name, value in values.items() if value is not None}


def apply_batch(
    batch: Batch | None, step: Sequence[SlurmOption] | None, call: Call | None, report: CommandReport
) -> Tasks | None:
    """Set the defaults of the job's fields; return the tasks that srun starts, None without srun.

    `step` are srun's options. Without srun only mpirun starts processes on all nodes of an allocation.
    """
    options = [*(batch.options if batch else ()), *(step or ())]
    sizes = read_sizes(options)
    count = node_count(call) if call is not None else None
    is_on_all = step is not None or (call is not None and call.launcher == "mpirun")
    names_nodes = count is not None and sizes.nodes is not None and count.most == sizes.nodes.number
    defaults: dict[str, Scalar | None] = {
        WORKERS: sizes.nodes.scalar if sizes.nodes and is_on_all and sizes.nodes.number > 1 else None,
        GPUS: sizes.gpus.scalar if sizes.gpus else None,
        "spec.resources.cpu": sizes.cpus.scalar if sizes.cpus else None,
        "spec.lifecycle.activeDeadlineSeconds": sizes.seconds.scalar if sizes.seconds else None,
    }
    if sizes.memory is not None:
        text = memory_quantity(sizes.memory.number)
        defaults["spec.resources.memory"] = Scalar(text, text, sizes.memory.span)
    name = next((option for option in reversed(options) if option.name == "job_name" and option.value), None)
    if name is not None:
        text = job_name(name.value or "", name.span, report, is_given=True)
        defaults["metadata.name"] = Scalar(text, text, name.span)
    if step is None and call is not None and call.launcher == "mpirun" and "np" not in call.parsed.options:
        defaults[MPIRUN_TASKS] = sizes.tasks.scalar if sizes.tasks else None
    image = next((option for option in reversed(options) if option.name == "container_image" and option.value), None)
    if image is not None and not (image.value or "").startswith(("/", ".")):
        text = (image.value or "").removeprefix("docker://").replace("#", "/")  # REGISTRY#IMAGE
        defaults["spec.image"] = Scalar(text, text, image.span)
    report.settings.defaults |= {path: value for path, value in defaults.items() if value is not None}
    own = [option for option in step or () if option.name.startswith("container_")]
    _report([*(batch.options if batch else ()), *own], sizes, is_on_all or names_nodes, report)
    if sizes.uneven is not None and step is not None:
        report.add_error("the nodes have different numbers of tasks: every worker has the same", sizes.uneven)
    if step is None:
        return None
    tasks = sizes.tasks
    return Tasks(count=tasks.number if tasks else 1, span=tasks.span if tasks else None)


def chdir(batch: Batch | None) -> str | None:
    """Return the absolute folder of --chdir, in which the script starts."""
    options = batch.options if batch is not None else []
    folder = next((option.value for option in options if option.name == "chdir"), None)
    return folder if folder and folder.startswith("/") else None


def settings(text: str, has_launcher: bool, step: Iterable[SlurmOption] = ()) -> list[str]:
    """Return the values of `--set` for a command that srun starts; `step` are srun's options."""
    sizes = read_sizes([*batch_options(Source("", text)), *step])
    fields = {WORKERS: sizes.nodes, GPUS: sizes.gpus, BASIC_TASKS: None if has_launcher else sizes.tasks}
    least = {BASIC_TASKS: 1}  # which is the default
    return [f"{field}={size.number}" for field, size in fields.items() if size and size.number > least.get(field, 0)]


def _report(options: list[SlurmOption], sizes: Sizes, is_on_all: bool, report: CommandReport) -> None:
    """Report the directives that the job does not express."""
    shown: set[str] = set()
    for option in options:
        if option.name == "array":
            message = f"`{option.shown}` is a job array: each of its tasks is a job of its own"
            report.add_error(message, option.span, help="write a job for each task, with its index in spec.env")
            continue
        if option.name == "unknown" and option.shown.endswith(_PARTS):
            report.add_error(f"`{option.shown}` separates jobs with resources of their own", option.span)
            continue
        reason, help_ = _REASONS.get(option.name, _SLURM_ONLY), _HELP.get(option.name)
        if option.name == "nodes" and not is_on_all and sizes.nodes is not None and sizes.nodes.number > 1:
            reason, help_ = "without srun only the first node runs the command", None
        elif option.name == "mem" and sizes.memory is None:
            reason, help_ = "it takes all memory of a node", "set spec.resources.memory"
        elif option.name == "time" and sizes.seconds is None:
            reason = "it sets no limit"
        elif option.name == "chdir" and not (option.value or "").startswith("/"):
            reason, help_ = "the directory of the image is not known", "set spec.workingDir"
        elif option.name in _READ:
            if option.name in _GPU_OPTIONS and (kind := _GPU_TYPE.search(option.value or "")):
                message = f"the job takes GPUs of any type, not only `{kind[1]}`"
                report.add_change(message, option.span, help="set spec.scheduling.nodeSelector")
            continue
        if option.shown not in shown:
            report.add_dropped(option.shown, option.span, reason, help=help_)
            shown.add(option.shown)
