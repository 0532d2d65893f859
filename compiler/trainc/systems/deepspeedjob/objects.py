"""Back end: a DeepSpeedJob of T9k, whose operator creates pods, hostfile, SSH keys and the deepspeed command.

The operator isn't public: https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.deepspeedjob.fields import CONFIG, FIELDS, WORKER, restart_policy
from trainc.systems.deepspeedjob.traits import TRAITS
from trainc.systems.shared.fields import written
from trainc.systems.shared.objects.base import Backend
from trainc.target import Target


class DeepSpeedJob(Backend):
    """Worker 0 runs the deepspeed command and ends the job. deepspeed sets the ranks: no pod needs its index."""

    traits = TRAITS
    # https://github.com/t9k/user-manuals/blob/fbf6b3c/src/tasks/use-podgroup.md
    gang_schedulers = ("t9k",)

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        command = job.launcher_command
        absent = () if command else (f"spec.{CONFIG}",)
        spec = written(FIELDS, job.replace(gang=self.own_gang(job)), *absent).get("spec", {})
        if command:
            spec[CONFIG][FIELDS["run"].name] = {command.kind: [self._argument(word, job, 0) for word in command.words]}
        yield self.workers(
            job,
            ("spec", WORKER, "template"),
            spec=spec,
            replicas=job.replicas.initial,
            restart_policy=restart_policy(job.failure),
            pod=self.pod(job),
        )


BACKEND = DeepSpeedJob
