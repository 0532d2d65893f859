"""Mapping policy of Open MPI's mpirun, from --map-by and the options that abbreviate it. Seen with 4.1.4.

Mapping by slot fills a host before the next one gets a process, also by socket or core; by node the hosts take turns.
`ppr:N:node` starts N processes on each host.
"""

from __future__ import annotations

import re

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import Word, parse_int
from trainc.record import Record

_PER_HOST = ("npernode", "pernode", "ppr")
_ALIASES = {"bynode": "node", "byslot": "slot", "bycore": "core"}
# Policies that fill a host, as slot does: https://docs.open-mpi.org/en/v5.0.x/man-openmpi/man1/mpirun.1.html
_FILLING = re.compile(r"slot|hwthread|core|l[123]cache|socket|package|numa")


class MappingPolicy(Record):
    """How mpirun maps processes: `node`, `slot`, or empty for a policy that is not modeled, and its modifiers."""

    name: str
    per_host: int | None
    modifiers: tuple[str, ...]


def mapping_policy(options: dict[str, ParsedOption]) -> MappingPolicy | None:
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
    return parse_mapping(text or _ALIASES.get(name) or (value.text if value else ""))


def parse_mapping(text: str) -> MappingPolicy:
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
