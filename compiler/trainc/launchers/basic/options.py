"""Fields of launch.basic, which starts the program without a launcher."""

from __future__ import annotations

from trainc.launchers.option import MOST_PROCESSES, Field
from trainc.launchers.ports import MASTER_PORT

PRODUCT = ""  # no option has a version
_LAUNCH = "launch.basic"


def _argument(key: str, value: str, example: str) -> Field:
    text = f"Name of the argument that passes {value}. Default: none."
    return Field(field=f"{_LAUNCH}.arguments.{key}", kind="text", description=text, examples=(example,))


FIELDS: tuple[Field, ...] = (
    Field(
        field=f"{_LAUNCH}.nprocPerNode",
        kind="count",
        description="Processes in each pod. If there are several, a Python program starts them and forwards SIGTERM and"
        " SIGINT. When one fails, it ends the others (SIGTERM, and SIGKILL after 30 s) and exits with the code of the"
        " failed process, 128 plus the number for a signal.",
        default=1,
        examples=(8,),
        schema={"minimum": 1, "maximum": MOST_PROCESSES},
    ),
    Field(field=f"{_LAUNCH}.arguments", kind="other", schema={"$ref": "#/definitions/BasicArguments"}),
    _argument("worldSize", "the number of processes of all workers", "--world_size"),
    _argument("rank", "the rank of the process among all, from 0", "--rank"),
    _argument("localRank", "the rank of the process in its pod, from 0", "--local_rank"),
    Field(field=f"{_LAUNCH}.port", kind="port", description="MASTER_PORT, the port on worker 0.", default=MASTER_PORT),
)
DEFINITIONS = {
    "Basic": (
        _LAUNCH,
        "The program itself, with WORLD_SIZE, RANK, MASTER_ADDR and MASTER_PORT in its environment; several processes"
        " of one pod also have LOCAL_RANK and LOCAL_WORLD_SIZE.",
    ),
    "BasicArguments": (
        f"{_LAUNCH}.arguments",
        "Arguments that pass world size and ranks as well, after the program's own arguments.",
    ),
}
