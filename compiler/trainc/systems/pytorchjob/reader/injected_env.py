"""What the operator tells the pods of a PyTorchJob.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Scalar, plain
from trainc.span import Text
from trainc.systems.pytorchjob.reader.elastic import ElasticPolicy
from trainc.systems.pytorchjob.reader.roles import MergedRoles
from trainc.systems.shared.reader.coercion import coerce_string
from trainc.systems.shared.reader.expansion import AFTER_LAST_DASH
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.report import parse_count

PORT, PORT_NAME = 23456, "pytorchjob-port"
# Variables that are set after the user's own.
INJECTED = {
    "always": ("PYTHONUNBUFFERED", "PET_NNODES", "PET_NPROC_PER_NODE"),
    "master": (
        *("MASTER_PORT", "PET_MASTER_PORT", "MASTER_ADDR", "PET_MASTER_ADDR", "WORLD_SIZE", "RANK", "PET_NODE_RANK"),
    ),
    "elastic": ("PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND"),
}


def custom_port(main: TranslatedPod) -> int | None:
    """The port that the user gave the workers to meet at; None for the operator's own."""
    found: Any = plain(main.port.get("containerPort") or main.port) if main.port is not None else None
    return found if isinstance(found, int) and found != PORT else None


def processes_per_pod(spec: ForeignMapping, elastic: ElasticPolicy | None) -> str | int:
    """nprocPerNode as the operator fills it in."""
    node = spec.consume("nprocPerNode")
    old = elastic.launcher_fields.get("nprocPerNode") if elastic is not None else None
    if node is None:
        return old if old is not None else "auto"
    value = plain(node)
    if old is not None:
        message = "the operator refuses nprocPerNode beside elasticPolicy.nProcPerNode"
        spec.report.add_error(message, spec.where("nprocPerNode"))
    if isinstance(node, Scalar) and isinstance(value, int) and not isinstance(value, bool):
        coerce_string(node, spec.path_of("nprocPerNode"), spec.report)
        return value
    if isinstance(value, str) and (value in ("auto", "cpu", "gpu") or parse_count(value) is not None):
        return Text(value, spec.where("nprocPerNode"))
    spec.report.add_error("`spec.nprocPerNode` must be auto, cpu, gpu or a number", spec.where("nprocPerNode"))
    return "auto"


def injected_env(
    name: str,
    found: MergedRoles,
    elastic: ElasticPolicy | None,
    main: TranslatedPod,
    each: str | int,
    own_port: int | None,
) -> InjectedEnv:
    """As seen from the training container."""
    alone = found.total == 1 and (elastic is None or elastic.maximum == 1)
    told: dict[str, Any] = dict(elastic.launcher_fields) if elastic is not None else {}
    told["nprocPerNode"] = each
    if elastic is None:
        told["rendezvous"] = {"backend": "static", "port": own_port} if found.master else {}
    low, high = (elastic.minimum, elastic.maximum) if elastic is not None else (found.total, found.total)
    variables = main.literal_env()
    bridges: dict[str, str] = {}
    size = found.total * (parse_count(str(each)) or 1)
    if found.master:
        told_port = str(own_port or PORT)
        variables |= {"MASTER_ADDR": f"{name}-master-0", "MASTER_PORT": told_port, "WORLD_SIZE": str(size)}
        variables |= {"RANK": "0" if alone else RANK_MARK, "PET_NODE_RANK": "0" if alone else RANK_MARK}
        bridges = {"MASTER_ADDR": "localhost", "MASTER_PORT": told_port, "RANK": "0"}
        if not alone:
            bridges = {name: f"$(PET_{name})" for name in ("MASTER_ADDR", "MASTER_PORT")}
            bridges["RANK"] = "$(PET_NODE_RANK)"
        bridges["WORLD_SIZE"] = str(size)
    if not found.master and elastic is None:
        variables |= {f"{variable}{AFTER_LAST_DASH}": RANK_MARK for variable in main.pod_name_variables()}
    # Without a Master the operator tells of no first worker, but for an elastic policy.
    hosts = (f"{name}-master-0",) if found.master else (f"{name}-worker-0",) if elastic is not None else ()
    network = main.fields["network"]["hostNetwork"]
    return InjectedEnv(
        minimum=low,
        maximum=high,
        elastic=elastic is not None,
        gpus=main.gpu_count(),
        launcher_fields=told,
        hosts=hosts,
        unannounced_hosts=()
        if found.master
        else (f"{name}-worker-0",),  # every replica has a Service of its pod's name
        port=own_port or PORT,
        variables=variables,
        replacements=bridges,
        host_network=bool(network),
        counts_processes=found.master and size > found.total,
        span=next((word.span for word in (*main.command, *main.args)), main.span),
    )
