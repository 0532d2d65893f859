"""Status of a DeepSpeedJob."""

from __future__ import annotations

from trainc.systems.shared.status import no_record
from trainc.systems.shared.t9k.status import observe

worker_record = no_record
__all__ = ["observe", "worker_record"]
