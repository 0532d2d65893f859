"""Start of a container: everything that its runner process needs to know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trainc.plan.container import Container, resolve_container, training_container
from trainc.plan.expand import mask_placeholders
from trainc.plan.fields import Object, at, items, text
from trainc.plan.launch import WorkerLaunch, recognize_launch
from trainc.plan.usage import pod_usage
from trainc.rehearse.api_server import ACCOUNT_PATH, account_files, service_variables
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.image_substitute import DEFAULT_FOLDER, NOT_PLACED, place_program
from trainc.rehearse.pod import ContainerStatus, Pod
from trainc.rehearse.process import Process
from trainc.rehearse.sandbox import Sandbox, network_files
from trainc.rehearse.user import container_user, copy_pdsh_modules
from trainc.rehearse.volumes import Volumes
from trainc.well_known import DEFAULT_SHM

_PDSH_MODULES = "/run/trainc-rehearse/pdsh"


def start_container(cluster: Cluster, pod: Pod, status: ContainerStatus, sandbox: Sandbox, volumes: Volumes) -> Process:
    """Start a container; its output becomes events."""
    manifest, definition = status.manifest, pod.definition
    planned = resolve_container(definition, manifest, cluster.runtime_values(pod))
    scratch = cluster.scratch / "pods" / pod.uid / f"{status.name}-{status.restarts}"
    scratch.mkdir(parents=True, exist_ok=True)
    env = {**cluster.settings.env, "HOSTNAME": definition.hostname, **service_variables(), **_env(planned)}
    folder = text(manifest, "workingDir") or DEFAULT_FOLDER
    status.env = env
    training = None
    if manifest is training_container(definition) and not pod.server:
        pod.env, pod.argv = _env(planned), planned.argv
        training = recognize_launch(planned, definition, int(pod_usage(definition, manifest).gpus), cluster.objects)
    user = container_user(definition.spec, manifest, training)
    mounts = list(volumes.mounts(manifest, planned))
    modules = copy_pdsh_modules(scratch) if user and user["add_name"] else None
    if modules is not None:
        env["PDSH_MODULE_DIR"] = _PDSH_MODULES
        mounts.append({"source": str(modules), "path": _PDSH_MODULES, "read_only": True})
    termination_log = text(manifest, "terminationMessagePath") or "/dev/termination-log"
    spec: dict[str, Any] = {
        "pause": sandbox.pid,
        "root": str(cluster.root),
        "layers": cluster.settings.layers,
        "paths": list(cluster.settings.python.folders),
        "shm": DEFAULT_SHM,
        "mounts": mounts,
        "files": {**network_files(definition, pod.ip), termination_log: "", **_account(cluster, pod, manifest)},
        "program": _program(cluster, training, folder, scratch),
        "folder": folder,
        "argv": list(planned.argv),
        "env": env,
        "user": user,
    }
    return Process(spec, lambda stream, line: cluster.report("line", pod, status.name, line, stream=stream))


def _env(planned: Container) -> dict[str, str]:
    """Return the environment; keys of unknown Secrets are empty."""
    return {variable.name: mask_placeholders(variable.value, "") for variable in planned.env}


def _account(cluster: Cluster, pod: Pod, manifest: Object) -> dict[str, str]:
    is_mounted = any(text(mount, "mountPath") == ACCOUNT_PATH for mount in items(manifest, "volumeMounts"))
    spec = pod.definition.spec
    if not cluster.has_account or is_mounted or at(spec, "automountServiceAccountToken") is False:
        return {}
    return account_files(cluster.account, pod.definition.namespace)


def _program(cluster: Cluster, training: WorkerLaunch | None, folder: str, scratch: Path) -> dict[str, Any]:
    program = cluster.settings.program
    placement = NOT_PLACED
    if program is not None and training is not None:
        python = cluster.settings.python.executable
        placement = place_program(training.program, folder, program.file, python, scratch)
    files = {**cluster.shims, **placement.files}
    return {"folder": str(program.file.parent) if program else "", "at": placement.at, "files": files}
