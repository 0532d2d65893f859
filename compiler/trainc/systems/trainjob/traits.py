"""Behavior of TrainJobs under Kubeflow Trainer 2, which creates a JobSet: https://github.com/kubeflow/trainer/tree/v2.3.0"""

from __future__ import annotations

from trainc.systems.jobset.traits import EXCLUSIVE_PLACEMENT
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.fields import FIELDS, PATCHES
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="trainjob",
    kind="TrainJob",
    api_versions=(facts.API_VERSION,),
    deadline=FIELDS["lifecycle.activeDeadlineSeconds"].steps,
    pod_counts=(
        *(FIELDS["workers"].steps, ("spec", "mlPolicy", "numNodes")),  # of the job, and of its runtime
        *(
            ("spec", "template", "spec", "replicatedJobs", "*", *field)
            for field in (("replicas",), ("template", "spec", "parallelism"), ("template", "spec", "completions"))
        ),
    ),
    operator="Kubeflow Trainer",
    versions=facts.VERSIONS,
    version_name="trainer",
    unsupported={
        "spec.lifecycle.stopWhenDone": "a TrainJob completes on its own",
        "spec.elastic.metrics": "a TrainJob has no scale subresource for an autoscaler",
        "spec.elastic.behavior": "a TrainJob has no scale subresource for an autoscaler",
    },
    has_runtimes=True,
    container=facts.NODE,
    delegate="jobset.jobset.x-k8s.io",
    templates=("trainingruntime.trainer.kubeflow.org",),
    template_kinds=(facts.RUNTIME, facts.CLUSTER_RUNTIME),
    job_label="jobset.sigs.k8s.io/jobset-name",
    # The only Job of the replicated job that trains.
    pod_infix=f"-{facts.NODE}-0",
    pod_suffix="-x7k2p",
    index_variable="JOB_COMPLETION_INDEX",
    creates_service=True,
    limits_pod_names=True,
    schema="crds/trainjob-trainer-v1alpha1.json",
    pod_schema=(
        "crds/trainingruntime-trainer-v1alpha1.json",
        *("spec", "template", "spec", "replicatedJobs", "*", "template", "spec", "template"),
    ),
    release_schemas={each: f"crds/trainer-{each}" for each in facts.VERSIONS[1:]},
    restarts_together=True,
    template_is_immutable=True,
    outlives_ttl=True,
    pause=("spec", "suspend"),
    pod_changes=f"spec.{PATCHES[0]}",
    value_help={
        "spec.managedBy": "remove it",
        "spec.mlPolicy": "keep one of the policies",
        "spec.initializer.dataset.storageUri": "write it like `hf://tatsu-lab/alpaca`",
        "spec.initializer.model.storageUri": "write it like `hf://meta-llama/Llama-3.2-1B`",
        FIELDS[
            "launch.torchrun.nprocPerNode"
        ].path: "remove it: by default a node has a process for each GPU, or CPU without GPUs",
    },
    scale_by_hand="""kubectl patch job NAME-node-0 -p '{"spec": {"parallelism": N, "completions": N}}'""",
    has_elastic_size=False,
    tpus="one slice",
    exclusive_placement=EXCLUSIVE_PLACEMENT,
)
