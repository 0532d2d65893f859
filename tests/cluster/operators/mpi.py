"""MPI operator: https://github.com/kubeflow/mpi-operator"""

from tests.cluster.operators.operator import FAST, Operator, namespace

NAMESPACE = "mpi-operator"  # of the leader election, which can't be disabled

OPERATOR = Operator(
    name="mpi",
    module="github.com/kubeflow/mpi-operator",
    package="github.com/kubeflow/mpi-operator/cmd/mpi-operator",
    gang="--gang-scheduling=volcano",
    manifests="manifests/base",
    crds=("kubeflow.org_mpijobs.yaml",),
    setup=(namespace(NAMESPACE),),
    arguments=(*FAST, "--threadiness=4"),
    health_port=8080,
    health_path="/healthz",
)
