"""Behavior of RayJobs: https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/apis/ray/v1/rayjob_types.go"""

from __future__ import annotations

from trainc.systems.rayjob import facts
from trainc.systems.rayjob.fields import CLUSTER, FIELDS, GROUPS, HEAD
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="rayjob",
    kind="RayJob",
    api_versions=("ray.io/v1", "ray.io/v1alpha1"),
    deadline=FIELDS["lifecycle.activeDeadlineSeconds"].steps,
    operator="KubeRay",
    pod_counts=(("spec", CLUSTER, GROUPS, "*", FIELDS["workers"].name),),
    foreign_help="keep it, or compile a TrainingJob with `launch.ray`",
    unsupported={
        "spec.launch.ray.statusPort": "KubeRay, not trainc's script, watches the program",
        "spec.launch.ray.startTimeout": "KubeRay submits the program once all pods are ready, however long it takes",
        "spec.lifecycle.stopWhenDone": "a RayJob completes on its own",
        "spec.lifecycle.backoffLimitPerIndex": "KubeRay counts the failures of the program",
        "spec.lifecycle.exitCodes": "KubeRay restarts the job whatever the program's exit code is",
        "spec.lifecycle.cleanPodPolicy": "KubeRay deletes the pods of a finished job, after ttlSecondsAfterFinished",
    },
    init_containers=(facts.INIT_CONTAINER,),
    pod_labels=facts.LABELS,
    status_label=(facts.CLUSTER_LABEL, facts.CLUSTER_FIELD),
    templates=(facts.CLUSTERS,),
    launcher_label=(facts.SUBMITTER_LABEL, ""),
    pod_infix=f"-{facts.WORKER}",
    name_suffix=facts.LABEL_LENGTH - facts.NAME_LENGTH,
    has_full_names=False,
    schema="crds/rayjob-ray-v1.json",
    pod_schema=("crds/rayjob-ray-v1.json", "spec", CLUSTER, HEAD, "template"),
    starts_launcher=True,
    launcher="ray",
    restarts_together=True,
    container_restarts="on request",
    outlives_ttl=True,
    pause=("spec", "suspend"),
    rejects_elastic=True,
    has_elastic_size=False,
)
