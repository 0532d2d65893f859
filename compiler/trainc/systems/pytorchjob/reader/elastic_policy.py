"""Translate the elasticPolicy of a PyTorchJob: bounds, autoscaler and rendezvous.

The operator runs the stated number of workers. Only an autoscaler changes it, which the operator creates if the policy
has metrics: https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/hpa.go
"""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, warning
from trainc.diagnostics.remedy import replace
from trainc.launchers.torchrun.options import ETCD
from trainc.source.node import Mapping, Node, Scalar, Sequence, build_tree, plain
from trainc.span import Span, Text
from trainc.systems.pytorchjob.dialects import Dialect
from trainc.systems.pytorchjob.facts import PORT, PROCESSES
from trainc.systems.pytorchjob.fields import FIELDS
from trainc.systems.pytorchjob.reader.roles import MergedRoles
from trainc.systems.shared.autoscaler import DEFAULT_METRIC, MetricFault, metric_faults
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.replicas import (
    WorkerBounds,
    elastic_fields,
    launcher_nodes,
    overridden_bounds,
    report_unreached_maximum,
)
from trainc.systems.shared.reader.tree import child, items

METRICS = FIELDS["elastic.metrics"].name
FAULTS = {
    "unserved": (codes.AUTOSCALER_UNSERVED_METRIC, "`{0}`, of which there are no metrics", "use cpu or memory"),
    "unknown container": (codes.AUTOSCALER_UNKNOWN_CONTAINER, "the unknown container `{1}`", "name a container"),
    "no request": (codes.AUTOSCALER_WITHOUT_REQUEST, "`{0}`, which the pods do not request", "request {0}"),
}


def translate_elastic_policy(
    section: ForeignMapping,
    roles: MergedRoles,
    first_host: str,
    main: TranslatedPod,
    custom_port: int | None,
    dialect: Dialect,
) -> WorkerBounds:
    """Return the policy; `first_host` is the first worker, `custom_port` the port that the user chose for it."""
    low, high = section.fields(FIELDS, "elastic").values()
    # https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/pytorch_defaults.go
    minimum = low if low is not None else high if high is not None else roles.workers
    maximum = high if high is not None else low if low is not None else roles.workers
    launcher = _launcher_fields(section, first_host, custom_port, dialect)
    count = _first_size(section, roles, minimum, maximum)
    metrics = _metrics(section, main) if minimum != maximum else None
    if minimum == maximum and section.consume(METRICS) is not None:
        section.drop(METRICS, "minReplicas is maxReplicas")
    own = launcher_nodes(main) if metrics is None else None
    total = int(count.text)
    minimum, maximum = overridden_bounds(section, own, (minimum, maximum), total)
    elastic = None
    if not minimum == maximum == total:  # a number outside of the bounds is for trainc's checks to report
        elastic = elastic_fields(section, minimum, maximum, metrics)
        if metrics is None:
            report_unreached_maximum(section, total, maximum)
    return WorkerBounds(minimum=minimum, maximum=maximum, workers=count, elastic=elastic, launcher_fields=launcher)


def elastic_launcher(roles: MergedRoles, main: TranslatedPod) -> WorkerBounds | None:
    """Return the bounds of a job without a policy whose torchrun has a range of nodes; None for a fixed number.

    The operator's PET_NNODES is the number of pods, which the option overrides.
    """
    own = None if roles.has_master else launcher_nodes(main)
    if own is None or own.fewest == own.most:
        return None
    report, total, span = main.container.report, int(roles.count.text), own.option.flag.span or main.span
    if own.most > total:
        message = f"nothing scales the job: it has {total} worker{'s' * (total > 1)}, as before, until you scale it"
        report.add_change(message, span)
    report.add_change("the elastic job ends with a worker; without elasticPolicy the operator waits for all", span)
    elastic = build_tree({"minReplicas": own.fewest, "maxReplicas": own.most, "metrics": []}, span)
    return WorkerBounds(minimum=own.fewest, maximum=own.most, workers=roles.count, elastic=elastic)


def _first_size(section: ForeignMapping, roles: MergedRoles, minimum: int, maximum: int) -> Scalar:
    """Return the number of all pods. Below its minimum and above its maximum an autoscaler reads no metrics:
    reconcileAutoscaler of pkg/controller/podautoscaler/horizontal.go in kubernetes/kubernetes."""
    workers = min(max(roles.workers, minimum), maximum)
    if METRICS not in section:
        return roles.count
    if minimum <= maximum:
        _report_autoscaler(section, roles, workers)
    if workers == roles.workers:
        return roles.count
    message = f"the job starts with {workers} workers, to which the operator's autoscaler changes {roles.workers}"
    section.report.add_change(message, roles.count.span)
    total = workers + roles.has_master
    return Scalar(total, str(total), roles.count.span)


