"""MPI operator: https://github.com/kubeflow/mpi-operator"""

from tests.cluster.operators.operator import Operator

NAMESPACE = "mpi-operator"  # of the leader election, which can't be disabled

OPERATOR = Operator(
    name="mpi",
    module="github.com/kubeflow/mpi-operator",
    package="github.com/kubeflow/mpi-operator/cmd/mpi-operator",
    gang="--gang-scheduling=volcano",
    manifests="manifests/base",
    crds=("kubeflow.org_mpijobs.yaml",),
    setup=({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},),
    arguments=("--kube-api-qps=300", "--kube-api-burst=600", "--threadiness=4"),
    health_port=8080,
    health_path="/healthz",
)
