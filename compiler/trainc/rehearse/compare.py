"""Whether what runs is what `trainc plan` says: who is which rank, where they meet, how each pod was started."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.plan import redact as hide
from trainc.plan.container import Container
from trainc.plan.expand import CLOSE, OPEN
from trainc.plan.process_env import process_env
from trainc.rehearse.events import PodState
from trainc.rehearse.log_evidence import rank_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.worlds import World

_UNSEEN = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
# What every pod has: its own name, and the Services' that enableServiceLinks brings.
# https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables
_EVERYWHERE = re.compile(r"HOSTNAME|PATH|HOME|KUBERNETES_\w+|\w+_SERVICE_(HOST|PORT)(_\w+)?|\w+_PORT(_\d+_\w+)?")
_SHOWN = 4  # lines of evidence


def like(planned: str, seen: str) -> bool:
    """Whether a value is what the plan says, where it can say it."""
    parts = [re.escape(part) for part in _UNSEEN.split(planned)]
    return re.fullmatch(".*".join(parts), seen, re.DOTALL) is not None


def compare_world(watch: Observer, found: World, whole: bool = True) -> None:
    """The ranks of a world. `whole` is one of all pods, of which the plan knows who is which rank."""
    _sum(watch, found)
    _each_pod(watch, found)
    if whole:
        _planned(watch, found)
    _master(watch, found, whole)


def compare_startup(watch: Observer) -> None:
    """What the launchers were started with: command lines and variables."""
    pods = {one.hostname: one for one in watch.stage.pods if not one.server}
    lines: list[str] = []
    values: list[str] = []
    for member in watch.job.members:
        pod = pods.get(member.pod.hostname)
        if pod is not None:
            lines += _argv(member.container, pod)
            values += _env(member.container, pod)
    many = "each pod's" if len(pods) > 1 else "the pod's"
    watch.check(f"{many} command line is the plan's", not lines, lines[:_SHOWN] or _command(watch, pods))
    watch.check(f"{many} variables are the plan's", not values, values[:_SHOWN])


def _sum(watch: Observer, found: World) -> None:
    if watch.silent:
        return  # it adds up nothing that is known
    wrong = [one for one in found.ranks.values() if one.number("total") != found.size * (found.size + 1) // 2]
    expectation = f"an all-reduce adds the ranks up to {found.size * (found.size + 1) // 2}"
    watch.check(expectation, not wrong, [rank_line(one) for one in wrong[:1]])


def _each_pod(watch: Observer, found: World) -> None:
    """Of each pod a row of ranks that follow each other, as many as the plan says."""
    wrong = []
    of = {one.name: one.hostname for one in watch.stage.pods}
    planned = {one.pod.hostname: one.launch.processes for one in watch.job.members}
    for pod, ranks in found.pods().items():
        meant = planned.get(of.get(pod, ""))
        numbers = [one.rank for one in ranks]
        locals_ = [one.number("local_rank") for one in ranks]
        if meant is not None and len(ranks) != meant:
            wrong.append(f"{pod} has {len(ranks)} ranks, where the plan says {meant}")
        elif numbers != list(range(numbers[0] or 0, (numbers[0] or 0) + len(ranks))):
            wrong.append(f"{pod} has the ranks {', '.join(map(str, numbers))}")
        elif None not in locals_ and locals_ != list(range(len(ranks))):
            wrong.append(f"{pod} has the local ranks {', '.join(map(str, locals_))}")
    watch.check("each pod has as many ranks as planned, in a row", not wrong, wrong[:_SHOWN])


def _planned(watch: Observer, found: World) -> None:
    known = {one.pod.hostname: one.ranks for one in watch.job.members if one.ranks is not None}
    if not known or watch.job.alone:
        return
    of = {one.name: one.hostname for one in watch.stage.pods}
    wrong, right = [], []
    for pod, ranks in found.pods().items():
        planned = known.get(of.get(pod, ""))
        first, last = ranks[0].rank or 0, ranks[-1].rank or 0
        if planned is not None and planned != (first, last):
            wrong.append(f"{pod} has {_range(first, last)}, where the plan says {_range(*planned)}")
        right.append(f"{pod} has {_range(first, last)}")
    watch.check("each pod has the ranks that the plan gives it", not wrong, (wrong or right)[:_SHOWN])


def _range(first: int, last: int) -> str:
    return f"rank {first}" if first == last else f"ranks {first} to {last}"


def _master(watch: Observer, found: World, whole: bool) -> None:
    ranks = list(found.ranks.values())
    addresses = sorted({(one.text("master"), one.text("port")) for one in ranks})
    if watch.job.launcher == "none" or not any(address for address, _ in addresses):
        return
    stage = watch.job.plan.world_sizes[-1]
    plan = process_env(watch.job.first, watch.job.members, stage)
    name, port = plan.get("MASTER_ADDR", ""), plan.get("MASTER_PORT", "")
    if not whole and watch.job.launcher == "torchrun" and watch.job.backend != "static":
        name = ""  # whoever is the first of those that are there
    wrong = [f"{address}:{on}" for address, on in addresses if (name and not like(name, address)) or not like(port, on)]
    if len(addresses) > 1:
        wrong = [f"{one.facts.get('host')} has {one.text('master')}:{one.text('port')}" for one in ranks]
    expectation = f"all have the same MASTER_ADDR{f', {name}' if name and not _UNSEEN.fullmatch(name) else ''}"
    watch.check(expectation, not wrong, wrong[:_SHOWN])


def _argv(planned: Container, pod: PodState) -> Iterator[str]:
    seen = list(pod.argv)
    if len(planned.argv) != len(seen):
        yield f"{pod.name} was started with {len(seen)} words, where the plan has {len(planned.argv)}"
        return
    for meant, word in zip(planned.argv, seen, strict=True):
        if not like(meant, word):
            shown, expected = (" ".join(hide.redact_args([each])) for each in (word, meant))
            yield f"{pod.name}: {shown}, where the plan says {expected}"


def _command(watch: Observer, pods: dict[str, PodState]) -> list[str]:
    first = pods.get(watch.job.first.pod.hostname)
    if first is None:
        return []
    words = [word if len(word) < 80 and "\n" not in word else "…" for word in hide.redact_args(first.argv)]
    return [f"{first.name}: {' '.join(words)}"]


def _env(planned: Container, pod: PodState) -> Iterator[str]:
    for one in planned.env:
        if one.name not in pod.env:
            if not one.value.startswith(OPEN):  # what an optional reference leads to may be nowhere
                yield f"{pod.name} has no {one.name}, where the plan says {_safe(one.name, one.value)}"
        elif not like(one.value, pod.env[one.name]):
            seen = _safe(one.name, pod.env[one.name])
            yield f"{pod.name}: {one.name} is {seen}, where the plan says {_safe(one.name, one.value)}"
    if planned.env_from:
        return
    names = {one.name for one in planned.env}
    for name in pod.env:
        if name not in names and not _EVERYWHERE.fullmatch(name):
            yield f"{pod.name} has {name}, of which the plan knows nothing"


def _safe(name: str, value: str) -> str:
    return repr(hide.redact_value(name, value))
