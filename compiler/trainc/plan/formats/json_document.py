"""A plan for programs: every pod on its own, nothing folded."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from trainc.plan import redact as hide
from trainc.plan.plan import Plan
from trainc.plan.process_env import fqdn, process_env
from trainc.plan.world import Worker, WorldSize


def to_json(plans: list[Plan]) -> str:
    """A list of all jobs. Amounts are numbers: bytes, cores, pieces."""
    return json.dumps([document(plan) for plan in plans], indent=2, ensure_ascii=False) + "\n"


def document(plan: Plan) -> dict[str, Any]:
    """One job as plain values."""
    hostnames = {one.position: one.pod.hostname for one in plan.workers}
    return {
        "name": plan.name,
        "namespace": plan.namespace or None,
        "owner": plan.owner,
        "operators": list(plan.operators),
        "suspended": plan.suspended,
        "findings": [{"where": one.where, "message": one.message} for one in plan.findings],
        "pods": [_pod(one, plan) for one in plan.workers],
        "servers": [
            {"name": one.pod.name, "names": list(one.names), "cpus": _plain(one.cpus), "memory": _plain(one.memory)}
            for one in plan.servers
        ],
        "services": [
            {
                "name": one.name,
                "headless": one.headless,
                "publishNotReadyAddresses": one.publishes_not_ready,
                "ports": dict(one.ports),
                "pods": [hostnames[place] for place in one.pods if place in hostnames],
                "madeBy": one.created_by or None,
            }
            for one in plan.services
        ],
        "sizes": [_stage(one) for one in plan.world_sizes],
        "totals": _stage(plan.totals),
        "claims": [
            {"name": one.name, "size": None if one.size is None else _plain(one.size), "paths": list(one.paths)}
            for one in plan.claims
        ],
        "cases": [{"when": one.trigger, "then": one.effect} for one in plan.failure_cases],
        "objects": [
            *({"kind": kind, "name": name, "madeBy": None} for kind, name in plan.objects),
            *({"kind": kind, "name": name, "madeBy": by} for kind, name, by in plan.created_objects),
        ],
    }


def _pod(one: Worker, plan: Plan) -> dict[str, Any]:
    start = one.launch
    stage = next((each for each in plan.world_sizes if each.name == "at first"), plan.world_sizes[-1])
    return {
        "name": one.pod.name,
        "hostname": one.pod.hostname,
        "fullName": fqdn(one.pod),
        "names": list(one.names),
        "index": one.pod.index,
        "whenScaledUp": one.pod.on_scale_up,
        "madeBy": one.pod.created_by or None,
        "hosts": one.is_rendezvous_host,
        "launcher": start.launcher,
        "nodes": list(start.nodes) if start.nodes else None,
        "nodeRank": one.node_rank,
        "ranks": list(one.ranks) if one.ranks else None,
        "processes": start.processes,
        "rendezvous": {
            "backend": start.backend or None,
            "host": start.rendezvous_host or None,
            "port": start.port,
            "id": start.id,
        },
        "told": process_env(one, plan.workers, stage),
        "initContainers": [
            {
                "name": each.name,
                "image": each.image,
                "argv": hide.redact_args(each.argv),
                "madeBy": each.created_by or None,
            }
            for each in one.init_containers
        ],
        "argv": hide.redact_args(one.container.argv),
        "argvAdded": hide.redact_args(one.container.operator_args),
        "program": hide.redact_args(start.program),
        "env": [
            {"name": each.name, "value": hide.redact_value(each.name, each.value), "source": each.source or "manifest"}
            for each in one.container.env
        ],
        "envFrom": list(one.container.env_from),
        "image": one.container.image,
        "gpus": _plain(one.usage.gpus),
        "requests": {name: _plain(each) for name, each in one.usage.requests.items()},
        "limits": {name: _plain(each) for name, each in one.usage.limits.items()},
        "shm": _plain(one.usage.shm),
        "volumes": [
            {"path": each.path, "kind": each.kind, "of": each.source, "readOnly": each.read_only}
            for each in one.usage.volumes
        ],
    }


def _stage(one: WorldSize) -> dict[str, Any]:
    return {
        "name": one.name or "all",
        "pods": one.pods,
        "nodes": one.nodes,
        "world": one.world,
        "gpus": _plain(one.gpus),
        "cpus": _plain(one.cpus),
        "memory": _plain(one.memory),
    }


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
