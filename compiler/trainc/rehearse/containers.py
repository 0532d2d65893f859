"""From a container of a pod to the process that it is: everything that its runner has to be told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trainc.plan.container import DEFAULT_SHM, Container, resolve_container, training_container
from trainc.plan.expand import mask_placeholders
from trainc.plan.fields import Object, at, items, text
from trainc.plan.launch.recognize import recognize_launch
from trainc.plan.launch.worker_launch import WorkerLaunch
from trainc.plan.usage import pod_usage
from trainc.rehearse.api_server import MOUNTED, account, variables
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.image_substitute import DEFAULT_FOLDER, NOT_PLACED, place_program
from trainc.rehearse.pod import ContainerStatus, Pod
from trainc.rehearse.process import Process
from trainc.rehearse.sandbox import Sandbox, files
from trainc.rehearse.user import modules_of_pdsh, user
from trainc.rehearse.volumes import Volumes

_MODULES = "/run/trainc-rehearse/pdsh"


def start_container(cluster: Cluster, pod: Pod, status: ContainerStatus, sandbox: Sandbox, volumes: Volumes) -> Process:
    """Start a container; its output becomes events."""
    given = status.given
    started = resolve_container(pod.definition, given, cluster.known(pod))
    scratch = cluster.scratch / "pods" / pod.uid / f"{status.name}-{status.restarts}"
    scratch.mkdir(parents=True, exist_ok=True)
    env = {**cluster.settings.env, "HOSTNAME": pod.definition.hostname, **variables(), **_env(started)}
    folder = text(given, "workingDir") or DEFAULT_FOLDER
    status.env = env
    began = None
    if given is training_container(pod.definition) and not pod.server:
        pod.env, pod.argv = _env(started), started.argv
        began = recognize_launch(started, pod.definition, int(pod_usage(pod.definition, given).gpus), cluster.objects)
    who = user(pod.definition.spec, given, began)
    mounts = list(volumes.mounts(given, started))
    modules = modules_of_pdsh(scratch) if who and who["name"] else None
    if modules is not None:
        env["PDSH_MODULE_DIR"] = _MODULES
        mounts.append({"source": str(modules), "path": _MODULES, "read_only": True})
    spec: dict[str, Any] = {
        "pause": sandbox.process,
        "root": str(cluster.root),
        "layers": cluster.settings.layers,
        "paths": list(cluster.settings.python.folders),
        "shm": int(DEFAULT_SHM),
        "mounts": mounts,
        "files": {**files(pod.definition, pod.ip), **_log(given), **_account(cluster, pod, given)},
        "program": _program(cluster, began, folder, scratch),
        "folder": folder,
        "argv": list(started.argv),
        "env": env,
        "user": who,
    }
    return Process(spec, lambda stream, line: cluster.report("line", pod, status.name, line, stream=stream))


def _env(started: Container) -> dict[str, str]:
    """A Secret's key that nobody knows is left empty."""
    return {one.name: mask_placeholders(one.value, "") for one in started.env}


def _log(given: Object) -> dict[str, str]:
    return {text(given, "terminationMessagePath") or "/dev/termination-log": ""}


def _account(cluster: Cluster, pod: Pod, given: Object) -> dict[str, str]:
    mounted = any(text(one, "mountPath") == MOUNTED for one in items(given, "volumeMounts"))
    if not cluster.has_account or mounted or at(pod.definition.spec, "automountServiceAccountToken") is False:
        return {}
    return account(cluster.account, pod.definition.namespace)


def _program(cluster: Cluster, began: WorkerLaunch | None, folder: str, scratch: Path) -> dict[str, Any]:
    program = cluster.settings.program
    where = NOT_PLACED
    if program is not None and began is not None:
        where = place_program(began.program, folder, program.file, cluster.settings.python.executable, scratch)
    files_ = {**cluster.shims, **where.files}
    return {"folder": str(program.file.parent) if program else "", "at": where.at, "files": files_}
