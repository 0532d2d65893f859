"""Translation of PyTorchJobs; expected values are from the operator's source and documentation.

https://github.com/kubeflow/training-operator/tree/release-1.9
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.spec.document import read
from trainc.systems.shared.reader.documents import translate_documents
from trainc.systems.shared.reader.tree import SourcePaths, child

POD = "{metadata: {labels: {app: x}}, spec: {containers: [{name: pytorch, image: 'e/x:1', COMMAND}]}}"
TORCHRUN = "command: [torchrun, x.py]"
PLAIN = "command: [python3, x.py]"


def job(roles: str, more: str = "", metadata: str = "name: j") -> str:
    return f"""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{{metadata}}}
spec:
  {more}
  pytorchReplicaSpecs:
    {roles}
"""


def role(name: str, command: str = TORCHRUN, replicas: str = "1", more: str = "") -> str:
    return f"{name}: {{replicas: {replicas}, {more} template: {POD.replace('COMMAND', command)}}}"


def worker(command: str = TORCHRUN, replicas: str = "2", more: str = "") -> str:
    return role("Worker", command, replicas, more)


def both(command: str = TORCHRUN, replicas: str = "2") -> str:
    return f"{role('Master', command)}\n    {worker(command, replicas)}"


def translate_job(text: str) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the spec, which is valid, and the diagnostics."""
    spec, diagnostics, _ = translate_and_judge(text)
    return spec, diagnostics


def translate_and_judge(text: str) -> tuple[dict[str, Any], list[Diagnostic], list[Diagnostic]]:
    """Return the spec, which is valid, the diagnostics, and the faults of the job in its own system."""
    documents, problems = load(Source("job.yaml", text))
    assert not problems
    [([result], diagnostics, [job])] = translate_documents([documents])
    assert not isinstance(read(result), list), read(result)
    return plain(result)["spec"], diagnostics, job.report.faults


def problems(text: str) -> list[str]:
    [(_, diagnostics, *_)] = translate_documents([load(Source("job.yaml", text))[0]])
    return [
        f"{diagnostic.code.id} {diagnostic.span.line}:{diagnostic.span.column} {diagnostic.message}"
        for diagnostic in diagnostics
    ]


def test_equal_master_and_workers_become_one_list_with_a_leader() -> None:
    spec, diagnostics = translate_job(job(both()))
    assert diagnostics == []
    assert spec == {
        "image": "e/x:1",
        # With a Master the operator sets PET_MASTER_ADDR, which only the static rendezvous reads.
        "launch": {"torchrun": {"nprocPerNode": "auto", "rendezvous": {"backend": "static"}}},
        "run": {"python": ["x.py"]},
        "workers": 3,
        "sharedMemory": False,
        "lifecycle": {"restartPolicy": "OnFailure", "successPolicy": "Leader"},
        "podTemplate": {"metadata": {"labels": {"app": "x"}}},
    }


def test_a_single_master_has_no_rendezvous() -> None:
    spec, diagnostics = translate_job(job(role("Master", PLAIN)))
    assert diagnostics == []
    assert spec["launch"] == {"basic": {}}
    assert "workers" not in spec
    assert spec["lifecycle"] == {"restartPolicy": "OnFailure"}


def test_workers_without_master_and_elastic_policy_get_a_c10d_rendezvous() -> None:
    spec, diagnostics = translate_job(job(worker()))
    assert spec["launch"] == {"torchrun": {"nprocPerNode": "auto"}}
    assert [diagnostic.code.id for diagnostic in diagnostics] == ["TC5002"]
    assert spec["lifecycle"] == {"restartPolicy": "OnFailure"}


def test_a_complete_elastic_policy() -> None:
    policy = """elasticPolicy:
    minReplicas: 1
    maxReplicas: 4
    rdzvBackend: etcd-v2
    rdzvHost: etcd
    rdzvPort: 2379
    rdzvId: run-1
    rdzvConf: [{key: protocol, value: https}]
    nProcPerNode: 2
    maxRestarts: 3
    metrics: [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 4}}}]"""
    spec, diagnostics = translate_job(job(worker(), policy))
    assert diagnostics == []
    rendezvous = {"backend": "etcd-v2", "endpoint": "etcd:2379", "id": "run-1", "conf": {"protocol": "https"}}
    assert spec["launch"] == {"torchrun": {"nprocPerNode": 2, "maxRestarts": 3, "rendezvous": rendezvous}}
    assert spec["workers"] == 2
    assert spec["elastic"]["minReplicas"] == 1
    assert spec["elastic"]["maxReplicas"] == 4
    assert spec["elastic"]["metrics"][0]["resource"]["name"] == "cpu"


@pytest.mark.parametrize(
    ("original", "bounds"),
    [
        ("{maxReplicas: 2}", None),  # the minimum is the maximum
        ("{maxReplicas: 4}", {"minReplicas": 4, "maxReplicas": 4, "metrics": []}),  # torchrun waits for four
        ("{minReplicas: 2}", None),
        ("{}", None),
        ("{minReplicas: 1, maxReplicas: 3}", {"minReplicas": 1, "maxReplicas": 3, "metrics": []}),
    ],
)
def test_bounds_get_the_operators_defaults(original: str, bounds: Any) -> None:
    assert translate_job(job(worker(), f"elasticPolicy: {original}"))[0].get("elastic") == bounds


def test_the_operators_default_host_and_port_are_left_out() -> None:
    spec, _ = translate_job(job(worker(), "elasticPolicy: {maxReplicas: 2, rdzvHost: j-worker-0}"))
    assert spec["launch"] == {"torchrun": {"nprocPerNode": "auto"}}
    ports = TORCHRUN + ", ports: [{name: pytorchjob-port, containerPort: 29999}, {name: metrics, containerPort: 80}]"
    spec, _ = translate_job(job(worker(ports), "elasticPolicy: {maxReplicas: 2}"))
    assert spec["launch"]["torchrun"]["rendezvous"] == {"port": 29999}
    [container] = spec["podTemplate"]["spec"]["containers"]
    assert container == {"name": "main", "ports": [{"name": "metrics", "containerPort": 80}]}


