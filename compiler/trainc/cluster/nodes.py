"""Whether the pods of a job get nodes of a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.cluster.entry import Entry
from trainc.cluster.objects import storage_position
from trainc.compiled import Compiled
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.emit.scalar import scalar
from trainc.placement.demand import Demand
from trainc.placement.fit import Fit, fits
from trainc.placement.obstacles import Obstacle
from trainc.placement.words import depends, sentence, tight_domains
from trainc.span import Span
from trainc.well_known import HOSTNAME_LABEL

_HELP = {
    "size": "request less, or use a cluster that has such nodes",
    "use": "wait until other pods end, or request less",
    "label": "correct the node selector",
    "affinity": "correct the node affinity",
    "topology": "use a label that the nodes have",
    "volume": "use a claim or a storage class whose volumes these nodes can use",
    "cordon": "uncordon nodes, or use another cluster",
    "name": "remove the node's name",
}
_FEWER = "reduce the number of pods, or use a larger cluster"
_SPREAD_OUT = "use a label that more nodes share, or reduce the number of pods"
_ONE_VOLUME = "use a storage class whose volumes all nodes can use, or reduce the number of pods"
_GANG_VOLUME = "create the claim and its volume before the job, or remove the gang"
_WAITS = ": the job waits until other pods end"
_SCHEDULING = {
    "label": ("nodeSelector", "spot"),
    "affinity": ("affinity",),
    "topology": ("topologyKey", "topologySpreadConstraints", "affinity"),
    "taint": ("tolerations",),
    "rules": ("topologyKey", "topologySpreadConstraints", "affinity", "oneWorkerPerNode"),
}


def node_problems(job: Compiled, wanted: list[Demand], entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error for pods that never get a node, a warning for those that wait or depend on a choice."""
    wanted = [each for each in wanted if not each.is_gated]
    nodes = entry.nodes()
    results = fits(wanted, nodes)
    if all(each.verdict == "fits" for each in results):
        return
    is_used = any(node.used for node in nodes)
    emptied = fits(wanted, [node.replace(used={}) for node in nodes]) if is_used else results
    for fit, alone in zip(results, emptied, strict=True):
        where = position(job, fit)
        if fit.verdict == "depends":
            help_ = _help_of_domains(fit) or _select_domain(fit) or "use a gang scheduler, or fewer pods"
            yield warning(codes.PLACEMENT_DEPENDS, depends(fit, entry.name), where, help=help_)
        elif fit.verdict == "lacks nodes" and alone.verdict != "lacks nodes":
            yield warning(codes.PODS_DO_NOT_FIT, sentence(fit, entry.name) + _WAITS, where, help=_HELP["use"])
        elif fit.verdict == "lacks nodes":
            yield error(codes.PODS_DO_NOT_FIT, sentence(alone, entry.name), where, help=_help(alone))


def _help(fit: Fit) -> str:
    """Return what to do about pods that never get a node."""
    decisive = _decisive(fit)
    if fit.demand.exclusive and _is_topology(fit):
        return "reduce the number of Jobs or slices, or use a larger cluster"
    if _is_topology(fit):
        return _help_of_domains(fit) or _SPREAD_OUT
    if decisive is None or _are_too_few(fit, decisive):
        return _FEWER
    if decisive.kind == "taint":
        taint, _, effect = decisive.detail.rpartition(":")
        key = taint.partition("=")[0]
        toleration = f"{{key: {scalar(key)}, operator: Exists, effect: {effect}}}"
        return f"tolerate the taint: `scheduling.tolerations: [{toleration}]`"
    return _HELP[decisive.kind]


def _are_too_few(fit: Fit, decisive: Obstacle) -> bool:
    """Return whether some nodes are large enough, but not as many as there are pods."""
    return decisive.kind == "size" and fit.fitting > 0


def _help_of_domains(fit: Fit) -> str:
    """Return the help if the volume that all pods share leaves too few nodes, else an empty string."""
    tight = tight_domains(fit)
    if fit.room < fit.demand.count or not tight or not _is_of_volume(fit):
        return ""
    if tight[0].key == HOSTNAME_LABEL:
        return _GANG_VOLUME
    if tight[0].is_early:
        return "use a storage class with `volumeBindingMode: WaitForFirstConsumer`, or whose volumes all nodes can use"
    return _select_domain(fit) or _ONE_VOLUME


def _select_domain(fit: Fit) -> str:
    """Return the help to select the nodes of the domain with most room, if it has enough."""
    best = max(tight_domains(fit), key=lambda each: each.room, default=None)
    if best is None or best.room < fit.demand.count:
        return ""
    return f"select the nodes with most room: `scheduling.nodeSelector: {{{scalar(best.key)}: {scalar(best.value)}}}`"


def _is_of_volume(fit: Fit) -> bool:
    """Return whether the nodes that are left depend on where the volume of a claim is."""
    return any(each.is_of_volume for each in tight_domains(fit))


def _has_topology(job: Compiled) -> bool:
    return any(job.spec.scheduling.has(name) for name in _SCHEDULING["rules"])


def _is_topology(fit: Fit) -> bool:
    """Return whether the nodes have room for all pods, but the rules of topology don't allow them there."""
    return fit.room >= fit.demand.count


def _decisive(fit: Fit) -> Obstacle | None:
    """Return the requirement without which most further nodes would fit, None if the nodes are only too few."""
    return next(iter(fit.alone or fit.first), None)


def position(job: Compiled, fit: Fit) -> Span:
    """Return the field of the job that states the decisive requirement, else the number of workers."""
    spec, decisive = job.spec, _decisive(fit)
    if (decisive is not None and decisive.kind == "volume") or (_is_topology(fit) and _is_of_volume(fit)):
        return storage_position(job)
    if _is_topology(fit) and _has_topology(job):
        return spec.scheduling.where(*_SCHEDULING["rules"])
    if decisive is not None and decisive.kind in ("size", "use") and not _are_too_few(fit, decisive):
        field = "gpu" if "/" in decisive.detail else decisive.detail
        if spec.resources.has(field):
            return spec.resources.where(field)
    names = _SCHEDULING.get(decisive.kind if decisive else "", ())
    if any(spec.scheduling.has(name) for name in names):
        return spec.scheduling.where(*names)
    return spec.where("workers") if "workers" in spec.node.entries else job.job.origin
