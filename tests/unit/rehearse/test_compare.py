"""Comparison with the plan: a planned world passes, and each difference is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.fake_session import FakeSession, Reaction, ScheduledEvent, pod_event, world_events
from tests.unit.plan.manifests import objects
from trainc.rehearse.options import Options
from trainc.rehearse.rehearse import rehearse
from trainc.rehearse.scenarios.registry import SCENARIOS
from trainc.rehearse.verdict import Check, Verdict

MASTER = "elastic-0.elastic.default.svc.cluster.local"
FOUR = {f"elastic-{index}": [index] for index in range(4)}


def rehearse_with(
    reactions: Mapping[str, Reaction],
    name: str = "form",
    job: str = "torchrun-elastic/job",
    session_type: Any = FakeSession,
) -> Verdict:
    """Return the verdict of a scenario on a fake session with these events; its clock is the session's."""

    def open_session(manifests: list[dict[str, Any]], **options: Any) -> FakeSession:
        session: FakeSession = session_type(manifests, reactions, **options)
        return session

    return rehearse("job", objects(job), SCENARIOS[name], Options(patience=20), session_type=open_session)


def on_start(events: Sequence[ScheduledEvent]) -> dict[str, Reaction]:
    return {"start": lambda _: events}


def failed_checks(verdict: Verdict) -> list[Check]:
    return [check for check in verdict.checks if not check.ok]


def test_a_planned_world_passes() -> None:
    verdict = rehearse_with(on_start(world_events(FOUR, master=MASTER)))
    assert failed_checks(verdict) == []
    assert verdict.outcome == "passed"
    assert "4 pods form a world of 4 ranks" in [check.expectation for check in verdict.checks]


def test_a_missing_rank_fails_and_the_evidence_names_the_pods() -> None:
    without = {pod: ranks for pod, ranks in FOUR.items() if pod != "elastic-2"}
    events = [(after, event) for after, event in world_events(FOUR, master=MASTER) if event.pod in without]
    verdict = rehearse_with(on_start(events))
    assert verdict.outcome == "failed"
    (check, *_) = failed_checks(verdict)
    assert check.expectation == "4 pods form a world of 4 ranks"
    assert "5.0 s a world of 4: rank 0, 1, 3 on elastic-0, elastic-1, elastic-3 (incomplete)" in check.evidence


def test_pods_that_each_train_alone_are_four_worlds() -> None:
    """For example if every pod resolves the rendezvous host to itself."""
    worlds = [event for index in range(4) for event in world_events({f"elastic-{index}": [0]}, token=index + 1)]
    verdict = rehearse_with(on_start(worlds))
    assert verdict.outcome == "failed"
    assert sum("a world of 1" in line for line in failed_checks(verdict)[0].evidence) == 4


def test_a_second_world_next_to_a_complete_one_fails() -> None:
    events = [*world_events(FOUR, master=MASTER), *world_events({"elastic-3": [0]}, token=2, after=5.1)]
    verdict = rehearse_with(on_start(events))
    assert verdict.outcome == "failed"
    assert [check.expectation for check in failed_checks(verdict)] == ["there is exactly one world and it stays intact"]


def test_swapped_ranks_fail_with_the_planned_ones() -> None:
    swapped = {**FOUR, "elastic-1": [2], "elastic-2": [1]}
    (check,) = failed_checks(rehearse_with(on_start(world_events(swapped, master=MASTER))))
    assert check.expectation == "each pod has its planned ranks"
    assert "elastic-1 has rank 2, expected rank 1" in check.evidence


def test_events_of_all_ranks_in_one_log_count_for_their_own_pods() -> None:
    """With DeepSpeed over ssh, pdsh copies them to worker 0."""
    events = [(after, event.replace(pod="elastic-0")) for after, event in world_events(FOUR, master=MASTER)]
    assert failed_checks(rehearse_with(on_start(events))) == []


def test_a_pod_with_too_many_ranks_fails() -> None:
    (check, *_) = failed_checks(rehearse_with(on_start(world_events({**FOUR, "elastic-0": [0, 4]}, master=MASTER))))
    assert check.expectation == "4 pods form a world of 4 ranks"


def test_an_incorrect_sum_fails() -> None:
    (check,) = failed_checks(rehearse_with(on_start(world_events(FOUR, master=MASTER, sum=11))))
    assert check.expectation == "an all-reduce returns 10"
    assert "sum=11" in check.evidence[0]


def test_an_unplanned_master_fails() -> None:
    (check,) = failed_checks(
        rehearse_with(on_start(world_events(FOUR, master="elastic-3.elastic.default.svc.cluster.local")))
    )
    assert check.expectation.startswith("all ranks have MASTER_ADDR elastic-0.elastic.")
    assert check.evidence == ("elastic-3.elastic.default.svc.cluster.local:40000",)


def test_different_masters_fail() -> None:
    events = [*world_events({"elastic-0": [0]}, master=MASTER), *world_events({"elastic-1": [1]}, master="10.0.0.2")]
    events = [(after, event.replace(text=event.text.replace('"world": 1', '"world": 2'))) for after, event in events]
    events += [pod_event("job-failed", after=30)]
    verdict = rehearse_with(on_start(events), name="start-at-min")
    assert verdict.outcome == "failed"


class UnplannedStart(FakeSession):
    """Pods whose command line and environment differ from the manifests."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        first = self.states["elastic-0"]
        env = {**first.env, "PET_RDZV_ENDPOINT": "elastic-1:29400", "MORE": "1", "HOSTNAME": "elastic-0"}
        env.pop("PET_NNODES")
        self.states["elastic-0"] = first.replace(env=env, argv=("torchrun", "other.py", *first.argv[2:]))


def test_unplanned_command_lines_and_variables_fail() -> None:
    verdict = rehearse_with(on_start(world_events(FOUR, master=MASTER)), session_type=UnplannedStart)
    lines, values = failed_checks(verdict)
    assert lines.evidence == ("elastic-0: other.py, expected train.py",)
    assert set(values.evidence) == {
        "elastic-0 has no PET_NNODES, expected '1:4'",
        "elastic-0: PET_RDZV_ENDPOINT is 'elastic-1:29400', expected 'elastic-0:29400'",
        "elastic-0 has MORE, which isn't planned",
    }


class UnplannedSecret(FakeSession):
    """A pod with an unplanned value in a secret variable."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        first = self.states["elastic-0"]
        self.states["elastic-0"] = first.replace(env={**first.env, "WANDB_API_KEY": "d34db33f" * 5})


def test_a_secret_variable_is_redacted() -> None:
    verdict = rehearse_with(on_start(world_events(FOUR, master=MASTER)), session_type=UnplannedSecret)
    assert verdict.outcome == "failed"
    assert "d34db33f" not in repr(verdict)


@pytest.mark.parametrize("result", ["complete", "failed"])
def test_a_finished_job_ends_the_wait(result: str) -> None:
    sessions: list[FakeSession] = []

    class RecordedSession(FakeSession):
        def __exit__(self, *arguments: Any) -> None:
            sessions.append(self)

    rehearse_with(on_start([pod_event(f"job-{result}", after=2.0)]), session_type=RecordedSession)
    assert sessions[0].time < 60
