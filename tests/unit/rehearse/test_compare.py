"""The judge: a world that is the plan's passes, and each way in which it can differ is found and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.fake_session import FakeSession, Happens, Then, event, world
from tests.unit.plan.manifests import objects
from trainc.rehearse.events import Event
from trainc.rehearse.rehearse import Options, rehearse
from trainc.rehearse.scenarios.registry import scenario
from trainc.rehearse.verdict import Check, Verdict

MASTER = "elastic-0.elastic.default.svc.cluster.local"
FOUR = {f"elastic-{index}": [index] for index in range(4)}


def played(
    then: Mapping[str, Then], name: str = "form", job: str = "torchrun-elastic/job", stage: Any = FakeSession
) -> Verdict:
    """The verdict of a scenario on a stage on which this happens; its clock is the stage's."""

    def made(given: list[dict[str, Any]], **options: Any) -> FakeSession:
        found: FakeSession = stage(given, then, **options)
        return found

    return rehearse("job", objects(job), scenario(name), Options(quiet=20), stage=made)


def starts(happens: Sequence[Happens]) -> dict[str, Then]:
    return {"start": lambda _: happens}


def wrong(verdict: Verdict) -> list[Check]:
    return [one for one in verdict.checks if not one.ok]


def test_a_world_that_is_the_plans_is_as_planned() -> None:
    verdict = played(starts(world(FOUR, master=MASTER)))
    assert wrong(verdict) == []
    assert verdict.outcome == "passed"
    assert "4 ranks meet on 4 pods, each once" in [one.expectation for one in verdict.checks]


def test_a_rank_that_is_missing_is_no_world_and_the_pods_are_told_of() -> None:
    without = {pod: ranks for pod, ranks in FOUR.items() if pod != "elastic-2"}
    happens = [(after, one) for after, one in world(FOUR, master=MASTER) if one.pod in without]
    verdict = played(starts(happens))
    assert verdict.outcome == "failed"
    (check, *_) = wrong(verdict)
    assert check.expectation == "4 ranks meet on 4 pods, each once"
    assert "5.0 s a world of 4: rank 0, 1, 3 on elastic-0, elastic-1, elastic-3 (not all of them)" in check.evidence


def test_pods_that_each_train_alone_are_four_worlds() -> None:
    """What a rendezvous host that every pod takes for itself makes of them."""
    split = [one for index in range(4) for one in world({f"elastic-{index}": [0]}, token=index + 1)]
    verdict = played(starts(split))
    assert verdict.outcome == "failed"
    assert sum("a world of 1" in line for line in wrong(verdict)[0].evidence) == 4


def test_a_second_world_beside_a_whole_one_is_found() -> None:
    happens = [*world(FOUR, master=MASTER), *world({"elastic-3": [0]}, token=2, after=5.1)]
    verdict = played(starts(happens))
    assert verdict.outcome == "failed"
    assert [one.expectation for one in wrong(verdict)] == ["there is one world, and it stays together"]


def test_ranks_that_are_swapped_are_told_with_what_the_plan_says() -> None:
    swapped = {**FOUR, "elastic-1": [2], "elastic-2": [1]}
    (check,) = wrong(played(starts(world(swapped, master=MASTER))))
    assert check.expectation == "each pod has the ranks that the plan gives it"
    assert "elastic-1 has rank 2, where the plan says rank 1" in check.evidence


def test_what_all_ranks_say_in_one_pods_log_is_their_own_pods() -> None:
    """As pdsh brings it to worker 0 of DeepSpeed over ssh."""
    happens = [(after, one.replace(pod="elastic-0")) for after, one in world(FOUR, master=MASTER)]
    assert wrong(played(starts(happens))) == []


def test_a_pod_with_too_many_ranks_is_told() -> None:
    (check, *_) = wrong(played(starts(world({**FOUR, "elastic-0": [0, 4]}, master=MASTER))))
    assert check.expectation == "4 ranks meet on 4 pods, each once"


def test_a_wrong_sum_is_told() -> None:
    (check,) = wrong(played(starts(world(FOUR, master=MASTER, total=11))))
    assert check.expectation == "an all-reduce adds the ranks up to 10"
    assert "sum=11" in check.evidence[0]


def test_another_master_than_the_plans_is_told() -> None:
    (check,) = wrong(played(starts(world(FOUR, master="elastic-3.elastic.default.svc.cluster.local"))))
    assert check.expectation.startswith("all have the same MASTER_ADDR, elastic-0.elastic.")
    assert check.evidence == ("elastic-3.elastic.default.svc.cluster.local:40000",)


def test_masters_that_differ_are_told_with_their_pods() -> None:
    happens = [*world({"elastic-0": [0]}, master=MASTER), *world({"elastic-1": [1]}, master="10.0.0.2")]
    happens = [(after, one.replace(text=one.text.replace('"world": 1', '"world": 2'))) for after, one in happens]
    happens += [event("job-failed", after=30)]
    verdict = played({"start": lambda _: happens}, name="start-at-min")
    assert verdict.outcome == "failed"


class Otherwise(FakeSession):
    """Pods that were started with something else than the manifests say."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        first = self.states["elastic-0"]
        env = {**first.env, "PET_RDZV_ENDPOINT": "elastic-1:29400", "MORE": "1", "HOSTNAME": "elastic-0"}
        env.pop("PET_NNODES")
        self.states["elastic-0"] = first.replace(env=env, argv=("torchrun", "other.py", *first.argv[2:]))


def test_other_command_lines_and_variables_than_the_plans_are_told() -> None:
    verdict = played(starts(world(FOUR, master=MASTER)), stage=Otherwise)
    lines, values = wrong(verdict)
    assert lines.evidence == ("elastic-0: other.py, where the plan says train.py",)
    assert set(values.evidence) == {
        "elastic-0 has no PET_NNODES, where the plan says '1:4'",
        "elastic-0: PET_RDZV_ENDPOINT is 'elastic-1:29400', where the plan says 'elastic-0:29400'",
        "elastic-0 has MORE, of which the plan knows nothing",
    }


class Secrets(FakeSession):
    """A pod whose variable with a token isn't what it should be."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        first = self.states["elastic-0"]
        self.states["elastic-0"] = first.replace(env={**first.env, "WANDB_API_KEY": "d34db33f" * 5})


def test_a_secret_is_never_told() -> None:
    verdict = played(starts(world(FOUR, master=MASTER)), stage=Secrets)
    assert verdict.outcome == "failed"
    assert "d34db33f" not in repr(verdict)


def test_a_secret_that_a_launcher_prints_is_never_told() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    said = (2.0, Event(at=0, kind="line", pod="elastic-0", text=f"ValueError: can't log in with {key}"))
    verdict = played(starts([said]))
    assert "ValueError: can't log in with" in repr(verdict)
    assert key not in repr(verdict)


@pytest.mark.parametrize("what", ["complete", "failed"])
def test_a_job_that_has_ended_is_not_waited_for(what: str) -> None:
    ended: list[FakeSession] = []

    class Ends(FakeSession):
        def __exit__(self, *given: Any) -> None:
            ended.append(self)

    played(starts([event(f"job-{what}", after=2.0)]), stage=Ends)
    assert ended[0].time < 60
