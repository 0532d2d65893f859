"""Words for the result of a placement."""

from __future__ import annotations

from fractions import Fraction

from trainc.placement.fit import Domain, Fit
from trainc.placement.obstacles import Obstacle
from trainc.plan.quantity import format_bytes, format_count, plural
from trainc.well_known import HOSTNAME_LABEL

_MAX_SHOWN = 4  # requirements and domains in a sentence


def sentence(fit: Fit, cluster: str) -> str:
    """Return how many pods get a node, and which requirements remove which nodes."""
    count, most = fit.demand.count, fit.most
    placed = f"{fit.least} to {most}" if fit.least != most else str(most or "none")
    pods = "the pod" if count == 1 else f"{placed} of {count} pods"
    if fit.demand.exclusive:
        pods = f"{pods} from `{fit.demand.name}` on"
    gets = "gets no node" if count == 1 else "gets a node" if most < 2 else "get a node"
    gang = (
        f"; a gang of {fit.demand.gang} pods starts together or not at all" if fit.demand.gang and fit.fitting else ""
    )
    return f"{pods} {gets} of cluster `{cluster}`: {nodes(fit)}{gang}"


def nodes(fit: Fit) -> str:
    """Return the nodes by the requirement that removes them first, and what the rest has room for."""
    shown = list(fit.first.items())
    if len(shown) > _MAX_SHOWN:
        others = sum(count for _, count in shown[_MAX_SHOWN - 1 :])
        parts = [obstacle(each, count) for each, count in shown[: _MAX_SHOWN - 1]]
        parts.append(f"{others} don't meet other requirements")
    else:
        parts = [obstacle(each, count) for each, count in shown]
    return f"{plural(fit.nodes, 'node')}: {', '.join([*parts, _rest(fit)])}"


def requirement(each: Obstacle) -> str:
    """Return a requirement without a number of nodes, as they don't meet it: `lacks 8 nvidia.com/gpu`."""
    return _words(each, one=True)


def obstacle(each: Obstacle, count: int) -> str:
    """Return a requirement with the number of nodes that don't meet it."""
    return f"{count} {_words(each, one=count == 1)}"


def _words(each: Obstacle, one: bool) -> str:
    lack, are, have = ("lacks", "is", "has") if one else ("lack", "are", "have")
    words = {
        "size": f"{lack} {_amount(each)}",
        "use": f"{have} less than {_amount(each)} free",
        "label": f"{lack} the label {each.detail}",
        "topology": f"{lack} a label {each.detail}",
        "affinity": f"{'does' if one else 'do'} not match the node affinity {each.detail}",
        "taint": f"{have} the taint {each.detail}",
        "cordon": f"{are} cordoned",
        "name": f"{are} not the node {each.detail}",
        "volume": f"can't use {each.detail}",
    }
    return words[each.kind]


def _amount(each: Obstacle) -> str:
    name = each.detail
    if name == "pods":
        return "room for a pod"
    if name == "cpu":
        return f"{format_count(Fraction(each.amount, 1000))} CPUs"
    if name in ("memory", "ephemeral-storage") or name.startswith("hugepages-"):
        return f"{format_bytes(Fraction(each.amount))} {name}"
    return f"{each.amount} {name}"


def _rest(fit: Fit) -> str:
    """Return what the nodes that fit a pod have room for, and what is needed."""
    if not fit.fitting:
        return "none fits"
    count, is_one_each = fit.demand.count, fit.room == fit.fitting
    fitting = f"{fit.fitting} {'fits' if fit.fitting == 1 else 'fit'}"
    with_room = fitting if is_one_each else f"{fitting} with room for {plural(fit.room, 'pod')}"
    if fit.most >= count:
        return with_room
    if rule := _domain_rule(fit):
        return f"{fitting}, but {rule}"
    if fit.room < count:
        return f"{with_room}; {count} {'is' if count == 1 else 'are'} needed"
    if is_one_each:
        return f"{fitting}, but topology rules leave {fit.most} of them"
    return f"{with_room}, but topology rules or other pods of the job leave {fit.most}"


def _domain_rule(fit: Fit) -> str:
    """Return the rule that leaves too few nodes in each domain, or too few domains; empty if there is none."""
    large = sum(each.room >= fit.demand.count for each in fit.domains)
    if fit.demand.exclusive and large:
        own = f"each Job gets a {fit.demand.exclusive} for itself"
        return f"{own}: {large} {'has' if large == 1 else 'have'} room, and other Jobs get them"
    tight = tight_domains(fit)
    return _in_one(tight) if tight else ""


def tight_domains(fit: Fit) -> list[Domain]:
    """Return the domains of the rule that leaves fewest nodes, none if no rule limits the pods.

    If the pods get no nodes, all domains of the rule lack room for them; if it depends, one of them does.
    """
    limit = max if fit.most < fit.demand.count else min
    rules: dict[tuple[str, str], list[Domain]] = {}
    for each in fit.domains:
        rules.setdefault((each.reason, each.key), []).append(each)
    tight = [own for own in rules.values() if limit(each.room for each in own) < fit.demand.count]
    return min(tight, key=lambda own: max(each.room for each in own), default=[])


def _in_one(domains: list[Domain]) -> str:
    """Return what must be in one domain, and the room of the largest ones."""
    first, *others = sorted(domains, key=lambda each: (-each.room, each.value))
    where = "on one node" if first.key == HOSTNAME_LABEL else f"in one {first.key}"
    return f"{first.reason} {where}: {_rooms(first, others)}"


def _rooms(first: Domain, others: list[Domain]) -> str:
    if first.key == HOSTNAME_LABEL:
        return f"none has room for more than {first.room}"
    shown = [f"{first.value} has room for {first.room}"]
    shown += [f"{each.value} for {each.room}" for each in others[: _MAX_SHOWN - 1]]
    if rest := others[_MAX_SHOWN - 1 :]:
        shown.append(f"{len(rest)} other{'s' * (len(rest) > 1)} for at most {rest[0].room}")
    return ", ".join(shown)


def depends(fit: Fit, cluster: str) -> str:
    """Return that the scheduler's choice of nodes decides how many pods are placed."""
    pods = f"{fit.least} to {fit.most} of {fit.demand.count} pods get a node of cluster `{cluster}`"
    domains = tight_domains(fit)
    if not domains:
        return f"{pods}: it depends on the nodes that the scheduler chooses for the first ones"
    return f"{pods}: {_in_one(domains)}; {_chooser(domains)}"


def _chooser(domains: list[Domain]) -> str:
    return "it is created before its pods have a node" if domains[0].is_early else "the node of the first pod decides"
