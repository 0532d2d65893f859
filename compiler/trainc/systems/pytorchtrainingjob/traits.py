"""PyTorchTrainingJobs of T9k, which trainc only reads.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md
"""

from __future__ import annotations

from trainc.systems.shared.t9k.fields import EXPECTED, FIELDS, MAXIMUM, PAUSED
from trainc.systems.traits import Traits

CONTAINER = "python"  # name of the training container, which else is the first one
BACKOFF_LIMIT = 3  # the controller's default, for all pods together
PORT = 29500  # torch's default; the manuals name no port

TRAITS = Traits(
    name="pytorchtrainingjob",
    kind="PyTorchTrainingJob",
    api_versions=("batch.tensorstack.dev/v1beta1",),
    deadline=FIELDS["lifecycle.activeDeadlineSeconds"].steps,
    pod_counts=(
        ("spec", "replicaSpecs", "*", "replicas"),
        *((*FIELDS["elastic"].steps, name) for name in (MAXIMUM, EXPECTED)),
    ),
    operator="T9k's operator",
    pause=PAUSED,
    scale_by_hand="kubectl patch pytorchtrainingjob NAME --type=merge"
    """ -p '{"spec": {"elastic": {"expectedReplicas": N}}}'""",
)
