"""All passes of lowering in their order."""

from __future__ import annotations

from trainc.ir.env import EnvVar
from trainc.ir.job import ComputeDomain, Job, Replicas
from trainc.ir.launch import Launch
from trainc.ir.pod import DeviceClaim, PodPlan, Program
from trainc.launchers import registry
from trainc.launchers.lowering import LaunchContext, Rendered
from trainc.lower.addresses import has_leader_role, interface_env, lower_addresses
from trainc.lower.lifecycle import account, ends_itself, leader_decides, lower_failure, seconds_kept
from trainc.lower.mode import (
    lower_additions,
    lower_debug,
    lower_debug_command,
    lower_launcher_pod,
    lower_patch,
    lower_program,
    lower_resume,
    lower_security,
    lower_worker_program,
    skips_init_commands,
    with_capabilities,
)
from trainc.lower.size import (
    lower_gang,
    lower_placement,
    lower_queue,
    lower_replicas,
    lower_resources,
    lower_runtime,
    lower_scaling,
)
from trainc.lower.storage import (
    Storage,
    lower_claims,
    lower_folders,
    lower_paths,
    lower_shipped_text,
    lower_volumes,
    shared_memory,
)
from trainc.spec.job import TrainingJob
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainc.lower.fabric import FabricParts

ROLE = "worker"


def lower(job: TrainingJob, target: Target, config_maps: Mapping[str, Any] | None = None) -> Job:
    """Return the job that would run. Lowering accepts every valid document: checks report what can't work.

    `config_maps` are the texts of the input's ConfigMaps by name and key.
    """
    replicas = lower_replicas(job, target)
    addresses = lower_addresses(job, replicas, target)
    path_args, path_env = lower_paths(job)
    fabric = _lower_fabric(job, target)
    env = (*path_env, *(fabric.env if fabric else ()), *interface_env(job), *_user_env(job))
    requests, limits = lower_resources(job.resources, job.network.rdma if job.network else None)
    if fabric:
        requests, limits = {**requests, **fabric.resources}, {**limits, **fabric.resources}
    memory = shared_memory(job, limits)
    storage = lower_volumes(job, memory)
    context = LaunchContext(
        job=job,
        replicas=replicas,
        addresses=addresses,
        target=target,
        env=env,
        shared_memory=memory,
        shipped_text=lambda path: lower_shipped_text(path, storage, config_maps or {}),
    )
    launch, rendered = _lower_launch(context)
    setup, command = rendered.setup, rendered.launcher_command
    # Where the operator starts the launcher, the paths are arguments of its command.
    program = rendered.program if target.system.starts_launcher else rendered.complete_program(tuple(path_args))
    program_or_idle = lower_program(job, program, setup.debug_program if setup else None, target)
    pod = _lower_pod(context, rendered, program_or_idle, storage, requests, limits)
    if fabric:
        pod = pod.replace(
            annotations=fabric.annotations,
            sidecars=fabric.sidecars,
            volumes=(*pod.volumes, *fabric.volumes),
            mounts=(*pod.mounts, *fabric.mounts),
            fabric_volumes=tuple(volume.name for volume in fabric.volumes),
            security=with_capabilities(pod.security, fabric.capabilities),
        )
    compute_domain, claims = _lower_device_claims(job, replicas, target)
    if claims:
        pod = pod.replace(device_claims=claims)
    clean = job.lifecycle.clean_pod_policy
    return Job(
        name=job.metadata.name,
        namespace=target.namespace or job.metadata.namespace,
        labels=job.metadata.labels,
        annotations=job.metadata.annotations,
        role=ROLE,
        replicas=replicas,
        pod=pod,
        launcher_pod=lower_launcher_pod(job, program_or_idle, setup, target),
        launch=launch,
        slices=job.resources.tpu.slices if job.resources.tpu else 1,
        hosts=addresses.hosts,
        headless_service=addresses.headless_service,
        etcd=rendered.etcd,
        scaling=lower_scaling(job, target),
        failure=lower_failure(job.lifecycle, replicas, target, once=job.share_file is not None),
        leader_decides=leader_decides(job.lifecycle, replicas, starts_workers=bool(setup and setup.ready)),
        has_leader_role=has_leader_role(job, replicas, target),
        clean_pod_policy="Running" if clean == "Unfinished" else clean,
        ttl_seconds_after_finished=seconds_kept(job.lifecycle, target),
        claims=lower_claims(job, replicas),
        queue=lower_queue(job.scheduling),
        gang=lower_gang(job.scheduling, replicas, target),
        runtime=lower_runtime(job.scheduling),
        files=setup.files if setup else None,
        file_maps=storage[2],
        compute_domain=compute_domain,
        key_secret=setup.key_secret if setup else None,
        launcher_command=command.replace(words=(*command.words, *path_args)) if command else None,
        debug=lower_debug(job),
        resume=lower_resume(job),
        debug_command=lower_debug_command(job, program, rendered.debug_command, path_args, target),
        paused=job.mode.name == "paused",
        ends_itself=ends_itself(job, target),
        account=account(job),
        additions=lower_additions(job, launch, rendered.program, target),
        origin=job.metadata.where("name"),
    )


