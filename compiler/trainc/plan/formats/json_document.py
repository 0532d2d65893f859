"""Plan as JSON for programs: each pod by itself. docs/plan.md describes every key."""

from __future__ import annotations

from typing import Any

from trainc.plan.plan import Plan
from trainc.plan.process_env import fqdn, process_env
from trainc.plan.world import Worker, WorldSize
from trainc.report import json


def to_json(plans: list[Plan]) -> str:
    """Format the list of all jobs, planned with every pod. Amounts are numbers: bytes, cores, counts."""
    return json.to_json([_job(plan) for plan in plans])


def _job(plan: Plan) -> dict[str, Any]:
    hostnames = {worker.position: worker.pod.hostname for worker in plan.workers}
    return {
        "name": plan.name,
        "namespace": plan.namespace or None,
        "owner": plan.owner,
        "operators": plan.operators,
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
                "dnsNames": server.names,
                "cpus": server.cpus or None,
                "memory": server.memory or None,
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
        "claims": plan.claims,
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
        "dnsNames": worker.names,
        "index": pod.index,
        "onScaleUp": pod.on_scale_up,
        "createdBy": pod.created_by or None,
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
        "gpus": usage.gpus,
        "requests": usage.requests,
        "limits": usage.limits,
        "shm": usage.shm,
        "volumes": [
            {
                "path": each.path,
                "kind": each.kind,
                "source": each.source,
                "readOnly": each.read_only,
                "files": plan.files(each),
            }
            for each in usage.volumes
        ],
    }


def _world_size(size: WorldSize) -> dict[str, Any]:
    return {
        "name": size.name,
        "pods": size.pods,
        "nodes": size.nodes,
        "worldSize": size.world,
        "gpus": size.gpus,
        "cpus": size.cpus or None,  # every program uses some: without a request the amount is not known
        "memory": size.memory or None,
    }
