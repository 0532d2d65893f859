"""Pods that differ in their rank only become the workers of one job."""

from __future__ import annotations

from tests.support.native_objects import HEADLESS, imported, pod, run


def test_pods_that_differ_in_their_rank_are_one_job() -> None:
    env = [{"name": "WORLD_SIZE", "value": "2"}, {"name": "MASTER_ADDR", "value": "p-0.net"}]
    pods = [
        pod(rank, ["python3", "train.py", "--rank", str(rank)], env=[*env, {"name": "RANK", "value": str(rank)}])
        for rank in (1, 0)
    ]
    spec = imported(HEADLESS, *pods)
    assert (spec["launch"], spec["workers"]) == ({"basic": {}}, 2)
    assert (spec["run"], "env" in spec) == ({"python": ["train.py", "--rank", "$(RANK)"]}, False)


def test_pods_with_other_programs_are_rejected() -> None:
    result = run("import", pod(0, ["torchrun", "a.py"]), pod(1, ["torchrun", "b.py"]))
    assert result.code == 1
    assert "p-1 and p-0 differ in `spec.containers.a.command`" in result.err.replace("`p-1`", "p-1").replace(
        "`p-0`", "p-0"
    )