@pytest.mark.parametrize(
    ("policy", "lifecycle"),
    [
        ("OnFailure", {"restartPolicy": "OnFailure"}),
        ("Always", {"restartPolicy": "OnFailure"}),
        ("Never", {"backoffLimit": 0}),
        ("ExitCode", {"exitCodes": {"retryable": "signals"}}),
    ],
)
def test_restart_policies(policy: str, lifecycle: dict[str, Any]) -> None:
    assert translate_job(job(worker(PLAIN, "2", f"restartPolicy: {policy},")))[0]["lifecycle"] == lifecycle


def test_a_complete_run_policy() -> None:
    policy = """runPolicy:
    cleanPodPolicy: All
    ttlSecondsAfterFinished: 60
    activeDeadlineSeconds: 3600
    backoffLimit: 4
    suspend: true
    managedBy: kubeflow.org/training-operator
    schedulingPolicy: {minAvailable: 3, queue: research, priorityClass: high}"""
    spec, diagnostics = translate_job(job(both(PLAIN), policy))
    assert [diagnostic.message for diagnostic in diagnostics] == [
        "`spec.runPolicy.schedulingPolicy.priorityClass` also becomes the pods' priorityClassName"
    ]
    assert spec["mode"] == "paused"
    assert spec["scheduling"] == {"gang": {"volcano": {"queue": "research"}}, "priorityClassName": "high"}
    assert spec["lifecycle"] == {
        "activeDeadlineSeconds": 3600,
        "backoffLimit": 4,
        "ttlSecondsAfterFinished": 60,
        "cleanPodPolicy": "All",
        "restartPolicy": "OnFailure",
        "successPolicy": "Leader",
    }


@pytest.mark.parametrize(("seconds", "kept"), [(3600, {}), (60, {"activeDeadlineSeconds": 60})])
def test_the_pods_have_the_job_s_deadline(seconds: int, kept: dict[str, Any]) -> None:
    """Without it the operator would not check the job's: docs/behavior.md."""
    pod = f"spec: {{activeDeadlineSeconds: {seconds}, "
    spec, _ = translate_job(
        job(worker(PLAIN, "2"), "runPolicy: {activeDeadlineSeconds: 3600}").replace("spec: {", pod, 1)
    )
    assert spec["lifecycle"]["activeDeadlineSeconds"] == 3600
    assert spec["podTemplate"].get("spec", {}) == kept


def test_variables_that_the_operator_overwrites_are_left_out() -> None:
    env = "env: [{name: RANK, value: '7'}, {name: A, value: b}, {name: PET_NNODES, value: '9'}]"
    spec, diagnostics = translate_job(job(both(f"{TORCHRUN}, {env}")))
    assert spec["env"] == {"A": "b"}
    assert [diagnostic.code.id for diagnostic in diagnostics] == ["TC5002", "TC5002"]


RANK_LABEL = "{fieldRef: {fieldPath: \"metadata.labels['training.kubeflow.org/replica-index']\"}}"


@pytest.mark.parametrize("mixed", ["", ", {name: C, value: d, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}"])
def test_workers_that_describe_their_world_themselves_get_launch_basics_variables(mixed: str) -> None:
    """WORLD_SIZE 2 of 2 workers, the replica's index, and worker 0 are what launch.basic sets."""
    world = "{name: MASTER_ADDR, value: j-worker-0}, {name: MASTER_PORT, value: '1234'}, {name: WORLD_SIZE, value: '2'}"
    rank = f"{{name: RANK, valueFrom: {RANK_LABEL}}}"
    spec, diagnostics = translate_job(job(worker(f"{PLAIN}, env: [{world}, {rank}, {{name: A, value: b}}{mixed}]")))
    assert spec["launch"] == {"basic": {"port": 1234}}
    assert {*(item["name"] for item in spec["env"])} == {"A", "C"} if mixed else spec["env"] == {"A": "b"}
    assert {diagnostic.code.id for diagnostic in diagnostics} == {"TC5002"}


@pytest.mark.parametrize(
    "variable",
    [
        "{name: MASTER_ADDR, value: other-worker-0}",
        "{name: MASTER_PORT, value: '70000'}",
        "{name: WORLD_SIZE, value: '4'}",
        "{name: RANK, value: '0'}",
        "{name: A, value: '2'}",
    ],
)
def test_variables_of_another_world_are_kept(variable: str) -> None:
    spec, _ = translate_job(job(worker(f"{PLAIN}, env: [{variable}]")))
    assert len(spec["env"]) == 1


CPU_METRIC = "{type: Resource, resource: {name: NAME, target: {type: Utilization, averageUtilization: 80}}}"


