"""Objects that the training operator creates from a PyTorchJob, and failure cases."""

from trainc.systems.pytorchjob.model.lifecycle import failure_cases as failure_cases
from trainc.systems.pytorchjob.model.pods import operator_output as operator_output
