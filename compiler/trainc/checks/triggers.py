"""Triggers: cheap conditions on the job file that decide which rules run.

A trigger is the path of a field (`launch.torchrun`, `metadata.annotations`), which must be present, or the name of a
predicate of this module (`has_mutable_tag()`). All triggers are evaluated for every job, so none parses anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from trainc.launchers.registry import MENTIONS, VARIABLE_PREFIXES
from trainc.secrets.formats import may_contain_secret
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, scalar_text
from trainc.spec.job import TrainingJob
from trainc.spec.storage import FILES

LAUNCHER_PREFIXES = tuple(VARIABLE_PREFIXES.values())
RESOURCES = ("resources", "resources.requests", "resources.limits")
MARKS = ("labels", "annotations")
RUN_FIELDS = ("run.python", "run.module", "run.exec", "run.entrypoint")
# Every name of an RDMA device contains one of these (checks/resources/rdma.py).
RDMA = ("rdma", "roce", "infiniband", "mlnx", "mlx", "hca", "ib")
DAY = 24 * 60 * 60  # seconds, within which the loss of a node is unlikely
# Every argument with the path of a checkpoint or result contains one of these (checks/storage/program_paths.py).
OUTPUT = ("out", "save", "ckpt", "checkpoint", "work", "root_dir", "root-dir", "results", "snapshot")
# How scripts read the host name (commandline/name_parts.py).
HOST_NAMES = ("hostname", "uname", "platform.node")
# Variables of launchers' processes that people set (launchers/traits.py, process_variables).
PROCESS_VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
# Parts of the names of labels and annotations that the rules about add-ons of a cluster know.
ADDONS = ("istio", "linkerd", "kueue", "pod-security")


def matches(trigger: str, job: TrainingJob) -> bool:
    """Return whether the job file triggers the rules with this trigger."""
    if trigger.endswith("()"):
        result: bool = globals()[trigger[:-2]](job)
        return result
    return _at(job, trigger) is not None


def always(job: TrainingJob) -> bool:
    """Trigger for every job."""
    return True


def starts_launcher(job: TrainingJob) -> bool:
    """Return whether a command contains the name of a launcher. The arguments of a script are not a command."""
    words = [*_words(_at(job, "run.exec"))]
    words += _words(_at(job, "run.python"))[:1] + _words(_at(job, "run.module"))[:1]
    for container in _containers(job):
        words += _words(container.get("command")) + _words(container.get("args"))
        if container.get("args") is not None:
            return True  # possibly arguments of the launcher that trainc starts
    return any(name in word for word in words for name in MENTIONS)


def is_not_plain_script(job: TrainingJob) -> bool:
    """Return whether the program is neither a Python file nor the name of a module."""
    scripts = _words(_at(job, "run.python"))
    if scripts:
        return not scripts[0].endswith(".py") or " " in scripts[0]
    if _at(job, "run.exec") is not None or _at(job, "run.entrypoint") is not None:
        return True
    modules = _words(_at(job, "run.module"))[:1]
    return any(word.startswith("-") or word.endswith(".py") or " " in word or "/" in word for word in modules)


def sets_launcher_variable(job: TrainingJob) -> bool:
    """Return whether `env`, podTemplate or a shell script sets a variable that a launcher reads as an option."""
    if any(name.startswith(LAUNCHER_PREFIXES) for name in _variables(job)):
        return True
    return any(prefix in word for word in _words(_at(job, "run.exec")) for prefix in LAUNCHER_PREFIXES)


def sets_process_variable(job: TrainingJob) -> bool:
    """Return whether a variable has the name of one that launchers set for each process."""
    return any(name in PROCESS_VARIABLES for name in _variables(job))


def sets_port(job: TrainingJob) -> bool:
    """Return whether a variable has a port or an endpoint."""
    return any(name.endswith(("_PORT", "_ENDPOINT")) for name in _variables(job))


def sets_shutdown_timeout(job: TrainingJob) -> bool:
    """Return whether a variable or an argument may set the timeout of a launcher's shutdown."""
    return "shutdown" in _scripts(job) or any(name.endswith("SHUTDOWN_TIMEOUT") for name in _variables(job))


def passes_rank(job: TrainingJob) -> bool:
    """Return whether an argument may be a rank."""
    return "rank" in _scripts(job)


def falls_back_to_localhost(job: TrainingJob) -> bool:
    """Return whether a script prints a local address if a command fails."""
    text = _scripts(job)
    return "||" in text and any(host in text for host in ("localhost", "127.0.0.1", "::1"))


def reads_host_name(job: TrainingJob) -> bool:
    """Return whether a script reads the host name."""
    text = _scripts(job)
    return any(name in text for name in HOST_NAMES)


def reads_pod_name(job: TrainingJob) -> bool:
    """Return whether a variable has the pod's name as its value."""
    sources = [variable.value_from for variable in job.env if variable.value_from]
    return any(source.get("fieldRef", {}).get("fieldPath") == "metadata.name" for source in sources)


def adds_container_ports(job: TrainingJob) -> bool:
    """Return whether podTemplate declares ports of a container."""
    containers = _containers(job) + _containers(job, "initContainers")
    return any(container.get("ports") is not None for container in containers)


def sets_process_count(job: TrainingJob) -> bool:
    """Return whether the number of processes per worker is set, and differs from the number of GPUs."""
    launch = _at(job, "launch")
    launcher = next((value for _, value in launch.items()), None) if isinstance(launch, Mapping) else None
    counts = [_inside(launcher, field) for field in ("nprocPerNode", "slotsPerWorker")]
    count = next((count for count in counts if count is not None), None)
    gpus = _at(job, "resources.gpu")
    gpus = gpus.get("count") if isinstance(gpus, Mapping) else gpus
    return count is not None and scalar_text(count) != scalar_text(gpus)


