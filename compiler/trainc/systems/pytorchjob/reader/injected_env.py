"""Environment and labels that the training operator gives to the pods of a PyTorchJob.

https://github.com/kubeflow/training-operator/tree/release-1.9/pkg/controller.v1/pytorch: envvar.go, elastic.go
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.source.node import Entry, Mapping, Scalar, Sequence, plain
from trainc.systems.pytorchjob import facts
from trainc.systems.pytorchjob.dialects import Dialect
from trainc.systems.pytorchjob.facts import PORT
from trainc.systems.pytorchjob.fields import ELASTIC_POLICY, PROCESSES
from trainc.systems.pytorchjob.reader.roles import MergedRoles
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.host_names import strings
from trainc.systems.shared.reader.injected_env import (
    AFTER_LAST_DASH,
    RANK_MARK,
    InjectedEnv,
    env_init_replacements,
    env_init_variables,
    referenced_variables,
)
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.replicas import WorkerBounds, processes_per_worker
from trainc.systems.shared.reader.report import TranslationReport
from trainc.well_known import JOB_LABEL, ROLE_LABEL

EQUIVALENTS = {facts.JOB_LABEL: JOB_LABEL}


def custom_port(main: TranslatedPod) -> int | None:
    """Return the rendezvous port that the user chose; None for the operator's default."""
    port: Any = plain(main.port.get("containerPort") or main.port) if main.port is not None else None
    return port if isinstance(port, int) and port != PORT else None


def processes_per_pod(spec: ForeignMapping, elastic: WorkerBounds, dialect: Dialect) -> str | int:
    """Return nprocPerNode, with the operator's default."""
    deprecated: int | None = elastic.launcher_fields.get("nprocPerNode")
    if not dialect.has_processes:
        return 1  # torchrun's default
    if deprecated is not None and PROCESSES in spec:
        message = "the operator rejects nprocPerNode with elasticPolicy.nProcPerNode"
        policy = spec.consume(ELASTIC_POLICY)
        spec.report.add_error(message, (policy if isinstance(policy, Mapping) else spec.node).where("nProcPerNode"))
    return processes_per_worker(spec, PROCESSES) or (deprecated if deprecated is not None else "auto")


def injected_env(
    name: str,
    roles: MergedRoles,
    elastic: WorkerBounds,
    main: TranslatedPod,
    processes: str | int,
    port: int | None,
    dialect: Dialect,
) -> InjectedEnv:
    """Return the environment of the training container; `port` is the rendezvous port that the user chose."""
    single = roles.total == elastic.maximum == 1
    has_policy = bool(elastic.launcher_fields)
    launcher: dict[str, Any] = {**elastic.launcher_fields, "nprocPerNode": processes}
    if not has_policy:
        launcher["rendezvous"] = {"backend": "static", "port": port} if roles.has_master else {}
    variables = main.literal_env()
    replacements: dict[str, str] = {}
    world_size = roles.total * (parse_count(str(processes)) or 1)
    first, worker = f"{name}-master-0", f"{name}-worker-0"
    if roles.has_master:
        text = str(port or PORT)
        variables |= env_init_variables(first, text, str(world_size), single)
        variables["PET_NODE_RANK"] = variables["RANK"]
        replacements = env_init_replacements(text, str(world_size), single)
    elif not has_policy:
        variables |= {f"{variable}{AFTER_LAST_DASH}": RANK_MARK for variable in main.pod_name_variables()}
    return InjectedEnv(
        minimum=elastic.minimum,
        maximum=elastic.maximum,
        elastic=has_policy,
        gpus=main.gpu_count(),
        launcher_fields=launcher,
        # Without a Master only an elastic policy announces a first worker.
        hosts=(first,) if roles.has_master else (worker,) if has_policy else (),
        unannounced_hosts=() if roles.has_master else (worker,),  # every replica has a Service with its pod's name
        port=port or PORT,
        variables=variables,
        replacements=replacements,
        configures_torchrun=dialect.has_processes or has_policy or "PET_NNODES" in variables,
        host_network=bool(main.fields["network"]["hostNetwork"]),
        counts_processes=roles.has_master and world_size > roles.total,
        rendezvous_help="add spec.elasticPolicy with `rdzvBackend: c10d`, or a Master",
        span=None if main.fields["envFrom"] else next((word.span for word in (*main.command, *main.args)), main.span),
    )


def translate_labels(value: Any, report: TranslationReport) -> Any:
    """Return a value of a pod template with trainc's labels; the operator's labels without equivalent are reported."""
    if isinstance(value, Mapping):
        pairs = ((_translate(entry.key, report), entry.value) for entry in value.entries.values())
        return Mapping({str(key.value): Entry(key, translate_labels(node, report)) for key, node in pairs}, value.span)
    if isinstance(value, Sequence):
        return Sequence([translate_labels(item, report) for item in value.items], value.span)
    if isinstance(value, list):
        return [translate_labels(item, report) for item in value]
    if isinstance(value, dict):
        return {key: translate_labels(item, report) for key, item in value.items()}
    return _translate(value, report) if isinstance(value, Scalar) else value


def _translate(node: Scalar, report: TranslationReport) -> Scalar:
    """Translate a label that is a key, an item of matchLabelKeys, or the field of a fieldRef."""
    text = node.value if isinstance(node.value, str) else ""
    is_field = text.startswith("metadata.labels['") and text.endswith("']")
    label = text[len("metadata.labels['") : -len("']")] if is_field else text
    if not label.startswith(facts.LABELS):
        return node
    equivalent = EQUIVALENTS.get(label)
    if equivalent is not None:
        report.add_change(f"the label `{label}` becomes `{equivalent}`", node.span)
        text = text.replace(label, equivalent)
    elif is_field:
        why = "only the operator's pods have this label, and the variable would be empty"
        help_ = "use RANK, or PET_NODE_RANK with the static rendezvous"
        report.add_dropped(label, node.span, why, help=help_)
    else:
        message = f"the label `{label}` matches no pod: only the operator's pods have it"
        report.add_change(message, node.span, help=f"select {JOB_LABEL} and {ROLE_LABEL}: worker")
    return Scalar(text, text, node.span)


def report_lost_variables(names: tuple[str, ...], patch: dict[str, Any], report: TranslationReport) -> None:
    """Report the operator's variables that other containers use; trainc sets them in the training container only.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    for word in strings(patch.get("spec", {}).get("containers")):
        for name in sorted(referenced_variables([word]) & set(names)):
            report.add_dropped(name, word.span, "trainc sets it in the training container only")
