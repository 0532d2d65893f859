"""RayJobs, which trainc only reads: https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1/rayjob_types.go"""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="rayjob",
    kind="RayJob",
    api_versions=("ray.io/v1", "ray.io/v1alpha1"),
    deadline=("spec", "activeDeadlineSeconds"),
    operator="KubeRay",
    pod_counts=(("spec", "rayClusterSpec", "workerGroupSpecs", "*", "replicas"),),
    foreign_help="keep it, or compile a TrainingJob with `launch.ray`",
)
