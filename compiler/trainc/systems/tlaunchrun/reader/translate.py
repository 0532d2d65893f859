"""A tlaunchrun command line as a document of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainc.record import Record
from trainc.source.node import Mapping
from trainc.span import Text
from trainc.systems.shared.reader.assemble import assemble_job
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.tlaunchrun.reader.command_text import quoted_words
from trainc.systems.tlaunchrun.reader.launchers import translate_launcher
from trainc.systems.tlaunchrun.reader.parser import PULL_POLICIES, Options, parse_command_line

NAME = "tlaunchrun"
# tlaunch/lp_k8s/config.py
_IMAGE = "docker.4pd.io/tlaunch/reverb:base"
_MOUNT, _VOLUME, _CLAIM = "/TData", "tdata", "jfsdemo"
_CODE = f"{_MOUNT}/code"


class Caller(Record):
    """Of whoever calls tlaunchrun: the pod's namespace and the working directory, as far as they are known."""

    namespace: str | None = None
    directory: str | None = None


def translate(arguments: Sequence[str], caller: Caller) -> tuple[Mapping | None, TranslationReport]:
    """The job, and what there is to say; None when tlaunchrun would refuse it. Raises Rejected for half characters."""
    report = TranslationReport()
    words = quoted_words(NAME, arguments)
    line = parse_command_line(words, report)
    if line is None:
        return None, report
    options = line.options
    name, namespace = _name(options), _namespace(options, caller)
    gpus = options.number("gpu", 2)
    spec: dict[str, Any] = {
        "image": options.text("image", _IMAGE),
        "imagePullPolicy": _pull_policy(options),
        **translate_launcher(line, gpus, report),
        "resources": {"gpu": _gpu(options, gpus)},
        "workingDir": _directory(options, caller),
        **_paths(options, line.own),
        "volumes": [_volume(namespace)],
        # https://github.com/TARTRL/TLaunch/blob/main/lp-operator/controllers/lpjob_controller.go
        "podTemplate": {"metadata": {"annotations": {"sidecar.istio.io/inject": "false"}}},
    }
    _without_tlaunch(options, bool(gpus))
    job = assemble_job({"name": name, "namespace": namespace}, spec, options.span)
    return (None if any(said.severity == "error" for said in report.diagnostics) else job), report


def _name(options: Options) -> Text:
    """As validate_name of tlaunch/lp_k8s/client.py makes it; other characters are left to our own rule for names."""
    if "lpjob_name" not in options:
        message = "the job needs a name; tlaunchrun takes the time of day, with colons that no name may have"
        options.report.add_change(message, options.span, help="--lpjob_name, or metadata.name")
    given = options.text("lpjob_name", "tlaunchjob")
    name = Text(given.lower().replace("_", "-"), given.span)
    if name != given:
        options.report.add_change(f"the name is `{name}`, as tlaunchrun makes it", name.span)
    return name


def _namespace(options: Options, caller: Caller) -> Text:
    if "namespace" not in options:
        known = "TPOD_NAMESPACE says so" if caller.namespace else "TPOD_NAMESPACE is not set"
        message = f"the namespace is `{caller.namespace or 'default'}`, as tlaunchrun takes it here: {known}"
        options.report.add_change(message, options.span)
    return options.text("namespace", caller.namespace or "default")


def _pull_policy(options: Options) -> Text | None:
    policy = options.text("image_pull_policy", "Always")
    if policy not in PULL_POLICIES:
        options.report.add_error(f"`{policy}` is no pull policy", policy.span, expected=", ".join(PULL_POLICIES))
    return policy


def _gpu(options: Options, gpus: int) -> Any:
    """Shares of GPUs, by the names that HAMi reads: for each GPU. 0 is no limit to it."""
    shares = {"memory": options.node("gpu_memory", 3000), "cores": options.node("gpu_cores", 30)}
    if not gpus:
        options.report.add_change(
            "a job without GPUs asks for no share of their memory and cores", options.where("gpu")
        )
        return None
    count = options.node("gpu", 2)
    given = {name: share for name, share in shares.items() if share.value != 0}
    return {"count": count, **given} if given else count


def _directory(options: Options, caller: Caller) -> str:
    """tlaunchrun runs the program where it was called itself."""
    here = caller.directory or ""
    if f"{here}/".startswith(f"{_MOUNT}/"):
        return here
    message = f"the program starts in {_CODE}; tlaunchrun starts it in the directory that it was called in"
    options.report.add_change(message, options.span, help="set workingDir to that directory")
    return _CODE


def _paths(options: Options, own: Options) -> dict[str, Any]:
    """The folders are named by the name as it was given: set_base_args of run.py."""
    name = options.text("lpjob_name", "tlaunchjob")

    def path(path: str, option: str, given: Options = options) -> Text | None:
        return Text(f"{_MOUNT}/{path}", given.where(option)) if option in given else None

    return {
        "save": {"path": path(f"models/{name}", "set_save_path")},
        "checkpoint": {"path": path(f"models/{name}/last.tar.gz", "set_checkpoint_path")},
        "shareFile": {"directory": path(f"cache/{name}", "set_share_file", own)},
    }


def _volume(namespace: Text) -> dict[str, Any]:
    claim = {"claimName": Text(f"{namespace}-{_CLAIM}", namespace.span)}
    sub_path = Text(f"./{namespace}", namespace.span)
    return {"name": _VOLUME, "mountPath": _MOUNT, "subPath": sub_path, "persistentVolumeClaim": claim}


def _without_tlaunch(options: Options, gpus: bool) -> None:
    """What TLaunch does around the program: DEFAULT_COMMAND of config.py, and process_entry.py."""
    report, span = options.report, options.span
    report.add_change("the pods start the program itself: TLaunch's wrapper, at port 8001, loses its exit status", span)
    if gpus:
        report.add_change("shared memory (/dev/shm) has trainc's default size; TLaunch leaves it at 64 MiB", span)
    help_ = "have the image hold what it installs"
    report.add_dropped(f"{_CODE}/setup.sh", span, "TLaunch runs it in every pod before the program", help=help_)
