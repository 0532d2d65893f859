"""Input of a rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from trainc.checks.shared.pod import worker_pod
from trainc.ir.job import Job
from trainc.record import Record
from trainc.spec.job import TrainingJob
from trainc.systems.shared.objects.base import Backend
from trainc.systems.traits import Traits
from trainc.target import Target

if TYPE_CHECKING:
    from trainc.checks.shared.pod import Pod


class RuleContext(Record):
    """A job as written (`spec`), the job that would run (`job`), and the back end and cluster it is compiled for.

    `lower` makes another job from a spec, for rules that compare two.
    """

    spec: TrainingJob
    job: Job
    backend: Backend
    target: Target
    lower: Callable[[TrainingJob, Target], Job]

    @property
    def system(self) -> Traits:
        """Traits of the system that runs the job."""
        return self.backend.traits

    @cached_property
    def pod(self) -> Pod:
        """A worker's pod as it will run, with podTemplate merged into it."""
        return worker_pod(self.spec, self.job.pod, self.job.origin)
