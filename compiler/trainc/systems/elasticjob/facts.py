"""Constants of the Torch Elastic operator.

Paths are of https://github.com/pytorch/elastic/tree/master/kubernetes, and of kubeflow/common at 0b3a4c3fca85, on
which that is built.
"""

from __future__ import annotations

CONTAINER = "elasticjob-worker"  # api/v1alpha1/constants.go
GROUP = "elastic.pytorch.org"

# pkg/apis/common/v1/constants.go of kubeflow/common
GROUP_LABEL, JOB_LABEL, TYPE_LABEL, INDEX_LABEL = "group-name", "job-name", "replica-type", "replica-index"
