"""Start of a container: everything that its runner process needs to know."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from trainc.plan.container import Container, resolve_container, training_container
from trainc.plan.expand import mask_placeholders
from trainc.plan.fields import Object, at, items, text
from trainc.plan.launch import WorkerLaunch, launch_surroundings, recognize_launch
from trainc.plan.usage import known_gpus
from trainc.rehearse.api_server import ACCOUNT_PATH, account_files, service_variables
from trainc.rehearse.beneath import FOLDER, opened, write_file
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.ids import container_root
from trainc.rehearse.image_substitute import DEFAULT_FOLDER, NOT_PLACED, place_program
from trainc.rehearse.pod import ContainerStatus, Pod
from trainc.rehearse.process import Process
from trainc.rehearse.sandbox import Sandbox, network_files
from trainc.rehearse.user import container_user, copy_pdsh_modules
from trainc.rehearse.volumes import Volumes
from trainc.well_known import DEFAULT_SHM

_PDSH_MODULES = "/run/trainc-rehearse/pdsh"
_TERMINATION_LOG = "/dev/termination-log"


def start_container(cluster: Cluster, pod: Pod, status: ContainerStatus, sandbox: Sandbox, volumes: Volumes) -> Process:
    """Start a container; its output becomes events."""
    manifest, definition = status.manifest, pod.definition
    planned = resolve_container(definition, manifest, cluster.runtime_values(pod))
    scratch = Path(tempfile.mkdtemp(dir=cluster.scratch / "pods" / pod.uid))
    env = {**cluster.settings.env, "HOSTNAME": definition.hostname, **service_variables(), **_env(planned)}
    folder = text(manifest, "workingDir") or DEFAULT_FOLDER
    training = None
    if manifest is training_container(definition) and (not pod.server or definition.is_launcher):
        pod.env, pod.argv = _env(planned), planned.argv
        training = recognize_launch(
            planned, definition, known_gpus(definition, manifest), launch_surroundings(cluster.objects)
        )
    user = container_user(definition.spec, manifest, training)
    mounts = [
        *_file_mounts({**network_files(definition, pod.ip), **_account(cluster, pod, manifest)}, scratch),
        *_file_mounts({text(manifest, "terminationMessagePath") or _TERMINATION_LOG: ""}, scratch, mode=0o666),
        *volumes.mounts(manifest, planned),
    ]
    modules = copy_pdsh_modules(scratch) if user["passwd"] else None
    if modules is not None:
        env["PDSH_MODULE_DIR"] = _PDSH_MODULES
        mounts.append(_mount(modules, _PDSH_MODULES))
    root = scratch / "root"
    root.mkdir()
    spec: dict[str, Any] = {
        "pause": sandbox.pid,
        "root": str(root),
        "layers": cluster.settings.layers,
        "paths": list(cluster.settings.python.folders),
        "shm": DEFAULT_SHM,
        "mounts": sorted(mounts, key=lambda mount: len(PurePath(mount["path"]).parts)),  # outer ones first
        "program": _program(cluster, training, folder, scratch),
        "folder": folder,
        "argv": list(planned.argv),
        "env": env,
        "user": user,
    }
    return Process(spec, scratch, lambda stream, line: cluster.report("line", pod, status.name, line, stream=stream))


def _mount(source: Path, path: str) -> dict[str, Any]:
    return {"source": str(source.parent), "sub_path": source.name, "path": path, "read_only": False}


def _file_mounts(files: dict[str, str], scratch: Path, mode: int = 0o644) -> Iterator[dict[str, Any]]:
    """Write files that the kubelet makes for a container; yield their mounts."""
    folder, owner = Path(tempfile.mkdtemp(dir=scratch)), container_root()
    with opened(os.open(folder, FOLDER)) as top:
        for index, (path, content) in enumerate(files.items()):
            write_file(top, str(index), content.encode(), owner, mode)
            yield _mount(folder / str(index), path)


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
