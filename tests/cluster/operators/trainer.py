"""Kubeflow Trainer, with the runtimes that it ships: https://github.com/kubeflow/trainer"""

from tests.cluster.operators.operator import CONFIGURATION, HEALTH_PORT, WEBHOOK_PORT, Operator

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
    configuration={
        "apiVersion": "config.trainer.kubeflow.org/v1alpha1",
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "certManagement": {"enable": False},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{HEALTH_PORT}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": WEBHOOK_PORT},
        "clientConnection": {"qps": 300, "burst": 600},
    },
)