@pytest.mark.parametrize(
    ("policy", "command", "workers", "elastic", "codes"),
    [
        # Without metrics the operator creates no autoscaler: hpa.go, ReconcileHPA.
        ("{minReplicas: 1, maxReplicas: 64}", TORCHRUN, 2, (1, 64, 0), ["TC5002"]),
        # Metrics that nothing measures: no request, no such resource, no such container.
        ("{minReplicas: 1, maxReplicas: 64, metrics: [cpu]}", TORCHRUN, 2, (1, 64, 0), ["TC4003", "TC5001", "TC5002"]),
        ("{minReplicas: 1, maxReplicas: 64, metrics: [gpu]}", TORCHRUN, 2, (1, 64, 0), ["TC4011", "TC5001", "TC5002"]),
        (
            "{minReplicas: 1, maxReplicas: 64, metrics: [other]}",
            TORCHRUN,
            2,
            (1, 64, 0),
            ["TC4010", "TC5001", "TC5002"],
        ),
        # An autoscaler that works; one metric without a value stops scale-downs only.
        ("{minReplicas: 1, maxReplicas: 64, metrics: [memory]}", TORCHRUN, 2, (1, 64, 1), []),
        ("{minReplicas: 1, maxReplicas: 64, metrics: [memory, cpu]}", TORCHRUN, 2, (1, 64, 2), []),
        # It brings the number of workers into its bounds at once, also if it can measure nothing.
        ("{minReplicas: 3, maxReplicas: 64, metrics: [memory]}", TORCHRUN, 3, (3, 64, 1), ["TC3107", "TC5002"]),
        ("{minReplicas: 4, maxReplicas: 4, metrics: [memory]}", TORCHRUN, 4, None, ["TC3107", "TC5001", "TC5002"]),
        # The launcher's own number of nodes overrides PET_NNODES.
        ("{minReplicas: 1, maxReplicas: 64}", "command: [torchrun, --nnodes=2, x.py]", 2, None, ["TC5002", "TC5002"]),
        (
            "{minReplicas: 1, maxReplicas: 64, metrics: [cpu]}",
            "command: [sh, -c, 'cd /a; torchrun --nnodes $N x.py'], env: [{name: N, value: '2'}]",
            2,
            None,
            ["TC4003", "TC5001", "TC5002", "TC5002", "TC5002"],
        ),
        (
            "{minReplicas: 1, maxReplicas: 64}",
            "command: [torchrun, '--nnodes=1:4', x.py]",
            2,
            (1, 4, 0),
            ["TC5002"] * 3,
        ),
        (
            "{minReplicas: 1, maxReplicas: 64}",
            "command: [accelerate, launch, --num_machines=2, x.py]",
            2,
            None,
            ["TC5002"] * 3,
        ),
        (
            "{minReplicas: 1, maxReplicas: 64, metrics: [memory]}",
            "command: [torchrun, --nnodes=2, x.py]",
            2,
            (1, 64, 1),
            ["TC5002"],
        ),
        # A launcher in a script is unknown.
        ("{minReplicas: 1, maxReplicas: 64}", "command: [bash, run.sh, --nnodes=2]", 2, (1, 64, 0), ["TC5002"]),
    ],
)
def test_an_elastic_job_has_its_replicas_unless_an_autoscaler_can_scale_it(
    policy: str, command: str, workers: int, elastic: tuple[int, int, int] | None, codes: list[str]
) -> None:
    other = "{type: ContainerResource, containerResource: {name: memory, container: x, target: {type: Utilization}}}"
    for name in ("cpu", "memory", "gpu"):
        policy = policy.replace(f"{name},", f"{CPU_METRIC.replace('NAME', name)},")
        policy = policy.replace(f"{name}]", f"{CPU_METRIC.replace('NAME', name)}]")
    more = f"{command}, resources: {{limits: {{memory: 1Gi}}}}"
    spec, diagnostics, faults = translate_and_judge(
        job(worker(more), f"elasticPolicy: {policy.replace('other', other)}")
    )
    bounds = spec.get("elastic")
    assert spec["workers"] == workers
    assert (bounds and (bounds["minReplicas"], bounds["maxReplicas"], len(bounds["metrics"]))) == elastic
    assert sorted(diagnostic.code.id for diagnostic in (*diagnostics, *faults)) == codes


