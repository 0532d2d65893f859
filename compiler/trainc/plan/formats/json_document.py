"""Plan as JSON for programs: each pod by itself. docs/plan.md describes every key."""

from __future__ import annotations

from typing import Any

from trainc.plan.plan import Plan
from trainc.plan.process_env import fqdn, process_env
from trainc.plan.world import Worker, WorldSize
from trainc.report import json
from trainc.report.json import fields

_NODE_FIT = ("cluster", "pods", "count", "nodes", "fitting", "least", "most", "removed")


def to_json(plans: list[Plan]) -> str:
    """Format the list of all jobs, planned with every pod. Amounts are numbers: bytes, cores, counts."""
    return json.to_json([_job(plan) for plan in plans])


def _job(plan: Plan) -> dict[str, Any]:
    hostnames = {worker.position: worker.pod.hostname for worker in plan.workers}
    return {
        **fields(plan, "name", "namespace?", "owner", "operators", "suspended"),
        "addedToCommand": plan.added_words or None,
        "debugCommand": plan.debug_command or None,
        "findings": [fields(each, "where", "message", "help?") for each in plan.findings],
        "pods": [_pod(worker, plan) for worker in plan.workers],
        "servers": [
            {"name": server.pod.name, "dnsNames": server.names, **fields(server, "cpus?", "memory?")}
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
        **({"placement": [fields(each, *_NODE_FIT) for each in plan.node_fits]} if plan.node_fits else {}),
        **({"notJudged": plan.unjudged} if plan.unjudged else {}),
        "claims": plan.claims,
        "failureCases": [case._asdict() for case in plan.failure_cases],
        "objects": [fields(each, "kind", "name", "created_by?") for each in plan.objects],
    }


def _pod(worker: Worker, plan: Plan) -> dict[str, Any]:
    pod, launch, container, usage = worker.pod, worker.launch, worker.container, worker.usage
    return {
        "name": pod.name,
        "hostname": pod.hostname,
        "fqdn": fqdn(pod),
        "dnsNames": worker.names,
        **fields(pod, "index", "on_scale_up", "created_by?"),
        "launcher": launch.launcher,
        "nodes": launch.nodes or None,
        "nodeRank": worker.node_rank,
        "ranks": worker.ranks or None,
        "processes": launch.processes,
        "rendezvous": {
            "backend": launch.backend or None,
            "host": launch.rendezvous_host or None,
            "port": launch.port,
            "id": launch.id or None,
            "isHost": worker.is_rendezvous_host,
        },
        "processCommand": launch.program,
        "processEnvironment": process_env(worker, plan.workers, plan.initial_size),
        "initContainers": [
            {"name": each.name, "image": each.image, "command": each.argv, "createdBy": each.created_by or None}
            for each in worker.init_containers
        ],
        "image": container.image,
        "command": container.argv,
        "operatorArgs": container.operator_args,
        "env": [
            {"name": each.name, "value": each.value, "source": each.source or "manifest"} for each in container.env
        ],
        "envFrom": container.env_from,
        **fields(usage, "gpus", "requests", "limits", "shm"),
        "volumes": [
            fields(each, "path", "kind", "source", "read_only") | {"files": plan.files(each)} for each in usage.volumes
        ],
    }


def _world_size(size: WorldSize) -> dict[str, Any]:
    return {
        **fields(size, "name", "pods", "nodes"),
        "worldSize": size.world,
        # Every program uses CPU and memory: without a request the amount is not known.
        **fields(size, "gpus", "cpus?", "memory?"),
    }
