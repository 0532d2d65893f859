"""Storage: volumes with /dev/shm, claims, directories on volumes, and paths for the program."""

from __future__ import annotations

from trainc.ir.env import RUN_VARIABLE, Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import Replicas
from trainc.ir.pod import SHM_VOLUME, Claim, FileMap, InitCommand, Mount, Volume
from trainc.quantity import byte_quantity, nanos
from trainc.span import Source
from trainc.spec.job import TrainingJob
from trainc.spec.storage import FILES
from trainc.spec.storage import Volume as VolumeSpec
from trainc.typenames import TYPE_CHECKING, Any
from trainc.well_known import SHM_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping

SHM_WITHOUT_LIMIT = "8Gi"


Storage = tuple[tuple[Volume, ...], tuple[Mount, ...], tuple[FileMap, ...]]


def lower_volumes(job: TrainingJob, size: str | None) -> Storage:
    """Return the job's volumes in their order, then shared memory of a size; their mounts; and ConfigMaps of local
    files."""
    volumes: list[Volume] = []
    file_maps: list[FileMap] = []
    for volume in job.volumes:
        kind, source = volume.kind, volume.source
        if kind == FILES:
            from trainc.lower.local_files import lower_files

            files, source = lower_files(job.metadata.name, _source(job, volume), volume)
            kind = "configMap"
            file_maps.append(files)
        if volume.claim is not None:
            kind, source = "persistentVolumeClaim", {"claimName": claim_name(job, volume.name)}
        volumes.append(Volume(name=volume.name, kind=kind, source=source, origin=volume.where("name")))
    mounts = [
        Mount(
            volume=volume.name,
            path=mount.path,
            sub_path=mount.sub_path,
            read_only=mount.read_only,
            origin=mount.where("mountPath"),
        )
        for volume in job.volumes
        for mount in volume.mounts
    ]
    if size is not None:
        source = {"medium": "Memory", "sizeLimit": size}
        origin = job.span_of("sharedMemory")
        volumes.append(Volume(name=SHM_VOLUME, kind="emptyDir", source=source, origin=origin))
        mounts.append(Mount(volume=SHM_VOLUME, path=SHM_PATH, origin=origin))
    return tuple(volumes), tuple(mounts), tuple(file_maps)


def _source(job: TrainingJob, volume: VolumeSpec) -> Source:
    """Return the file to which local files are relative: that of the volume, which may be in a project file."""
    source = volume.node.span.source
    return source if source.is_file else job.node.span.source


def lower_shipped_text(path: str, storage: Storage, config_maps: Mapping[str, Any]) -> str | None:
    """Return the text of a file in the training container; None if the input does not have it."""
    from trainc.launchers.script_files import config_map_text

    volumes, mounts, file_maps = storage
    mount = _innermost(path, mounts)
    volume = next((each for each in volumes if mount is not None and each.name == mount.volume), None)
    if mount is None or volume is None:
        return None
    return config_map_text(path, mount.path, mount.sub_path or "", volume, file_maps, config_maps)


def shared_memory(job: TrainingJob, limits: dict[str, str]) -> str | None:
    """Return the size of /dev/shm, None for the container runtime's 64 MiB.

    The default, for processes that share tensors (GPUs, several processes), is half of the memory limit, which it
    counts against: https://kubernetes.io/docs/concepts/storage/volumes/#emptydir
    """
    if job.shared_memory is not None:
        return job.shared_memory or None
    if any(mount.path.rstrip("/") == SHM_PATH for volume in job.volumes for mount in volume.mounts):
        return None
    gpus = job.resources.gpu_count
    shares = job.launch.traits.uses_shared_memory or gpus > 0
    if not shares and job.launch.processes_per_pod(gpus) == 1:
        return None
    return byte_quantity(nanos(limits["memory"]) // 2) if "memory" in limits else SHM_WITHOUT_LIMIT


def claim_name(job: TrainingJob, volume: str) -> str:
    """Return `<job>-<volume>`, so that two jobs never share a claim by accident."""
    return f"{job.metadata.name}-{volume}"


def default_access_mode(workers: int) -> str:
    """Return the access mode of a claim: several workers need one that several nodes can mount."""
    return "ReadWriteMany" if workers > 1 else "ReadWriteOnce"


def lower_claims(job: TrainingJob, replicas: Replicas) -> tuple[Claim, ...]:
    """Return a claim for each volume with `claim`."""
    return tuple(
        Claim(
            name=claim_name(job, volume.name),
            size=volume.claim.size,
            access_mode=volume.claim.access_mode or default_access_mode(replicas.maximum),
            storage_class=volume.claim.storage_class,
        )
        for volume in job.volumes
        if volume.claim is not None
    )


def lower_folders(job: TrainingJob, mounts: tuple[Mount, ...]) -> tuple[InitCommand, ...]:
    """Create the directories of `save`, `checkpoint` and `shareFile` below a mount; the mount itself exists.

    A path outside of all volumes is in the image.
    """
    paths = [
        job.save.path.rstrip("/") if job.save and job.save.create else "",
        job.checkpoint.path.rstrip("/").rpartition("/")[0] if job.checkpoint and job.checkpoint.create else "",
        job.share_file.path.rstrip("/") if job.share_file and job.share_file.create else "",
    ]
    mounted = {}
    for path in filter(None, paths):
        mount = _innermost(path, mounts)
        if mount and not mount.read_only and mount.path.rstrip("/") != path:
            mounted[path] = mount
    if not mounted:
        return ()
    used = tuple(mount for mount in mounts if mount in mounted.values())
    return (InitCommand(name="folders", command=("mkdir", "-p", *mounted), mounts=used),)


def _innermost(path: str, mounts: tuple[Mount, ...]) -> Mount | None:
    """Return the innermost mount that contains a path."""
    above = [mount for mount in mounts if f"{path}/".startswith(mount.path.rstrip("/") + "/")]
    return max(above, key=lambda mount: len(mount.path.rstrip("/")), default=None)


def lower_paths(job: TrainingJob) -> tuple[list[Arg], list[EnvVar]]:
    """Return arguments and variables with paths for the program, in TLaunch's order: save, checkpoint, share file."""
    args: list[Arg] = []
    env: list[EnvVar] = []
    for place in (job.save, job.checkpoint):
        if place is None:
            continue
        if place.argument:
            args += [place.argument, place.path]
        if place.variable:
            env.append(EnvVar(name=place.variable, value=place.path, origin=place.span_of("env")))
    share = job.share_file
    if share is not None:
        # init_method file:// needs a file that no earlier run has written, so it is named after the run.
        folder = share.path.rstrip("/") + "/"
        env.append(EnvVar(name=RUN_VARIABLE, value=PodFact.RUN))
        if share.argument:
            args += [share.argument, FactArg(fact=PodFact.RUN, variable=RUN_VARIABLE, before=folder)]
        if share.variable:
            value = f"{folder}$({RUN_VARIABLE})"
            env.append(EnvVar(name=share.variable, value=value, origin=share.span_of("env")))
    return args, env
