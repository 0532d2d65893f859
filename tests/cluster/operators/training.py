"""Kubeflow's training operator, for PyTorchJob only: https://github.com/kubeflow/training-operator/tree/release-1.9

It has a CRD of MPIJob, too, with the name of the MPI operator's and another version.
"""

from tests.cluster.operators.operator import FAST, HEALTH_PORT, Operator, namespace

NAMESPACE, SECRET = "kubeflow", "training-operator-webhook-cert"

OPERATOR = Operator(
    name="training",
    module="github.com/kubeflow/training-operator",
    package="github.com/kubeflow/training-operator/cmd/training-operator.v1",
    gang="--gang-scheduler-name=volcano",
    manifests="manifests/base",
    crds=("crds/kubeflow.org_pytorchjobs.yaml",),
    webhooks="webhook",
    setup=(namespace(NAMESPACE),),
    # it creates a certificate for its Service unless the Secret has a valid one
    certificate=(NAMESPACE, SECRET),
    arguments=(
        "--enable-scheme=pytorchjob",
        "--controller-threads=4",
        *FAST,
        "--metrics-bind-address=0",
        f"--health-probe-bind-address=127.0.0.1:{HEALTH_PORT}",
    ),
)
