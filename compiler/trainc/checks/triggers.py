"""Triggers: cheap conditions on the job file that decide which rules run.

A trigger is the path of a field (`launch.torchrun`, `metadata.annotations`), which must be present, or the name of a
predicate of this module (`has_mutable_tag()`). All triggers are evaluated for every job, so none parses anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.checks.job_file import JobFile, strings
from trainc.checks.rule_index import Rules
from trainc.launchers.registry import FRAMEWORK_MENTIONS, MENTIONS, SHELL_SCRIPTS, VARIABLE_PREFIXES
from trainc.secrets.formats import may_contain_secret
from trainc.source.node import Scalar, mappings, scalar_text
from trainc.spec.storage import FILES
from trainc.tpu import TPU

LAUNCHER_PREFIXES = tuple(VARIABLE_PREFIXES.values())
RESOURCES = ("resources", "resources.requests", "resources.limits")
MARKS = ("metadata.labels", "metadata.annotations", "podTemplate.metadata.labels", "podTemplate.metadata.annotations")
NODE_GPUS = 8  # of a node whose machine has a network for its GPUs
# Every name of an RDMA device contains one of these (checks/resources/rdma.py).
RDMA = ("rdma", "roce", "infiniband", "mlnx", "mlx", "hca", "ib")
DAY = 24 * 60 * 60  # seconds, within which the loss of a node is unlikely
# Every argument with the path of a checkpoint or result contains one of these (checks/storage/program_paths.py).
OUTPUT = ("out", "save", "ckpt", "checkpoint", "work", "root_dir", "root-dir", "results", "snapshot")
# First words of the names of images without Python (checks/pod/image_without_python.py).
WITHOUT_PYTHON = {"busybox", "alpine", "debian", "ubuntu", "cuda", "static", "base", "cc"}
# How scripts read the host name (commandline/name_parts.py).
HOST_NAMES = ("hostname", "uname", "platform.node")
# Start of a comment that tells editors the schema, which most files have: without it few have a `$`.
_SCHEMA_LINE = "yaml-language-server: $schema="
# Variables of launchers' processes that people set (launchers/traits.py, process_variables).
PROCESS_VARIABLES = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}
PROCESS_VARIABLES |= {"JAX_PROCESS_ID", "JAX_NUM_PROCESSES", "JAX_COORDINATOR_ADDRESS"}
# Parts of the names of labels and annotations that the rules about add-ons of a cluster know.
ADDONS = ("istio", "linkerd", "kueue", "pod-security")
# Predicates of jobs with one of some parts in an attribute of JobFile: in the commands (in lower case), in the names of
# variables (each ends with a line break), in the whole text.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "sets_port": ("variable_names", ("_PORT\n", "_ENDPOINT\n")),
    "names_interface": ("variable_names", ("_IFNAME\n",)),
    "passes_rank": ("script", ("rank", "world")),
    "sets_parallel_size": ("script", ("parallel",)),
    "sets_trainer_size": ("script", ("trainer.num_nodes",)),
    "starts_axolotl": ("script", ("axolotl",)),
    "runs_sudo": ("script", ("sudo",)),
    "runs_shell_script": ("script", SHELL_SCRIPTS),
    "reads_host_name": ("script", HOST_NAMES),
    "names_output": ("script", OUTPUT),
    "mentions_placeholder": ("text", ("<",)),
}


def selected(rules: Rules, file: JobFile) -> Iterator[tuple[str, ...]]:
    """Yield the rules of each trigger that the job file matches."""
    fields = file.fields
    for trigger, modules in rules.items():
        if _holds(trigger[:-2], file) if trigger[-1] == ")" else trigger in fields:
            yield modules


def is_predicate(name: str) -> bool:
    """Return whether a trigger `name()` exists."""
    return name in PARTS or callable(globals().get(name))


def _holds(predicate: str, file: JobFile) -> bool:
    if predicate in PARTS:
        attribute, parts = PARTS[predicate]
        return _contains(getattr(file, attribute), parts)
    return bool(globals()[predicate](file))


def always(file: JobFile) -> bool:
    """Trigger for every job."""
    return True


def starts_launcher(file: JobFile) -> bool:
    """Return whether a command contains the name of a launcher, or of a shell script, which may start one.

    The arguments of a script are not a command.
    """
    if any(container.get("args") is not None for container in file.containers):
        return True  # possibly arguments of the launcher that trainc starts
    run = file.run
    words = [*run.get("run.exec", []), *run.get("run.python", [])[:1], *run.get("run.module", [])[:1]]
    words += [word for container in file.containers for word in strings(container.get("command"))]
    text = "\n".join(words)
    return (
        _contains(text, MENTIONS)
        or _contains(text, FRAMEWORK_MENTIONS)
        or any(word.endswith(SHELL_SCRIPTS) for word in words)
    )


def is_not_plain_script(file: JobFile) -> bool:
    """Return whether the program is neither a Python file nor the name of a module."""
    scripts = file.run.get("run.python")
    if scripts:
        return not scripts[0].endswith(".py") or " " in scripts[0]
    if "run.exec" in file.run or "run.entrypoint" in file.run:
        return True
    modules = file.run.get("run.module", [])[:1]
    return any(word.startswith("-") or word.endswith(".py") or " " in word or "/" in word for word in modules)


def sets_launcher_variable(file: JobFile) -> bool:
    """Return whether `env`, podTemplate or a shell script sets a variable that a launcher reads as an option."""
    if any("\n" + prefix in file.variable_names for prefix in LAUNCHER_PREFIXES):
        return True
    return "run.exec" in file.run and _contains("\n".join(file.words), LAUNCHER_PREFIXES)


def sets_process_variable(file: JobFile) -> bool:
    """Return whether a variable has the name of one that launchers set for each process."""
    return not PROCESS_VARIABLES.isdisjoint(file.variable_names.split("\n"))


def sets_digit_name(file: JobFile) -> bool:
    """Return whether the name of a variable starts with a digit."""
    return any(f"\n{digit}" in file.variable_names for digit in "0123456789")


def has_scaling_tolerance(file: JobFile) -> bool:
    """Return whether the autoscaler has a tolerance of its own."""
    return any(f"elastic.behavior.scale{way}.tolerance" in file.fields for way in ("Up", "Down"))


def sets_shutdown_timeout(file: JobFile) -> bool:
    """Return whether a variable or an argument may set the timeout of a launcher's shutdown."""
    return "shutdown" in file.script or "SHUTDOWN_TIMEOUT\n" in file.variable_names


