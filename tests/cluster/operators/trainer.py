"""Kubeflow Trainer, with the runtimes that it ships: https://github.com/kubeflow/trainer"""

from tests.cluster.operators.operator import CONFIGURATION, Operator, configuration

OPERATOR = Operator(
    name="trainer",
    module="github.com/kubeflow/trainer/v2",
    package="github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager",
    manifests="manifests/base",
    crds=("crds/trainer.kubeflow.org_*.yaml",),
    webhooks="webhook",
    objects=("runtimes",),
    requires=("jobset",),
    arguments=("--config", CONFIGURATION),
    configuration=configuration("config.trainer.kubeflow.org/v1alpha1", "certManagement"),
)
