"""All rules, and what in a job wakes each.

A rule is a module of this package with a function `check(case)` that yields diagnostics. One that only has
something to say about some fields is named with them, and is not even imported for a job that gives none of them;
fields of metadata are named with it. Where the fields' being there says too little, a function looks at what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from trainc.checks.case import Case
from trainc.checks.wake import (
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
    "names": ALWAYS,
    "elastic": "elastic",
    "rendezvous": "launch.torchrun",
    "rendezvous_id": "launch.torchrun.rendezvous",
    "torch_version": "launch.torchrun.torchVersion",
    "scale_downs": "launch.torchrun.maxRestarts",
    "grace": "launch.torchrun.shutdownTimeout",
    "grace_unused": "lifecycle.terminationGracePeriodSeconds",
    "signals": "launch.torchrun.signals",
    "deepspeed_flags": "launch.deepspeed",
    "deepspeed_transport": "launch.deepspeed",
    "deepspeed_ssh": "launch.deepspeed",
    "deepspeed_autotune": "launch.deepspeed.autotune",
    "deepspeed_version": "launch.deepspeed.deepspeedVersion",
    "env": ALWAYS,
    "labels": ALWAYS,
    "quantities": "resources podTemplate",
    "devices": "resources podTemplate",
    "threads": "env",
    "volumes": "volumes",
    "shared_memory": "sharedMemory volumes podTemplate",
    "claim_access": "volumes",
    "lost_paths": "checkpoint save",
    "no_checkpoint": "elastic scheduling.spot",
    "share_file": "shareFile",
    "stored_paths": "checkpoint save shareFile",
    "mode": "mode",
    "resumed": "mode",
    "pod_template": "podTemplate",
    "unsupported": ALWAYS,
    "clean_pods": "lifecycle.cleanPodPolicy",
    "exit_codes": "lifecycle.exitCodes",
    "per_index": "lifecycle.backoffLimitPerIndex",
    "deadline": "lifecycle.activeDeadlineSeconds",
    "versions": ALWAYS,
    "autoscaler": "elastic",
    "queue": "scheduling.queue elastic",
    "network": "network",
    "gang": "scheduling.gang",
    "spot": "scheduling.spot",
    "topology": "scheduling.topologyKey",
    "program_words": odd_program,
    "program_options": odd_program,
    "launcher_nested": starts_launcher,
    "launcher_options": starts_launcher,
    "launcher_world": starts_launcher,
    "launcher_processes": starts_launcher,
    "launcher_meeting": starts_launcher,
    "launcher_ports": port_beside,
    "pet": pet_variable,
    "pod_name_number": pod_name,
    "processes": other_than_gpus,
    "moving_image": moving,
    "plain_secrets": secret,
    "behind_separator": separated,
    "pull_secrets": "imagePullSecrets",
    "backoff_below_workers": "lifecycle.backoffLimit",
    "useless_restarts": "lifecycle.restartPolicy lifecycle.backoffLimit lifecycle.backoffLimitPerIndex",
    "rendezvous_conf": "launch.torchrun.rendezvous.conf",
    "endpoint": "launch.torchrun.rendezvous.endpoint",
    "etcd_version": "launch.torchrun.rendezvous.managed",
    "sshd_blocked": "launch.deepspeed",
    "rdma": "resources network.rdma",
    "interfaces": "env network.interface",
    "host_ports": "network.hostNetwork",
    "quota_names": "resources",
    "mesh_sidecar": "metadata.labels metadata.annotations podTemplate",
    "misplaced_marks": "metadata.labels metadata.annotations podTemplate",
    "deprecated": "metadata.annotations podTemplate scheduling.nodeSelector",
    "gitops": "metadata.annotations",
    "operator_env": "env podTemplate",
    "operator_ends": "lifecycle",
    "elastic_operator_ends": "lifecycle elastic",
    "operator_arguments": "run.entrypoint podTemplate",
    "container_taken": "podTemplate",
    "operator_ports": port_beside,
    "t9k_words": "launch.deepspeed",
    "t9k_env": "env podTemplate network.interface checkpoint save",
    "t9k_pods": "volumes podTemplate network",
    "t9k_ends": "lifecycle mode launch.deepspeed.transport",
    "crd_fields": "env volumes podTemplate scheduling",
}


def run_checks(case: Case) -> Iterator[Diagnostic]:
    """What every rule that is awake finds."""
    for name, wakes in RULES.items():
        if _awake(case, wakes):
            yield from import_module(f"trainc.checks.{name}").check(case)


def _awake(case: Case, wakes: str | Callable[[Mapping], bool]) -> bool:
    if callable(wakes):
        return wakes(case.spec.node)
    metadata, spec = case.spec.metadata.node, case.spec.node
    return wakes == ALWAYS or any(
        gives(metadata, field.removeprefix("metadata.")) if field.startswith("metadata.") else gives(spec, field)
        for field in wakes.split()
    )
