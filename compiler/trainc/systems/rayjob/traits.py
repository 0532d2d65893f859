"""RayJobs: https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1/rayjob_types.go"""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="rayjob",
    kind="RayJob",
    api_versions=("ray.io/v1", "ray.io/v1alpha1"),
    operator="KubeRay",
    foreign_description="KubeRay creates a Ray cluster for it, in which Ray starts the processes",
    foreign_help="keep it for a program that uses Ray, or compile a TrainingJob with `launch.torchrun`",
)
