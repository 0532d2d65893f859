"""Hostfiles: the hosts on which a launcher starts processes, with their numbers, and files of mounted ConfigMaps."""

from __future__ import annotations

import base64
import json
import re
from functools import cache, lru_cache
from typing import Any

from trainc.launchers.script_files import config_map_key
from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.pods import Pod

Slots = tuple[tuple[str, int], ...]
# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, _parse_hostfile, also Open MPI's
# format; and `host:slots` of Intel MPI and MPICH.
_HOST = re.compile(r"^([^\s:]+)(?:\s+slots=|:)(\d{1,9})\s*$", re.MULTILINE)


@lru_cache(maxsize=2)  # every worker has the same file
def parse_hostfile(content: str) -> Slots:
    """Return the hosts in their order."""
    return tuple((host, int(count)) for host, count in _HOST.findall(content))


@cache  # thousands of pods share one long list
def parse_world_info(encoded: str) -> Slots | None:
    """Return the hosts of DeepSpeed's per-node launcher, {host: [slot, …]} in JSON and base64; None for other text."""
    try:
        hosts: Any = json.loads(base64.urlsafe_b64decode(encoded))
        return tuple((str(host), len(slots)) for host, slots in hosts.items())
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None


def operator_slots(objects: list[Object]) -> Slots:
    """Return the hosts of the hostfile in a ConfigMap that an operator creates; none without one."""
    return parse_hostfile(operator_hostfile(objects))


def operator_hostfile(objects: list[Object]) -> str:
    """Return the text of that hostfile."""
    created = (each for each in objects if text(each, "kind") == "ConfigMap" and text(each, "createdBy"))
    return next((content for each in created if (content := text(each, "data", "hostfile"))), "")


def rank_of(pod: Pod, slots: Slots) -> int | None:
    """Return the position of a pod among the hosts, which are its host name or begin with it."""
    return next((rank for rank, (host, _) in enumerate(slots) if host.partition(".")[0] == pod.hostname), None)


def script_hostfile(script: str, pod: Pod, objects: list[Object]) -> str | None:
    """Return the hostfile next to a mounted script, empty without one; None for a script that no ConfigMap provides."""
    if mounted_text(script, pod, objects) is None:
        return None
    return mounted_text(f"{script.rpartition('/')[0]}/hostfile", pod, objects) or ""


def mounted_text(path: str, pod: Pod, objects: list[Object]) -> str | None:
    """Return the text at a path in a pod; None if no ConfigMap among the objects provides it."""
    volumes = {text(each, "name"): each for each in items(pod.spec, "volumes")}
    config_maps = {
        text(each, "metadata", "name"): mapping(each, "data") for each in objects if text(each, "kind") == "ConfigMap"
    }
    for mount in (mount for container in items(pod.spec, "containers") for mount in items(container, "volumeMounts")):
        source = mapping(volumes.get(text(mount, "name"), {}), "configMap")
        key = config_map_key(path, text(mount, "mountPath"), text(mount, "subPath"), source.get("items"))
        content = config_maps.get(text(source, "name"), {}).get(key)
        if isinstance(content, str):
            return content
    return None
