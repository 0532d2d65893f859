"""MPI operator: https://github.com/kubeflow/mpi-operator"""

from tests.cluster.operators.operator import FAST, Operator, namespace

# By default, 10 changes of objects a second: jobs that are applied together would wait for minutes.
FAST_QUEUE = ("--controller-queue-rate-limit=300", "--controller-queue-burst=600")
NAMESPACE = "mpi-operator"  # of the leader election, which can't be disabled

OPERATOR = Operator(
    name="mpi",
    module="github.com/kubeflow/mpi-operator",
    package="github.com/kubeflow/mpi-operator/cmd/mpi-operator",
    gang="--gang-scheduling=volcano",
    manifests="manifests/base",
    crds=("kubeflow.org_mpijobs.yaml",),
    setup=(namespace(NAMESPACE),),
    arguments=(*FAST, *FAST_QUEUE, "--threadiness=4"),
    health_port=8080,
    health_path="/healthz",
)
