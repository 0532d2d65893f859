"""StatefulSets, bare Pods, Deployments and operators' jobs."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.rehearsal.run import RUN_UNTIL_SIGTERM, Run, container, run_job, service
from trainc.plan.fields import Object
from trainc.rehearse.session import Session


def template(script: str) -> Object:
    return {"metadata": {"labels": {"app": "demo"}}, "spec": {"containers": [container(script)]}}


def stateful_set(script: str, replicas: int, **more: Any) -> list[Object]:
    spec = {"serviceName": "demo", "replicas": replicas, "template": template(script), **more}
    return [
        service("demo"),
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "demo"}, "spec": spec},
    ]


def pod(name: str, script: str) -> Object:
    spec = {"containers": [container(script)], "restartPolicy": "Never", "hostname": name, "subdomain": "demo"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "demo"}}, "spec": spec}


def test_a_statefulset_creates_its_pods_in_order() -> None:
    with Session(stateful_set(RUN_UNTIL_SIGTERM, 2)) as session:
        run = Run(session)
        session.start()
        run.wait_for("pod-ready", "demo-1")
    order = [(event.kind, event.pod) for event in run.events if event.kind in ("pod-created", "pod-ready")]
    assert order == [(kind, name) for name in ("demo-0", "demo-1") for kind in ("pod-created", "pod-ready")]


def test_a_recreated_pod_of_a_statefulset_has_its_name_and_a_new_address() -> None:
    with Session(stateful_set(RUN_UNTIL_SIGTERM, 2, podManagementPolicy="Parallel")) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up", "demo-0")
        before = run.pod(0)
        session.kill_pod(0)
        run.wait_for("pod-deleted", "demo-0")
        run.wait_for_line("up", "demo-0")
        after = run.pod(0)
    assert (before.name, before.hostname) == (after.name, after.hostname)
    assert (before.uid, before.ip) != (after.uid, after.ip)


def test_a_statefulset_scales_its_last_pods() -> None:
    with Session(stateful_set(RUN_UNTIL_SIGTERM, 1, podManagementPolicy="Parallel")) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up", "demo-0")
        session.scale(3)
        run.wait_for_line("up", "demo-")
        run.wait_for_line("up", "demo-")
        session.scale(1)
        deleted = {run.wait_for("pod-deleted").pod, run.wait_for("pod-deleted").pod}
        assert deleted == {"demo-1", "demo-2"}
        session.scale(0)
        run.wait_for("job-complete")


def test_a_container_of_a_statefulset_restarts_after_success() -> None:
    with Session(stateful_set("echo up", 1), pace=100) as session:
        run = Run(session)
        session.start()
        run.wait_for("container-restarted")
    assert run.events_of("container-exited")[0].data["exit_code"] == 0


CALL = """
import json, os, ssl, urllib.request, urllib.error
account = "/var/run/secrets/kubernetes.io/serviceaccount/"
server = "https://" + os.environ["KUBERNETES_SERVICE_HOST"] + ":" + os.environ["KUBERNETES_SERVICE_PORT"]
space, token = (open(account + file).read() for file in ("namespace", "token"))
for name in ("other", "demo"):
    url = f"{server}/apis/apps/v1/namespaces/{space}/statefulsets/{name}/scale"
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/merge-patch+json"}
    body = json.dumps({"spec": {"replicas": 0}}).encode()
    request = urllib.request.Request(url, body, headers, method="PATCH")
    try:
        print(urllib.request.urlopen(request, context=ssl.create_default_context(cafile=account + "ca.crt")).status)
    except urllib.error.HTTPError as problem:
        print(problem.code)
