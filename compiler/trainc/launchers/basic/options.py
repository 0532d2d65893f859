"""Fields of launch.basic, which starts the program without a launcher."""

from __future__ import annotations

from typing import Any

from trainc.launchers.option import Field
from trainc.launchers.ports import MASTER_PORT

PRODUCT = ""  # no option has a version
MOST_PROCESSES = 1024


_ARGUMENT = {"anyOf": [{"type": "string", "minLength": 1}, {"const": False}]}


def _argument(key: str, description: str, **row: Any) -> Field:
    text = f"Name of the argument that carries the {description}"
    return Field(field=f"launch.basic.{key}", kind="other", description=text, schema=_ARGUMENT, **row)


FIELDS: tuple[Field, ...] = (
    Field(
        field="launch.basic.nprocPerNode",
        kind="count",
        description="Processes in each pod. With more than one, the pod's first process is a Python program that starts"
        " them: when one fails it ends the others (SIGTERM, and SIGKILL after 30 s) and the container has its exit"
        " code, 128 plus the number for a signal; it passes SIGTERM and SIGINT on to all.",
        default=1,
        examples=(8,),
        schema={"minimum": 1, "maximum": MOST_PROCESSES},
    ),
    _argument("worldSizeArgument", "number of processes of all workers, or false for none.", default="--world_size"),
    _argument("rankArgument", "rank of the process among all, from 0, or false for none.", default="--rank"),
    _argument(
        "localRankArgument",
        "rank of the process in its pod, from 0, or false for none. Default: --local_rank where nprocPerNode is more"
        " than 1, and none otherwise.",
        examples=("--local-rank",),
    ),
    Field(
        field="launch.basic.port", kind="port", description="MASTER_PORT, the port on worker 0.", default=MASTER_PORT
    ),
)
DEFINITIONS = {
    "Basic": (
        "launch.basic",
        "The program itself, with its rank and world size in arguments and in WORLD_SIZE, RANK, MASTER_ADDR and"
        " MASTER_PORT; several processes of one pod also have LOCAL_RANK and LOCAL_WORLD_SIZE.",
    )
}
