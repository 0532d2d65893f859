"""Real operators beside the tests' own control plane, by name."""

from __future__ import annotations

from tests.cluster.operators import jobset, kuberay, mpi, trainer, training
from tests.cluster.operators.operator import Operator

OPERATORS: dict[str, Operator] = {
    each.name: each for each in (jobset.OPERATOR, kuberay.OPERATOR, mpi.OPERATOR, trainer.OPERATOR, training.OPERATOR)
}
# Operator of each system; Kubernetes itself runs the others, or no operator can be built.
OPERATOR_OF_SYSTEM = {"jobset": "jobset", "mpijob": "mpi", "pytorchjob": "training", "trainjob": "trainer"}
