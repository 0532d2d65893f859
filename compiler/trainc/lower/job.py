"""All passes in their order: the whole of lowering on one page."""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar
from trainc.ir.job import Job
from trainc.ir.pod import PodPlan, Program
from trainc.launchers.torchrun.etcd import lower_etcd, lower_wait
from trainc.lower.claims import lower_claims
from trainc.lower.folders import lower_folders
from trainc.lower.host_names import has_leader_role
from trainc.lower.launch import Launched, lower_launch
from trainc.lower.lifecycle import account, ends_itself, leader_decides, lower_failure, seconds_kept
from trainc.lower.mode import bare, lower_debug, lower_patch, lower_program
from trainc.lower.network import lower_network
from trainc.lower.placement import lower_gang, lower_placement, lower_queue
from trainc.lower.processes import processes_per_pod
from trainc.lower.rendezvous import lower_meeting
from trainc.lower.replicas import lower_replicas
from trainc.lower.resources import lower_resources
from trainc.lower.scaling import lower_scaling
from trainc.lower.storage import lower_storage
from trainc.lower.volumes import lower_volumes
from trainc.spec.job import TrainingJob
from trainc.target import Target

ROLE = "worker"


def lower(job: TrainingJob, target: Target) -> Job:
    """What runs. Total on every job that the schema accepts: what can't work is for the checks to say."""
    replicas = lower_replicas(job, target)
    meeting = lower_meeting(job, replicas, target)
    launched = lower_launch(job, replicas, meeting, target)
    told = lower_storage(job)
    requests, limits = lower_resources(job.resources)
    volumes, mounts = lower_volumes(job, limits)
    equipment = launched.equipment
    processes = processes_per_pod(job)
    network = lower_network(job)
    pod = PodPlan(
        image=job.image,
        image_pull_policy=job.image_pull_policy,
        image_pull_secrets=job.image_pull_secrets,
        program=lower_program(
            job, _program(launched, told.args, target), equipment.waiting if equipment else None, target
        ),
        working_dir=job.working_dir,
        env=(*launched.env, *told.env, *network.env, *_user_env(job)),
        env_from=tuple(job.env_from),
        requests={**requests, **network.devices},
        limits={**limits, **network.devices},
        capabilities=network.capabilities,
        host_network=network.host,
        ports=meeting.headless_service.ports if meeting.headless_service else (),
        ready=equipment.ready if equipment and not job.mode.command else None,
        volumes=(*volumes, *equipment.volumes) if equipment else volumes,
        mounts=(*mounts, *equipment.mounts) if equipment else mounts,
        init_commands=() if bare(job, target) else (*lower_folders(job, mounts), *lower_wait(job)),
        placement=lower_placement(job, replicas),
        termination_grace_period_seconds=job.lifecycle.termination_grace_period_seconds,
        patch=lower_patch(job, target),
    )
    return Job(
        name=job.metadata.name,
        namespace=target.namespace or job.metadata.namespace,
        labels=job.metadata.labels,
        annotations=job.metadata.annotations,
        role=ROLE,
        replicas=replicas,
        pod=pod,
        headless_service=meeting.headless_service,
        etcd=lower_etcd(job),
        scaling=None if job.mode.name == "debug" else lower_scaling(job, target),
        failure=lower_failure(job.lifecycle, replicas, target, once=job.share_file is not None),
        leader_decides=leader_decides(job.lifecycle, replicas, alone=equipment is not None),
        has_leader_role=has_leader_role(job, replicas, target),
        clean_pod_policy=job.lifecycle.clean_pod_policy,
        ttl_seconds_after_finished=seconds_kept(job.lifecycle, target),
        claims=lower_claims(job, replicas),
        queue=lower_queue(job.scheduling),
        gang=lower_gang(job.scheduling, replicas, target),
        files=equipment.files if equipment else None,
        key_secret=equipment.secret if equipment else None,
        launcher_command=launched.command.replace(words=(*launched.command.words, *told.args))
        if launched.command
        else None,
        debug=lower_debug(job),
        paused=job.mode.name == "paused",
        ends_itself=ends_itself(job, target),
        account=account(job),
        launcher=type(job.launch).__name__.lower(),
        processes_per_pod=processes if isinstance(processes, int) else None,
        origin=job.metadata.where("name"),
    )


def _program(launched: Launched, more: tuple[Arg, ...], target: Target) -> Program:
    """With the arguments that carry paths, where the pods have the program's words."""
    return launched.program if target.system.starts_launcher else launched.whole(more)


def _user_env(job: TrainingJob) -> tuple[EnvVar, ...]:
    """After the launcher's own, so that a value may use `$(RANK)`."""
    return tuple(
        EnvVar(
            name=variable.name,
            value=(variable.value or "") if variable.value_from is None else variable.value_from,
            origin=variable.span,
        )
        for variable in job.env
    )
