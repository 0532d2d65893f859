"""Fields of launch.ray, and the options of `ray start`, as Ray 2.60.0 has them.

https://github.com/ray-project/ray/blob/ray-2.60.0/python/ray/scripts/scripts.py, start
"""

from __future__ import annotations

from trainc.launchers import option
from trainc.launchers.option import Field, Option
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

PRODUCT = "Ray"
_LAUNCH = "launch.ray"
# DEFAULT_PORT and DEFAULT_DASHBOARD_PORT of python/ray/_private/ray_constants.py, and the port of trainc's script.
PORT, STATUS_PORT, DASHBOARD_PORT = 6379, 6380, 8265
START_TIMEOUT = 600
# Bytes, OBJECT_STORE_MINIMUM_MEMORY_BYTES and REQUIRE_SHM_SIZE_THRESHOLD there.
MINIMUM_STORE, LARGEST_SLOW_STORE = 75 * 2**20, 10**10
# Part of /dev/shm that is the object store by default. /dev/shm is half of the memory limit by default: together this
# is the 30 % of the memory that Ray takes itself, but of the node's memory in a pod without a limit.
STORE_PERCENT = 60

_ARGUMENTS: dict[str, Any] = {"items": {"$ref": "#/definitions/Word"}}


def _field(name: str, kind: Any, description: str, default: Any = None, examples: Any = (), **schema: Any) -> Field:
    return Field(
        field=f"{_LAUNCH}.{name}",
        kind=kind,
        description=description,
        default=default,
        examples=examples,
        schema=schema,
    )


FIELDS: tuple[Field, ...] = (
    _field("port", "port", "Port of the head, on worker 0. RAY_ADDRESS has it for the program.", PORT),
    _field(
        "statusPort",
        "port",
        "Port on worker 0 to which the other workers keep a connection: through it they learn the program's exit code,"
        " with which they end, or the loss of worker 0.",
        STATUS_PORT,
    ),
    _field(
        "dashboard",
        "switch",
        f"Whether worker 0 serves Ray's dashboard, on port {DASHBOARD_PORT}. It needs ray[default] in the image, and"
        " lets everybody who reaches the port run code.",
        False,
    ),
    _field(
        "numCpus",
        "count",
        "CPUs that Ray schedules on each worker. Default: the pod's CPU request, at least 1. Without a request Ray"
        " counts the CPUs of the node.",
        examples=(16,),
    ),
    _field(
        "numGpus", "count", "GPUs that Ray schedules on each worker. Default: the GPUs of the pod, or 0.", examples=(8,)
    ),
    _field(
        "objectStoreMemory",
        "other",
        f"Size of each worker's object store, which is in /dev/shm. Default: {STORE_PERCENT} % of /dev/shm.",
        examples=("64Gi",),
        **{"$ref": "#/definitions/Quantity"},
    ),
    _field(
        "startTimeout",
        "count",
        "Seconds in which all workers must have joined the cluster, or `elastic.minReplicas` of them. After it worker 0"
        " fails, and so do workers that worker 0 does not answer.",
        START_TIMEOUT,
        (1800,),
        minimum=1,
    ),
    _field(
        "otherArgs",
        "other",
        "Further options of `ray start` on every worker, each as --name or --name=value.",
        examples=(['--resources={"node": 1}'],),
        type="array",
        **_ARGUMENTS,
    ),
    _field(
        "headArgs",
        "other",
        "The same on worker 0, which is the head.",
        examples=(["--dashboard-agent-listen-port=0"],),
        type="array",
        **_ARGUMENTS,
    ),
    _field(
        "workerArgs",
        "other",
        "The same on all other workers.",
        examples=(["--labels=role=rollout"],),
        type="array",
        **_ARGUMENTS,
    ),
)
DEFINITIONS = {
    "Ray": (
        _LAUNCH,
        "A Ray cluster of the workers: worker 0 runs `ray start --head`, and the program once the others have joined;"
        " they run `ray start --address`. Its exit code is that of all workers. Where KubeRay runs the job, KubeRay"
        " starts both.",
    ),
}


def _option(name: str, kind: Any = "text", field: str = "", instead: str = "") -> Option:
    return Option(name=name, kind=kind, field=f"{_LAUNCH}.{field}" if field else "", instead=instead)


_OWN = "trainc sets it in each pod"
OPTIONS: tuple[Option, ...] = (
    _option("port", "port", "port", "launch.ray.port"),
    _option("num-cpus", "count", "numCpus", "launch.ray.numCpus"),
    _option("num-gpus", "count", "numGpus", "launch.ray.numGpus"),
    _option("object-store-memory", "text", "objectStoreMemory", "launch.ray.objectStoreMemory"),
    _option("include-dashboard", "text", "dashboard", "launch.ray.dashboard"),
    _option("dashboard-host", instead="launch.ray.dashboard"),
    _option("dashboard-port", "port", instead="launch.ray.dashboard"),
    *(_option(name, "switch", instead=_OWN) for name in ("head", "block")),
    *(_option(name, instead=_OWN) for name in ("address", "node-ip-address")),
    *(
        _option(name, "switch")
        for name in (
            *("no-redirect-output", "enable-object-reconstruction", "no-monitor", "ray-debugger-external"),
            *("disable-usage-stats", "enable-resource-isolation", "verbose"),
        )
    ),
    *(
        _option(name)
        for name in (
            *("node-name", "redis-username", "redis-password", "redis-shard-ports", "object-manager-port"),
            *("node-manager-port", "min-worker-port", "max-worker-port", "worker-port-list", "ray-client-server-port"),
            *("memory", "resources", "dashboard-agent-listen-port", "dashboard-agent-grpc-port"),
            *("runtime-env-agent-port", "plasma-directory", "object-spilling-directory", "autoscaling-config"),
            *("temp-dir", "system-config", "metrics-export-port", "tracing-startup-hook", "labels", "labels-file"),
            *("include-log-monitor", "system-reserved-cpu", "system-reserved-memory", "cgroup-path"),
            *("proxy-server-url", "log-style", "log-color"),
        )
    ),
)
BY_FLAG = {f"--{option.name}": option for option in OPTIONS}


def grammar() -> Table:
    """Return the options for the argv parser. Click, which parses them, knows no abbreviations; no program follows."""
    table = option.grammar(OPTIONS)
    return table.replace(options={**table.options, "-v": ("verbose", 0)}, abbreviates=False, complete=False)
