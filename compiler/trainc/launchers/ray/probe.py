"""Program of a rehearsal: a rank of the probe on every node of the cluster, which together form a world.

It runs in place of a user's program, so it imports nothing of trainc. In control.json `elastic` says that it starts the
world again when nodes are lost or join, as an elastic program does; otherwise it ends with the first rank that fails.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

# Only the Python of the pods has Ray, so mypy may or may not find it.
import ray  # type: ignore[import-not-found, unused-ignore]  # installed in the pods

HERE = os.path.dirname(os.path.abspath(__file__))
POLL = 0.5  # seconds
LOST = 1000


class Node:
    """Actor on a node, which runs one rank there."""

    def __init__(self, env: dict[str, str], words: list[str]) -> None:
        self.process = subprocess.Popen([sys.executable, "-u", f"{HERE}/probe.py", *words], env={**os.environ, **env})

    def poll(self) -> int | None:
        return self.process.poll()

    def stop(self) -> None:
        self.process.terminate()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def nodes() -> list[Any]:
    """Return the live nodes in the order of their names, this one first."""
    own = ray.get_runtime_context().get_node_id()
    alive = [node for node in ray.nodes() if node["Alive"]]
    return sorted(alive, key=lambda node: (node["NodeID"] != own, node["NodeManagerHostname"]))


def start(members: list[Any]) -> list[Any]:
    """Start a rank on each of the nodes; the first is rank 0."""
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    env = {"MASTER_ADDR": members[0]["NodeManagerAddress"], "MASTER_PORT": str(port), "WORLD_SIZE": str(len(members))}
    env |= {"LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
    actor = ray.remote(num_cpus=0)(Node)
    ranks = []
    for rank, node in enumerate(members):
        affinity = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        options = actor.options(scheduling_strategy=affinity)
        ranks.append(options.remote({**env, "RANK": str(rank)}, sys.argv[1:]))
    return ranks


def poll(ranks: list[Any]) -> list[int | None]:
    """Return the exit codes, LOST for a rank whose node is lost."""
    codes: list[int | None] = []
    for rank in ranks:
        try:
            codes.append(ray.get(rank.poll.remote(), timeout=60))
        except Exception:
            codes.append(LOST)
    return codes


def is_elastic() -> bool:
    try:
        with open(f"{HERE}/control.json", encoding="utf-8") as file:
            return bool(json.load(file).get("elastic"))
    except (OSError, ValueError):
        return False


def main() -> int:
    stops: list[int] = []
    ray.init(log_to_driver=False, logging_level="ERROR")
    signal.signal(signal.SIGTERM, lambda number, _: stops.append(number))  # after Ray's own, which exits with 15
    members = nodes()
    ranks, is_stopping = start(members), False
    while True:
        if stops and not is_stopping:
            is_stopping = True
            for rank in ranks:
                rank.stop.remote()
        codes = poll(ranks)
        failed = [code for code in codes if code]
        if None not in codes and not failed:
            return 0
        current = nodes()
        changed = is_elastic() and not stops and {each["NodeID"] for each in current} != {m["NodeID"] for m in members}
        if failed and not changed:
            if is_elastic() and LOST in codes and not stops:
                time.sleep(POLL)
                continue  # the cluster has not noticed the loss of the node yet
            return 1 if failed[0] == LOST else 128 - failed[0] if failed[0] < 0 else failed[0]
        if changed:
            for rank in ranks:
                rank.kill.remote()
            time.sleep(1)
            members = current
            ranks = start(members)
        time.sleep(POLL)


if __name__ == "__main__":
    sys.exit(main())
