"""Constants of kubeflow/common, on which several operators are built.

Paths are of https://github.com/kubeflow/common at 0b3a4c3fca85.
"""

from __future__ import annotations

# Exit codes after which restartPolicy ExitCode replaces a pod: IsRetryableExitCode of pkg/util/train/train_util.go.
# Training operator 1.9 has a rule of its own.
RETRYABLE = (130, 137, 138, 143)
