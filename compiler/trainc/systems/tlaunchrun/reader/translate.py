"""Translate a tlaunchrun command line to a TrainingJob."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, Self

from trainc.record import Record
from trainc.source.node import Mapping
from trainc.span import Text
from trainc.systems.shared.reader.job_document import assemble_job
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.tlaunchrun.reader.launchers import WORKERS, translate_launcher
from trainc.systems.tlaunchrun.reader.parser import CommandLine, Options, parse_command_line

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
# tlaunch/lp_k8s/config.py
_IMAGE = "docker.4pd.io/tlaunch/reverb:base"
_MOUNT, _VOLUME, _CLAIM = "/TData", "tdata", "jfsdemo"
_CODE = f"{_MOUNT}/code"
# Options by the paths of the job's fields.
_NAMES = {
    "image": "--image",
    "imagePullPolicy": "--image_pull_policy",
    "resources.gpu": "--gpu",
    "resources.gpu.count": "--gpu",
    "resources.gpu.memory": "--gpu_memory",
    "resources.gpu.cores": "--gpu_cores",
    "metadata.name": "--lpjob_name",
    "metadata.namespace": "--namespace",
    "launch.torchrun.nprocPerNode": "--nproc_per_node",
    "launch.torchrun.rendezvous.backend": "--rdzv_backend",
    "launch.torchrun.rendezvous.id": "--rdzv_id",
    "launch.deepspeed.slotsPerWorker": "--num_gpus",
}


class Caller(Record):
    """Environment of the tlaunchrun call: namespace of the pod and working directory, None if unknown."""

    namespace: str | None = None
    directory: str | None = None

    @classmethod
    def of(cls, command: LaunchCommand) -> Self:
        """Return the environment that a script sets; for a typed command that of this process."""
        namespace, directory = command.env.get("TPOD_NAMESPACE"), command.directory
        text = namespace.text if namespace is not None and namespace.known else None
        if command.is_typed:
            text = text or os.environ.get("TPOD_NAMESPACE")
            with suppress(OSError):  # the directory was deleted
                directory = directory or os.getcwd()
        return cls(namespace=text, directory=directory)


def translate(command: LaunchCommand, report: CommandReport) -> Mapping | None:
    """Return the job; None with errors if tlaunchrun would reject the command."""
    for word in command.words:
        if not word.known and word.span is not None:
            report.add_error("only the running shell knows this argument", word.span, help="replace it by its value")
    line = None if report.failed else parse_command_line(command.words, report)
    if line is None:
        return None
    launcher = f"launch.{line.launcher}"
    own = {path: name for path, name in _NAMES.items() if not path.startswith("launch.") or path.startswith(launcher)}
    report.names = {**own, "workers": WORKERS[line.launcher]}
    return _job(line, Caller.of(command), report)


def _job(line: CommandLine, caller: Caller, report: TranslationReport) -> Mapping | None:
    options = line.options
    name, namespace = _name(options), _namespace(options, caller)
    gpus = options.number("gpu", 2)
    spec: dict[str, Any] = {
        "image": options.text("image", _IMAGE),
        "imagePullPolicy": _pull_policy(options),
        **translate_launcher(line, gpus),
        "resources": {"gpu": _gpu(options, gpus)},
        "workingDir": _working_directory(options, caller),
        **_paths(options, line.launcher_options),
        "volumes": [
            {
                "name": _VOLUME,
                "mountPath": _MOUNT,
                "subPath": Text(f"./{namespace}", namespace.span),
                "persistentVolumeClaim": {"claimName": Text(f"{namespace}-{_CLAIM}", namespace.span)},
            }
        ],
        # https://github.com/TARTRL/TLaunch/blob/main/lp-operator/controllers/lpjob_controller.go
        "podTemplate": {"metadata": {"annotations": {"sidecar.istio.io/inject": "false"}}},
    }
    _report_missing_wrapper(options, bool(gpus))
    job = assemble_job({"name": name, "namespace": namespace}, spec, options.span)
    return None if report.failed else job


def _name(options: Options) -> Text:
    """Return the name as validate_name of tlaunch/lp_k8s/client.py does; trainc's rule reports other characters."""
    if "lpjob_name" not in options:
        message = "the job is named `tlaunchjob`; tlaunchrun uses the time of day, whose colons are invalid in a name"
        options.report.add_change(message, options.span, help="set --lpjob_name")
    option = options.text("lpjob_name", "tlaunchjob")
    name = Text(option.lower().replace("_", "-"), option.span)
    if name != option:
        options.report.add_change(f"the name becomes `{name}`, as with tlaunchrun", name.span)
    return name


def _namespace(options: Options, caller: Caller) -> Text:
    if "namespace" not in options:
        why = "from TPOD_NAMESPACE" if caller.namespace else "since TPOD_NAMESPACE is not set"
        options.report.add_change(f"the namespace is `{caller.namespace or 'default'}`, {why}", options.span)
    return options.text("namespace", caller.namespace or "default")


def _pull_policy(options: Options) -> Text | None:
    policy = options.text("image_pull_policy", "Always")
    if policy not in PULL_POLICIES:
        options.report.add_error(f"unknown pull policy `{policy}`", policy.span, expected=", ".join(PULL_POLICIES))
    return policy


def _gpu(options: Options, gpus: int) -> Any:
    """Return shares of each GPU, by HAMi's names. A share of 0 sets no limit."""
    shares = {"memory": options.node("gpu_memory", 3000), "cores": options.node("gpu_cores", 30)}
    if not gpus:
        message = "GPU memory and cores are left out: the job has no GPUs"
        options.report.add_change(message, options.where("gpu"))
        return None
    count = options.node("gpu", 2)
    limits = {name: share for name, share in shares.items() if share.value != 0}
    return {"count": count, **limits} if limits else count


def _working_directory(options: Options, caller: Caller) -> str:
    """Return the caller's directory, in which tlaunchrun runs the program, if the pods have it."""
    directory = caller.directory or ""
    if f"{directory}/".startswith(f"{_MOUNT}/"):
        return directory
    message = f"the program starts in {_CODE}; tlaunchrun starts it in the directory that it is called in"
    options.report.add_change(message, options.span, help="set workingDir to that directory")
    return _CODE


def _paths(options: Options, launcher_options: Options) -> dict[str, Any]:
    """Return the paths, which contain the name before it is made valid: set_base_args of run.py."""
    name = options.text("lpjob_name", "tlaunchjob")

    def section(field: str, path: str, argument: str, source: Options = options) -> dict[str, str] | None:
        option = f"set_{argument}"
        if option not in source:
            return None
        where = source.where(option)
        return {field: Text(f"{_MOUNT}/{path}", where), "argument": Text(f"--{argument}", where)}

    return {
        "save": section("path", f"models/{name}", "save_path"),
        "checkpoint": section("path", f"models/{name}/last.tar.gz", "checkpoint_path"),
        "shareFile": section("directory", f"cache/{name}", "share_file", launcher_options),
    }


def _report_missing_wrapper(options: Options, has_gpus: bool) -> None:
    """Report what TLaunch does around the program: DEFAULT_COMMAND of config.py, and process_entry.py."""
    report, span = options.report, options.span
    message = "the pods start the program without TLaunch's wrapper, which uses port 8001 and loses the exit status"
    report.add_change(message, span)
    if has_gpus:
        message = "shared memory (/dev/shm) has trainc's default size; TLaunch leaves it at 64 MiB"
        report.add_change(message, span)
    why, help_ = "TLaunch runs it in every pod before the program", "install in the image what the script installs"
    report.add_dropped(f"{_CODE}/setup.sh", span, why, help=help_)