def _report_autoscaler(section: ForeignMapping, roles: MergedRoles, workers: int) -> None:
    """Report a bound that is the other one by default, else a number of workers that the autoscaler changes at once."""
    bounds = [FIELDS[f"elastic.{name}"].name for name in ("minReplicas", "maxReplicas")]
    missing = [name for name in bounds if name not in section]
    if len(missing) == 1:
        [other] = set(bounds) - set(missing)
        message = f"the autoscaler never scales: without `{missing[0]}` the operator sets it to `{other}`, {workers}"
        where, help_, remedy = section.where(other), f"set `{missing[0]}`, or remove `metrics`", None
    elif workers != roles.workers:
        message = f"the autoscaler changes `replicas` {roles.workers} to {workers} at the start"
        where, help_ = roles.count.span, f"set `replicas: {workers}`"
        remedy = replace(where, workers)
    else:
        return
    section.report.faults.append(warning(codes.WORKERS_WITH_AUTOSCALER, message, where, help=help_, remedy=remedy))


def _metrics(section: ForeignMapping, main: TranslatedPod) -> Node | None:
    """Return the metrics of the autoscaler; None without metrics or if it can measure none of them."""
    node = section.consume(METRICS)
    if node is None:
        return None
    metrics = [each for each in map(plain, items(node)) if isinstance(each, dict)]
    if not metrics:
        message = "an empty list of metrics is Kubernetes' default, 80 % of cpu"
        section.report.add_change(message, section.where(METRICS))
        node, metrics = build_tree([DEFAULT_METRIC], node.span), [DEFAULT_METRIC]
    faults = [fault for metric in metrics if (fault := next(metric_faults(metric, main.requests), None)) is not None]
    if len(faults) < len(metrics):
        return node
    for fault, item in zip(faults, items(node), strict=False):
        field = "container" if fault.kind == "unknown container" else "name"
        node = child(item, "resource", field) or child(item, "containerResource", field)
        _report_fault(section, fault, node.span if node is not None else item.span.first)
    why = "the autoscaler can measure none of them, and never scales the job"
    section.report.add_dropped(section.path_of(METRICS), section.key(METRICS).span, why)
    return None


def _report_fault(section: ForeignMapping, fault: MetricFault, span: Span) -> None:
    code, what, help_ = FAULTS[fault.kind]
    words = (fault.resource, fault.container)
    message = f"the autoscaler never scales: it measures {what.format(*words)}"
    is_typo = fault.kind == "unserved" and fault.intended
    help_ = f"did you mean `{fault.intended}`?" if is_typo else f"{help_.format(*words)} or remove the metric"
    remedy = replace(span, fault.intended) if is_typo else None
    section.report.faults.append(warning(code, message, span, help=help_, remedy=remedy))


def _launcher_fields(
    section: ForeignMapping, first_host: str, custom_port: int | None, dialect: Dialect
) -> dict[str, Any]:
    """Return the fields of launch.torchrun."""
    launcher, processes = section.fields(FIELDS, "launch.torchrun"), section.integer("nProcPerNode")
    launcher["rendezvous"] = _rendezvous(section, first_host)
    if processes is not None and dialect.processes != PROCESSES:
        message = f"`nProcPerNode` has no effect: the operator sets {dialect.processes}, which torchrun does not read"
        section.report.add_ignored(message, section.where("nProcPerNode"), "pass --nproc_per_node to torchrun")
        section.report.add_change(message, section.where("nProcPerNode"))
    elif processes is not None:
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
    return launcher


def _rendezvous(section: ForeignMapping, first_host: str) -> dict[str, Any]:
    fields = {**section.fields(FIELDS, "launch.torchrun.rendezvous"), "conf": _conf(section)}
    fields["backend"] = backend = fields["backend"] or "c10d"
    host, port = fields.pop("endpoint"), fields.pop("port")
    if host is not None and (host != first_host or backend in ETCD):
        fields["endpoint"] = Text(f"{host}:{port.text if port is not None else PORT}", host.span)
    elif port is not None and backend not in ETCD:  # the operator's default is worker 0, where no etcd runs
        fields["port"] = port
    return {name: value for name, value in fields.items() if value}


def _conf(section: ForeignMapping) -> dict[str, Node]:
    conf: dict[str, Node] = {}
    for item in section.sections(FIELDS["launch.torchrun.rendezvous.conf"].name):
        key, value = item.string("key"), item.consume("value")
        if key is not None and value is not None and not isinstance(value, Mapping | Sequence):
            conf[key] = value
        else:
            item.report.add_error(f"`{item.path}` must have a key and a value", item.node.span.first)
    return conf
