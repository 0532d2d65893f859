"""Variables by which pods describe their world themselves, as trainc's launchers do: their controller sets none."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.registry import MENTIONS, WORLD_VARIABLES, part
from trainc.record import Record
from trainc.source.node import Scalar, scalar_text
from trainc.span import span_of
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.env import field_path, variables, with_variables, without_variables
from trainc.systems.shared.reader.injected_env import referenced_variables
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.report import TranslationReport

HIGHEST_PORT = 65535


class World(Record):
    """World of the pods.

    hosts: host names of the first pod; total: the number of pods; nodes: torchrun's number of nodes, one or a range;
    index: variables with the number of the pod; host_fields: fields with a host name of the first pod; run_ids: fields
    that differ in each run, or after each restart.
    """

    hosts: tuple[str, ...]
    total: int
    nodes: str = ""
    index: tuple[str, ...] = ()
    host_fields: tuple[str, ...] = ()
    run_ids: tuple[str, ...] = ()


def host_names(host: str, namespace: str) -> tuple[str, ...]:
    """Return the names of a host in the cluster; `namespace` is empty if it isn't known."""
    full = f"{host}.{namespace}"
    return (host, full, f"{full}.svc", f"{full}.svc.cluster.local") if namespace else (host,)


def metadata_fields(*labels: str) -> tuple[str, ...]:
    """Return the fields with these labels, which may be annotations too."""
    return tuple(f"metadata.{kind}['{label}']" for kind in ("labels", "annotations") for label in labels)


def field_variables(env: Any, fields: Collection[str]) -> tuple[str, ...]:
    """Return the variables whose values are one of these fields of the pod."""
    return tuple(name for name, value in variables(env) if field_path(value) in fields)


def translate_own_world(
    main: TranslatedPod, world: World, command: TranslatedCommand, report: TranslationReport
) -> tuple[TranslatedCommand, Scalar | None]:
    """Return the command with the launcher whose variables the pods have, without these, and the value of MASTER_PORT.

    Only a program that no other launcher starts can have them.
    """
    names = {str(name) for name, _ in variables(main.fields["env"])}
    for variable, launcher in WORLD_VARIABLES.items():
        section = command.launch.get(launcher, {} if "basic" in command.launch else None)
        if variable not in names or section is None:
            continue
        launch = part(launcher, "own_command").read_world(main.fields["env"], world, section)
        if launch is not None:
            fields, own = launch
            for name, _ in variables(main.fields["env"]):
                if name in own and (where := span_of(name)):
                    report.add_change(f"variable `{name}` is left out: launch.{launcher} sets it", where)
            main.fields["env"] = without_variables(main.fields["env"], own)
            return command.replace(launch={launcher: fields}), None
    return command, remove_own_world(main, world, command, report)


def remove_own_world(
    main: TranslatedPod, world: World, command: TranslatedCommand, report: TranslationReport
) -> Scalar | None:
    """Remove the variables that the launcher of the job sets to the same, and return the value of MASTER_PORT.

    launch.torchrun has no MASTER_ADDR, to which a command line that starts torchrun itself may refer. A launcher in the
    program of launch.basic sets the variables of its processes: the report keeps these for checks of the original.
    """
    is_basic = "basic" in command.launch
    words = [word for line in command.run.values() for word in line]
    ranks = ("RANK",) if is_basic else ("RANK", "NODE_RANK", "PET_NODE_RANK")
    used = set() if is_basic else referenced_variables(words)
    port, same = None, set()
    for name, value in variables(main.fields["env"]):
        text, where = scalar_text(value), span_of(name)
        is_same = (
            (name == "MASTER_ADDR" and (text in world.hosts or field_path(value) in world.host_fields))
            or (name == "WORLD_SIZE" and text == str(world.total) and is_basic)
            or (name in ranks and (name in world.index or (text == "0" and world.total == 1)))
            or (name == "PET_NNODES" and text == world.nodes and not is_basic)
            or (name == "PET_RDZV_ID" and field_path(value) in world.run_ids and not is_basic)
            or (name == "MASTER_PORT" and 0 < (parse_count(text) or 0) <= HIGHEST_PORT)
        )
        if not is_same or name in used or where is None:
            continue
        if name == "MASTER_PORT":
            assert isinstance(value, Scalar)
            port = Scalar(parse_count(text), text, value.span)
        same.add(name)
        launcher = next(iter(command.launch))
        report.add_change(f"variable `{name}` is left out: launch.{launcher} sets it", where)
    if is_basic and any(name in word for word in words for name in MENTIONS):
        report.launcher_env = with_variables(main.fields["env"], same)
    main.fields["env"] = without_variables(main.fields["env"], same)
    return port
