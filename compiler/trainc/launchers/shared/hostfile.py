"""Hostfiles: the hosts on which a launcher starts processes, each with the number of its processes."""

from __future__ import annotations

import re
from functools import lru_cache

from trainc.plan.fields import Object, text
from trainc.plan.pods import Pod

Slots = tuple[tuple[str, int], ...]
# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, _parse_hostfile, also Open MPI's
# format; and `host:slots` of Intel MPI and MPICH.
_HOST = re.compile(r"^([^\s:]+)(?:\s+slots=|:)(\d{1,9})\s*$", re.MULTILINE)


@lru_cache(maxsize=2)  # every worker has the same file
def parse_hostfile(content: str) -> Slots:
    """Return the hosts in their order."""
    return tuple((host, int(count)) for host, count in _HOST.findall(content))


def operator_slots(objects: list[Object]) -> Slots:
    """Return the hosts of the hostfile in a ConfigMap that an operator creates; none without one."""
    return parse_hostfile(_operator_hostfile(objects))


def is_open_mpi_hostfile(objects: list[Object]) -> bool:
    """Return whether that hostfile has the format of Open MPI."""
    return " slots=" in _operator_hostfile(objects)


def _operator_hostfile(objects: list[Object]) -> str:
    created = (each for each in objects if text(each, "kind") == "ConfigMap" and text(each, "createdBy"))
    return next((content for each in created if (content := text(each, "data", "hostfile"))), "")


def rank_of(pod: Pod, slots: Slots) -> int | None:
    """Return the position of a pod among the hosts, which are its host name or begin with it."""
    return next((rank for rank, (host, _) in enumerate(slots) if host.partition(".")[0] == pod.hostname), None)
