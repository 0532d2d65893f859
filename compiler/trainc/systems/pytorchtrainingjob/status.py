"""Status of a PyTorchTrainingJob."""

from trainc.systems.shared.t9k.status import observe

__all__ = ["observe"]
