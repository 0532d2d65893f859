"""JobSet: https://github.com/kubernetes-sigs/jobset"""

from tests.cluster.operators.operator import CONFIGURATION, HEALTH_PORT, WEBHOOK_PORT, Operator

OPERATOR = Operator(
    name="jobset",
    module="sigs.k8s.io/jobset",
    package="sigs.k8s.io/jobset",
    manifests="config/components",
    crds=("crd/bases/*.yaml",),
    webhooks="webhook",
    arguments=("--config", CONFIGURATION),
    configuration={
        "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{HEALTH_PORT}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": WEBHOOK_PORT},
    },
)
