"""Self-termination of a StatefulSet: worker 0 scales it to zero when its program has succeeded."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import EnvVar, PodFact
from trainc.ir.job import Addition, Job
from trainc.ir.pod import Program
from trainc.systems.shared.objects.base import planned
from trainc.typenames import Any

# Runs the program and forwards signals. If the program fails, so does its container, which is restarted; if it
# succeeds, it isn't started again. The autoscaler is deleted first, or it would scale the set up again.
SCRIPT = """\
import json, os, signal, ssl, subprocess, sys, time, urllib.request
from urllib.error import HTTPError

name, scaler, index, *command = sys.argv[1:]
program = subprocess.Popen(command)
for number in signal.SIGTERM, signal.SIGINT:
    signal.signal(number, lambda number, _: program.send_signal(number))
code = program.wait()
if code:
    sys.exit(code if code > 0 else 128 - code)
for number in signal.SIGTERM, signal.SIGINT:
    signal.signal(number, lambda *_: sys.exit(0))


def call(method, path, body=None):
    account = "/var/run/secrets/kubernetes.io/serviceaccount/"
    host = os.environ["KUBERNETES_SERVICE_HOST"]
    host = f"[{host}]" if ":" in host else host
    port = os.environ["KUBERNETES_SERVICE_PORT"]
    space, token = (open(account + file).read() for file in ("namespace", "token"))
    url = f"https://{host}:{port}/apis/" + path.replace("NAMESPACE", space)
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/merge-patch+json"}
    request = urllib.request.Request(url, body and json.dumps(body).encode(), headers, method=method)
    try:
        urllib.request.urlopen(request, timeout=30, context=ssl.create_default_context(cafile=account + "ca.crt"))
    except HTTPError as problem:
        if problem.code != 404:
            raise


while index == "0":
    try:
        if scaler:
            call("DELETE", f"autoscaling/v2/namespaces/NAMESPACE/horizontalpodautoscalers/{scaler}")
        call("PATCH", f"apps/v1/namespaces/NAMESPACE/statefulsets/{name}/scale", {"spec": {"replicas": 0}})
        break
    except OSError as problem:
        print(f"done, but the StatefulSet can't be scaled down: {problem}", file=sys.stderr, flush=True)
        time.sleep(30)
while True:
    signal.pause()
"""
INDEX_VARIABLE = "TRAINC_INDEX"
ADDITION = Addition(words="python3 -I -c ...", field="lifecycle.stopWhenDone")


def wrap(job: Job) -> Job:
    """Return the job with the script as its pods' command, and the program as the script's arguments."""
    program, scaler = job.pod.program, job.name if job.scaling else ""
    wrapped = Program(
        command=("python3", "-I", "-c", SCRIPT),
        args=(job.name, scaler, f"$({INDEX_VARIABLE})", *program.command, *program.args),
    )
    env = (*job.pod.env, EnvVar(name=INDEX_VARIABLE, value=PodFact.INDEX))
    return job.replace(pod=job.pod.replace(program=wrapped, env=env), additions=(ADDITION, *job.additions))


def account(job: Job) -> dict[str, Any]:
    """Return the fields of the pod's spec with which the script calls the API as the job's service account."""
    return {"serviceAccountName": None if job.account else job.name, "automountServiceAccountToken": True}


def rights(job: Job) -> Iterator[Planned]:
    """Yield a Role for exactly these two objects, and its binding to the job's service account.

    A job that names none gets one: a binding to the namespace's `default` would serve every other pod, too.
    """
    if job.account is None:
        yield planned(job, "ServiceAccount", job.name, "statefulset/service_account")
    rules: list[dict[str, Any]] = [
        {"apiGroups": ["apps"], "resources": ["statefulsets/scale"], "resourceNames": [job.name], "verbs": ["patch"]}
    ]
    if job.scaling:
        autoscalers = {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"]}
        rules.append({**autoscalers, "resourceNames": [job.name], "verbs": ["delete"]})
    yield planned(job, "Role", job.name, "statefulset/role", rules=rules)
    subject = {"kind": "ServiceAccount", "name": job.account or job.name, "namespace": job.namespace}
    yield planned(job, "RoleBinding", job.name, "statefulset/role_binding", role=job.name, subject=subject)