def test_an_empty_list_of_metrics_is_kubernetes_default() -> None:
    """SetDefaults_HorizontalPodAutoscaler of pkg/apis/autoscaling/v2/defaults.go in kubernetes/kubernetes"""
    policy = "elasticPolicy: {minReplicas: 1, maxReplicas: 4, metrics: []}"
    [metric] = translate_job(job(worker(f"{TORCHRUN}, resources: {{requests: {{cpu: 4}}}}"), policy))[0]["elastic"][
        "metrics"
    ]
    assert metric["resource"] == {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
    assert translate_job(job(worker(), policy))[0]["elastic"]["metrics"] == []


def test_kueues_labels_become_the_queue() -> None:
    labels = "{kueue.x-k8s.io/queue-name: team-a, kueue.x-k8s.io/priority-class: high, x: y}"
    text = job(worker(PLAIN), metadata=f"name: j, labels: {labels}")
    [([result], *_)] = translate_documents([load(Source("job.yaml", text))[0]])
    document = plain(result)
    assert document["metadata"] == {"name": "j", "labels": {"x": "y"}}
    assert document["spec"]["scheduling"] == {"queue": {"name": "team-a", "priorityClass": "high"}}


def test_a_job_that_kueue_suspends_is_not_paused() -> None:
    labels = "labels: {kueue.x-k8s.io/queue-name: team-a}"
    text = job(worker(PLAIN), "runPolicy: {suspend: true}", metadata=f"name: j, {labels}")
    [([result], diagnostics, *_)] = translate_documents([load(Source("job.yaml", text))[0]])
    assert plain(result)["spec"]["scheduling"] == {"queue": "team-a"}
    assert "mode" not in plain(result)["spec"]
    [note] = [diagnostic for diagnostic in diagnostics if "Kueue" in diagnostic.message]
    assert note.span is not None
    assert note.span.source.line(note.span.line)[note.span.column - 1 :].startswith("true")


def test_fields_without_equivalent_go_to_the_pod_template() -> None:
    pod = POD.replace("COMMAND", PLAIN + ", securityContext: {privileged: true}")
    pod = pod.replace("}]}}", "}, {name: log, image: 'e/log:1'}], initContainers: [{name: get, image: 'e/get:1'}]}}")
    spec, diagnostics = translate_job(job(f"Worker: {{replicas: 2, template: {pod}}}"))
    assert diagnostics == []
    assert spec["podTemplate"]["spec"] == {
        "initContainers": [{"name": "get", "image": "e/get:1"}],
        "containers": [
            {"name": "main", "securityContext": {"privileged": True}},
            {"name": "log", "image": "e/log:1"},
        ],
    }


def test_shared_memory_keeps_its_size() -> None:
    mount = "volumeMounts: [{name: shm, mountPath: /dev/shm}]"
    for source, field in (
        ("{medium: Memory, sizeLimit: 8Gi}", {"sharedMemory": "8Gi"}),
        ("{medium: Memory}", {"volumes": [{"name": "shm", "mountPath": "/dev/shm", "emptyDir": {"medium": "Memory"}}]}),
    ):
        pod = POD.replace("COMMAND", f"{PLAIN}, {mount}, resources: {{limits: {{nvidia.com/gpu: 8}}}}")
        pod = pod.replace("}]}}", f"}}], volumes: [{{name: shm, emptyDir: {source}}}]}}}}")
        spec, _ = translate_job(job(f"Worker: {{template: {pod}}}"))
        assert {name: spec[name] for name in ("sharedMemory", "volumes") if name in spec} == field
        assert spec["resources"] == {"gpu": 8}


def test_different_programs_of_the_roles_are_rejected_at_their_position() -> None:
    master = role("Master", "command: [python, x.py], args: [--rank, '0']")
    text = job(f"{master}\n    {worker('command: [python, x.py], args: [--rank, `1`]'.replace('`', chr(39)))}")
    [result] = problems(text)
    assert result.startswith("TC5005 7:")
    assert "differ in `spec.containers.pytorch.args`" in result


def test_other_differences_of_the_roles_are_reported_at_their_positions() -> None:
    text = job(f"{role('Master', PLAIN)}\n    {worker(PLAIN + ', workingDir: /w')}")
    spec, [diagnostic] = translate_job(text)
    assert spec["workingDir"] == "/w"
    assert (diagnostic.code.id, diagnostic.span.line) == ("TC5002", 8)
    text = job(f"{role('Master', PLAIN + ', workingDir: /w')}\n    {worker(PLAIN)}")
    spec, [diagnostic] = translate_job(text)
    assert "workingDir" not in spec
    assert (diagnostic.code.id, diagnostic.span.line) == ("TC3045", 7)
    assert diagnostic.related[0].span.line == 8  # the Worker's
    containers = [f"{PLAIN}, resources: {{limits: {{nvidia.com/gpu: {count}}}}}" for count in (1, 8)]
    spec, [diagnostic] = translate_job(job(f"{role('Master', containers[0])}\n    {worker(containers[1])}"))
    assert spec["resources"] == {"gpu": 8}
    assert diagnostic.message.endswith("is 1 for the Master and 8 for the Worker; all workers get 8")
    assert (diagnostic.span.line, diagnostic.related[0].span.line) == (7, 8)


def test_an_overwritten_variable_makes_no_difference_between_roles() -> None:
    ranks = [f"{PLAIN}, env: [{{name: RANK, value: '{rank}'}}]" for rank in (0, 1)]
    text = job(f"{role('Master', ranks[0])}\n    {worker(ranks[1])}")
    assert {diagnostic.split()[0] for diagnostic in problems(text)} == {"TC5002"}  # the variable is left out


@pytest.mark.parametrize(
    ("text", "diagnostics"),
    [
        (job(role("Chief")), "TC5003 7:5 unknown role `Chief`"),
        (job(role("Master", replicas="2")), "TC5003 7:24 the operator rejects 2 replicas of Master"),
        (job("Worker: {replicas: 2}"), "TC5003 7:13 the Worker has no template"),
        (
            job(worker(), "elasticPolicy: {rdzvBackend: [zeus]}"),
            "TC5003 5:19 `spec.elasticPolicy.rdzvBackend` must be a string",
        ),
        (
            job(worker(), "elasticPolicy: {nProcPerNode: 2}\n  nprocPerNode: '4'"),
            "TC5003 5:33 the operator rejects nprocPerNode with elasticPolicy.nProcPerNode",
        ),
        (
            job(worker(), "nprocPerNode: All"),
            "TC5003 5:17 `spec.nprocPerNode` must be auto, cpu, gpu, xpu, another device or a number",
        ),
        (job(worker(replicas="two")), "TC5003 7:24 `spec.pytorchReplicaSpecs.Worker.replicas` must be a whole number"),
        (job(worker(more="restartPolicy: Maybe,")), "TC5003 7:42 unknown restartPolicy `Maybe`"),
        (job(worker(), metadata="generateName: '-'"), "TC5003 3:26 the job has no name"),
        (job("Worker: {replicas: 2, spec: {containers: [{name: pytorch}]}}"), "TC5003 7:27 the Worker has no template"),
        (
            job(worker()).replace("org/v1", "org/v1beta2"),
            "TC5003 1:13 `kubeflow.org/v1beta2` is not a supported version of",
        ),
    ],
)
def test_errors_have_positions(text: str, diagnostics: str) -> None:
    assert any(result.startswith(diagnostics) for result in problems(text)), problems(text)


def test_unsupported_fields_are_reported() -> None:
    text = job(worker(PLAIN, more="color: red,"), "runPolicy: {schedulingPolicy: {scheduleTimeoutSeconds: 9}}")
    assert sorted(problems(text)) == [
        "TC5001 5:34 `spec.runPolicy.schedulingPolicy.scheduleTimeoutSeconds` is not carried over",
        "TC5001 7:27 `spec.pytorchReplicaSpecs.Worker.color` is not carried over",
    ]


def test_a_program_that_starts_python_itself_gets_pythonunbuffered() -> None:
    """https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go"""
    spec, _ = translate_job(job(both("args: [a]")))
    assert spec["env"]["PYTHONUNBUFFERED"] == "1"
    assert "env" not in translate_job(job(both(PLAIN)))[0]


def test_jobs_in_a_kubectl_list_are_read() -> None:
    inner = "".join(f"  {line}\n" for line in job(worker(PLAIN)).splitlines())
    applied = inner.replace(
        "name: j",
        "name: j, uid: x, annotations: {kubectl.kubernetes.io/last-applied-configuration: a,"
        " trainc.dev/added-to-command: a}",
    )
    text = f"apiVersion: v1\nkind: List\nitems:\n- {applied.lstrip()}"
    [([result], diagnostics, *_)] = translate_documents([load(Source("job.yaml", text))[0]])
    assert [diagnostic.message for diagnostic in diagnostics] == [
        "fields written by the API server, controllers, kubectl or trainc are left out: uid, "
        "last-applied-configuration, added-to-command"
    ]
    assert plain(result)["metadata"] == {"name": "j"}


def test_server_fields_are_left_out_with_one_note() -> None:
    metadata = "name: j, creationTimestamp: a, generation: 2, managedFields: [{manager: kubectl}], resourceVersion: b"
    text = job(both(PLAIN), metadata=metadata) + "status: {conditions: [{type: Running}]}\n"
    assert problems(text) == [
        "TC5002 3:21 fields written by the API server, controllers, kubectl or trainc are left out: "
        "creationTimestamp, generation, managedFields, resourceVersion, status"
    ]


def test_generate_name_becomes_the_name() -> None:
    text = job(both(PLAIN), metadata="generateName: j-")
    [([result], diagnostics, *_)] = translate_documents([load(Source("job.yaml", text))[0]])
    assert plain(result)["metadata"] == {"name": "j"}
    assert [(diagnostic.code.id, diagnostic.message) for diagnostic in diagnostics] == [
        ("TC5002", "generateName becomes the name `j`: trainc emits the same names every time")
    ]


def test_empty_fields_make_no_difference_between_roles() -> None:
    master = role("Master", PLAIN).replace("{app: x}}", "{app: x}, creationTimestamp: null}, status: {a: null}")
    assert problems(job(f"{master}\n    {worker(PLAIN)}")) == []


@pytest.mark.parametrize(
    ("placed", "policy", "diagnostics"),
    [
        ("priorityClassName: high", "priorityClass: high", []),
        ("priorityClassName: low", "priorityClass: high", ["`priorityClassName` is not carried over"]),
        ("schedulerName: coscheduling", "priorityClass: high", ["`spec.runPolicy.schedulingPolicy.priorityClass` is"]),
    ],
)
def test_the_gangs_priority_overrides_the_pods(placed: str, policy: str, diagnostics: list[str]) -> None:
    text = job(worker(PLAIN), f"runPolicy: {{schedulingPolicy: {{{policy}}}}}")
    result = problems(text.replace("spec: {containers", f"spec: {{{placed}, containers"))
    assert [
        diagnostic.partition(" ")[2].partition(" ")[2][: len(expected)]
        for diagnostic, expected in zip(result, diagnostics, strict=True)
    ] == diagnostics


# Values that kubectl reads from plain scalars: https://github.com/kubernetes-sigs/yaml/blob/v1.4.0/goyaml.v2/resolve.go
@pytest.mark.parametrize(
    ("more", "command", "where", "value"),
    [
        ("nprocPerNode: 2", TORCHRUN, "`spec.nprocPerNode` must be a string", 2),
        ("", "command: [torchrun, x.py, 3]", "command[2]` must be a string", "3"),
        ("", "command: [torchrun, x.py, yes]", "command[2]` must be a string, but kubectl reads true", "yes"),
        ("", "command: [torchrun, x.py, 010]", "command[2]` must be a string, but kubectl reads a number", "010"),
        ("", f"{TORCHRUN}, env: [{{name: A, value: yes}}]", "value` must be a string, but kubectl reads true", "yes"),
        ("", f"{TORCHRUN}, env: [{{name: A, value: 1e3}}]", "value` must be a string", "1e3"),
        ("", f"{TORCHRUN}, env: [{{name: A, value: Off}}]", "value` must be a string, but kubectl reads false", "Off"),
    ],
)
def test_a_string_of_another_yaml_type_is_corrected(more: str, command: str, where: str, value: Any) -> None:
    spec, diagnostics = translate_job(job(worker(command), more))
    [slip] = [diagnostic for diagnostic in diagnostics if diagnostic.code.id == "TC5010"]
    assert slip.message.endswith(where)
    result = [spec["launch"]["torchrun"].get("nprocPerNode"), *spec["run"]["python"], *spec.get("env", {}).values()]
    assert value in result


@pytest.mark.parametrize("value", ["'yes'", "yEs", "'3'", "a_1", "0o7x"])
def test_a_string_to_kubectl_is_not_corrected(value: str) -> None:
    text = job(worker(PLAIN)).replace("{name: pytorch", "{env: [{name: A, value: " + value + "}], name: pytorch")
    assert not any("TC5010" in diagnostic for diagnostic in problems(text))


def test_a_quoted_number_and_boolean_are_corrected() -> None:
    spec, diagnostics = translate_job(job(worker(PLAIN, replicas="'3'"), "runPolicy: {suspend: 'true'}"))
    assert (spec["workers"], spec["mode"]) == (3, "paused")
    assert [(diagnostic.code.id, diagnostic.help) for diagnostic in diagnostics] == [
        ("TC5010", "write 3"),
        ("TC5010", "write true"),
    ]


def test_schema_errors_name_the_original_fields() -> None:
    text = job(worker(f"{TORCHRUN}, resources: {{limits: {{memory: 4 GB}}}}, ports: [{{containerPort: x}}]"))
    documents = load(Source("job.yaml", text))[0]
    named = SourcePaths(documents).path
    [([result], *_)] = translate_documents([documents])
    diagnostics = read(result, named)
    assert isinstance(diagnostics, list)
    container = "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0]"
    assert [diagnostic.message.partition("` ")[0] for diagnostic in diagnostics] == [
        f"`{container}.resources.limits.memory",
        f"`{container}.ports[0].containerPort",
    ]


def test_the_master_of_an_elastic_job_is_one_of_the_workers() -> None:
    spec, diagnostics = translate_job(job(both(), "elasticPolicy: {minReplicas: 1, maxReplicas: 3}"))
    assert spec["workers"] == 3
    assert [diagnostic.code.id for diagnostic in diagnostics] == ["TC5002"]


def test_a_custom_port_does_not_leak_into_the_next_job() -> None:
    ports = f"{PLAIN}, ports: [{{name: pytorchjob-port, containerPort: 29999}}]"
    spec, _ = translate_job(job(both(ports)))
    assert spec["launch"]["basic"]["port"] == 29999
    assert "port" not in translate_job(job(both(PLAIN)))[0]["launch"]["basic"]


def test_huge_pages_become_requests_and_limits() -> None:
    expected = f"{PLAIN}, resources: {{limits: {{memory: 8Gi, hugepages-2Mi: 5120Mi}}}}"
    spec, _ = translate_job(job(worker(expected)))
    pages = {"hugepages-2Mi": "5120Mi"}
    assert spec["resources"] == {"memory": "8Gi", "requests": pages, "limits": pages}


@pytest.mark.parametrize(
    "options", ["--rdzv-backend=c10d, --rdzv-endpoint=j-worker-0:23456", "--master-addr=j-worker-0, --node-rank=0"]
)
def test_an_explicit_host_name_of_the_first_worker_is_left_out(options: str) -> None:
    """Every replica has a Service with its pod's name, even if no variable holds it."""
    spec, _ = translate_job(job(worker(f"command: [torchrun, --nnodes=2, {options}, x.py]")))
    assert "j-worker-0" not in str(spec["launch"])


def test_a_missing_template_is_reported_once() -> None:
    assert len(problems(job("Worker: {replicas: 2}"))) == 1


def test_exit_codes_have_the_position_of_the_restart_policy() -> None:
    documents, _ = load(Source("job.yaml", job(worker(more="restartPolicy: ExitCode,"))))
    [([result], *_)] = translate_documents([documents])
    lifecycle = child(result, "spec", "lifecycle")
    assert isinstance(lifecycle, Mapping)
    assert lifecycle.where("exitCodes").line == 7


@pytest.mark.parametrize("command", ["args: [a]", "command: [/opt/train.sh]", "command: [bash, -c, 'cd /w; ./run.sh']"])
def test_a_torchrun_in_a_script_reads_the_operators_variables(command: str) -> None:
    """https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go"""
    spec, diagnostics = translate_job(job(both(command), "nprocPerNode: auto"))
    assert "basic" in spec["launch"]
    assert spec["env"] == {
        "PET_NNODES": "$(WORLD_SIZE)",
        "PET_NPROC_PER_NODE": "auto",
        "PET_NODE_RANK": "$(RANK)",
        "PET_MASTER_ADDR": "$(MASTER_ADDR)",
        "PET_MASTER_PORT": "$(MASTER_PORT)",
        "PYTHONUNBUFFERED": "1",
    }
    assert diagnostics == []


OPERATORS = {
    "MASTER_ADDR": "$(PET_MASTER_ADDR)",
    "MASTER_PORT": "$(PET_MASTER_PORT)",
    "RANK": "$(PET_NODE_RANK)",
    "WORLD_SIZE": "12",  # a Master and two Workers, four processes each
}


@pytest.mark.parametrize(
    "command",
    [
        "args: [a]",
        "command: [/opt/train.sh]",
        "command: [bash, -c, 'cd /w; ./run.sh']",
        PLAIN,  # the program may start its processes itself
        "command: [python, -m, pkg]",
    ],
)
def test_a_world_size_of_processes_is_kept(command: str) -> None:
    """Replicas times nprocPerNode, if that is a number: pkg/controller.v1/pytorch/envvar.go of
    https://github.com/kubeflow/training-operator/tree/release-1.9"""
    spec, diagnostics = translate_job(job(both(command), "nprocPerNode: '4'"))
    torchruns = {"wrap": False, "nprocPerNode": 4, "rendezvous": {"backend": "static"}}  # sets the PET_ variables
    assert spec["launch"] == {"torchrun": torchruns}
    assert spec["env"] == {**OPERATORS, "PYTHONUNBUFFERED": "1"}
    [diagnostic] = diagnostics
    assert diagnostic.message == "WORLD_SIZE is fixed at 12, workers times nprocPerNode, while RANK counts workers"


def test_another_launcher_gets_the_world_size_of_processes() -> None:
    line = "accelerate launch --num_processes $WORLD_SIZE --machine_rank $RANK x.py"
    spec, _ = translate_job(job(both(f"command: [bash, -c, '{line}']"), "nprocPerNode: '4'"))
    assert {name: spec["env"][name] for name in ("WORLD_SIZE", "RANK")} == {
        "WORLD_SIZE": "12",
        "RANK": "$(PET_NODE_RANK)",
    }


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("./prepare.sh && torchrun x.py", set(OPERATORS)),
        ("python prepare.py; torchrun x.py", set(OPERATORS)),
        ("source env; torchrun x.py", set(OPERATORS)),
        ("cd /w && torchrun x.py", set()),
        ("echo $RANK; torchrun x.py", {"RANK"}),
        ('d=$(mktemp -d); printf x > "$d/x.py"; torchrun "$d/x.py"', set()),
        ('d=$(mktemp -d); python "$d/prepare.py"; torchrun "$d/x.py"', set(OPERATORS)),
    ],
)
def test_a_script_next_to_torchrun_gets_the_operators_variables(line: str, names: set[str]) -> None:
    spec, _ = translate_job(job(both(f"command: [bash, -c, '{line}']")))
    assert spec["launch"]["torchrun"]["wrap"] is False
    assert {name for name in spec.get("env", {}) if name in OPERATORS} == names