def names_visible_devices(file: JobFile) -> bool:
    """Return whether a variable, also of a script, names the GPUs that a process sees."""
    return "visible_devices" in file.script or "VISIBLE_DEVICES\n" in file.variable_names


def falls_back_to_localhost(file: JobFile) -> bool:
    """Return whether a script prints a local address if a command fails."""
    return "||" in file.script and _contains(file.script, ("localhost", "127.0.0.1", "::1"))


def reads_pod_name(file: JobFile) -> bool:
    """Return whether a variable has the pod's name as its value."""
    sources = [variable.value_from for variable in file.job.env if variable.value_from]
    return any(source.get("fieldRef", {}).get("fieldPath") == "metadata.name" for source in sources)


def adds_container_ports(file: JobFile) -> bool:
    """Return whether podTemplate declares ports of a container."""
    containers = (*file.containers, *file.init_containers)
    return any(container.get("ports") is not None for container in containers)


def selects_tpus(file: JobFile) -> bool:
    """Return whether the job has TPUs, by its field, or by the resource in other fields and podTemplate."""
    return "resources.tpu" in file.fields or TPU in file.text


def sets_process_count(file: JobFile) -> bool:
    """Return whether the number of processes per worker is set, and differs from the number of GPUs."""
    launcher = file.job.launch.node
    count = launcher.get("nprocPerNode") or launcher.get("slotsPerWorker")
    gpus = file.fields.get("resources.gpu.count") or file.fields.get("resources.gpu")
    return count is not None and scalar_text(count) != scalar_text(gpus)


def has_mutable_tag(file: JobFile) -> bool:
    """Return whether the image has neither tag nor digest, or contains `latest`."""
    image = scalar_text(file.fields.get("image"))
    return "latest" in image or ":" not in image.rpartition("/")[2]


def has_image_without_python(file: JobFile) -> bool:
    """Return whether the image may be one that is known to have no Python."""
    name = scalar_text(file.fields.get("image")).rpartition("/")[2]
    return name.partition(":")[0].partition("@")[0].partition("-")[0] in WITHOUT_PYTHON


def names_old_torch(file: JobFile) -> bool:
    """Return whether the image's name may contain torch and a version 1.x."""
    image = scalar_text(file.fields.get("image"))
    return "torch" in image and _contains(image, (":1.", ":v1.", "torch1", "torch-1", "torch_1"))


def has_relative_working_dir(file: JobFile) -> bool:
    """Return whether the working directory is not absolute."""
    folder = file.fields.get("workingDir")
    return folder is not None and not scalar_text(folder).startswith("/")


def has_local_files(file: JobFile) -> bool:
    """Return whether a volume has local files."""
    return any(volume.get(FILES) is not None for volume in mappings(file.fields.get("volumes")))


def has_separator(file: JobFile) -> bool:
    """Return whether `--` is an argument of the program."""
    return "--" in file.words and ("run.python" in file.run or "run.module" in file.run)


def may_hold_secret(file: JobFile) -> bool:
    """Return whether a variable or an argument contains a part of a secret's name, or a prefix of a secret."""
    variables = [text for pair in (*file.variables, *file.init_variables) if pair[1] for text in pair]
    return may_contain_secret("\n".join([*file.words, *file.commands, *variables]))


def has_long_deadline(file: JobFile) -> bool:
    """Return whether the job may run for more than a day."""
    deadline = file.fields.get("lifecycle.activeDeadlineSeconds")
    return isinstance(deadline, Scalar) and isinstance(deadline.value, int) and deadline.value > DAY


def mentions_variable(file: JobFile) -> bool:
    """Return whether the file has a `$`, as of a shell's variable, besides that of the line that names its schema."""
    return "$" in file.text.replace(_SCHEMA_LINE, "")


def requests_rdma_device(file: JobFile) -> bool:
    """Return whether a resource may be an RDMA device."""
    return _contains(file.names(RESOURCES).lower(), RDMA)


def may_need_fabric(file: JobFile) -> bool:
    """Return whether several workers have the GPUs of whole nodes, and no fabric is named."""
    job = file.job
    is_several = job.workers > 1 or (job.elastic is not None and job.elastic.max_replicas > 1)
    if not is_several or "network.fabric" in file.fields:
        return False
    has_device = any("/" in name and "gpu" not in name and "/mig-" not in name for name in job.resources.both)
    return job.resources.gpu_count >= NODE_GPUS and not has_device


def has_addon_label(file: JobFile) -> bool:
    """Return whether a label or annotation belongs to a service mesh, Kueue or Pod Security."""
    return _contains(file.names(MARKS), ADDONS)


def uses_beta_name(file: JobFile) -> bool:
    """Return whether an annotation or a node label has the name of an alpha or beta version of Kubernetes."""
    fields = ("metadata.annotations", "scheduling.nodeSelector")
    return _contains(file.names(fields), ("beta", "alpha"))


def _contains(text: str, parts: Iterable[str]) -> bool:
    return any(map(text.__contains__, parts))
