"""A runtime of the user's own, for TrainJobs."""

from __future__ import annotations

_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: team}
spec:
  mlPolicy: {numNodes: 2, torch: {}}
  template:
    spec:
      failurePolicy: {maxRestarts: 3}
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            backoffLimit: 0
            template:
              spec:
                restartPolicy: Never
                containers: [CONTAINER]
"""


def training_runtime(container: str) -> str:
    """Return a runtime `team`, whose two nodes have a container: a flow mapping of YAML."""
    return _RUNTIME.replace("CONTAINER", container)