def test_a_variable_without_equivalent_in_this_rendezvous_is_reported() -> None:
    elastic = "elasticPolicy: {minReplicas: 1, maxReplicas: 3}"
    spec, diagnostics = translate_job(
        job(both("command: [bash, -c, 'echo $RANK $WORLD_SIZE; torchrun x.py']"), elastic)
    )
    assert spec["env"] == {"WORLD_SIZE": "3", "PYTHONUNBUFFERED": "1"}
    reason = "with this rendezvous torchrun assigns it at run time"
    assert [diagnostic.message for diagnostic in diagnostics if diagnostic.code.id == "TC5001"] == [
        f"`RANK` is not carried over: {reason}"
    ]


def test_an_unused_number_of_processes_is_reported() -> None:
    _, [diagnostic] = translate_job(job(worker(PLAIN), "nprocPerNode: '4'"))
    assert (diagnostic.code.id, diagnostic.message.partition("`: ")[0][:18]) == ("TC5001", "`spec.nprocPerNode")


def test_a_torchrun_in_a_script_of_one_pod_gets_its_number_of_processes() -> None:
    spec, _ = translate_job(job(role("Master", "command: [/opt/train.sh]")))
    assert spec["env"] == {"PET_NPROC_PER_NODE": "auto", "PYTHONUNBUFFERED": "1"}


