"""Back end: a DeepSpeedJob of T9k, whose operator creates pods, hostfile, SSH keys and the deepspeed command.

The operator isn't public: https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.emit.render import Planned
from trainc.ir.env import FactArg, PodFact
from trainc.ir.job import Gang, Job, LauncherCommand
from trainc.systems.deepspeedjob.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact
from trainc.systems.shared.objects.labels import metadata
from trainc.systems.shared.t9k.objects import restart_policy, run_mode, run_policy, scheduler
from trainc.target import Target


class DeepSpeedJob(Backend):
    """Worker 0 runs the deepspeed command and ends the job."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects, then the DeepSpeedJob."""
        yield from self.shared(job)
        context = {
            **metadata(job, job.name),
            "scheduler": scheduler(job.gang) if job.gang and self.creates_gang(job.gang) else {},
            "run_policy": run_policy(job),
            "run_mode": run_mode(job),
            "config": self._config(job.launcher_command, job) if job.launcher_command else {},
            "replicas": job.replicas.initial,
            "restart_policy": restart_policy(job.failure),
            "pod": self.pod(_without_gang(job, self), subdomain=None),
        }
        yield Planned(
            kind=self.traits.kind,
            template="deepspeedjob/deepspeedjob.yaml.j2",
            context=context,
            pods_at=(("spec", "worker", "template"),),
            patch=job.pod.patch,
            container=self.container,
        )

    def services(self, job: Job) -> Iterator[Planned]:
        """Yield nothing: the operator makes the names in its hostfile resolvable."""
        return iter(())

    def leader(self) -> dict[str, str]:
        """Return nothing: no Service of trainc's selects worker 0."""
        return {}

    def creates_gang(self, gang: Gang) -> bool:
        """Return whether it is the gang of T9k's own scheduler: https://github.com/t9k/user-manuals/blob/fbf6b3c/src/tasks/use-podgroup.md"""
        return gang.scheduler == "t9k"

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return the job's name for the run. The index isn't used: deepspeed sets the ranks of the processes."""
        return job.name

    def _config(self, command: LauncherCommand, job: Job) -> dict[str, Any]:
        """Return `spec.config` without the operator's defaults."""
        argv = [self._arg(word, job, None) if isinstance(word, FactArg) else word for word in command.words]
        return {
            "slotsPerWorker": command.slots,
            **({} if command.local_rank else {"localRank": False}),
            **({} if command.autotune == "none" else {"autotune": command.autotune}),
            **({"otherArgs": list(command.flags)} if command.flags else {}),
            "run": {command.kind: argv},
        }


def _without_gang(job: Job, backend: Backend) -> Job:
    """Remove the gang from the job if the operator creates it."""
    gang = None if job.gang and backend.creates_gang(job.gang) else job.gang
    return job.replace(gang=gang)


BACKEND = DeepSpeedJob
