"""LeaderWorkerSets: https://github.com/kubernetes-sigs/lws/blob/v0.10.0/api/leaderworkerset/v1/leaderworkerset_types.go"""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="leaderworkerset",
    kind="LeaderWorkerSet",
    api_versions=("leaderworkerset.x-k8s.io/v1",),
    operator="the LWS controller",
    foreign_description="its groups of pods serve a model and never complete",
    foreign_help="keep it for inference, or compile a TrainingJob with `--backend job` for training",
)
