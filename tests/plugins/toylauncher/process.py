"""Process model of toyrun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.commandline.word import parse_count
from trainc.plan.failures import FailureCase
from trainc.plan.launch import LaunchCommand, WorkerLaunch
from trainc.plan.process_env import rank_env
from trainc.plan.world import Worker, WorldSize

DEFAULTS = {"nodes": "1", "rank": "0", "slots": "1", "master": "localhost:29500"}


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of a toyrun command; None for any other command."""
    if command.argv[:1] != ("toyrun",):
        return None
    flags = [argument for argument in command.argv if argument.startswith("--")]
    options = {**DEFAULTS, **dict(flag[2:].split("=", 1) for flag in flags if "=" in flag)}
    nodes, slots = parse_count(options["nodes"]) or 0, parse_count(options["slots"]) or 0
    host, _, port = options["master"].rpartition(":")
    return WorkerLaunch(
        launcher="toyrun",
        label="toyrun",
        program=tuple(argument for argument in command.argv[1:] if argument not in flags),
        processes=slots,
        nodes=(nodes, nodes),
        node_rank=parse_count(options["rank"]),
        world=nodes * slots,
        rendezvous_host=host,
        port=parse_count(port),
    )


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the rank and the world size."""
    return rank_env(worker, worker.launch.world)


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield nothing: toyrun exits with its processes."""
    return iter(())
