"""Object stores that Ray does not start, or starts on a disk: those that are larger than /dev/shm.

Seen with Ray 2.60.0, determine_plasma_store_config of python/ray/_private/services.py.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, put, warning
from trainc.launchers.ray.options import LARGEST_SLOW_STORE, MINIMUM_STORE
from trainc.launchers.ray.spec import Ray
from trainc.quantity import NANO, byte_quantity, nanos
from trainc.well_known import DEFAULT_SHM, SHM_PATH

TRIGGERS = ("launch.ray",)

SLOW = "RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE"


def check(context: RuleContext) -> Diagnostics:
    launch = Ray.of(context.spec)
    shm = _shared_memory(context)
    if launch.object_store_memory is None:
        if shm is not None and shm < MINIMUM_STORE:
            message = f"{SHM_PATH} has {byte_quantity(shm * NANO)}: Ray's object store is on the container's disk"
            where = context.spec.where("sharedMemory", "launch")
            yield warning(codes.RAY_OBJECT_STORE, message, where, help=Message("set {sharedMemory}"))
        return
    store, where = nanos(launch.object_store_memory) // NANO, launch.where("objectStoreMemory")
    if store < MINIMUM_STORE:
        message = f"`ray start` exits: an object store of {launch.object_store_memory} is below its minimum of 75Mi"
        remedy = put("spec.launch.ray.objectStoreMemory", "75Mi")
        yield error(codes.RAY_OBJECT_STORE, message, where, help="set 75Mi or more", remedy=remedy)
    elif shm is not None and store > shm:
        allowed = any(variable.name == SLOW for variable in context.pod.main.user_variables)
        size = f"the object store of {launch.object_store_memory} does not fit into /dev/shm, which has"
        size = f"{size} {byte_quantity(shm * NANO)}"
        help_: Help = ("remove it, which sets 60 % of /dev/shm", Message("set {sharedMemory} to more"))
        if store > LARGEST_SLOW_STORE and not allowed:
            yield error(codes.RAY_OBJECT_STORE, f"`ray start` exits: {size}", where, help=help_)
        else:
            yield warning(codes.RAY_OBJECT_STORE, f"{size}: Ray puts it on the container's disk", where, help=help_)


def _shared_memory(context: RuleContext) -> int | None:
    """Return the bytes of /dev/shm; None if the manifests don't say."""
    mount = next((mount for mount in context.pod.mounts if mount.path.rstrip("/") == SHM_PATH), None)
    if mount is None:
        return DEFAULT_SHM
    size = mount.volume.source.get("sizeLimit")
    return nanos(str(size)) // NANO if size is not None else None
