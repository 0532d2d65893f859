"""What the Torch Elastic operator creates from an ElasticJob, and its failure cases."""

from trainc.systems.elasticjob.model.lifecycle import failure_cases as failure_cases
from trainc.systems.elasticjob.model.pods import operator_output as operator_output
