"""What T9k's operator creates from a DeepSpeedJob, and its failure cases."""

from trainc.systems.deepspeedjob.model.lifecycle import failure_cases as failure_cases
from trainc.systems.deepspeedjob.model.pods import operator_output as operator_output
