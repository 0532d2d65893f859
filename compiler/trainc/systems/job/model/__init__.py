"""Pods that the Job controller creates, and the failure cases of a Job."""

from trainc.systems.job.model.lifecycle import failure_cases as failure_cases
from trainc.systems.job.model.pods import create_pods as create_pods
