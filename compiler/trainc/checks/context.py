"""What a rule sees."""

from __future__ import annotations

from trainc.ir.job import Job
from trainc.record import Record
from trainc.spec.job import TrainingJob
from trainc.systems.shared.objects.base import Backend
from trainc.target import Target


class Case(Record):
    """A job as written, as it would run, and for what it is compiled."""

    spec: TrainingJob
    job: Job
    backend: Backend
    target: Target
