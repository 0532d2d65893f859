"""Options of `accelerate launch` that a job's fields set, and the configuration file that it reads."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.launchers.accelerate.options import FIELDS, AccelerateOption
from trainc.launchers.accelerate.spec import Accelerate
from trainc.launchers.accelerate.traits import USE_CPU
from trainc.source.node import Mapping, mappings, plain, scalar_text
from trainc.spec.job import TrainingJob
from trainc.spec.section import flag, inside, number, text, words
from trainc.systems.shared.devices import VISIBLE_DEVICES, may_have_uncounted_gpus
from trainc.typenames import Any
from trainc.well_known import MAIN

# accelerate reads a file that the image has in the home directory unless the command line names another one. This one
# states no more than how the processes are started.
_OWN_CONFIG: dict[str, Any] = {"compute_environment": "LOCAL_MACHINE"}
# Options that lowering computes.
_COMPUTED = ("main_process_port", "max_restarts", "mixed_precision", "dynamo_backend")


def own_config(section: Accelerate, processes: int) -> dict[str, Any]:
    """Return the content of the file that the job carries; empty if the options leave nothing to a file.

    accelerate rejects --multi_gpu for one process, but starts torchrun for one if a file has the type MULTI_GPU.
    Otherwise it would start Python itself, which as a pod's first process passes no SIGTERM on (accelerate 1.15).
    """
    if section.config_path is not None:
        return {}
    if section.config_content is not None:
        return section.config
    if section.fsdp is not None:
        return {**_OWN_CONFIG, "distributed_type": "FSDP"}
    if section.deepspeed is not None:
        return {**_OWN_CONFIG, "distributed_type": "DEEPSPEED"}
    return {**_OWN_CONFIG, "distributed_type": "MULTI_GPU"} if processes == 1 else {}


def runs_on_cpus(job: TrainingJob) -> bool:
    """Return whether the pods have no GPUs, as far as the job shows."""
    resources, template = job.resources, job.pod_template
    spec = inside(template, "spec") if template is not None else None
    containers = mappings(spec.get("containers")) if spec is not None else []
    mains = [plain(each) for each in containers if scalar_text(each.get("name")) == MAIN]
    pod = plain(spec) if spec is not None else {}
    has_own = any(variable.name in (USE_CPU, VISIBLE_DEVICES) for variable in job.env)
    has_devices = any("/" in name for name in (*resources.both, *resources.limits, *resources.requests))
    uncounted = isinstance(pod, dict) and any(may_have_uncounted_gpus(pod, main) for main in (mains or [{}]))
    return not (resources.gpu_count or has_own or has_devices or uncounted)


def mode_options(section: Accelerate, processes: int) -> Iterator[str]:
    """Yield the options that select how the processes are started; a configuration file of the user does it, too."""
    if section.deepspeed is not None:
        yield from ("--use_deepspeed", "--deepspeed_multinode_launcher=standard")
    elif section.fsdp is not None:
        yield "--use_fsdp"
    elif section.config_content is None and section.config_path is None and processes > 1:
        yield "--multi_gpu"
    if section.parallelism is not None:
        yield "--use_parallelism_config"


def section_options(section: Accelerate) -> Iterator[str]:
    """Yield the options that the fields set, those that a file of the image must not set included."""
    has_file = section.config_content is not None or section.config_path is not None
    for name in ("mixed_precision", "dynamo_backend"):
        value = getattr(section, name) or ("" if has_file else "no")
        if value:
            yield f"--{name}={value}"
    yield "--gpu_ids=all"
    for row in FIELDS:
        if isinstance(row, AccelerateOption) and row.name not in _COMPUTED:
            path = row.field.split(".")[2:]
            node = inside(section.node, path[0]) if len(path) > 1 else section.node
            value = option_text(row, node)
            if value:
                yield f"--{row.name}={value}"


def option_text(row: AccelerateOption, node: Mapping) -> str:
    """Return a field's value as the option has it; empty for none."""
    if row.is_flag:
        return {True: "true", False: "false", None: ""}[flag(node, row.key)]
    if row.kind == "names":
        return ",".join(words(node, row.key))
    if row.kind == "count":
        count = number(node, row.key)
        return "" if count is None else str(count)
    return text(node, row.key) or ""