"""


def test_a_statefulset_may_scale_itself_to_zero_and_nothing_else() -> None:
    if not shutil.which("openssl"):
        pytest.skip("no openssl to create the API server's certificate")
    rule = {"apiGroups": ["apps"], "resources": ["statefulsets/scale"], "resourceNames": ["demo"], "verbs": ["patch"]}
    head = {"metadata": {"name": "demo"}}
    role = {"kind": "Role", **head, "rules": [rule]}
    binding = {"kind": "RoleBinding", **head, "roleRef": {"kind": "Role", "name": "demo"}}
    objects = [*stateful_set("true", 1), role, binding]
    objects[1]["spec"]["template"]["spec"]["containers"][0]["command"] = ["python3", "-c", CALL]
    run = run_job(objects)
    assert run.lines() == ["403", "200"]
    assert run.events_of("scaled")[0].data == {"to": 0}
    assert run.events_of("job-complete")


def test_bare_pods_complete_together_and_are_not_replaced() -> None:
    run = run_job(
        [service("demo"), pod("demo-0", "getent hosts demo-1.demo > /dev/null; hostname"), pod("demo-1", "sleep 1")]
    )
    assert run.lines() == ["demo-0"]
    assert run.events_of("job-complete")
    run = run_job([pod("demo-0", "exit 1"), pod("demo-1", "true")])
    assert run.events_of("job-failed")[0].text == "demo-0"
    assert len(run.events_of("pod-created")) == 2


def test_the_pods_of_a_deployment_are_servers() -> None:
    spec = {"replicas": 1, "template": {**template(RUN_UNTIL_SIGTERM), "metadata": {"labels": {"app": "server"}}}}
    server = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "server"}, "spec": spec}
    with Session([server, pod("demo-0", RUN_UNTIL_SIGTERM)]) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up", "demo-0")
        run.wait_for_line("up", "server-") if not run.lines("server-") else None
        assert [(pod.server, pod.owner) for pod in sorted(session.pods, key=lambda pod: pod.server)] == [
            (False, ""),
            (True, "Deployment/server"),
        ]
        session.kill_pod(next(pod.name for pod in session.pods if pod.server))
        run.wait_for("pod-created", "server-")


def pytorch_job(master: str, worker: str, policy: str = "OnFailure", **more: Any) -> list[Object]:
    def role(script: str) -> Object:
        spec = {"containers": [container(script, name="pytorch")]}
        return {"replicas": 1, "restartPolicy": policy, "template": {"spec": spec}}

    specs = {"Master": role(master), "Worker": role(worker)}
    spec = {"pytorchReplicaSpecs": specs, **more}
    return [{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "demo"}, "spec": spec}]


def test_a_pytorchjob_completes_with_its_master_that_the_workers_wait_for() -> None:
    run = run_job(pytorch_job("echo $RANK $WORLD_SIZE; sleep 3", "echo $RANK $MASTER_ADDR; sleep 99"))
    assert sorted(line for line in run.lines(container="pytorch")) == ["0 2", "1 demo-master-0"]
    assert [event.pod for event in run.events_of("init-started")] == ["demo-worker-0"]
    assert run.events_of("job-complete")


def job_set(script: str, limit: int) -> Object:
    """Return a JobSet with two workers that all restart when one of them fails."""
    labels = {"ATTEMPT": "jobset.sigs.k8s.io/restart-attempt", "RUN": "batch.kubernetes.io/controller-uid"}
    fields = {name: {"fieldRef": {"fieldPath": f"metadata.labels['{label}']"}} for name, label in labels.items()}
    env = [{"name": name, "valueFrom": source} for name, source in fields.items()]
    pod = {"restartPolicy": "Never", "containers": [container(script, name="node", env=env)]}
    job = {"parallelism": 2, "completions": 2, "backoffLimit": 0, "template": {"spec": pod}}
    metadata = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    replicated = {"name": "node", "template": {"metadata": metadata, "spec": job}}
    spec = {"failurePolicy": {"maxRestarts": limit}, "replicatedJobs": [replicated]}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "demo"}, "spec": spec}


def train_job(script: str, limit: int) -> list[Object]:
    """Return a TrainJob with a runtime of the same JobSet."""
    head = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "metadata": {"name": "demo"}}
    runtime = {"template": {"spec": job_set(script, limit)["spec"]}}
    spec = {"runtimeRef": {"kind": "TrainingRuntime", "name": "demo"}, "trainer": {"numNodes": 2}}
    return [{**head, "kind": "TrainingRuntime", "spec": runtime}, {**head, "kind": "TrainJob", "spec": spec}]


@pytest.mark.parametrize("kind", ["JobSet", "TrainJob"])
@pytest.mark.parametrize(("limit", "end"), [(0, "job-failed"), (1, "job-complete")])
def test_a_jobset_restarts_all_workers_with_a_new_uid(kind: str, limit: int, end: str) -> None:
    """Worker 1 of the first attempt fails."""
    script = "echo run $RUN; if [ $JOB_COMPLETION_INDEX.$ATTEMPT = 1.0 ]; then exit 1; fi; sleep 1"
    objects = train_job(script, limit) if kind == "TrainJob" else [job_set(script, limit)]
    with Session(objects, pace=100) as session:
        run = Run(session)
        session.start()
        run.wait_for(end)
    created = [event.pod for event in run.events_of("pod-created")]
    assert len(created) == 2 + 2 * limit
    assert {name.rpartition("-")[0] for name in created} == {"demo-node-0-0", "demo-node-0-1"}
    assert len(set(run.lines())) == 1 + limit
    first, second = created[:2], run.events_of("pod-created")[2:]
    deleted = [event.at for event in run.events_of("pod-deleted") if event.pod in first]
    assert all(max(deleted) <= event.at for event in second)


@pytest.mark.parametrize(("target", "pods"), [("node", 2), ("other", 4)])
def test_a_rule_of_a_failure_policy_applies_to_its_jobs(target: str, pods: int) -> None:
    """ruleIsApplicable of pkg/controllers/failure_policy.go compares the names of replicated jobs, not of Jobs."""
    resource = job_set("exit 1", 1)
    rule = {"name": "fail", "action": "FailJobSet", "targetReplicatedJobs": [target]}
    resource["spec"]["failurePolicy"]["rules"] = [rule]
    resource["spec"]["replicatedJobs"] += [{**resource["spec"]["replicatedJobs"][0], "name": "other", "replicas": 0}]
    with Session([resource], pace=100) as session:
        run = Run(session)
        session.start()
        run.wait_for("job-failed")
    assert len(run.events_of("pod-created")) == pods


def elastic_job(script: str, policy: str, **limits: int) -> Object:
    """Return an ElasticJob with one worker."""
    pods = {"spec": {"containers": [container(script, name="elasticjob-worker")]}}
    worker = {"replicas": 1, "restartPolicy": policy, "template": pods}
    spec = {"rdzvEndpoint": "etcd:2379", "RunPolicy": limits, "replicaSpecs": {"Worker": worker}}
    return {
        "apiVersion": "elastic.pytorch.org/v1alpha1",
        "kind": "ElasticJob",
        "metadata": {"name": "demo"},
        "spec": spec,
    }


def test_an_elasticjob_recreates_a_pod_by_its_exit_code() -> None:
    """ReconcilePods of kubeflow/common at 0b3a4c3fca85"""
    with Session([elastic_job("exit 137", "ExitCode")], pace=100) as session:
        run = Run(session)
        session.start()
        run.wait_for("pod-deleted", "demo-worker-0")
        run.wait_for("pod-created", "demo-worker-0")


def test_an_elasticjob_fails_at_its_limit_of_restarts() -> None:
    """pastBackoffLimit of kubeflow/common at 0b3a4c3fca85"""
    run = run_job([elastic_job("exit 1", "OnFailure", backoffLimit=2)], pace=100)
    assert run.events_of("job-failed")[0].data["reason"] == "BackoffLimitExceeded"


def volcano_job(script: str, restart: str, max_retry: int) -> Object:
    """Return a Job of Volcano with two workers."""
    env = {"name": "INDEX", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['volcano.sh/task-index']"}}}
    pod = {"restartPolicy": "Never", "containers": [container(script, env=[env])]}
    policies = [{"exitCode": 3, "action": "TerminateJob"}, {"events": ["PodFailed", "PodEvicted"], "action": restart}]
    tasks = [{"name": "worker", "replicas": 2, "policies": policies, "template": {"spec": pod}}]
    spec = {"maxRetry": max_retry, "plugins": {"svc": []}, "tasks": tasks}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "demo"}, "spec": spec}


@pytest.mark.parametrize(
    ("code", "restart", "max_retry", "created", "end"),
    [
        (1, "RestartJob", 2, 4, "job-failed"),
        (1, "RestartPod", 2, 3, "job-failed"),
        (1, "RestartJob", 1, 2, "job-failed"),
        (3, "RestartJob", 3, 2, "job-failed"),
        (0, "RestartJob", 3, 2, "job-complete"),
    ],
)
def test_volcano_restarts_pods_by_its_policies(code: int, restart: str, max_retry: int, created: int, end: str) -> None:
    """Worker 1 always fails; restartingState of pkg/controllers/job/state/restarting.go"""
    rest = "exit 0" if end == "job-complete" else "trap exit TERM; sleep 99 & wait"
    script = f"if [ $INDEX = 1 ]; then sleep 1; exit {code}; fi; {rest}"
    with Session([volcano_job(script, restart, max_retry)], pace=100) as session:
        run = Run(session)
        session.start()
        run.wait_for(end)
    assert len(run.events_of("pod-created")) == created


@pytest.mark.parametrize(("code", "pods"), [(143, 2), (1, 1)])
def test_the_training_operator_recreates_a_pod_by_its_exit_code(code: int, pods: int) -> None:
    objects = pytorch_job(f"exit {code}", "sleep 99", policy="ExitCode")
    with Session(objects, pace=100) as session:
        run = Run(session)
        session.start()
        if pods == 2:
            run.wait_for("pod-deleted", "demo-master-0")
            run.wait_for("pod-created", "demo-master-0")
        else:
            run.wait_for("job-failed")
            assert len(run.events_of("pod-created", "demo-master-0")) == 1
