"""deepspeedjob: a DeepSpeedJob of T9k, whose operator makes pods, hostfile, ssh keys and the deepspeed command of it.

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
    """Workers, of which the first starts deepspeed; its end is the job's."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """What is shared, then the DeepSpeedJob."""
        yield from self.shared(job)
        context = {
            **metadata(job, job.name),
            "scheduler": scheduler(job.gang) if job.gang and self.makes_gangs(job.gang) else {},
            "run_policy": run_policy(job),
            "run_mode": run_mode(job),
            "config": self._config(job.launcher_command, job) if job.launcher_command else {},
            "replicas": job.replicas.initial,
            "restart_policy": restart_policy(job.failure),
            "pod": self.pod(_operated(job, self), subdomain=None),
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
        """The operator makes the names in its hostfile known."""
        return iter(())

    def leader(self) -> dict[str, str]:
        """No Service of trainc's selects worker 0."""
        return {}

    def makes_gangs(self, gang: Gang) -> bool:
        """Its own scheduler's: https://github.com/t9k/user-manuals/blob/fbf6b3c/src/tasks/use-podgroup.md"""
        return gang.scheduler == "t9k"

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """A run has the job's name. A worker's number nobody asks for: deepspeed tells the processes theirs."""
        return job.name

    def _config(self, command: LauncherCommand, job: Job) -> dict[str, Any]:
        """What is not the operator's default."""
        words = [self._arg(word, job, None) if isinstance(word, FactArg) else word for word in command.words]
        return {
            "slotsPerWorker": command.slots,
            **({} if command.local_rank else {"localRank": False}),
            **({} if command.autotune == "none" else {"autotune": command.autotune}),
            **({"otherArgs": list(command.flags)} if command.flags else {}),
            "run": {command.kind: words},
        }


def _operated(job: Job, backend: Backend) -> Job:
    """The job without what the operator does: it starts the pods' programs, and makes the gang of its own scheduler."""
    gang = None if job.gang and backend.makes_gangs(job.gang) else job.gang
    return job.replace(gang=gang)


BACKEND = DeepSpeedJob
