"""Translate the program of pods that know their number, and whose controller sets no other variable."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.source.node import Scalar
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.env import with_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import AFTER_LAST_DASH, RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.own_world import World, field_variables, translate_own_world
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.replicas import elastic_fields, launcher_nodes
from trainc.systems.shared.reader.tpu import translate_tpus


def translate_program(
    main: TranslatedPod,
    world: World,
    section: ForeignMapping,
    count: Scalar,
    ordinals: tuple[str, ...] = (),
    slices: int = 1,
) -> dict[str, Any]:
    """Return `launch`, `run`, `workers`, `elastic` and `env`.

    `count` is the number of pods, which `section` has. The values of the variables in `ordinals` end with the pod's
    number after a dash. `slices` are the Jobs of TPU slices, each with as many pods.
    """
    report, variables = main.container.report, main.literal_env()
    low, high = worker_range(main, world.total)
    world = world.replace(nodes=str(high) if low == high else f"{low}:{high}")
    addresses = field_variables(main.fields["env"], world.host_fields)
    variables |= dict.fromkeys(addresses, world.hosts[1])
    ranks = dict.fromkeys((*world.index, *(f"{name}{AFTER_LAST_DASH}" for name in ordinals)), RANK_MARK)
    environment = InjectedEnv(
        minimum=low,
        maximum=high,
        elastic=False,
        gpus=main.gpu_count(),
        launcher_fields={},
        hosts=world.hosts,
        port=_port(main),
        variables={**variables, **ranks},
        host_network=bool(main.fields["network"].get("hostNetwork")),
        configures_torchrun="PET_NNODES" in variables,
        rendezvous_help=f"add --rdzv_backend=c10d --rdzv_endpoint={world.hosts[1]}:29400",
        span=count.span,
    )
    command = translate_command(main, environment)
    command, port = translate_own_world(main, world, command, report)
    launch = command.launch
    if (tpu_launch := translate_tpus(main, launch, slices)) is not launch:
        launch = tpu_launch
    elif "basic" in launch:
        launch = {"basic": {**launch["basic"], "port": port}}
    elastic = elastic_fields(section, low, high, span=count.span) if low < high else None
    return {
        "launch": launch,
        "run": command.run,
        "workers": count if world.total != 1 or elastic else None,
        "elastic": elastic,
        "env": with_values(main.fields["env"], command.env),
    }


def worker_range(main: TranslatedPod, total: int) -> tuple[int, int]:
    """Return the fewest and most workers: a range of torchrun's, by option or variable, that all pods are in."""
    nodes, variable = launcher_nodes(main), main.literal_env().get("PET_NNODES", "")
    low, high = variable.partition(":")[::2] if nodes is None else (str(nodes.fewest), str(nodes.most))
    fewest, most = parse_count(low), parse_count(high)
    is_elastic = fewest is not None and most is not None and fewest < most and most >= total
    return (fewest or 0, most or 0) if is_elastic else (total, total)


def _port(main: TranslatedPod) -> int | None:
    """Return the number of MASTER_PORT, if the pod sets it."""
    port = main.literal_env().get("MASTER_PORT", "")
    return int(port) if port.isdecimal() and port.isascii() and len(port) < 6 else None
