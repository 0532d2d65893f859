"""JobSet: https://github.com/kubernetes-sigs/jobset"""

from tests.cluster.operators.operator import CONFIGURATION, Operator, configuration

OPERATOR = Operator(
    name="jobset",
    module="sigs.k8s.io/jobset",
    package="sigs.k8s.io/jobset",
    manifests="config/components",
    crds=("crd/bases/*.yaml",),
    webhooks="webhook",
    arguments=("--config", CONFIGURATION),
    configuration=configuration("config.jobset.x-k8s.io/v1alpha1", "internalCertManagement"),
)
