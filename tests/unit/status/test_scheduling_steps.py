"""Ways out of the scheduler's messages, each as kube-scheduler prints it.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/scheduler/framework/types_test.go
"""

from __future__ import annotations

import pytest
import yaml

from trainc.status.scheduling import parse_counts
from trainc.status.scheduling_steps import Step, ways_out


def steps(message: str, is_compiled: bool = True) -> list[Step]:
    return list(ways_out(parse_counts(message), lambda _: "", lambda command: f"{command} -n lab", is_compiled))


def test_a_taint_and_too_few_gpus_have_a_step_each() -> None:
    toleration, free = steps(
        "0/5 nodes are available: 2 node(s) had untolerated taint {nvidia.com/gpu: present}, 3 Insufficient"
        " nvidia.com/gpu. preemption: 0/5 nodes are available: 2 Preemption is not helpful for scheduling, 3 No"
        " preemption victims found for incoming pod."
    )
    assert toleration.message == "to use 2 nodes with a taint, add to the job file:"
    expected = [{"key": "nvidia.com/gpu", "operator": "Equal", "value": "present"}]
    assert yaml.safe_load(toleration.yaml) == {"spec": {"scheduling": {"tolerations": expected}}}
    assert free == Step(message="free nvidia.com/gpu, add nodes, or request less", command="kubectl describe nodes")


@pytest.mark.parametrize(
    ("taint", "toleration"),
    [
        ("untolerated taint {dedicated: true}", {"key": "dedicated", "operator": "Equal", "value": "true"}),
        ("untolerated taint {true: }", {"key": "true", "operator": "Exists"}),
        (
            "taint {example.com/a: b}, that the pod didn't tolerate",
            {"key": "example.com/a", "operator": "Equal", "value": "b"},
        ),
        ("untolerated taint(s)", {"key": "KEY", "operator": "Exists"}),
        ('untolerated taint {a"]: b}', {"key": "KEY", "operator": "Exists"}),
    ],
)
def test_tolerations(taint: str, toleration: dict[str, str]) -> None:
    (step,) = steps(f"0/2 nodes are available: 2 node(s) had {taint}. preemption: 0/2 nodes are available.", False)
    assert yaml.safe_load(step.yaml) == {"tolerations": [toleration]}


@pytest.mark.parametrize(
    ("message", "messages"),
    [
        (
            "0/2 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.",
            ["repair 2 nodes"],
        ),
        (
            "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2"
            " Insufficient cpu, 2 Insufficient memory.",
            ["add nodes: 1 node", "free cpu", "free memory"],
        ),
        (
            "0/9 nodes are available: 2 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector, 4"
            " node(s) were unschedulable.",
            ["free cpu", "use labels", "uncordon nodes"],
        ),
        (
            '0/1 nodes are available: persistentvolumeclaim "data" not found. preemption: not eligible.',
            ["create the claim"],
        ),
        ("0/2 nodes are available: 2 node(s) had volume node affinity conflict.", ["use nodes in the zone"]),
        ("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.", ["add nodes, or relax"]),
        ("no nodes available to schedule pods", ["add nodes"]),
        ("", []),
    ],
)
def test_each_reason_has_a_step(message: str, messages: list[str]) -> None:
    found = steps(message)
    assert len(found) == len(messages)
    assert all(step.message.startswith(start) for step, start in zip(found, messages, strict=True))


def test_claims_are_in_the_namespace_and_nodes_are_not() -> None:
    pending = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: not eligible."
    assert [step.command for step in steps(pending)] == ["kubectl get pvc -n lab"]
    assert [step.command for step in steps("0/1 nodes are available: 1 Too many pods.")] == ["kubectl describe nodes"]
