"""Slices of TPUs: the number of workers, topologies that the accelerator doesn't have, and systems without slices.

https://docs.cloud.google.com/kubernetes-engine/docs/concepts/tpus. Topologies are those of GKE as of 27 November 2026.
Two dimensions: https://cloud.google.com/tpu/docs/supported-tpu-configurations has all of v5e, which has no others;
v6e has the same. Three dimensions A x B x C: A <= B <= C, all multiples of 4, besides
the slices of up to 64 chips (https://cloud.google.com/tpu/docs/types-topologies). The lists of
https://github.com/AI-Hypercomputer/xpk/blob/v1.16.0/src/xpk/core/system_characteristics.py agree.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import log, prod

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, use_backend
from trainc.commandline.word import parse_count
from trainc.schema.hints import similar
from trainc.source.node import Mapping, scalar_text
from trainc.span import Span
from trainc.spec.section import inside
from trainc.tpu import ACCELERATOR_LABEL, DIMENSIONS, SHORT_NAMES, TOPOLOGY_LABEL, TPU, chip_count

TRIGGERS = ("selects_tpus()",)

# Variable by which a host of a slice knows its place; GKE sets it.
_WORKER_ID = "TPU_WORKER_ID"
_LONGEST_LABEL = 63
FLAT = ("1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16")
SMALL = ("2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4")
ONE_CHIP = {"tpu7x": "1x1x1"}
# Chips of the largest slice: of a pod of v4, and of 16x20x28 and 16x24x24 in xpk.
MOST = {"tpu-v4-podslice": 4096, "tpu-v5p-slice": 8960, "tpu7x": 9216}
_LONGEST = 256  # chips along a dimension


def check(context: RuleContext) -> Diagnostics:
    """Check the pods as they run, whether `resources.tpu` or labels and a resource select the slice."""
    selector = inside(context.pod.spec, "nodeSelector")
    topology, accelerator = (scalar_text(selector.get(label)) for label in (TOPOLOGY_LABEL, ACCELERATOR_LABEL))
    chips = parse_count(context.pod.main.limits.get(TPU, "")) or 0
    if not chips:
        return
    yield from _conflicts(context)
    if topology:
        yield from _topology(context, selector, accelerator, topology)
        yield from _workers(context, selector, topology, chips)
    yield from _system(context)


def _conflicts(context: RuleContext) -> Diagnostics:
    """Report labels of other nodes than `resources.tpu` selects."""
    tpu, selector = context.spec.resources.tpu, inside(context.spec.scheduling.node, "nodeSelector")
    fields = (("accelerator", ACCELERATOR_LABEL), ("topology", TOPOLOGY_LABEL)) if tpu is not None else ()
    for field, label in fields:
        value = scalar_text(selector.get(label))
        assert tpu is not None
        if value and value != getattr(tpu, field):
            related = [(tpu.where(field), "conflicts with this")]
            message = f"`{label}: {value}` has no effect: `resources.tpu` selects `{getattr(tpu, field)}`"
            yield error(codes.TPU_TOPOLOGY, message, selector.where(label), help="remove it", related=related)


def _workers(context: RuleContext, selector: Mapping, topology: str, chips: int) -> Diagnostics:
    """Compare the chips of all workers with those of the slices."""
    per_slice, count, slices = chip_count(topology), context.job.replicas.maximum, context.job.slices
    is_elastic = context.job.replicas.elastic
    if is_elastic and not context.job.launch.launcher.is_elastic:
        return  # the rule `elastic` reports it
    if per_slice is None or (per_slice * slices == chips * count and not is_elastic):
        return
    where = context.spec.where("workers") if context.spec.has("workers") else _place(context, selector, "topology")
    related = [(_place(context, selector, "topology"), f"{per_slice} chips")]
    total = (
        f"{slices} slices of {topology} have {slices * per_slice}"
        if slices > 1
        else f"the topology {topology} has {per_slice}"
    )
    own = f"{count} worker{'s' * (count > 1)} with {chips} chip{'s' * (chips > 1)} each have {count * chips} chips"
    help_: Help | None = None
    if is_elastic:
        own, total = "the number of workers is elastic", f"a slice of {topology} has a fixed number of hosts"
        help_ = "remove elastic"
    elif per_slice % chips == 0:
        right = slices * per_slice // chips
        of = f"{slices} × {per_slice}" if slices > 1 else str(per_slice)
        help_ = Message("set `{workers}` to {} ({} chips / {} of each worker)", right, of, chips)
    yield error(codes.TPU_WORKERS, f"{own}, but {total}", where, help=help_, related=related)


def _topology(context: RuleContext, selector: Mapping, accelerator: str, topology: str) -> Diagnostics:
    """Report a topology that the accelerator does not have, and a misspelled accelerator: no node has these labels."""
    if accelerator not in DIMENSIONS:
        short = SHORT_NAMES.get(accelerator.removeprefix("tpu-").partition("-")[0])
        if intended := short or similar(accelerator, DIMENSIONS, 0.85):
            message = f"no node of GKE has the accelerator `{accelerator}`: the pods are never scheduled"
            yield error(
                codes.TPU_TOPOLOGY,
                message,
                _place(context, selector, "accelerator"),
                help=f"did you mean `{intended}`?",
            )
        return
    expected = DIMENSIONS[accelerator]
    if chip_count(topology) is None or topology.count("x") + 1 != expected:
        example = "2x4" if expected == 2 else "2x2x4"
        message = f"no slice of {accelerator} has the topology `{topology}`: it has {expected} dimensions, as {example}"
        yield error(codes.TPU_TOPOLOGY, message, _place(context, selector, "topology"))
    elif not has_topology(accelerator, topology):
        message = f"no slice of {accelerator} has the topology `{topology}`: the pods are never scheduled"
        help_ = f"did you mean `{nearest_topology(accelerator, topology)}`?"
        yield error(codes.TPU_TOPOLOGY, message, _place(context, selector, "topology"), help=help_)


def _system(context: RuleContext) -> Diagnostics:
    """Report a slice of several hosts in pods that GKE doesn't number, and several slices where they can't join."""
    system, job, tpu = context.system, context.job, context.spec.resources.tpu
    variables = {variable.name for variable in context.pod.main.user_variables}
    is_launched = system.starts_launcher or (system.has_launcher_pod and not job.launch.launcher.runs_on_launcher_pod)
    if job.replicas.maximum < 2 or _WORKER_ID in variables or is_launched:  # the rule `unsupported_fields` reports it
        return
    where = context.spec.resources.where("tpu", TPU, "limits")
    if system.tpus == "one host":
        message = f"the pods of {system.a_kind} get no {_WORKER_ID} from GKE: the hosts of the slice don't form it"
        yield error(codes.TPU_UNSUPPORTED, message, where, help=use_backend(lambda other: other.tpus != "one host"))
    elif job.slices > 1 and tpu is not None:
        if system.tpus != "slices":
            message = f"{system.a_kind} has the workers of one slice, but the job has {job.slices}"
            help_ = use_backend(lambda other: other.tpus == "slices")
            yield error(codes.TPU_UNSUPPORTED, message, tpu.where("slices"), help=help_)
        elif not job.launch.launcher.joins_slices:
            message = f"{job.launch.launcher.name} numbers the workers of one slice, but the job has {job.slices}"
            yield error(codes.TPU_UNSUPPORTED, message, context.launch_key, help="use `launch.jax`")
        elif len(first := f"{job.hosts.first}.{job.name}") > _LONGEST_LABEL and not context.in_own_system:
            excess = (len(first) - _LONGEST_LABEL + 1) // 2  # of the name, which the label has twice
            message = f"the name is {excess} character{'s' * (excess > 1)} too long: `{first}`, the label with the"
            message += f" coordinator of the slices, exceeds {_LONGEST_LABEL} characters"
            most = len(job.name) - excess
            yield error(codes.NAME_TOO_LONG, message, job.origin, expected=f"at most {most} characters")


def _place(context: RuleContext, selector: Mapping, field: str) -> Span:
    """Return the position of a field of `resources.tpu`, else of the label in its place."""
    tpu = context.spec.resources.tpu
    label = TOPOLOGY_LABEL if field == "topology" else ACCELERATOR_LABEL
    return tpu.where(field) if tpu is not None else selector.where(label)


def has_topology(accelerator: str, topology: str) -> bool:
    """Return whether an accelerator of DIMENSIONS has slices of a topology."""
    if DIMENSIONS[accelerator] == 2:
        return topology in FLAT
    if topology in SMALL or topology == ONE_CHIP.get(accelerator):
        return True
    sizes = _sizes(topology)
    is_cubes = len(sizes) == 3 and all(size and size % 4 == 0 for size in sizes)
    return is_cubes and sizes == sorted(sizes) and prod(sizes) <= MOST[accelerator]


def nearest_topology(accelerator: str, topology: str) -> str:
    """Return the topology with the nearest number of chips, and of those the most similar one."""
    wanted = sorted(_sizes(topology))

    def distance(other: str) -> tuple[float, int]:
        sizes = sorted(_sizes(other))
        ratio = abs(log(prod(sizes) / max(1, prod(wanted))))
        return round(ratio, 6), sum(abs(own - size) for own, size in zip(wanted[::-1], sizes[::-1], strict=False))

    if DIMENSIONS[accelerator] == 2:
        return min(FLAT, key=distance)
    cubes = combinations_with_replacement(range(4, _LONGEST + 1, 4), 3)
    large = ["x".join(map(str, sizes)) for sizes in cubes if prod(sizes) <= MOST[accelerator]]
    return min((*SMALL, *large), key=distance)


def _sizes(topology: str) -> list[int]:
    return [int(size) for size in topology.split("x")]