@pytest.mark.parametrize(
    "command", ["command: [accelerate, launch, x.py]", "command: [sh, -c, 'echo; python x.py']", PLAIN]
)
def test_a_program_without_torchrun_gets_no_pet_variables(command: str) -> None:
    spec, _ = translate_job(job(both(command)))
    assert "PET_NNODES" not in spec.get("env", {})


def test_the_operators_label_in_a_selector_becomes_trainc_s() -> None:
    """Otherwise the affinity would silently match no pod."""
    terms = "{labelSelector: {matchLabels: {training.kubeflow.org/job-name: j}}, topologyKey: kubernetes.io/hostname}"
    affinity = (
        f"affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{terms}]}}}}, containers"
    )
    spec, diagnostics = translate_job(job(worker()).replace("containers", affinity))
    [term] = spec["scheduling"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["labelSelector"]["matchLabels"] == {"trainc.dev/job": "j"}
    assert "the label `training.kubeflow.org/job-name` becomes `trainc.dev/job`" in [
        diagnostic.message for diagnostic in diagnostics
    ]


def test_an_operator_label_without_equivalent_is_reported() -> None:
    field = "metadata.labels['training.kubeflow.org/replica-index']"
    env = f'{PLAIN}, env: [{{name: N, valueFrom: {{fieldRef: {{fieldPath: "{field}"}}}}}}]'
    _, diagnostics = translate_job(job(worker(env)))
    assert [(diagnostic.code.id, diagnostic.message.partition(":")[0]) for diagnostic in diagnostics] == [
        ("TC5001", "`training.kubeflow.org/replica-index` is not carried over")
    ]


@pytest.mark.parametrize("variable", ["HOSTNAME", "POD_NAME"])
def test_the_ordinal_in_a_workers_name_is_its_rank(variable: str) -> None:
    """The operator's pods are named JOB-worker-NUMBER; without a Master the number is the rank."""
    line = f"torchrun --nnodes=2 --node_rank=${{{variable}##*-}} --master_addr=j-worker-0 x.py"
    env = "env: [{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"
    spec, diagnostics = translate_job(job(worker(f"command: [bash, -c, '{line}'], {env}")))
    assert spec["launch"]["torchrun"]["rendezvous"] == {"backend": "static"}
    assert spec["run"] == {"python": ["x.py"]}
    assert diagnostics == []
    spec, _ = translate_job(job(worker(f"command: [bash, -c, '{line} --part=${{{variable}##*-}}'], {env}")))
    assert spec["run"]["exec"][-1].endswith(
        f"--part=${{{variable}##*-}}"
    )  # the program's own argument stays for the shell
    spec, _ = translate_job(job(both(f"command: [bash, -c, '{line}'], {env}")))
    assert spec["launch"]["torchrun"]["wrap"] is False  # a Master's name also ends in 0


@pytest.mark.parametrize("source", ["configMap: {name: c, defaultMode: 0755}", "secret: {defaultMode: 0755}"])
def test_an_octal_file_mode_is_read_as_by_kubectl(source: str) -> None:
    """YAML 1.1's octal numbers: https://yaml.org/type/int.html"""
    mounted = worker(f"{PLAIN}, volumeMounts: [{{name: v, mountPath: /v}}]")
    spec, diagnostics = translate_job(
        job(mounted.replace("containers", f"volumes: [{{name: v, {source}}}], containers"))
    )
    assert 493 in next(iter(inner for inner in spec["volumes"][0].values() if isinstance(inner, dict))).values()
    assert [diagnostic.code.id for diagnostic in diagnostics] == ["TC5002"]


def test_a_quoted_file_mode_is_rejected_as_by_kubernetes() -> None:
    mounted = worker(f"{PLAIN}, volumeMounts: [{{name: v, mountPath: /v}}]")
    volumes = "volumes: [{name: v, configMap: {name: c, defaultMode: '0755'}}], containers"
    text = job(mounted.replace("containers", volumes))
    [([result], *_)] = translate_documents([load(Source("job.yaml", text))[0]])
    assert isinstance(read(result), list)


def test_a_remaining_operator_host_name_is_reported() -> None:
    """With the operator every replica has a Service with its pod's name."""
    command = "command: [python, x.py, --url=tcp://j-master-0:1], env: [{name: H, value: 'j-worker-1,my-j-worker-1'}]"
    _, diagnostics = translate_job(job(both(command)))
    assert [diagnostic.message.partition(":")[0] for diagnostic in diagnostics] == [
        "`j-master-0` is not carried over",
        "`j-worker-1` is not carried over",
    ]


def test_a_host_name_that_became_a_field_is_not_reported() -> None:
    command = "command: [torchrun, --rdzv-backend=c10d, --rdzv-endpoint=j-master-0:1, --nnodes=3, x.py]"
    assert translate_job(job(both(command)))[1] == []


def test_a_command_line_that_reads_pet_variables_gets_them() -> None:
    """launch.basic sets none, and torchrun rejects `--nnodes=` without a number."""
    line = (
        "set -e; torchrun --nnodes=${PET_NNODES} --nproc-per-node=8 --node-rank=$RANK --master-addr=$MASTER_ADDR x.py"
    )
    spec, _ = translate_job(job(both(f"command: [bash, -c, '{line}']")))
    assert spec["launch"]["torchrun"]["rendezvous"] == {"backend": "static"}
    assert {name: OPERATORS[name] for name in ("RANK", "MASTER_ADDR")}.items() <= spec["env"].items()


def test_operator_names_in_other_containers_are_reported() -> None:
    container = "{name: side, image: 'e/s:1', command: [sh, -c, 'sleep $RANK']}"
    init_containers = "initContainers: [{name: wait, image: 'e/s:1', command: [nslookup, j-master-0]}]"
    roles = both(PLAIN).replace("x.py]}]", f"x.py]}}, {container}], {init_containers}")
    _, diagnostics = translate_job(job(roles))
    assert [diagnostic.message.partition("` ")[0] for diagnostic in diagnostics if diagnostic.code.id == "TC5001"] == [
        "`j-master-0",
        "`RANK",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "command: [torchrun, --nnodes=2, --node_rank=N, --master_addr=j-master-0, --master_port=23456, x.py]",
        "command: [torchrun, --nnodes, '2', --node-rank, 'N', --master_addr, j-master-0, x.py]",
        "command: [bash, -c, 'torchrun --nnodes 2 --node_rank N --master_addr j-master-0 x.py']",
    ],
)
def test_literal_node_ranks_of_two_roles_become_the_workers_ranks(line: str) -> None:
    roles = f"{role('Master', line.replace('N', '0'))}\n    {worker(line.replace('N', '1'), '1')}"
    spec, [diagnostic] = translate_job(job(roles))
    assert spec["launch"]["torchrun"]["rendezvous"] == {"backend": "static"}
    assert (spec["run"], spec["workers"]) == ({"python": ["x.py"]}, 2)
    assert diagnostic.message == "the literal node ranks 0 and 1 become each worker's own rank"
    different_programs = roles.replace("x.py", "y.py", 1)
    assert any(diagnostic.startswith("TC5005") for diagnostic in problems(job(different_programs)))
    two_workers = roles.replace("Worker: {replicas: 1", "Worker: {replicas: 2")
    assert any(
        diagnostic.startswith("TC5005") for diagnostic in problems(job(two_workers))
    )  # both Workers would have rank 1


