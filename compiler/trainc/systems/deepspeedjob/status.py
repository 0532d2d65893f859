"""Status of a DeepSpeedJob."""

from trainc.systems.shared.t9k.status import observe

__all__ = ["observe"]
