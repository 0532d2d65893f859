"""torchrunConfig of a PyTorchTrainingJob, and what its controller tells the pods.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#使用-torchrun-启动训练
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.pytorchtrainingjob.reader.roles import MergedRoles
from trainc.systems.pytorchtrainingjob.reader.workers import WorkerBounds
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.t9k.reader import correct_names

FIELDS = ("enabled", "maxRestarts", "procPerNode", "rdzvBackend", "extraOptions")
BACKENDS = ("c10d", "etcd", "etcd-v2")
PORT = 29500  # the manuals name none
INTERPRETERS = (["python"], ["python3"], ["python", "-u"], ["python3", "-u"])


def enabled_torchrun_config(spec: ForeignMapping) -> ForeignMapping | None:
    """torchrunConfig, where it is enabled."""
    section = correct_names(spec.section("torchrunConfig"), *FIELDS)
    if section is None or section.boolean("enabled"):
        return section
    others = [name for name in FIELDS[1:] if name in section]
    section.ignore(*others)
    if others:
        message = "torchrunConfig isn't enabled, and the rest of it has no effect"
        section.report.add_change(message, spec.key("torchrunConfig").span)
    return None


def with_torchrun_command(main: TranslatedPod, told: ForeignMapping) -> TranslatedPod:
    """The pod with torchrun's command: its own is not used, and its args are torchrun's."""
    if main.command and main.command not in INTERPRETERS:
        path = main.container.path_of("command")
        why = "torchrun takes its place, also in T9k"
        main.container.report.add_dropped(path, main.command[0].span, why)
    options = told.strings("extraOptions") or []
    return main.replace(command=[Text("torchrun", told.node.span.first), *options, *main.args], args=[])


def injected_env(
    name: str, found: MergedRoles, bounds: WorkerBounds, main: TranslatedPod, told: ForeignMapping | None
) -> InjectedEnv:
    """As seen from the training container; without torchrun only the four variables of env://."""
    alone = bounds.maximum == 1
    host, port, total = f"{name}-{found.first}-0", str(PORT), str(found.total)
    variables = {"MASTER_ADDR": host, "MASTER_PORT": port, "WORLD_SIZE": total, "RANK": "0" if alone else RANK_MARK}
    bridges = {"MASTER_ADDR": "localhost", "MASTER_PORT": port, "RANK": "0"}
    if not alone:
        bridges = {name: f"$(PET_{name})" for name in ("MASTER_ADDR", "MASTER_PORT")} | {"RANK": "$(PET_NODE_RANK)"}
    return InjectedEnv(
        minimum=bounds.minimum,
        maximum=bounds.maximum,
        elastic=bounds.elastic is not None,
        gpus=main.gpu_count(),
        launcher_fields=_told(told) if told is not None else {},
        hosts=(host,),
        port=PORT,
        variables=main.literal_env() | variables,
        replacements=bridges | {"WORLD_SIZE": total},
        starts_torchrun=told is not None,
        configures_torchrun=told is not None,
        host_network=bool(main.fields["network"]["hostNetwork"]),
        span=main.span,
    )


def resumed_program(command: list[Text], args: list[Text], told: ForeignMapping | None) -> dict[str, Any] | None:
    """`run` of a command with which a paused job goes on."""
    words = [*command, *args] if told is None else args
    while words and told is None and words[0] in ("python", "python3", "-u"):
        words = words[1:]
        if words and not words[0].startswith("-"):
            return {"python": words}
    if words and words[0] == "-m" and len(words) > 1:
        return {"module": words[1:]}
    return {"exec" if told is None else "python": words} if words else None


def _told(section: ForeignMapping) -> dict[str, Any]:
    """As fields of launch.torchrun."""
    backend: str = section.string("rdzvBackend") or "c10d"
    if backend not in BACKENDS:
        where = section.where("rdzvBackend")
        section.report.add_error(f"there is no rendezvous backend {backend}", where, expected=", ".join(BACKENDS))
        backend = "c10d"
    restarts = section.integer("maxRestarts")
    return {"nprocPerNode": _processes(section), "maxRestarts": restarts, "rendezvous": {"backend": backend}}


def _processes(section: ForeignMapping) -> Any:
    """torchrun's own default is one process."""
    node = section.node.get("procPerNode")
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        section.consume("procPerNode")
        section.report.add_correction(
            "`spec.torchrunConfig.procPerNode` must be a string", node.span, f'write "{node.text}"'
        )
        return Text(node.text, node.span)
    given = section.string("procPerNode")
    if given is not None and not (given in ("auto", "cpu", "gpu") or (given.isascii() and given.isdecimal())):
        section.report.add_error("`spec.torchrunConfig.procPerNode` must be a number, auto, cpu or gpu", given.span)
        return 1
    return given if given is not None else 1
