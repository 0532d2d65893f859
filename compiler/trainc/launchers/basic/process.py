"""A program that is told its rank: by variables, by arguments, or by both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trainc.plan.container import Container
from trainc.plan.launch.worker_launch import WorkerLaunch

_NAMES = ("WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT")


def basic(
    container: Container, argv: Sequence[str], count: str | None, pod: str | None, names: tuple[str, str]
) -> WorkerLaunch:
    """What one process a pod is told; with a count, what each of them is told by the program that starts them.

    `names` are those of the arguments for rank and local rank, empty where they get none.
    """
    told = {name: container.value(name) for name in _NAMES}
    processes = 1 if count is None else _int(count)
    node = told["RANK"] if count is None else pod
    node_rank = _int(node)
    missing = [name for name in _NAMES if told[name] is None and (name != "RANK" or count is None)]
    wrong = (
        [f"the program isn't told {name}" for name in missing]
        if len(missing) < len(_NAMES) - (count is not None)
        else []
    )
    wrong += _arguments(container, argv)
    program = tuple(argv)
    if count is not None:
        words = zip(names, ("‹rank›", "‹local rank›"), strict=True)
        program += tuple(word for name, value in words if name for word in (name, value))
    world = _int(told["WORLD_SIZE"])
    alone = all(value is None for value in told.values()) and count is None
    return WorkerLaunch(
        launcher="none" if alone else "basic",
        program=program,
        processes=processes,
        nodes=None if world is None or not processes else (world // processes, world // processes),
        node_rank=node_rank,
        rank=None if node_rank is None or processes is None else node_rank * processes,
        world=world,
        rendezvous_host=told["MASTER_ADDR"] or "",
        port=_int(told["MASTER_PORT"]),
        errors=tuple(wrong),
    )


def _arguments(container: Container, argv: Sequence[str]) -> list[str]:
    """Where an argument says another thing than the variable."""
    wrong = []
    for option, name in (("--rank", "RANK"), ("--world_size", "WORLD_SIZE")):
        value = container.value(name)
        for word, after in pairwise(argv):
            if word == option and value is not None and after != value:
                wrong.append(f"its argument {option} is {after}, but its variable {name} is {value}")
    return wrong


def _int(given: str | None) -> int | None:
    return int(given) if given and given.isascii() and given.isdecimal() and len(given) < 10 else None
