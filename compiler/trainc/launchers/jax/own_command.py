"""Read what trainc writes for launch.jax: the command line of several processes per pod, and the world's variables."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.jax.traits import ADDRESS, EACH, PROCESS_ID, PROCESSES
from trainc.launchers.ports import HIGHEST_PORT, MASTER_PORT, host_and_port
from trainc.launchers.shared.processes import POD_VARIABLE, read_processes
from trainc.source.node import Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.env import field_path, variables
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.systems.shared.reader.own_world import World


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.jax, the kind of the program (empty: its words say it) and its words."""
    processes = read_processes(words, EACH)
    return None if processes is None else ({"nprocPerNode": parse_count(processes[0])}, "", processes[2])


def read_world(env: Any, world: World, section: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """Return the fields of launch.jax, and the variables that it sets; None for another world than its own.

    `section` are the fields that the command line sets.
    """
    values = {str(name): value for name, value in variables(env)}
    index = POD_VARIABLE if "nprocPerNode" in section else PROCESS_ID
    count, address = section.get("nprocPerNode") or 1, values.get(ADDRESS)
    host, port = host_and_port(scalar_text(address), MASTER_PORT)
    is_first = host in world.hosts or field_path(address) in world.host_fields
    is_numbered = index in world.index or (world.total == 1 and scalar_text(values.get(index)) == "0")
    is_whole = parse_count(scalar_text(values.get(PROCESSES))) == world.total * count
    if not (is_first and is_numbered and is_whole) or not 0 < port <= HIGHEST_PORT:
        return None
    assert address is not None
    fields = {"port": Scalar(port, str(port), address.span)} if port != MASTER_PORT else {}
    return {**section, **fields}, (ADDRESS, PROCESSES, index)
