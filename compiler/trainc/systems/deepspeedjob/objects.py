"""Back end: a DeepSpeedJob of T9k, whose operator creates pods, hostfile, SSH keys and the deepspeed command.

The operator isn't public: https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.deepspeedjob.policies import restart_policy, run_mode, run_policy, scheduler
from trainc.systems.deepspeedjob.traits import TRAITS
from trainc.systems.shared.objects.base import Backend
from trainc.target import Target
from trainc.typenames import Any


class DeepSpeedJob(Backend):
    """Worker 0 runs the deepspeed command and ends the job. deepspeed sets the ranks: no pod needs its index."""

    traits = TRAITS
    # https://github.com/t9k/user-manuals/blob/fbf6b3c/src/tasks/use-podgroup.md
    gang_schedulers = ("t9k",)

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        gang = self.own_gang(job)
        yield self.workers(
            job,
            ("spec", "worker", "template"),
            scheduler=scheduler(gang) if gang else {},
            run_policy=run_policy(job),
            run_mode=run_mode(job),
            config=self._config(job),
            exports_env=job.launcher_command is None or job.launcher_command.exports_env,
            elastic=self._elastic(job),
            replicas=job.replicas.initial,
            restart_policy=restart_policy(job.failure),
            pod=self.pod(job),
        )

    def _elastic(self, job: Job) -> dict[str, Any]:
        """Return the range in which a user or the operator changes the number of workers: reference, ElasticConfig."""
        replicas = job.replicas
        if not replicas.elastic:
            return {}
        bounds = {"minReplicas": replicas.minimum, "maxReplicas": replicas.maximum}
        return {"enabled": True, **bounds, "expectedReplicas": replicas.initial}

    def _config(self, job: Job) -> dict[str, Any]:
        command = job.launcher_command
        if command is None:
            return {}
        return {
            "slotsPerWorker": command.slots,
            **({} if command.local_rank else {"localRank": False}),
            **({} if command.autotune == "none" else {"autotune": command.autotune}),
            **({"otherArgs": list(command.flags)} if command.flags else {}),
            "run": {command.kind: [self._argument(word, job, 0) for word in command.words]},
        }


BACKEND = DeepSpeedJob