def _lower_launch(context: LaunchContext) -> tuple[Launch, Rendered]:
    """Return the launch, and its command line and environment; none if the operator starts another launcher."""
    launcher = registry.part(context.job.launch.traits.name, "lower")
    launch: Launch = launcher.lower(context)
    if not context.target.system.starts_launcher:
        return launch, launcher.render(context, launch)
    if launch.launcher.name == context.target.system.launcher:
        return launch, launcher.render_operated(context, launch)
    return launch, Rendered(program=Program(command=(), args=()))


def _lower_fabric(job: TrainingJob, target: Target) -> FabricParts | None:
    """Return what the fabric adds to the pods. A runtime of the cluster has the fabric of its own pods."""
    name = job.network.fabric if job.network else None
    if name is None or name == "none" or _has_runtime(job, target):
        return None
    from trainc.lower.fabric import lower_fabric

    return lower_fabric(job, name)


def _lower_device_claims(
    job: TrainingJob, replicas: Replicas, target: Target
) -> tuple[ComputeDomain | None, tuple[DeviceClaim, ...]]:
    """Return the NVLink domain and the claims of devices."""
    is_domain = job.network is not None and job.network.nvlink_domain
    if not (job.resources.claims or is_domain) or _has_runtime(job, target):
        return None, ()
    from trainc.lower.fabric import lower_compute_domain, lower_device_claims

    domain = lower_compute_domain(job, replicas)
    return domain, lower_device_claims(job, domain)


def _has_runtime(job: TrainingJob, target: Target) -> bool:
    """Return whether a runtime of the cluster has the pods."""
    return job.scheduling.runtime is not None and target.system.has_runtimes


def _lower_pod(
    context: LaunchContext,
    rendered: Rendered,
    program: Program,
    storage: Storage,
    requests: dict[str, str],
    limits: dict[str, str],
) -> PodPlan:
    """Return a worker's pod."""
    job, target, setup = context.job, context.target, rendered.setup
    headless_service = context.addresses.headless_service
    volumes, mounts, _ = storage
    init_commands = (*lower_folders(job, mounts), *rendered.init_commands)
    return PodPlan(
        image=job.image,
        image_pull_policy=job.image_pull_policy,
        image_pull_secrets=job.image_pull_secrets,
        program=lower_worker_program(job, program, setup, target),
        working_dir=job.working_dir,
        env=(*rendered.env, *context.env),
        env_from=tuple(job.env_from),
        requests=requests,
        limits=limits,
        security=lower_security(job),
        host_network=job.network.where("hostNetwork") if job.network and job.network.host_network else None,
        ports=headless_service.ports if headless_service else (),
        ready=setup.ready if setup and not (job.mode.name == "debug" and job.mode.command) else None,
        volumes=(*volumes, *setup.volumes) if setup else volumes,
        mounts=(*mounts, *setup.mounts) if setup else mounts,
        init_commands=() if skips_init_commands(job, target) else init_commands,
        placement=lower_placement(job, context.replicas),
        termination_grace_period_seconds=job.lifecycle.termination_grace_period_seconds,
        patch=lower_patch(job, target),
    )


def _user_env(job: TrainingJob) -> tuple[EnvVar, ...]:
    """Return the job's own variables, which follow the launcher's so that a value may use `$(RANK)`."""
    return tuple(
        EnvVar(
            name=variable.name,
            value=(variable.value or "") if variable.value_from is None else variable.value_from,
            origin=variable.span,
        )
        for variable in job.env
    )
