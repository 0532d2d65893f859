"""All rules, and what in a job wakes each.

A rule is a module of this package with a function `check(context)` that yields diagnostics. One that only has
something to say about some fields is named with them, and is not even imported for a job that gives none of them;
fields of metadata are named with it. Where the fields' being there says too little, a function looks at what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from trainc.checks.context import RuleContext
from trainc.checks.triggers import (
    gives,
    moving,
    odd_program,
    other_than_gpus,
    pet_variable,
    pod_name,
    port_beside,
    secret,
    separated,
    starts_launcher,
)
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.node import Mapping

ALWAYS = ""
RULES: dict[str, str | Callable[[Mapping], bool]] = {
    "checks.pod.names": ALWAYS,
    "checks.scheduling.elastic": "elastic",
    "launchers.torchrun.rules.rendezvous": "launch.torchrun",
    "launchers.torchrun.rules.rendezvous_id": "launch.torchrun.rendezvous",
    "launchers.torchrun.rules.torch_version": "launch.torchrun.torchVersion",
    "launchers.torchrun.rules.scale_downs": "launch.torchrun.maxRestarts",
    "launchers.torchrun.rules.shutdown_timeout": "launch.torchrun.shutdownTimeout",
    "checks.lifecycle.unused_grace_period": "lifecycle.terminationGracePeriodSeconds",
    "launchers.torchrun.rules.signals": "launch.torchrun.signals",
    "launchers.deepspeed.rules.direct_flags": "launch.deepspeed",
    "launchers.deepspeed.rules.transport": "launch.deepspeed",
    "launchers.deepspeed.rules.ssh_flags": "launch.deepspeed",
    "launchers.deepspeed.rules.autotune": "launch.deepspeed.autotune",
    "launchers.deepspeed.rules.deepspeed_version": "launch.deepspeed.deepspeedVersion",
    "checks.program.env": ALWAYS,
    "checks.pod.labels": ALWAYS,
    "checks.resources.quantities": "resources podTemplate",
    "checks.resources.devices": "resources podTemplate",
    "checks.resources.threads": "env",
    "checks.storage.volumes": "volumes",
    "checks.resources.shared_memory": "sharedMemory volumes podTemplate",
    "checks.storage.claim_access": "volumes",
    "checks.storage.lost_paths": "checkpoint save",
    "checks.storage.no_checkpoint": "elastic scheduling.spot",
    "checks.storage.share_file": "shareFile",
    "checks.storage.stored_paths": "checkpoint save shareFile",
    "checks.lifecycle.mode": "mode",
    "checks.lifecycle.resumed": "mode",
    "checks.pod.pod_template": "podTemplate",
    "checks.pod.unsupported_fields": ALWAYS,
    "checks.lifecycle.clean_pod_policy": "lifecycle.cleanPodPolicy",
    "checks.lifecycle.exit_codes": "lifecycle.exitCodes",
    "checks.lifecycle.backoff_limit_per_index": "lifecycle.backoffLimitPerIndex",
    "checks.lifecycle.deadline": "lifecycle.activeDeadlineSeconds",
    "checks.lifecycle.kubernetes_version": ALWAYS,
    "checks.scheduling.autoscaler": "elastic",
    "checks.scheduling.queue": "scheduling.queue elastic",
    "checks.rendezvous.network": "network",
    "checks.scheduling.gang": "scheduling.gang",
    "checks.scheduling.spot": "scheduling.spot",
    "checks.scheduling.topology": "scheduling.topologyKey",
    "checks.program.script": odd_program,
    "checks.program.options": odd_program,
    "checks.program.nested_launcher": starts_launcher,
    "checks.program.launcher_options": starts_launcher,
    "checks.program.launcher_nodes": starts_launcher,
    "checks.program.launcher_processes": starts_launcher,
    "checks.rendezvous.launcher_rendezvous": starts_launcher,
    "checks.rendezvous.sidecar_ports": port_beside,
    "launchers.torchrun.rules.pet_variables": pet_variable,
    "checks.program.pod_name_rank": pod_name,
    "checks.resources.processes": other_than_gpus,
    "checks.program.mutable_image_tag": moving,
    "checks.security.plain_secrets": secret,
    "checks.program.separator": separated,
    "checks.security.pull_secrets": "imagePullSecrets",
    "checks.lifecycle.backoff_below_workers": "lifecycle.backoffLimit",
    "checks.lifecycle.useless_restarts": "lifecycle.restartPolicy lifecycle.backoffLimit"
    " lifecycle.backoffLimitPerIndex",
    "launchers.torchrun.rules.rendezvous_conf": "launch.torchrun.rendezvous.conf",
    "launchers.torchrun.rules.endpoint": "launch.torchrun.rendezvous.endpoint",
    "launchers.torchrun.rules.etcd_version": "launch.torchrun.rendezvous.managed",
    "launchers.deepspeed.rules.sshd_blocked": "launch.deepspeed",
    "checks.resources.rdma": "resources network.rdma",
    "checks.rendezvous.interfaces": "env network.interface",
    "checks.rendezvous.host_ports": "network.hostNetwork",
    "checks.resources.quota_names": "resources",
    "checks.lifecycle.mesh_sidecar": "metadata.labels metadata.annotations podTemplate",
    "checks.scheduling.misplaced_labels": "metadata.labels metadata.annotations podTemplate",
    "checks.pod.deprecated": "metadata.annotations podTemplate scheduling.nodeSelector",
    "checks.lifecycle.gitops": "metadata.annotations",
    "systems.pytorchjob.rules.env": "env podTemplate",
    "systems.pytorchjob.rules.lifecycle": "lifecycle",
    "systems.elasticjob.rules.lifecycle": "lifecycle elastic",
    "systems.elasticjob.rules.arguments": "run.entrypoint podTemplate",
    "checks.pod.container_name": "podTemplate",
    "systems.pytorchjob.rules.ports": port_beside,
    "systems.deepspeedjob.rules.program": "launch.deepspeed",
    "systems.deepspeedjob.rules.env": "env podTemplate network.interface checkpoint save",
    "systems.deepspeedjob.rules.pods": "volumes podTemplate network",
    "systems.deepspeedjob.rules.lifecycle": "lifecycle mode launch.deepspeed.transport",
    "checks.pod.crd_fields": "env volumes podTemplate scheduling",
}


def run_checks(context: RuleContext) -> Iterator[Diagnostic]:
    """What every rule that is awake finds."""
    for name, wakes in RULES.items():
        if _awake(context, wakes):
            yield from import_module(f"trainc.{name}").check(context)


def _awake(context: RuleContext, wakes: str | Callable[[Mapping], bool]) -> bool:
    if callable(wakes):
        return wakes(context.spec.node)
    metadata, spec = context.spec.metadata.node, context.spec.node
    return wakes == ALWAYS or any(
        gives(metadata, field.removeprefix("metadata.")) if field.startswith("metadata.") else gives(spec, field)
        for field in wakes.split()
    )
