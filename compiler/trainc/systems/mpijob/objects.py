"""Back end: an MPIJob of Kubeflow's MPI operator, which creates a launcher's Job, worker pods, hostfile and SSH keys.

https://github.com/kubeflow/mpi-operator/tree/v0.8.2
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job, LauncherPod
from trainc.ir.pod import SHM_VOLUME
from trainc.systems.mpijob import facts
from trainc.systems.mpijob.fields import FIELDS, ROLES, RUN_POLICY
from trainc.systems.mpijob.traits import TRAITS
from trainc.systems.shared.fields import written
from trainc.systems.shared.objects.base import Backend, Fact
from trainc.systems.shared.objects.labels import queue_labels
from trainc.target import Target


class MPIJob(Backend):
    """The launcher's success ends the job. A worker whose sshd was killed restarts it, for the next launcher."""

    traits = TRAITS
    index_label = facts.INDEX_LABEL
    gang_schedulers = ("volcano", "coscheduling")  # with --gang-scheduling

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        launcher = job.launcher_pod
        assert launcher is not None
        yield from self.shared(job)
        listens = job.launch.starts_workers and job.launch.rendezvous.host
        worker = job if listens else job.replace(pod=job.pod.replace(ports=()))
        spec = written(FIELDS, job.replace(gang=self.own_gang(job)))["spec"]
        run_policy = spec.pop(RUN_POLICY)
        yield self.workers(
            job,
            *(("spec", ROLES, role, "template") for role in (facts.LAUNCHER, facts.WORKER)),
            # https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/mpijobs/
            more=({} if job.paused else queue_labels(job), {}),
            spec=spec,
            # A gang has room for the launcher only if that exists from the start.
            waits=self.own_gang(job) is None,
            run_policy=run_policy,
            roles=(
                (facts.LAUNCHER, 1, job.failure.restart_policy or "Never", self.pod(_launcher(job, launcher))),
                (facts.WORKER, job.replicas.initial, "OnFailure", self.pod(worker)),
            ),
        )

    def fact(self, fact: PodFact, job: Job, index: int) -> Fact:
        """Return the role of the pods; what all back ends have."""
        return job.role if fact is PodFact.ROLE else super().fact(fact, job, index)


def _launcher(job: Job, launcher: LauncherPod) -> Job:
    """Return the job as its launcher pod: with neither devices nor shared memory, on any node of the job's kind."""
    pod = job.pod
    of_workers = (SHM_VOLUME, *pod.fabric_volumes)
    pod = pod.replace(
        program=launcher.program,
        requests=launcher.requests,
        limits=launcher.limits,
        ports=(),
        ready=None,
        init_commands=(),
        annotations={},
        sidecars=(),
        device_claims=(),
        volumes=tuple(volume for volume in pod.volumes if volume.name not in of_workers),
        mounts=tuple(mount for mount in pod.mounts if mount.volume not in of_workers),
        placement=pod.placement.replace(one_a_node=False, colocation=None, topology_spread_constraints=None),
    )
    return job.replace(role=facts.LAUNCHER.lower(), pod=pod)


BACKEND = MPIJob
