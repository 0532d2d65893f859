"""The scheduler's messages: real ones, and those of its own tests.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/scheduler/framework/types_test.go
"""

from __future__ import annotations

import pytest

from trainc.status.scheduling import parse_counts


@pytest.mark.parametrize(
    ("message", "nodes", "refusals"),
    [
        (
            "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/4 nodes"
            " are available: 4 No preemption victims found for incoming pod.",
            4,
            [(4, "Insufficient nvidia.com/gpu")],
        ),
        (
            "0/9 nodes are available: 2 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector, 4"
            " node(s) had untolerated taint(s). preemption: 0/9 nodes are available: 9 Preemption is not helpful.",
            9,
            [
                (2, "Insufficient cpu"),
                (3, "node(s) didn't match Pod's node affinity/selector"),
                (4, "node(s) had untolerated taint(s)"),
            ],
        ),
        (
            "0/3 nodes are available: 1 Node(s) failed PreFilter plugin FalsePreFilter, 2 node(s) had taint {a: b, c}.",
            3,
            [(1, "Node(s) failed PreFilter plugin FalsePreFilter"), (2, "node(s) had taint {a: b, c}")],
        ),
        ('0/1 nodes are available: persistentvolumeclaim "data" not found. preemption: not eligible.', 1, []),
        ("no nodes available to schedule pods", None, []),
        ("pod group is not ready, 2 Pending, 4 minAvailable", None, []),
        ("", None, []),
    ],
)
def test_counts_of_a_message(message: str, nodes: int | None, refusals: list[tuple[int, str]]) -> None:
    parsed = parse_counts(message)
    assert parsed.nodes == nodes
    assert [(each.nodes, each.reason) for each in parsed.refusals] == refusals


def test_reasons_without_counts_are_kept() -> None:
    parsed = parse_counts('0/1 nodes are available: persistentvolumeclaim "data" not found. preemption: no.')
    assert str(parsed) == 'none of 1 nodes fits: persistentvolumeclaim "data" not found'
    assert str(parse_counts("no nodes\n available")) == "no nodes available"
