"""Behavior of Volcano's Jobs, as its source has it: https://github.com/volcano-sh/volcano/tree/v1.15.1"""

from __future__ import annotations

from trainc.systems.traits import Traits
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.fields import FIELDS

TRAITS = Traits(
    name="vcjob",
    kind="Job",
    api_versions=("batch.volcano.sh/v1alpha1",),
    queue=FIELDS["scheduling.gang.volcano.queue"].steps,
    pod_counts=(FIELDS["workers"].steps,),
    operator="the Volcano controller",
    unsupported={
        "spec.lifecycle.stopWhenDone": "a Job completes on its own",
        "spec.lifecycle.activeDeadlineSeconds": "Volcano's Job has no deadline",
        "spec.lifecycle.backoffLimitPerIndex": "Volcano counts the restarts of the whole Job",
        "spec.elastic.metrics": "Volcano's Job has no scale subresource for an autoscaler",
        "spec.elastic.behavior": "Volcano's Job has no scale subresource for an autoscaler",
        "spec.scheduling.queue": "Volcano has queues of its own, `scheduling.gang.volcano.queue`",
    },
    pod_labels=facts.LABELS,
    job_label=facts.JOB_LABEL,
    pod_infix=f"-{facts.WORKER}",
    index_variable=facts.INDEX_VARIABLES[1],
    creates_service=True,
    pod_names_help="add the plugin svc, which sets the pods' hostname and subdomain and creates the Service",
    limits_pod_names=True,
    pod_schema=("crds/job-batch-v1alpha1.json", "spec", "tasks", "*", "template"),
    restarts_together=True,
    template_is_immutable=True,
    no_pause="Volcano pauses it by a command, `vcctl job suspend`, and not by a field",
    # validateJobUpdate of pkg/webhooks/admission/jobs/validate/admit_job.go
    scale_by_hand="kubectl patch vcjob NAME --type=json"
    """ -p '[{"op": "replace", "path": "/spec/tasks/0/replicas", "value": N}]'""",
    queued="never",
)
