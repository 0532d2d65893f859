"""Environment that the training operator injects into the pods of a PyTorchJob, also by its elasticPolicy.

https://github.com/kubeflow/training-operator/tree/release-1.9/pkg/controller.v1/pytorch: envvar.go, elastic.go
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, warning
from trainc.launchers.find_launchers import calls, shell_text
from trainc.launchers.torchrun.options import ETCD
from trainc.source.node import Mapping, Node, Sequence, plain, scalar_text
from trainc.source.tree import build_tree
from trainc.span import Text
from trainc.systems.pytorchjob.facts import PORT
from trainc.systems.pytorchjob.reader.roles import MergedRoles
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import (
    AFTER_LAST_DASH,
    RANK_MARK,
    InjectedEnv,
    env_init_replacements,
    env_init_variables,
    expand_arguments,
    referenced_variables,
)
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.replicas import WorkerBounds, elastic_fields, processes_per_worker
from trainc.systems.shared.reader.tree import child, items

SCRIPTS = (".sh", ".bash")


def custom_port(main: TranslatedPod) -> int | None:
    """Return the rendezvous port that the user chose; None for the operator's default."""
    port: Any = plain(main.port.get("containerPort") or main.port) if main.port is not None else None
    return port if isinstance(port, int) and port != PORT else None


def processes_per_pod(spec: ForeignMapping, elastic: WorkerBounds) -> str | int:
    """Return nprocPerNode, with the operator's default."""
    deprecated: int | None = elastic.launcher_fields.get("nprocPerNode")
    if deprecated is not None and "nprocPerNode" in spec:
        message = "the operator rejects nprocPerNode with elasticPolicy.nProcPerNode"
        spec.report.add_error(message, spec.where("nprocPerNode"))
    return processes_per_worker(spec, "nprocPerNode") or (deprecated if deprecated is not None else "auto")


def injected_env(
    name: str, roles: MergedRoles, elastic: WorkerBounds, main: TranslatedPod, processes: str | int, port: int | None
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
        host_network=bool(main.fields["network"]["hostNetwork"]),
        counts_processes=roles.has_master and world_size > roles.total,
        rendezvous_help="add spec.elasticPolicy with `rdzvBackend: c10d`, or a Master",
        span=next((word.span for word in (*main.command, *main.args)), main.span),
    )


def variables_for_hidden_torchrun(
    command: TranslatedCommand, has_master: bool, single: bool, processes: str | int
) -> dict[str, str]:
    """Return the PET_ variables in terms of launch.basic's variables; {} if the program cannot hide a torchrun.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    if "basic" not in command.launch or not _may_hide_torchrun(command.run):
        return {}
    variables = {"PET_NPROC_PER_NODE": str(processes)}  # torchrun's default is 1
    if single:
        return variables
    variables = {"PET_NNODES": "$(WORLD_SIZE)", **variables}
    if has_master:
        variables["PET_NODE_RANK"] = "$(RANK)"
        variables |= {f"PET_{name}": f"$({name})" for name in ("MASTER_ADDR", "MASTER_PORT")}
    return variables


def _may_hide_torchrun(run: dict[str, Any]) -> bool:
    """Return whether the program is an image's entrypoint, an executable, or a shell script that starts a script."""
    if "entrypoint" in run:
        return True
    words: list[Text] = run.get("exec", [])
    line = expand_arguments(words, {})
    if not line or calls(line):
        return False
    script = shell_text(line)
    if script is None:
        return not line[0].text.rpartition("/")[2].startswith("python")
    reads_pet = any(name.startswith("PET_") for name in referenced_variables(words))
    return reads_pet or any(word.strip("\"';&|()").endswith(SCRIPTS) for word in script.text.split())


def translate_elastic_policy(
    section: ForeignMapping, replicas: int, first_host: str, main: TranslatedPod, custom_port: int | None
) -> WorkerBounds:
    """Return the policy; `replicas` is the operator's default for both bounds, `first_host` the first worker."""
    _check_autoscaler(section, main)
    low, high = section.integer("minReplicas"), section.integer("maxReplicas")
    # https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/pytorch_defaults.go
    minimum = low if low is not None else high if high is not None else replicas
    maximum = high if high is not None else low if low is not None else replicas
    restarts = section.integer("maxRestarts")
    launcher: dict[str, Any] = {"maxRestarts": restarts or 0, "rendezvous": _rendezvous(section, first_host)}
    processes = section.integer("nProcPerNode")
    if processes is not None:
        launcher["nprocPerNode"] = processes
    if section.boolean("standalone"):
        message = "`standalone` takes effect; the operator's PET_STANDALONE is empty, which torchrun rejects"
        section.report.add_change(message, section.where("standalone"))
        message = "torchrun fails: the operator sets PET_STANDALONE to an empty string, which torchrun rejects"
        help_ = "remove it, and pass --standalone to torchrun"
        fault = error(codes.INVALID_TORCHRUN_VARIABLE, message, section.where("standalone"), help=help_)
        section.report.faults.append(fault)
        launcher["standalone"] = True
    if custom_port is not None and "endpoint" not in launcher["rendezvous"]:
        launcher["rendezvous"].setdefault("port", custom_port)
    metrics = section.consume("metrics")
    elastic = None
    if minimum != maximum:  # without metrics the operator makes no autoscaler, and trainc one by CPU
        elastic = build_tree(elastic_fields(section, minimum, maximum, metrics), section.node.span)
    elif metrics is not None:
        why = "minReplicas and maxReplicas are equal"
        section.report.add_dropped(section.path_of("metrics"), section.where("metrics"), why)
    return WorkerBounds(minimum=minimum, maximum=maximum, elastic=elastic, launcher_fields=launcher)


def _check_autoscaler(section: ForeignMapping, main: TranslatedPod) -> None:
    """Report metrics that measure a resource against a request that the pods lack.

    https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#how-does-a-horizontalpodautoscaler-work
    """
    for metric in items(section.node.get("metrics")):
        resource = scalar_text(child(metric, "resource", "name"))
        target = scalar_text(child(metric, "resource", "target", "type"))
        if resource and target == "Utilization" and resource not in main.requested_resources():
            message = f"the autoscaler never scales: it measures `{resource}`, which the pods do not request"
            help_ = f"request {resource} or remove the metric"
            diagnostic = warning(codes.AUTOSCALER_WITHOUT_REQUEST, message, metric.span.first, help=help_)
            section.report.diagnostics.append(diagnostic)


def _rendezvous(section: ForeignMapping, first_host: str) -> dict[str, Any]:
    backend = section.string("rdzvBackend") or "c10d"
    host, port = section.string("rdzvHost"), section.integer("rdzvPort")
    fields: dict[str, Any] = {"backend": backend, "id": section.string("rdzvId"), "conf": _conf(section)}
    if host is not None and (host != first_host or backend in ETCD):
        fields["endpoint"] = Text(f"{host}:{port if port is not None else PORT}", host.span)
    elif port is not None and backend not in ETCD:  # the operator's default is worker 0, where no etcd runs
        fields["port"] = port
    return {name: value for name, value in fields.items() if value}


def _conf(section: ForeignMapping) -> dict[str, Node]:
    conf: dict[str, Node] = {}
    for item in section.sections("rdzvConf"):
        key, value = item.string("key"), item.consume("value")
        if key is not None and value is not None and not isinstance(value, Mapping | Sequence):
            conf[key] = value
        else:
            item.report.add_error(f"`{item.path}` must have a key and a value", item.node.span.first)
    return conf
