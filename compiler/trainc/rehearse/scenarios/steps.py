"""Actions and expectations that scenarios share."""

from __future__ import annotations

from collections.abc import Mapping

from trainc.rehearse import compare
from trainc.rehearse.events import Event
from trainc.rehearse.log_evidence import event_line, rank_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.worlds import World
from trainc.systems.shared.lifecycle import Effect, PodFailure

_STABLE_AFTER = 3.0  # seconds after which a world counts as stable
BACKOFF = 40.0  # seconds: the second backoff of a kubelet or controller before it restarts something


def form(
    observer: Observer, delays: Mapping[int, float] | None = None, dns_delays: Mapping[int | str, float] | None = None
) -> World:
    """Start all pods and compare their world with the plan. Raises ScenarioAborted if none forms."""
    observer.session.start(delays, dns_delays)
    delay = max([*(delays or {}).values(), *(dns_delays or {}).values()], default=0)
    return expect_world(observer, observer.job.pods, -1.0, extra=delay)


def expect_world(observer: Observer, pods: int, since: float, extra: float = 0.0) -> World:
    """Wait for a world of so many pods that starts after `since`, and compare it with the plan.

    Raises ScenarioAborted if none forms.
    """
    job = observer.job
    size = job.world_size(pods)
    extra += job.last_call if job.is_elastic else 0
    if job.is_independent and pods > 1:
        return _expect_independent_worlds(observer, pods, since, extra)
    world = observer.wait_for_world(size, since, extra)
    count = min(pods, job.nodes[1])
    expectation = f"{'1 pod forms' if count == 1 else f'{count} pods form'} a world of {ranks(size)}"
    if since >= 0:
        expectation += " again"
    world = observer.require(expectation, world, _first_and_last(world) if world else observer.evidence(since))
    observer.sleep(_STABLE_AFTER)
    _expect_stable(observer, world)
    compare.compare_world(observer, world, is_full=pods == len(job.workers))
    return world


def expect_world_again(observer: Observer, since: float, extra: float = BACKOFF) -> World:
    """Wait until the initial number of pods forms a world again."""
    return expect_world(observer, observer.job.pods, since, extra)


def _expect_stable(observer: Observer, world: World) -> None:
    live = observer.worlds.live
    others = [other for other in live if other.token != world.token and other.started_at >= world.started_at]
    lines = [f"a second world of {ranks(other.size)} on {', '.join(other.ranks_by_pod())}" for other in others]
    if world.token not in {other.token for other in live}:
        failures = [event for event in observer.probe_events if event.kind == "failed"]
        lines += [f"{event.at:.1f} s rank {event.rank}: {event.text('reason')}" for event in failures]
        # A user's program may have finished already.
        has_failures = any(event.data.get("exit_code") for event in observer.events_of("container-exited"))
        if not lines and (has_failures or not observer.ranks_from_env):
            lines = ["the world lost a rank"]
    observer.check("there is exactly one world and it stays intact", not lines, lines[:4])


def _expect_independent_worlds(observer: Observer, pods: int, since: float, extra: float) -> World:
    """Wait until each pod of a job without communication is a world of its own."""

    def all_worlds() -> list[World]:
        worlds = observer.complete_worlds(since)
        return worlds if len({pod for world in worlds for pod in world.ranks_by_pod()}) >= pods else []

    worlds = observer.wait_until(all_worlds, extra) or []
    lines = [
        f"{world.completed_at:.1f} s {', '.join(world.ranks_by_pod())} alone with {ranks(world.size)}"
        for world in worlds
    ]
    evidence = lines[:4] or observer.evidence(since)
    return observer.require(f"each of {pods} pods forms a world of its own", worlds, evidence)[0]


def ranks(size: int | None) -> str:
    """Return a number of ranks in words."""
    return "all ranks" if size is None else "1 rank" if size == 1 else f"{size} ranks"


def _first_and_last(world: World) -> list[str]:
    return [rank_line(world.ranks[rank]) for rank in sorted({min(world.ranks), max(world.ranks)})]


def failure_effect(observer: Observer, event: Event) -> Effect:
    """Return what follows a container's failure: as predicted by the policies of the job, or else as observed."""
    exits = ((event.container, int(event.data.get("exit_code") or 0)),)
    if effect := observer.job.first_failure(PodFailure(exits=exits)):
        return effect
    return "job fails" if observer.wait_until(lambda: observer.session.finished, 5) == "failed" else "replaced"


def wait_for_failure(observer: Observer, index: int, since: float) -> Event | None:
    """Wait until a worker's container exits with an error, or that of the launcher pod, whose workers run sshd."""

    def failure() -> Event | None:
        launchers = {pod.name for pod in observer.session.pods if pod.server and observer.job.has_launcher_pod}
        names = launchers or observer.pod_names(index)
        return next((e for e in observer.exits(since) if e.pod in names and e.data.get("exit_code")), None)

    return observer.wait_until(failure)


def expect_exits(observer: Observer, indexes: list[int], since: float, expectation: str, extra: float = 0.0) -> None:
    """Wait until the launchers of some workers exit."""

    def all_exits() -> list[Event]:
        exits = observer.events_of("container-exited", since=since)
        first = [next((e for e in exits if e.pod in observer.pod_names(index)), None) for index in indexes]
        return [] if None in first else [event for event in first if event]

    events = observer.wait_until(all_exits, extra) or []
    lines = [event_line(event) for event in events[:4]]
    observer.check(expectation, bool(events), lines or observer.evidence(since))
