"""KubeRay: https://github.com/ray-project/kuberay"""

from tests.cluster.operators.operator import HEALTH_PORT, Operator

OPERATOR = Operator(
    name="kuberay",
    module="github.com/ray-project/kuberay/ray-operator",
    package="github.com/ray-project/kuberay/ray-operator",
    manifests="config/crd/bases",
    crds=("*.yaml",),
    arguments=(
        "--enable-leader-election=false",
        "--metrics-addr=0",
        f"--health-probe-bind-address=127.0.0.1:{HEALTH_PORT}",
        "--qps=300",
        "--burst=600",
    ),
)
