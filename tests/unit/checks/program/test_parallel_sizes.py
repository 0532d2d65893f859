"""Products of Megatron's parallel sizes.

The verdicts are those of initialize_model_parallel of Megatron-Core 0.16.1, called in a fake process group.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, job_text
from trainc.driver import run
from trainc.span import Source

SIZES = ("tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size")
EXPERT = "expert-model-parallel-size"


def messages(arguments: list[str], **spec: Any) -> list[str]:
    job = job_text(launch={"torchrun": {}}, run={"python": ["pretrain_gpt.py", *arguments]}, **spec)
    diagnostics = run([Source("job.yaml", job)], TARGET).diagnostics
    return [each.message for each in diagnostics if each.code.id == "TC3185"]


@pytest.mark.parametrize(
    ("world", "sizes", "expected"),
    [
        (16, (8, 3, 1, 1), "16 is not divisible by 24 (tensor 8 × pipeline 3 × context 1)"),
        (16, (8, 2, 1, 1), None),
        (16, (8, 4, 1, 1), "16 is not divisible by 32 (tensor 8 × pipeline 4 × context 1)"),
        (16, (4, 2, 2, 1), None),
        (16, (4, 2, 4, 1), "16 is not divisible by 32 (tensor 4 × pipeline 2 × context 4)"),
        (12, (2, 2, 1, 1), None),
        (12, (2, 2, 1, 2), "12 is not divisible by 8 (tensor 2 × expert 2 × pipeline 2)"),
        (16, (2, 2, 1, 8), "16 is not divisible by 32 (tensor 2 × expert 8 × pipeline 2)"),
        (16, (2, 2, 2, 3), "16 is not divisible by 12 (tensor 2 × expert 3 × pipeline 2)"),
    ],
)
def test_sizes_divide_the_world(world: int, sizes: tuple[int, ...], expected: str | None) -> None:
    arguments = [f"--{name}={size}" for name, size in zip((*SIZES, EXPERT), sizes, strict=True)]
    reported = messages(arguments, workers=2, resources={"gpu": world // 2})
    assert reported == ([] if expected is None else [f"Megatron exits: the world of {expected}"])


@pytest.mark.parametrize(
    ("arguments", "spec"),
    [
        (["--tensor-parallel-size=3"], {"workers": 2}),  # of vLLM
        (["--tensor-model-parallel-size=2"], {"elastic": {"minReplicas": 1, "maxReplicas": 3}}),
        (["--context-parallel-size=3"], {"workers": 2}),
        ([], {"workers": 2}),
    ],
)
def test_other_arguments_and_elastic_jobs_have_no_finding(arguments: list[str], spec: dict[str, Any]) -> None:
    assert messages(arguments, **spec) == []


def test_a_size_that_only_the_shell_knows_is_a_whole_number() -> None:
    line = (
        "torchrun --nproc-per-node=4 pretrain_gpt.py --tensor-model-parallel-size {} --pipeline-model-parallel-size {}"
    )
    for tensor, pipeline, count in ((3, "$PP", 1), ("$TP", "$PP", 0), (2, "$PP", 0)):
        command = ["bash", "-c", line.format(tensor, pipeline)]
        job = job_text(launch={"torchrun": {"wrap": False}}, run={"exec": command}, workers=2, resources={"gpu": 4})
        diagnostics = run([Source("job.yaml", job)], TARGET).diagnostics
        assert sum(each.code.id == "TC3185" for each in diagnostics) == count


DEGREES = ("data_parallel_replicate", "data_parallel_shard", "context_parallel", "tensor_parallel", "pipeline_parallel")


@pytest.mark.parametrize(
    ("workers", "degrees", "expected"),
    [
        # verdicts of ParallelDims of torchtitan 0.3.0 for 8 processes on each worker
        (2, (1, -1, 1, 8, 1), None),
        (2, (1, -1, 1, 8, 3), "16 is not divisible by 24 (tensor 8 × pipeline 3)"),
        (2, (2, 4, 1, 2, 1), None),
        (2, (1, -1, 1, 3, 1), "16 is not divisible by 3 (tensor 3)"),
        (3, (1, -1, 2, 4, 3), None),
        (1, (1, -1, 1, 16, 1), "8 is not divisible by 16 (tensor 16)"),
    ],
)
def test_degrees_of_torchtitan(workers: int, degrees: tuple[int, ...], expected: str | None) -> None:
    arguments = [
        f"--parallelism.{name}_degree={degree}"
        for name, degree in zip(DEGREES, degrees, strict=True)
        if degree != 1  # as people write them
    ]
    found = messages(arguments, workers=workers, resources={"gpu": 8})
    assert found == ([] if expected is None else [f"torchtitan exits: the world of {expected}"])


def test_degrees_of_another_section_are_not_torchtitans() -> None:
    assert messages(["--tensor_parallel_degree=3"], workers=2, resources={"gpu": 8}) == []
