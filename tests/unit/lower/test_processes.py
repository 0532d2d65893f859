"""Number of processes per pod."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job, parse_job


@pytest.mark.parametrize(
    ("launch", "resources", "processes"),
    [
        ({"basic": {}}, {"gpu": 8}, 1),
        ({"torchrun": {}}, {}, 1),
        ({"torchrun": {}}, {"gpu": 8}, 8),
        ({"torchrun": {}}, {"gpu": 0}, 1),
        ({"torchrun": {"nprocPerNode": 2}}, {"gpu": 8}, 2),
        ({"torchrun": {"nprocPerNode": "auto"}}, {"gpu": 8}, "auto"),
        ({"torchrun": {"nprocPerNode": "cpu"}}, {}, "cpu"),
        ({"torchrun": {"nprocPerNode": "gpu"}}, {}, "gpu"),
        ({"deepspeed": {}}, {"gpu": 4}, 4),
        ({"deepspeed": {}}, {}, 1),
        ({"deepspeed": {"slotsPerWorker": 2}}, {"gpu": 4}, 2),
    ],
)
def test_processes_per_pod(launch: dict[str, Any], resources: dict[str, Any], processes: int | str) -> None:
    job = parse_job(launch=launch, resources=resources)
    assert job.launch.processes_per_pod(job.resources.gpu_count) == processes


def test_process_count_is_none_for_keywords() -> None:
    assert lower_job(launch={"torchrun": {"nprocPerNode": "gpu"}}).launch.process_count is None
    assert lower_job(launch={"torchrun": {"nprocPerNode": 4}}).launch.process_count == 4
