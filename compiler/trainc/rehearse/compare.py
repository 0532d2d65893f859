"""Comparison of what runs with `trainc plan`: ranks, rendezvous address, command lines and environments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.plan.container import Container
from trainc.plan.expand import OPEN, PLACEHOLDER
from trainc.plan.process_env import process_env
from trainc.plan.redact import redact_value
from trainc.plan.world import Worker
from trainc.rehearse.events import PodState
from trainc.rehearse.log_evidence import rank_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.worlds import World
from trainc.secrets.text import redact_args

# Variables of every pod: its own name, and those of Services through enableServiceLinks.
# https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables
_EVERY_POD = re.compile(
    r"(?=\w+\Z)(?:HOSTNAME|PATH|HOME|KUBERNETES_.+|.+_SERVICE_(?:HOST|PORT)(?:_.+)?|.+_PORT(?:_\d+_.+)?)"
)
_MAX_EVIDENCE = 4  # lines


def matches(planned: str, actual: str) -> bool:
    """Return whether a value is the planned one; placeholders match anything."""
    parts = [re.escape(part) for part in PLACEHOLDER.split(planned)]
    return re.fullmatch(".*".join(parts), actual, re.DOTALL) is not None


def compare_world(observer: Observer, world: World, is_full: bool = True) -> None:
    """Compare a world's ranks with the plan. Who has which rank is only planned for the full number of pods."""
    if not observer.ranks_from_env:  # only the probe runs a known all-reduce
        expected = world.size * (world.size + 1) // 2
        wrong = [rank_line(rank) for rank in world.ranks.values() if rank.number("sum") != expected]
        observer.check(f"an all-reduce returns {expected}", not wrong, wrong[:1])
    _compare_counts(observer, world)
    if is_full:
        _compare_ranks(observer, world)
    _compare_master(observer, world, is_full)


def compare_startup(observer: Observer) -> None:
    """Compare the command lines and environments of the launchers with the plan."""
    pods = {pod.hostname: pod for pod in observer.session.pods if not pod.server}
    running = [(w.container, pods[w.pod.hostname]) for w in observer.job.workers if w.pod.hostname in pods]
    arguments = [line for planned, pod in running for line in _argv_differences(planned, pod)]
    variables = [line for planned, pod in running for line in _env_differences(planned, pod)]
    owner = "each pod's" if len(pods) > 1 else "the pod's"
    evidence = arguments[:_MAX_EVIDENCE] or _command_line(observer, pods)
    observer.check(f"{owner} command line matches the plan", not arguments, evidence)
    observer.check(f"{owner} environment matches the plan", not variables, variables[:_MAX_EVIDENCE])


def _compare_counts(observer: Observer, world: World) -> None:
    """Expect consecutive ranks on each pod, as many as planned."""
    differences = []
    for pod, events in world.ranks_by_pod().items():
        worker = _worker(observer, pod)
        count = worker.launch.processes if worker else None
        ranks = [event.rank for event in events]
        local_ranks = [event.number("local_rank") for event in events]
        first = ranks[0] or 0
        if count is not None and len(events) != count:
            differences.append(f"{pod} has {len(events)} ranks, expected {count}")
        elif ranks != list(range(first, first + len(events))):
            differences.append(f"{pod} has the ranks {', '.join(map(str, ranks))}")
        elif None not in local_ranks and local_ranks != list(range(len(events))):
            differences.append(f"{pod} has the local ranks {', '.join(map(str, local_ranks))}")
    expectation = "each pod has the planned number of consecutive ranks"
    observer.check(expectation, not differences, differences[:_MAX_EVIDENCE])


def _compare_ranks(observer: Observer, world: World) -> None:
    if observer.job.is_independent or not any(worker.ranks for worker in observer.job.workers):
        return
    differences, lines = [], []
    for pod, events in world.ranks_by_pod().items():
        worker, ranks = _worker(observer, pod), (events[0].rank or 0, events[-1].rank or 0)
        lines.append(f"{pod} has {_rank_range(*ranks)}")
        if worker and worker.ranks and worker.ranks != ranks:
            differences.append(f"{lines[-1]}, expected {_rank_range(*worker.ranks)}")
    observer.check("each pod has its planned ranks", not differences, (differences or lines)[:_MAX_EVIDENCE])


def _worker(observer: Observer, pod: str) -> Worker | None:
    hostname = next((state.hostname for state in observer.session.pods if state.name == pod), "")
    return next((worker for worker in observer.job.workers if worker.pod.hostname == hostname), None)


def _rank_range(first: int, last: int) -> str:
    return f"rank {first}" if first == last else f"ranks {first} to {last}"


def _compare_master(observer: Observer, world: World, is_full: bool) -> None:
    job = observer.job
    ranks = list(world.ranks.values())
    addresses = sorted({(rank.text("master"), rank.text("port")) for rank in ranks})
    if job.launcher is None or not any(address for address, _ in addresses):
        return
    planned = process_env(job.first, job.workers, job.plan.world_sizes[-1])
    variable, launch = "MASTER_ADDR", job.first.launch
    name, port = planned.get("MASTER_ADDR", ""), planned.get("MASTER_PORT", "")
    # A launcher with other variables. Processes that the program starts choose their own.
    if "MASTER_ADDR" not in planned and job.launcher.processes_field:
        variable, name = "the coordinator", launch.rendezvous_host
        port = "" if launch.port is None else str(launch.port)
    if not is_full and job.backend not in ("", "static"):
        name = ""  # any of the remaining workers may be rank 0
    wrong = [
        f"{addr}:{p}" for addr, p in addresses if (name and not matches(name, addr)) or (port and not matches(port, p))
    ]
    if len(addresses) > 1:
        wrong = [f"{rank.fields.get('host')} has {rank.text('master')}:{rank.text('port')}" for rank in ranks]
    is_known = name and not PLACEHOLDER.fullmatch(name)
    expectation = f"all ranks have {variable} {name}" if is_known else f"all ranks have the same {variable}"
    observer.check(expectation, not wrong, wrong[:_MAX_EVIDENCE])


def _argv_differences(planned: Container, pod: PodState) -> Iterator[str]:
    if len(planned.argv) != len(pod.argv):
        yield f"{pod.name} has {len(pod.argv)} arguments, expected {len(planned.argv)}"
        return
    for expected, actual in zip(planned.argv, pod.argv, strict=True):
        if not matches(expected, actual):
            yield f"{pod.name}: {redact_args([actual])[0]}, expected {redact_args([expected])[0]}"


def _command_line(observer: Observer, pods: dict[str, PodState]) -> list[str]:
    pod = pods.get(observer.job.first.pod.hostname)
    if pod is None:
        return []
    arguments = [word if len(word) < 80 and "\n" not in word else "…" for word in redact_args(pod.argv)]
    return [f"{pod.name}: {' '.join(arguments)}"]


def _env_differences(planned: Container, pod: PodState) -> Iterator[str]:
    for variable in planned.env:
        name, expected = variable.name, _redacted(variable.name, variable.value)
        if name not in pod.env:
            if not variable.value.startswith(OPEN):  # the target of an optional reference may not exist
                yield f"{pod.name} has no {name}, expected {expected}"
        elif not matches(variable.value, pod.env[name]):
            yield f"{pod.name}: {name} is {_redacted(name, pod.env[name])}, expected {expected}"
    if planned.env_from:
        return
    names = {variable.name for variable in planned.env}
    for name in pod.env:
        if name not in names and not _EVERY_POD.fullmatch(name):
            yield f"{pod.name} has {name}, which isn't planned"


def _redacted(name: str, value: str) -> str:
    return repr(redact_value(name, value))
