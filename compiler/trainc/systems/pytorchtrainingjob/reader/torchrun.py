"""torchrunConfig of a PyTorchTrainingJob, and what its controller tells the pods.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#使用-torchrun-启动训练
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.pytorchtrainingjob.reader.roles import Roles
from trainc.systems.pytorchtrainingjob.reader.workers import Size
from trainc.systems.shared.reader.foreign import Foreign
from trainc.systems.shared.reader.injected_env import INDEX, World
from trainc.systems.shared.reader.pod import Pod
from trainc.systems.shared.t9k.reader import spelt

FIELDS = ("enabled", "maxRestarts", "procPerNode", "rdzvBackend", "extraOptions")
BACKENDS = ("c10d", "etcd", "etcd-v2")
PORT = 29500  # the manuals name none
INTERPRETERS = (["python"], ["python3"], ["python", "-u"], ["python3", "-u"])


def torchrun(spec: Foreign) -> Foreign | None:
    """torchrunConfig, where it is enabled."""
    section = spelt(spec.section("torchrunConfig"), *FIELDS)
    if section is None or section.flag("enabled"):
        return section
    others = [name for name in FIELDS[1:] if name in section]
    section.skip(*others)
    if others:
        message = "torchrunConfig isn't enabled, and the rest of it has no effect"
        section.report.changed(message, spec.key("torchrunConfig").span)
    return None


def command_line(main: Pod, told: Foreign) -> Pod:
    """The pod with torchrun's command: its own is not used, and its args are torchrun's."""
    if main.command and main.command not in INTERPRETERS:
        path = main.container.path_of("command")
        why = "torchrun takes its place, also in T9k"
        main.container.report.dropped(path, main.command[0].span, why)
    options = told.words("extraOptions") or []
    return main.replace(command=[Text("torchrun", told.node.span.first), *options, *main.args], args=[])


def world(name: str, found: Roles, bounds: Size, main: Pod, told: Foreign | None) -> World:
    """As seen from the training container; without torchrun only the four variables of env://."""
    alone = bounds.high == 1
    host, port, total = f"{name}-{found.first}-0", str(PORT), str(found.total)
    variables = {"MASTER_ADDR": host, "MASTER_PORT": port, "WORLD_SIZE": total, "RANK": "0" if alone else INDEX}
    bridges = {"MASTER_ADDR": "localhost", "MASTER_PORT": port, "RANK": "0"}
    if not alone:
        bridges = {name: f"$(PET_{name})" for name in ("MASTER_ADDR", "MASTER_PORT")} | {"RANK": "$(PET_NODE_RANK)"}
    return World(
        low=bounds.low,
        high=bounds.high,
        elastic=bounds.elastic is not None,
        gpus=main.gpus(),
        told=_told(told) if told is not None else {},
        hosts=(host,),
        port=PORT,
        variables=main.plain_env() | variables,
        bridges=bridges | {"WORLD_SIZE": total},
        starts_torchrun=told is not None,
        tells_torchrun=told is not None,
        host_network=bool(main.fields["network"]["hostNetwork"]),
        span=main.span,
    )


def program(command: list[Text], args: list[Text], told: Foreign | None) -> dict[str, Any] | None:
    """`run` of a command with which a paused job goes on."""
    words = [*command, *args] if told is None else args
    while words and told is None and words[0] in ("python", "python3", "-u"):
        words = words[1:]
        if words and not words[0].startswith("-"):
            return {"python": words}
    if words and words[0] == "-m" and len(words) > 1:
        return {"module": words[1:]}
    return {"exec" if told is None else "python": words} if words else None


def _told(section: Foreign) -> dict[str, Any]:
    """As fields of launch.torchrun."""
    backend: str = section.text("rdzvBackend") or "c10d"
    if backend not in BACKENDS:
        where = section.where("rdzvBackend")
        section.report.wrong(f"there is no rendezvous backend {backend}", where, expected=", ".join(BACKENDS))
        backend = "c10d"
    restarts = section.number("maxRestarts")
    return {"nprocPerNode": _processes(section), "maxRestarts": restarts, "rendezvous": {"backend": backend}}


def _processes(section: Foreign) -> Any:
    """torchrun's own default is one process."""
    node = section.node.get("procPerNode")
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        section.take("procPerNode")
        section.report.slip("`spec.torchrunConfig.procPerNode` must be a string", node.span, f'write "{node.text}"')
        return Text(node.text, node.span)
    given = section.text("procPerNode")
    if given is not None and not (given in ("auto", "cpu", "gpu") or (given.isascii() and given.isdecimal())):
        section.report.wrong("`spec.torchrunConfig.procPerNode` must be a number, auto, cpu or gpu", given.span)
        return 1
    return given if given is not None else 1