RANGE = (
    "command: [torchrun, '--nnodes=1:4', --rdzv_backend=c10d, '--rdzv_endpoint=j-worker-0:29400', --rdzv_id=7, x.py]"
)


def test_a_range_of_nodes_without_a_policy_is_elastic_and_keeps_the_number_of_pods() -> None:
    """The operator makes `replicas` pods, and --nnodes overrides its PET_NNODES."""
    spec, diagnostics = translate_job(job(worker(RANGE, replicas="3")))
    assert (spec["workers"], spec["elastic"]) == (3, {"minReplicas": 1, "maxReplicas": 4, "metrics": []})
    rendezvous = {"id": "7", "port": 29400}
    assert spec["launch"]["torchrun"] == {"nprocPerNode": "auto", "maxRestarts": 0, "rendezvous": rendezvous}
    assert [diagnostic.message for diagnostic in diagnostics] == [
        "nothing scales the job: it has 3 workers, as before, until you scale it",
        "the elastic job ends with a worker; without elasticPolicy the operator waits for all",
    ]


def with_env(*pairs: tuple[str, str]) -> str:
    """Return a container that starts torchrun with variables."""
    variables = ", ".join(f"{{name: {name}, value: '{value}'}}" for name, value in pairs)
    return f"{TORCHRUN}, env: [{variables}]"


