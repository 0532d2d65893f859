"""Input of a rule."""

from __future__ import annotations

from trainc.ir.job import Job
from trainc.record import Record
from trainc.spec.job import TrainingJob
from trainc.systems.shared.objects.base import Backend
from trainc.systems.traits import Traits
from trainc.target import Target


class RuleContext(Record):
    """A job as written (`spec`), the job that would run (`job`), and the back end and cluster it is compiled for."""

    spec: TrainingJob
    job: Job
    backend: Backend
    target: Target

    @property
    def system(self) -> Traits:
        """Traits of the system that runs the job."""
        return self.backend.traits
