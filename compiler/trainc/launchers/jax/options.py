"""Fields of launch.jax. Timeouts are arguments of the program's own call: JAX reads no variables for them."""

from __future__ import annotations

from trainc.launchers.option import MOST_PROCESSES, Field
from trainc.launchers.ports import MASTER_PORT

PRODUCT = ""  # no option has a version
_LAUNCH = "launch.jax"

FIELDS: tuple[Field, ...] = (
    Field(
        field=f"{_LAUNCH}.nprocPerNode",
        kind="count",
        description="Processes in each pod. With 1 the process uses all GPUs of the pod. With one for each GPU"
        " JAX_LOCAL_DEVICE_IDS selects its GPU; a Python program starts them and forwards SIGTERM and SIGINT. When one"
        " fails, it ends the others and exits with the code of the failed process.",
        default=1,
        examples=(8,),
        schema={"minimum": 1, "maximum": MOST_PROCESSES},
    ),
    Field(
        field=f"{_LAUNCH}.port",
        kind="port",
        description="Port of the coordinator, which process 0 starts. With resources.tpu JAX chooses 8482 by default.",
        default=MASTER_PORT,
    ),
)
DEFINITIONS = {
    "Jax": (
        _LAUNCH,
        "A program of JAX, with JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES and JAX_PROCESS_ID in its environment. JAX"
        " reads only the address: the program passes the others to jax.distributed.initialize, as"
        ' num_processes=int(os.environ["JAX_NUM_PROCESSES"]) and process_id=int(os.environ["JAX_PROCESS_ID"]). With'
        " resources.tpu none is set: JAX finds its place by GKE's variables, and the call has no arguments.",
    ),
}
