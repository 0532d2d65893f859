"""Sizes in axolotl's configuration.

The verdicts are those of _get_parallel_config_kwargs of axolotl 0.19.0, run with the world and the sizes: it raises a
ValueError, or the product of what it returns is not the world, which accelerate's ParallelismConfig rejects.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.build import job_text
from tests.support.command import trainc

CASES = [
    ("tensor_parallel_size: 4", ""),
    ("{tensor_parallel_size: 2, context_parallel_size: 2, expert_parallel_size: 2}", ""),
    ("{dp_replicate_size: 2, dp_shard_size: 8}", ""),
    ("base_model: m", ""),
    ("tensor_parallel_size: 3", "the world of 16 is not divisible by 3 (tensor 3 in `c.yaml`)"),
    ("{tensor_parallel_size: 8, context_parallel_size: 4}", "is not divisible by 32 (tensor 8 × context 4 in"),
    ("expert_parallel_size: 5", "is not divisible by 5 (expert 5 in"),
    ("dp_shard_size: 3", "is not divisible by 3 (shards 3 in"),
]
RUNS = [
    ({"module": ["axolotl.cli.train", "c.yaml"]}, "torchrun"),
    ({"exec": ["axolotl", "train", "c.yaml", "--launcher", "python"]}, "torchrun"),
]


@pytest.mark.parametrize(("config", "message"), CASES)
@pytest.mark.parametrize(("run", "launch"), RUNS)
def test_the_product_divides_the_world(
    config: str, message: str, run: dict[str, list[str]], launch: str, tmp_path: Path
) -> None:
    (tmp_path / "c.yaml").write_text(config + "\n")
    volume = {"name": "code", "mountPath": "/code", "files": ["c.yaml"]}
    job: dict[str, Any] = {
        "launch": {launch: {}},
        "run": run,
        "workers": 2,
        "resources": {"gpu": 8},
        "workingDir": "/code",
    }
    (tmp_path / "job.yaml").write_text(job_text(volumes=[volume], **job))
    err = trainc("check", str(tmp_path / "job.yaml")).err
    assert ("TC3185" in err, message in err) == (bool(message), True)


def test_a_config_in_the_image_is_not_read(tmp_path: Path) -> None:
    run = {"module": ["axolotl.cli.train", "c.yaml"]}
    (tmp_path / "job.yaml").write_text(job_text(launch={"torchrun": {}}, run=run, workers=2, resources={"gpu": 8}))
    assert "TC3185" not in trainc("check", str(tmp_path / "job.yaml")).err
