"""What several scenarios do and expect alike."""

from __future__ import annotations

from collections.abc import Mapping

from trainc.plan.fields import listed, mapping, text
from trainc.rehearse import compare
from trainc.rehearse.events import Event
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line, rank_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.worlds import World

_STAYS = 3.0  # seconds after which a world is believed
BACK_OFF = 40.0  # seconds: a kubelet's or a controller's second wait before it starts something again


def form(
    watch: Observer, delays: Mapping[int, float] | None = None, dns_delays: Mapping[int | str, float] | None = None
) -> World:
    """Start all pods, and judge the world that they form. ScenarioAborted if they form none."""
    watch.start(delays, dns_delays)
    late = max([*(delays or {}).values(), *(dns_delays or {}).values()], default=0)
    return formed(watch, watch.job.pods, -1.0, extra=late)


def formed(watch: Observer, pods: int, since: float, extra: float = 0.0) -> World:
    """The world of so many pods that began after a moment, judged. ScenarioAborted if there is none."""
    job = watch.job
    size = job.world(pods)
    extra += job.last_call if job.elastic else 0
    if job.alone and pods > 1:
        return _each_alone(watch, pods, since, extra)
    found = watch.world(size, since, extra)
    there = min(pods, job.nodes[1])
    again = " again" if since >= 0 else ""
    where = "1 pod" if there == 1 else f"{there} pods"
    expectation = f"{_ranks(size)} meet{'s' if size == 1 else ''}{again} on {where}, each once"
    watch.must(expectation, found, _first_and_last(found) if found else watch.evidence(since))
    assert found is not None
    watch.pass_time(_STAYS)
    others = [one for one in watch.worlds.live if one.token != found.token and one.began >= found.began]
    lines = [f"another of {one.size} on {', '.join(one.pods())}" for one in others]
    if found.token not in {one.token for one in watch.worlds.live}:
        lines += [f"{one.at:.1f} s rank {one.rank}: {one.text('why')}" for one in watch.said if one.what == "failed"]
        if not lines and not (watch.silent and _ended_well(watch)):
            lines = ["it fell apart"]
    watch.check("there is one world, and it stays together", not lines, lines[:4])
    compare.compare_world(watch, found, whole=pods == len(job.members))
    return found


def _ended_well(watch: Observer) -> bool:
    """Whether the program was done before it was looked at again."""
    return all(not one.data.get("exit_code") for one in watch.happened("container-exited"))


def _each_alone(watch: Observer, pods: int, since: float, extra: float) -> World:
    """Pods that don't meet are each a world of their own."""

    def met() -> list[World]:
        there = [one for one in watch.worlds.live if one.began > since and one.complete]
        return there if len({pod for one in there for pod in one.pods()}) >= pods else []

    found = watch.until(met, extra)
    lines = [f"{one.at:.1f} s {', '.join(one.pods())} alone with {_ranks(one.size)}" for one in found or []]
    watch.must(f"each of {pods} pods is a world of its own", found, lines[:4] or watch.evidence(since))
    assert found
    return found[0]


def _ranks(size: int | None) -> str:
    return "all ranks" if size is None else "1 rank" if size == 1 else f"{size} ranks"


def _first_and_last(found: World) -> list[str]:
    ranks = [one for _, one in sorted(found.ranks.items())]
    return [rank_line(one) for one in (ranks[:1] if len(ranks) == 1 else [ranks[0], ranks[-1]])]


def meets_others(job: Expectations) -> str:
    """Why a job doesn't fit in which the others must notice something; empty if it fits."""
    if job.alone:
        return "its pods don't meet: there is nobody whom it would touch"
    return "it starts with one pod: there is nobody whom it would touch" if job.pods < 2 else ""


def shrinks(job: Expectations) -> str:
    """Why a job doesn't fit that must go on with fewer pods; empty if it fits."""
    if not job.elastic:
        return "the job has a fixed size: it never goes on with fewer pods"
    if job.pods <= job.nodes[0]:
        return f"the job starts with {job.pods} pods and may not have fewer" if job.pods > 1 else "the job has one pod"
    return ""


def last(job: Expectations) -> int:
    """The index of the worker that is lost: the last, which hosts nothing."""
    return job.members[job.pods - 1].pod.index


def after_exit(watch: Observer, event: Event) -> str:
    """What the job's policies make of a container that has failed: replaced, restarted, fails or stays."""
    job = watch.job
    if job.kind == "operator" and job.restart_policy == "Never":
        return "fails" if watch.until(lambda: watch.stage.finished, 5) == "failed" else "replaced"
    if job.kind != "Job":
        return "stays" if job.restart_policy == "Never" else "restarted"
    code = event.data.get("exit_code")
    for rule in job.rules:
        codes = mapping(rule, "onExitCodes")
        if codes:
            among = code in listed(codes, "values")
            if among == (text(codes, "operator") == "In"):
                action = text(rule, "action")
                if action in ("FailJob", "FailIndex"):
                    return "fails"
                break
    if job.again == 0:
        return "fails"
    return "replaced" if job.restart_policy == "Never" else "restarted"


def exited(watch: Observer, index: int, since: float) -> Event | None:
    """Wait for the container of a worker to end with a failure."""

    def met() -> Event | None:
        names = watch.named(index)
        there = [one for one in watch.happened("container-exited", since=since) if one.pod in names]
        return next((one for one in there if one.data.get("exit_code") and not one.data.get("init")), None)

    return watch.until(met)


def ends(watch: Observer, why: str) -> None:
    """The job fails as a whole."""
    over = watch.until(lambda: watch.stage.finished)
    lines = [event_line(one) for one in watch.happened("job-failed")]
    watch.check(f"the job fails: {why}", over == "failed", lines or watch.evidence())


def again(watch: Observer, since: float, extra: float = BACK_OFF) -> World:
    """All pods that there were meet again."""
    return formed(watch, watch.job.pods, since, extra)


def all_exit(watch: Observer, indexes: list[int], since: float, expectation: str, extra: float = 0.0) -> None:
    """The launchers of some workers end with a failure."""

    def met() -> list[Event]:
        found = []
        for index in indexes:
            names = watch.named(index)
            there = [one for one in watch.happened("container-exited", since=since) if one.pod in names]
            found += there[:1]
        return found if len(found) == len(indexes) else []

    events = watch.until(met, extra) or []
    watch.check(expectation, bool(events), [event_line(one) for one in events[:4]] or watch.evidence(since))
