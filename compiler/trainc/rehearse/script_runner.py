"""Plays the steps of a scenario file on a stage."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line, rank_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps
from trainc.rehearse.scenarios.delete import checkpoint_seconds, expect_deletion
from trainc.rehearse.scenarios.finish import expect_completion
from trainc.rehearse.scenarios.registry import Scenario
from trainc.rehearse.script import Script, Step


def script_scenario(script: Script) -> Scenario:
    """The scenario that a file describes."""
    return Scenario(
        name=script.name,
        description=script.description,
        skip_reason=lambda job: _why_not(script, job),
        run=lambda watch: _Run(script, watch).play(),
    )


def _why_not(script: Script, job: Expectations) -> str:
    """Its workers must be there."""
    known = {one.pod.index for one in job.members}
    named = {*script.hold, *script.delays, *script.dns_delays}
    named |= {step.given["pod"] for step in script.steps if step.given.get("pod") is not None}
    missing = sorted(named - known)
    return f"the job has no worker {missing[0]}" if missing else ""


class _Run:
    def __init__(self, script: Script, watch: Observer) -> None:
        self.script, self.watch = script, watch
        self.mark = -1.0  # when something was done last: what is waited for comes after it

    def play(self) -> None:
        """All steps, until something that must come doesn't."""
        watch, script = self.watch, self.script
        if script.timeout is not None:
            watch.control.tell(timeout=script.timeout)
        watch.start({**script.delays, **dict.fromkeys(script.hold, math.inf)}, dict(script.dns_delays))
        for step in script.steps:
            if step.word == "wait-for":
                self._wait(step.given)
            elif step.word == "expect":
                self._expect(step.given)
            elif step.word == "pause":
                watch.pass_time(step.given["seconds"])
            else:
                self.mark = watch.now
                _ACTS[step.word](watch, step)

    def _wait(self, given: dict[str, Any]) -> None:
        watch = self.watch
        if "world" in given:
            size, words = self._size(given["world"])
            found = watch.world(size, self.mark, steps.BACK_OFF + watch.job.last_call)
            watch.must(f"a world of {words} forms", found, _ranks(found) or watch.evidence(self.mark))
        elif "running" in given:
            many = watch.until(lambda: self._running() >= given["running"])
            watch.must(f"{given['running']} pods run", many, watch.evidence(self.mark))
        else:
            over = watch.until(lambda: watch.stage.finished)
            watch.must(f"the job is {given['job']}", over == given["job"], watch.evidence(self.mark))

    def _expect(self, given: dict[str, Any]) -> None:
        watch = self.watch
        if "world" in given:
            size, words = self._size(given["world"])
            live = [one for one in watch.worlds.live if one.complete and size in (None, one.size)]
            watch.check(f"there is a world of {words}", bool(live), _ranks(live[0]) if live else watch.evidence())
        if "running" in given:
            watch.check(f"{given['running']} pods run", self._running() == given["running"])
        if "job" in given:
            watch.check(f"the job is {given['job']}", watch.stage.finished == given["job"], watch.evidence(self.mark))
        exits = [one for one in watch.happened("container-exited", since=self.mark) if not one.data.get("init")]
        for index in given.get("ended", ()):
            mine = [one for one in exits if one.pod in watch.named(index)]
            watch.check(f"worker {index}'s container has ended", bool(mine), [event_line(one) for one in mine[:1]])
        if given.get("same-pods"):
            watch.check("no container has ended", not exits, [event_line(one) for one in exits[:4]])

    def _running(self) -> int:
        return sum(one.phase == "Running" and not one.server for one in self.watch.stage.pods)

    def _size(self, given: int | str) -> tuple[int | None, str]:
        job = self.watch.job
        if isinstance(given, int):
            return given, f"{given} rank{'s' if given > 1 else ''}"
        size = job.world(job.nodes[0] if given == "least" else job.pods)
        return size, "all ranks" if size is None else f"{size} rank{'s' if size > 1 else ''}"


def _ranks(found: Any) -> list[str]:
    return [rank_line(one) for one in list(found.ranks.values())[:1]] if found else []


def _kill(watch: Observer, step: Step) -> None:
    if "matching" in step.given:
        watch.stage.kill_process(step.given["pod"], step.given["matching"])
        return
    rank = step.given["rank"]
    live = [one for one in watch.worlds.live if rank in one.ranks]
    if not live:
        watch.fail(f"rank {rank} is there to be killed", watch.evidence())
    watch.stage.kill_process(live[-1].ranks[rank].pod, rank)


def _stop(watch: Observer, step: Step) -> None:
    save = step.given.get("save")
    save = 0.8 * checkpoint_seconds(watch.job) if save is None else save
    watch.control.tell(save=save)
    expect_deletion(watch, save)


def _finish(watch: Observer, _: Step) -> None:
    mark = watch.now
    watch.control.tell(finish=True)
    expect_completion(watch, mark)


def _exit(watch: Observer, step: Step) -> None:
    watch.control.tell(exit={"rank": step.given.get("rank", 0), "code": step.given["code"]})
    watch.until(lambda: [one for one in watch.said if one.what == "exits"])
    watch.control.tell(exit=None)  # once, not after every new start


_ACTS: dict[str, Callable[[Observer, Step], None]] = {
    "kill-process": _kill,
    "kill-pod": lambda watch, step: watch.stage.kill_pod(step.given["pod"], step.given.get("grace", 0)),
    "cut": lambda watch, step: watch.stage.disconnect(step.given["pod"]),
    "mend": lambda watch, step: watch.stage.reconnect(step.given["pod"]),
    "arrive": lambda watch, step: watch.stage.schedule(step.given["pod"]),
    "scale": lambda watch, step: watch.stage.scale(step.given["to"]),
    "exit": _exit,
    "stop": _stop,
    "finish": _finish,
}