@pytest.mark.parametrize(
    ("policy", "variables", "launch", "env"),
    [
        (
            "elasticPolicy: {}",
            (("PET_RDZV_ID", "run"), ("PET_RDZV_CONF", "read_timeout=9,is_host=0"), ("PET_MAX_RESTARTS", "5")),
            {"maxRestarts": 5, "rendezvous": {"id": "run", "conf": {"read_timeout": 9, "is_host": 0}}},
            None,
        ),
        (
            "elasticPolicy: {rdzvId: policy, maxRestarts: 1}",
            (("PET_RDZV_ID", "run"), ("PET_MAX_RESTARTS", "5")),
            {"maxRestarts": 1, "rendezvous": {"id": "policy"}},
            None,
        ),
        (
            "",
            (("PET_RDZV_BACKEND", "c10d"), ("PET_RDZV_ENDPOINT", "j-worker-0:29400"), ("PET_STANDALONE", "0")),
            {"rendezvous": {"port": 29400}},
            {"PET_STANDALONE": "0"},
        ),
        ("elasticPolicy: {}", (("PET_TEE", "3"), ("PET_ROLE", "a"), ("A", "b")), {"tee": 3, "role": "a"}, {"A": "b"}),
        (
            "elasticPolicy: {}",
            (("PET_MAX_RESTARTS", "five"), ("PET_RDZV_CONF", "timeout"), ("PET_RDZV_ID", "$(A)")),
            {},
            {"PET_MAX_RESTARTS": "five", "PET_RDZV_CONF": "timeout", "PET_RDZV_ID": "$(A)"},
        ),
    ],
)
def test_variables_of_torchrun_become_fields_unless_the_operator_sets_them(
    policy: str, variables: tuple[tuple[str, str], ...], launch: dict[str, Any], env: dict[str, str] | None
) -> None:
    """The operator appends PET_RDZV_ID, PET_RDZV_CONF and PET_MAX_RESTARTS only for fields of the policy.

    Generate of pkg/controller.v1/pytorch/elastic.go in v1.9.3
    """
    spec, _ = translate_job(job(worker(with_env(*variables)), policy))
    assert spec["launch"]["torchrun"] == {"nprocPerNode": "auto", **launch}
    assert spec.get("env") == env


def test_arguments_override_variables_of_torchrun() -> None:
    command = "command: [torchrun, --max-restarts=2, x.py], env: [{name: PET_MAX_RESTARTS, value: '5'}]"
    spec, _ = translate_job(job(worker(command), "elasticPolicy: {}"))
    assert spec["launch"]["torchrun"] == {"nprocPerNode": "auto", "maxRestarts": 2}
    assert "env" not in spec


@pytest.mark.parametrize(
    ("variable", "command", "run"),
    [
        ("PET_NO_PYTHON", "[torchrun, bash, -c, exec python x.py]", {"exec": ["bash", "-c", "exec python x.py"]}),
        ("PET_MODULE", "[torchrun, pkg.train, --fast]", {"module": ["pkg.train", "--fast"]}),
    ],
)
def test_variables_of_torchrun_decide_how_the_program_starts(variable: str, command: str, run: dict[str, Any]) -> None:
    """torchrun's switches read them like its other options: check_env in torch/distributed/argparse_util.py."""
    spec, _ = translate_job(
        job(worker(f"command: {command}, env: [{{name: {variable}, value: '1'}}]"), "elasticPolicy: {}")
    )
    assert (spec["run"], spec.get("env")) == (run, None)


def test_a_torchrun_in_a_script_reads_its_variable_of_the_program_itself() -> None:
    command = "command: [bash, -c, 'sleep 1; torchrun bash x.sh'], env: [{name: PET_NO_PYTHON, value: '1'}]"
    spec, _ = translate_job(job(worker(command), "elasticPolicy: {}"))
    assert spec["launch"]["torchrun"]["wrap"] is False
    assert spec["env"]["PET_NO_PYTHON"] == "1"
