"""Submission of the program: the Job that runs `ray job submit`, and the words that Ray then runs by a shell.

createNewK8sJob of controllers/ray/rayjob_controller.go and GetSubmitterTemplate of controllers/ray/common/job.go in
https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator
"""

from __future__ import annotations

from trainc.commandline.shell import parse_script
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.systems.rayjob import facts
from trainc.systems.rayjob.traits import TRAITS
from trainc.systems.shared.model import owned_object

_LIMITS, _REQUESTS = {"cpu": "1", "memory": "1Gi"}, {"cpu": "500m", "memory": "200Mi"}
_RETRIES = 2


def submitter_job(resource: Object, cluster: Object) -> list[Object]:
    """Return the Job in K8sJobMode, the default; none in the other modes.

    Its pod is one more than the cluster's. It starts nothing of the program's own, but is not a worker.
    """
    if (text(resource, "spec", "submissionMode") or facts.K8S_JOB) != facts.K8S_JOB:
        return []
    name = text(resource, "metadata", "name")
    labels = {facts.JOB_LABEL: name, facts.JOB_KIND_LABEL: "RayJob", facts.CREATED_BY_LABEL: facts.COMPONENT}
    head = owned_object(resource, TRAITS.operator, "Job", name, labels, "batch/v1")
    retries = number(resource, "spec", "submitterConfig", "backoffLimit")
    template = at(resource, "spec", "submitterPodTemplate") or {
        "spec": {"containers": [_container(cluster)], "restartPolicy": "Never"}
    }
    words = ["ray", "job", "submit", "--", text(resource, "spec", "entrypoint")]
    first, *others = items(template, "spec", "containers") or [_container(cluster)]
    if not first.get("command"):
        first = {**first, "command": ["/bin/bash", "-ce", "--"], "args": [" ".join(words)], "operatorArgs": words}
    spec = {**mapping(template, "spec"), "containers": [first, *others]}
    job_spec = {"backoffLimit": _RETRIES if retries is None else retries, "template": {**template, "spec": spec}}
    return [{**head, "spec": job_spec, "startCommand": words, "launcher": True}]


def _container(cluster: Object) -> Object:
    """Return the default container, with the head's image: GetDefaultSubmitterContainer."""
    first = next(iter(items(cluster, "spec", "headGroupSpec", "template", "spec", "containers")), {})
    resources = {"limits": _LIMITS, "requests": _REQUESTS}
    return {"name": facts.SUBMITTER, "image": text(first, "image"), "resources": resources}


def entrypoint_words(entrypoint: str) -> list[str]:
    """Return the words of a single command; those of the shell for another text.

    `JobSupervisor` of https://github.com/ray-project/ray/blob/ray-2.60.0/python/ray/dashboard/modules/job/job_supervisor.py
    """
    if not entrypoint:
        return []
    parsed = parse_script(entrypoint, None)
    is_plain = parsed is not None and len(parsed.commands) == 1 and not parsed.uncertain
    command = parsed.commands[0] if parsed is not None and is_plain else None
    if command is None or command.files or command.is_piped or command.env:
        return ["sh", "-c", entrypoint]
    if any(not word.known or word.splits for word in command.words):
        return ["sh", "-c", entrypoint]
    return [word.text for word in command.words]
