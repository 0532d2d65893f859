"""Placement of mpirun's processes on the hosts, seen with Open MPI 4.1.4 (`mpirun --display-map --do-not-launch`).

A command line may start several programs, separated by `:`, which share the mapping policy and the slots. Mapping by
slot fills a host before the next one gets a process, also by socket or core; by node the hosts take turns.
`ppr:N:node` starts N processes on each host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from trainc.commandline.argparse import ParsedOption, parse
from trainc.commandline.word import Word, parse_int
from trainc.launchers.find_launchers import Call
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.shared.hostfile import Slots
from trainc.record import Record
from trainc.typenames import Literal

# Options that choose the hosts or their order in another way.
_UNPREDICTABLE = ("app", "npersocket", "rank_by", "rankfile", "rf", "nolocal")
Problem = Literal["", "slots", "slots of a host", "processes per host"]
_PER_HOST = ("npernode", "pernode", "ppr")
_ALIASES = {"bynode": "node", "byslot": "slot", "bycore": "core"}
# Policies that fill a host, as slot does: https://docs.open-mpi.org/en/v5.0.x/man-openmpi/man1/mpirun.1.html
_FILLING = re.compile(r"slot|hwthread|core|l[123]cache|socket|package|numa")


class Placement(Record):
    """Processes on the hosts; None if only the run knows them. `per_host` limits those on each host.

    Not `ordered` if ranks of a host do not follow one another. `problem` is what `total` exceeds, so that mpirun exits.
    """

    total: int | None = None
    counts: tuple[int, ...] | None = None
    per_host: int | None = None
    ordered: bool = True
    oversubscribes: bool = False
    problem: Problem = ""


def app_options(call: Call) -> list[dict[str, ParsedOption]]:
    """Return the options of each program that the command line starts."""
    apps, words = [call.parsed.options], call.parsed.program
    while (end := next((at for at, word in enumerate(words) if word.text == ":"), None)) is not None:
        parsed = parse(call.grammar, words[end + 1 :])
        apps.append(parsed.options)
        words = parsed.program
    return apps


def place(call: Call, slots: Slots, is_open_mpi: bool = True) -> Placement:
    """Return where the processes run. Hydra, the mpirun of Intel MPI and MPICH, has no such options: it fills slots."""
    apps = app_options(call) if is_open_mpi else [call.parsed.options]
    options = {name: option for app in apps for name, option in app.items()}
    policy = _mapping_policy(options)
    oversubscribes = "oversubscribe" in options or (policy is not None and "oversubscribe" in policy.modifiers)
    totals = [_total(app) for app in apps]
    total = sum(count or 0 for count in totals) if None not in totals and (len(apps) == 1 or all(totals)) else None
    if not is_open_mpi:
        counts = None if total is None else _fill([count for _, count in slots], total or sum(n for _, n in slots))
        return Placement(total=total or None, counts=counts)
    placement = Placement(
        total=total or None, per_host=policy.per_host if policy else None, oversubscribes=oversubscribes
    )
    if len(apps) > 1 and "host" in options:  # each program has hosts of its own
        return placement
    if "host" in options:
        slots = listed_slots(options["host"].text, slots)
    if not slots or total is None:
        return placement
    if total > sum(count for _, count in slots) and not oversubscribes:
        return placement.replace(problem="slots")
    if policy is None or not policy.name or not options.keys().isdisjoint(_UNPREDICTABLE):
        return placement
    return _map(placement, policy, [count or 0 for count in totals], [count for _, count in slots])


def uneven_hosts(command: Sequence[str], slots: Slots) -> list[int]:
    """Return the hosts that have other processes than the one before them."""
    call = mpirun_call([Word(text=word) for word in command])
    counts = place(call, slots).counts if call is not None else None
    return [host for host, (before, own) in enumerate(pairwise(counts or ()), 1) if own != before]


def listed_slots(text: str | None, slots: Slots) -> Slots:
    """Return the hosts with the slots of -H, in the order of the hostfile: one for each mention, or `HOST:SLOTS`."""
    counts: dict[str, int] = {}
    for host in (text or "").split(","):
        name, colon, number = host.partition(":")
        label = name.partition(".")[0]
        if (colon and not number.isdecimal()) or label in counts.keys() - {label}:
            return ()
        counts[label] = counts.get(label, 0) + (int(number) if colon else 1)
    labels = [host.partition(".")[0] for host, _ in slots]
    in_order = [label for label in labels if label in counts]
    if in_order != [*counts]:
        return ()  # other hosts, or in another order
    return tuple((host, counts.get(label, 0)) for (host, _), label in zip(slots, labels, strict=True))


def _total(options: dict[str, ParsedOption]) -> int | None:
    """Return the number of -np, 0 without one (or for 0), None if it is not known or no number of processes."""
    if "np" not in options:
        return 0
    count = parse_int(options["np"].value)
    return count if count is not None and count >= 0 else None


def _map(placement: Placement, policy: MappingPolicy, totals: list[int], slots: list[int]) -> Placement:
    """Place the programs one after another, each on what the ones before have left."""
    hosts = len(slots)
    counts = [0] * hosts
    ordered = True
    for total in totals:
        if policy.per_host is not None:
            wanted = total or policy.per_host * hosts
            added = _fill([policy.per_host] * hosts, wanted)
            if added is None:
                return placement.replace(problem="processes per host")
        else:
            added = _slotwise(policy, total or sum(slots), slots, counts, placement.oversubscribes)
            if added is None:
                return placement
        ordered = ordered and _is_ordered(policy, counts, added)
        counts = [before + more for before, more in zip(counts, added, strict=True)]
    if not placement.oversubscribes and any(count > slot for count, slot in zip(counts, slots, strict=True)):
        return placement.replace(problem="slots of a host")
    return placement.replace(counts=tuple(counts), ordered=ordered, total=sum(counts))


def _slotwise(
    policy: MappingPolicy, total: int, slots: list[int], counts: list[int], oversubscribes: bool
) -> tuple[int, ...] | None:
    """Return the processes on each host by slot or by node; None where another rule applies that is not modeled."""
    hosts = len(slots)
    free = [slot - count for slot, count in zip(slots, counts, strict=True)]
    if policy.name == "node":
        is_even = len({*slots}) == 1 and not any(counts)
        return tuple(total // hosts + (host < total % hosts) for host in range(hosts)) if is_even else None
    filled = _fill(free, total)
    if filled is not None or not oversubscribes or any(counts):
        return filled
    excess = total - sum(slots)
    return tuple(slot + excess // hosts + (host < excess % hosts) for host, slot in enumerate(slots))


def _fill(limits: Sequence[int], total: int) -> tuple[int, ...] | None:
    """Return the processes on each host, the first ones up to their limits; None if not all fit."""
    counts = []
    for limit in limits:
        counts.append(min(max(limit, 0), total))
        total -= counts[-1]
    return None if total else tuple(counts)


def _is_ordered(policy: MappingPolicy, before: Sequence[int], added: Sequence[int]) -> bool:
    """Return whether the ranks of each host follow one another and those of the hosts before it."""
    if policy.name == "node" and any(count > 1 for count in added) and sum(map(bool, added)) > 1:
        return False
    first = next((host for host, count in enumerate(added) if count), 0)
    return not any(before[first + 1 :])


class MappingPolicy(Record):
    """Mapping of processes by mpirun: `node`, `slot`, or empty for a policy that is not modeled, and its modifiers."""

    name: str
    per_host: int | None
    modifiers: tuple[str, ...]


def _mapping_policy(options: dict[str, ParsedOption]) -> MappingPolicy | None:
    """Return the policy; None if the command line sets two, or if only the run knows it."""
    policies = [_policy(name, options[name].value) for name in ("map_by", *_PER_HOST, *_ALIASES) if name in options]
    if not policies:
        return MappingPolicy(name="slot", per_host=None, modifiers=())
    return policies[0] if all(each == policies[0] for each in policies) else None


def _policy(name: str, value: Word | None) -> MappingPolicy | None:
    """Return the policy of an option."""
    if value is not None and not value.known:
        return None
    if name == "npernode":
        count = parse_int(value)
        if count is None:
            return None
        return MappingPolicy(name="slot", per_host=count if count > 0 else None, modifiers=())  # 4.1.4 ignores 0
    text = {"pernode": "ppr:1:node", "ppr": f"ppr:{value.text if value else ''}"}.get(name)
    return _parse_mapping(text or _ALIASES.get(name) or (value.text if value else ""))


def _parse_mapping(text: str) -> MappingPolicy:
    """Parse the value of --map-by: `POLICY:MODIFIER,...` or `ppr:N:RESOURCE:MODIFIER,...`. Case does not matter."""
    policy, *rest = text.lower().split(":")
    if policy == "ppr":
        number, resource, *rest = (*rest, "", "")
        is_node = number.isdecimal() and int(number) > 0 and bool(resource) and "node".startswith(resource)
        per_host = int(number) if is_node else None
        name = "slot" if is_node else ""
    else:
        per_host = None
        name = "node" if policy and "node".startswith(policy) else ""
        name = "slot" if not policy or _FILLING.fullmatch(policy) else name
    modifiers = tuple(modifier for part in rest for modifier in part.split(",") if modifier)
    return MappingPolicy(name="" if "span" in modifiers else name, per_host=per_host, modifiers=modifiers)
