"""Fields of a RayJob by the fields of job files, and their values.

https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/apis/ray/v1/rayjob_types.go
"""

from __future__ import annotations

from trainc.systems.shared.fields import Field, Fields, table

# Names in the spec.
ENTRYPOINT, TTL = "entrypoint", "ttlSecondsAfterFinished"
CLUSTER, HEAD, GROUPS = "rayClusterSpec", "headGroupSpec", "workerGroupSpecs"
_SECTIONS: dict[str, Fields] = {
    "spec": {
        "run": Field(ENTRYPOINT),
        "lifecycle.ttlSecondsAfterFinished": Field(TTL, write="ttl_seconds_after_finished"),
        "lifecycle.backoffLimit": Field(
            "backoffLimit", "consume", lambda job: 0 if job.debug else job.failure.backoff_limit
        ),
        "lifecycle.activeDeadlineSeconds": Field("activeDeadlineSeconds", "consume", "failure.active_deadline_seconds"),
    },
    f"spec.{CLUSTER}.{GROUPS}": {"workers": Field("replicas")},
}
FIELDS = table(_SECTIONS)
