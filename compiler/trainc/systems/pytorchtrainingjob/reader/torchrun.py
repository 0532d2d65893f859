"""Translate the torchrunConfig of a PyTorchTrainingJob, and the environment that its controller injects.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#使用-torchrun-启动训练
"""

from __future__ import annotations

from typing import Any

from trainc.span import Text
from trainc.systems.pytorchtrainingjob.reader.workers import MergedRoles
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv, env_init_replacements, env_init_variables
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.scale import WorkerBounds, processes_per_worker
from trainc.systems.shared.t9k.reader import correct_names

FIELDS = ("enabled", "maxRestarts", "procPerNode", "rdzvBackend", "extraOptions")
BACKENDS = ("c10d", "etcd", "etcd-v2")
PORT = 29500  # torch's default; the manuals name no port
INTERPRETERS = (["python"], ["python3"], ["python", "-u"], ["python3", "-u"])


def enabled_torchrun_config(spec: ForeignMapping) -> ForeignMapping | None:
    """Return torchrunConfig, or None if it is not enabled."""
    section = correct_names(spec.section("torchrunConfig"), *FIELDS)
    if section is None or section.boolean("enabled"):
        return section
    others = [name for name in FIELDS[1:] if name in section]
    section.ignore(*others)
    if others:
        message = "`torchrunConfig` has no effect: it is not enabled"
        section.report.add_change(message, spec.key("torchrunConfig").span)
    return None


def with_torchrun_command(main: TranslatedPod, config: ForeignMapping) -> TranslatedPod:
    """Return the pod with torchrun's command, which replaces the container's; its args are torchrun's arguments."""
    if main.command and main.command not in INTERPRETERS:
        path = main.container.path_of("command")
        main.container.report.add_dropped(path, main.command[0].span, "torchrun replaces it, as in T9k")
    options = config.strings("extraOptions") or []
    return main.replace(command=[Text("torchrun", config.node.span.first), *options, *main.args], args=[])


def injected_env(
    name: str, roles: MergedRoles, bounds: WorkerBounds, main: TranslatedPod, config: ForeignMapping | None
) -> InjectedEnv:
    """Return the environment of the training container; without torchrun only the four variables of env://."""
    single = bounds.maximum == 1
    host, port, total = f"{name}-{roles.first_type}-0", str(PORT), str(roles.total)
    return InjectedEnv(
        minimum=bounds.minimum,
        maximum=bounds.maximum,
        elastic=bounds.elastic is not None,
        gpus=main.gpu_count(),
        launcher_fields=_launcher_fields(config) if config is not None else {},
        hosts=(host,),
        port=PORT,
        variables=main.literal_env() | env_init_variables(host, port, total, single),
        replacements=env_init_replacements(port, total, single),
        starts_torchrun=config is not None,
        configures_torchrun=config is not None,
        host_network=bool(main.fields["network"]["hostNetwork"]),
        span=main.span,
    )


def resumed_program(command: list[Text], args: list[Text], config: ForeignMapping | None) -> dict[str, Any] | None:
    """Return `run` for the command with which a paused job resumes."""
    words = [*command, *args] if config is None else args
    while words and config is None and words[0] in ("python", "python3", "-u"):
        words = words[1:]
        if words and not words[0].startswith("-"):
            return {"python": words}
    if words and words[0] == "-m" and len(words) > 1:
        return {"module": words[1:]}
    return {"exec" if config is None else "python": words} if words else None


def _launcher_fields(config: ForeignMapping) -> dict[str, Any]:
    return {
        "nprocPerNode": processes_per_worker(config, "procPerNode") or 1,  # torchrun's default
        "maxRestarts": config.integer("maxRestarts"),
        "rendezvous": {"backend": config.choice("rdzvBackend", BACKENDS) or "c10d"},
    }