def has_mutable_tag(job: TrainingJob) -> bool:
    """Return whether the image has neither tag nor digest, or contains `latest`."""
    image = scalar_text(_at(job, "image"))
    return "latest" in image or ":" not in image.rpartition("/")[2]


def names_old_torch(job: TrainingJob) -> bool:
    """Return whether the image's name may contain torch and a version 1.x."""
    image = scalar_text(_at(job, "image"))
    return "torch" in image and any(mark in image for mark in (":1.", ":v1.", "torch1", "torch-1", "torch_1"))


def has_local_files(job: TrainingJob) -> bool:
    """Return whether a volume has local files."""
    return any(volume.get(FILES) is not None for volume in mappings(_at(job, "volumes")))


def has_separator(job: TrainingJob) -> bool:
    """Return whether `--` is an argument of the program."""
    return any("--" in _words(_at(job, field)) for field in ("run.python", "run.module"))


def may_hold_secret(job: TrainingJob) -> bool:
    """Return whether a variable or an argument contains a part of a secret's name, or a prefix of a secret."""
    words = [word for field in RUN_FIELDS for word in _words(_at(job, field))]
    variables = [(variable.name, variable.value) for variable in job.env]
    for container in (*_containers(job), *_containers(job, "initContainers")):
        variables += [(scalar_text(item.get("name")), scalar_text(item.get("value"))) for item in _env(container)]
        words += [*_words(container.get("command")), *_words(container.get("args"))]
    words += [text for name, value in variables if value for text in (name, value)]
    return may_contain_secret("\n".join(words))


def names_output(job: TrainingJob) -> bool:
    """Return whether an argument may have the path of a checkpoint or a result."""
    text = _scripts(job)
    return any(part in text for part in OUTPUT)


def has_long_deadline(job: TrainingJob) -> bool:
    """Return whether the job may run for more than a day."""
    deadline = _at(job, "lifecycle.activeDeadlineSeconds")
    return isinstance(deadline, Scalar) and isinstance(deadline.value, int) and deadline.value > DAY


def mentions_variable(job: TrainingJob) -> bool:
    """Return whether the file has a `$`, as of a shell's variable."""
    return "$" in job.node.span.source.text


def mentions_reference(job: TrainingJob) -> bool:
    """Return whether the file has a `$(`, as of a reference to a variable."""
    return "$(" in job.node.span.source.text


def mentions_placeholder(job: TrainingJob) -> bool:
    """Return whether the file has a `<`, as of a placeholder."""
    return "<" in job.node.span.source.text


def names_interface(job: TrainingJob) -> bool:
    """Return whether `env` or podTemplate names network interfaces, as by `NCCL_SOCKET_IFNAME`."""
    return any(name.endswith("_IFNAME") for name in _variables(job))


def requests_rdma_device(job: TrainingJob) -> bool:
    """Return whether a resource may be an RDMA device."""
    return any(part in name.lower() for name in _names(job, RESOURCES) for part in RDMA)


def has_addon_label(job: TrainingJob) -> bool:
    """Return whether a label or annotation belongs to a service mesh, Kueue or Pod Security."""
    fields = [f"{section}.{field}" for section in ("metadata", "podTemplate.metadata") for field in MARKS]
    return any(addon in name for name in _names(job, fields) for addon in ADDONS)


def uses_beta_name(job: TrainingJob) -> bool:
    """Return whether an annotation or a node label has the name of an alpha or beta version of Kubernetes."""
    fields = ("metadata.annotations", "scheduling.nodeSelector")
    return any("beta" in name or "alpha" in name for name in _names(job, fields))


def _at(job: TrainingJob, path: str) -> Node | None:
    if path.startswith("metadata."):
        return _inside(job.metadata.node, path.removeprefix("metadata."))
    return _inside(job.node, path)


def _inside(node: Node | None, path: str) -> Node | None:
    for step in _steps(path):
        entry = node.entries.get(step) if isinstance(node, Mapping) else None
        if entry is None:
            return None
        node = entry.value
    return node


@cache
def _steps(path: str) -> list[str]:
    return path.split(".")


def _names(job: TrainingJob, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        node = _at(job, path)
        yield from node.entries if isinstance(node, Mapping) else ()


def _words(node: Node | None) -> list[str]:
    return [item.text for item in node.items if isinstance(item, Scalar)] if isinstance(node, Sequence) else []


def _scripts(job: TrainingJob) -> str:
    """Return all commands and arguments of the pod in lower case."""
    words = [word for field in RUN_FIELDS for word in _words(_at(job, field))]
    for container in (*_containers(job), *_containers(job, "initContainers")):
        words += [*_words(container.get("command")), *_words(container.get("args"))]
    return "\n".join(words).lower()


def _containers(job: TrainingJob, field: str = "containers") -> list[Mapping]:
    return mappings(_at(job, f"podTemplate.spec.{field}"))


def _variables(job: TrainingJob) -> Iterator[str]:
    """Yield the names of variables in `env` and podTemplate."""
    yield from (variable.name for variable in job.env)
    for container in _containers(job):
        yield from (scalar_text(item.get("name")) for item in _env(container))


def _env(container: Mapping) -> list[Mapping]:
    return mappings(container.get("env"))
