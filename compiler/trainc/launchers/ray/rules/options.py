"""Options of `ray start` that trainc sets, that belong to other nodes, or that Ray lacks; ports and object stores.

Object stores that Ray does not start, or starts on a disk, are larger than /dev/shm. Seen with Ray 2.60.0,
determine_plasma_store_config of python/ray/_private/services.py.
"""

from __future__ import annotations

from collections import defaultdict

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, put, remove, warning
from trainc.launchers.ray.options import BY_FLAG, LARGEST_SLOW_STORE, MINIMUM_STORE, PRODUCT
from trainc.launchers.ray.spec import Ray
from trainc.quantity import NANO, byte_quantity, nanos
from trainc.schema.hints import similar
from trainc.span import span_of
from trainc.well_known import DEFAULT_SHM, SHM_PATH

TRIGGERS = ("launch.ray",)

# Options that `ray start` rejects without --head.
OF_HEAD = ("--redis-shard-ports", "--port", "--include-dashboard")
SLOW = "RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE"


def check(context: RuleContext) -> Diagnostics:
    yield from _options(context)
    yield from _object_store(context)


def _options(context: RuleContext) -> Diagnostics:
    launch = Ray.of(context.spec)
    lists = {"otherArgs": launch.other_args, "headArgs": launch.head_args, "workerArgs": launch.worker_args}
    for field, arguments in lists.items():
        for word in arguments:
            flag, equals, _ = word.partition("=")
            option, where = BY_FLAG.get(flag), span_of(word) or launch.where(field)
            if option is None:
                close = similar(flag, BY_FLAG, 0.75)
                message = f"`ray start` of {PRODUCT} 2.60 has no option `{flag}`"
                help_ = f"did you mean `{close}`?" if close else Message("move arguments of the program to {spec.run}")
                yield error(codes.RAY_OPTION, message, where, help=help_)
            elif option.instead:
                set_ = "" if " " in option.instead else option.instead
                help_ = f"use {set_}" if set_ else "remove it"
                yield error(codes.RAY_OPTION, f"`{flag}` is set by trainc", where, help=help_)
            elif flag in OF_HEAD and field != "headArgs":
                message = f"`ray start` rejects `{flag}` on a worker other than the head"
                yield error(codes.RAY_OPTION, message, where, help="move it to `headArgs`")
            elif bool(equals) == (option.kind == "switch"):
                message = f"`{flag}` {'takes no value' if equals else 'requires a value in the same argument'}"
                yield error(codes.RAY_OPTION, message, where, help=f"write `{flag}{'' if equals else '=VALUE'}`")
    yield from _ports(launch)


def _ports(launch: Ray) -> Diagnostics:
    names = defaultdict(list)
    for name, number in launch.ports.items():
        names[number].append({"gcs": "the head", "status": "trainc's script"}.get(name, "the dashboard"))
    for number, users in names.items():
        if len(users) > 1:
            where = launch.where("statusPort", "port")
            message = f"port {number} of worker 0 is used by {' and '.join(users)}"
            own = {"the head": "port", "trainc's script": "statusPort"}
            fields = [own[user] for user in users if user in own]
            help_ = f"set `{fields[-1]}` to another number"
            yield error(codes.PORT_CONFLICT, message, where, help=help_, remedy=remove(launch.span_of(fields[-1])))


def _object_store(context: RuleContext) -> Diagnostics:
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
