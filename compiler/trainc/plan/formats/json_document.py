"""Plan as JSON for programs: each pod by itself. docs/plan.md describes every key."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from trainc.plan.plan import Plan
from trainc.plan.process_env import fqdn, process_env
from trainc.plan.world import Worker, WorldSize


def to_json(plans: list[Plan]) -> str:
    """Format the list of all jobs, planned with every pod. Amounts are numbers: bytes, cores, counts."""
    return json.dumps([document(plan) for plan in plans], indent=2, ensure_ascii=False) + "\n"


def document(plan: Plan) -> dict[str, Any]:
    """Return one job as plain values."""
    hostnames = {worker.position: worker.pod.hostname for worker in plan.workers}
    return {
        "name": plan.name,
        "namespace": plan.namespace or None,
        "owner": plan.owner,
        "operators": list(plan.operators),
        "suspended": plan.suspended,
        "addedToCommand": plan.added_words or None,
        "debugCommand": plan.debug_command or None,
        "findings": [
            {"where": each.where, "message": each.message, "help": each.help or None} for each in plan.findings
        ],
        "pods": [_pod(worker, plan) for worker in plan.workers],
        "servers": [
            {
                "name": server.pod.name,
                "dnsNames": list(server.names),
                **_requests(cpus=server.cpus, memory=server.memory),
            }
            for server in plan.servers
        ],
        "services": [
            {
                "name": service.name,
                "headless": service.headless,
                "publishNotReadyAddresses": service.publishes_not_ready,
                "ports": dict(service.ports),
                "pods": [hostnames[position] for position in service.pods if position in hostnames],
                "createdBy": service.created_by or None,
            }
            for service in plan.services
        ],
        "worldSizes": [_world_size(size) for size in plan.world_sizes],
        "totals": _world_size(plan.totals),
        "claims": [
            {"name": each.name, "size": None if each.size is None else _number(each.size), "paths": list(each.paths)}
            for each in plan.claims
        ],
        "failureCases": [case._asdict() for case in plan.failure_cases],
        "objects": [
            {"kind": each.kind, "name": each.name, "createdBy": each.created_by or None} for each in plan.objects
        ],
    }


def _pod(worker: Worker, plan: Plan) -> dict[str, Any]:
    pod, launch, container, usage = worker.pod, worker.launch, worker.container, worker.usage
    return {
        "name": pod.name,
        "hostname": pod.hostname,
        "fqdn": fqdn(pod),
        "dnsNames": list(worker.names),
        "index": pod.index,
        "onScaleUp": pod.on_scale_up,
        "createdBy": pod.created_by or None,
        "launcher": launch.launcher,
        "nodes": list(launch.nodes) if launch.nodes else None,
        "nodeRank": worker.node_rank,
        "ranks": list(worker.ranks) if worker.ranks else None,
        "processes": launch.processes,
        "rendezvous": {
            "backend": launch.backend or None,
            "host": launch.rendezvous_host or None,
            "port": launch.port,
            "id": launch.id or None,
            "isHost": worker.is_rendezvous_host,
        },
        "processCommand": list(launch.program),
        "processEnvironment": process_env(worker, plan.workers, plan.initial_size),
        "initContainers": [
            {
                "name": each.name,
                "image": each.image,
                "command": list(each.argv),
                "createdBy": each.created_by or None,
            }
            for each in worker.init_containers
        ],
        "image": container.image,
        "command": list(container.argv),
        "operatorArgs": list(container.operator_args),
        "env": [
            {
                "name": each.name,
                "value": each.value,
                "source": each.source or "manifest",
            }
            for each in container.env
        ],
        "envFrom": list(container.env_from),
        "gpus": _number(usage.gpus),
        "requests": _numbers(**usage.requests),
        "limits": _numbers(**usage.limits),
        "shm": _number(usage.shm),
        "volumes": [
            {
                "path": each.path,
                "kind": each.kind,
                "source": each.source,
                "readOnly": each.read_only,
                "files": list(plan.files(each)),
            }
            for each in usage.volumes
        ],
    }


def _world_size(size: WorldSize) -> dict[str, Any]:
    world = {"name": size.name, "pods": size.pods, "nodes": size.nodes, "worldSize": size.world}
    return {**world, "gpus": _number(size.gpus), **_requests(cpus=size.cpus, memory=size.memory)}


def _requests(**amounts: Fraction) -> dict[str, int | float | None]:
    """Return amounts of what every program uses: None if nothing is requested, so that the amount is not known."""
    return {name: _number(amount) if amount else None for name, amount in amounts.items()}


def _numbers(**amounts: Fraction) -> dict[str, int | float]:
    return {name: _number(amount) for name, amount in amounts.items()}


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
