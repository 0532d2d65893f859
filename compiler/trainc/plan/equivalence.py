"""Whether back ends start the same world: what the plans of one job say, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trainc.plan.plan import Plan
from trainc.plan.quantity import count, size
from trainc.plan.told import full_name, told
from trainc.plan.usage import SHM
from trainc.record import Record

# What a back end can't help: who counts the runs, names the pods, chooses the first size and ends the job.
FORCED = {
    "pods at first": "a StatefulSet without an autoscaler has the workers it is given, with one it starts at "
    "the least; a Job and bare Pods have all of the most, and train with those that find room",
    "world at first": "as many as there are pods at first",
    "pods at most": "a StatefulSet without an autoscaler has more workers when somebody scales it",
    "world at most": "as many as there are pods at most",
    "torchrun's restarts": "an elastic StatefulSet that is scaled down costs torchrun one each time, so it has more",
    "done": "a Job knows success, Pods only their own, a StatefulSet none at all",
    "the run's id": "a Job has a uid for each run; the others have their name, the same in every run",
    "the pods' names": "a Job adds random characters to them",
}
_RUN = "‹the run's id›"
_ID = f"--rdzv_id={_RUN}"  # where an image's entrypoint is the launcher


class Difference(Record):
    """What isn't the same, and how it is on each back end."""

    what: str
    values: tuple[tuple[str, str], ...]

    @property
    def forced(self) -> bool:
        """Whether the back ends can't help it."""
        return self.what in FORCED


def differences(plans: Mapping[str, Plan]) -> list[Difference]:
    """All that differs between the plans of one job, by the names of their back ends.

    A paused job has no pods to compare but on those that keep them.
    """
    plans = {name: plan for name, plan in plans.items() if plan.members}
    found = []
    for what, get in _FACETS.items():
        values = {name: get(plan) for name, plan in plans.items()}
        if len(set(values.values())) > 1:
            found.append(Difference(what=what, values=tuple(values.items())))
    return found


def _at(stage: str, field: str) -> Callable[[Plan], str]:
    def get(plan: Plan) -> str:
        if stage == "at least" and plan.members[0].start.launcher == "none":
            return "any"
        place = {"at least": 0, "at first": len(plan.stages) // 2, "at most": -1}[stage]
        return str(getattr(plan.stages[place], field)) if plan.stages else "none"

    return get


def _runs(plan: Plan) -> list[tuple[str, str]]:
    """What only a Job has in the names of its pods and for the run, and what to compare instead."""
    if not plan.members:
        return []
    one = plan.members[0]
    run = one.pod.labels.get("batch.kubernetes.io/controller-uid", "")
    return [("-‹random›", "")] + ([(run, _RUN)] if run else [])


def _neutral(text: str, plan: Plan, name: str) -> str:
    """Without the run's id; elsewhere that is the job's name, alone in a variable or last in a path."""
    for given, instead in _runs(plan):
        text = text.replace(given, instead)
    if name in ("TRAINC_RUN_ID", "PET_RDZV_ID") and text == plan.name:
        return _RUN
    return text


def _program(plan: Plan) -> str:
    first = plan.members[0].start.program if plan.members else ()
    words = []
    for place, word in enumerate(first):
        last = word.rpartition("/")
        shared = place and first[place - 1] in ("--share_file", "--share-file")
        run = shared and last[2] == plan.name
        words.append(f"{last[0]}/{_RUN}" if run else _neutral(word.replace(f"--rdzv_id={plan.name}", _ID), plan, ""))
    return repr(words)


def _variables(plan: Plan) -> str:
    """Those of the first and last worker; not the index, which each back end has from elsewhere."""
    own = ("JOB_COMPLETION_INDEX", "TRAINC_INDEX", "TRAINC_RUN_ID", "PET_MAX_RESTARTS")
    return repr(
        [
            {each.name: _neutral(each.value, plan, each.name) for each in one.container.env if each.name not in own}
            for one in (plan.members[:1] + plan.members[-1:])
        ]
    )


def _same_pods(plan: Plan, get: Callable[..., object]) -> str:
    """Of the pods that all back ends have: those at first may be fewer, and the late are like the last."""
    return repr([get(one) for one in plan.members[:1]])


def _ranks(plan: Plan) -> str:
    return repr([one.ranks for one in plan.members if one.ranks and one.pod.index < _least(plan)])


def _least(plan: Plan) -> int:
    """Pods that all back ends have; of an elastic job whose launcher isn't started, that is one."""
    if plan.members and plan.members[0].start.launcher == "none":
        return 1
    return plan.stages[0].pods if plan.stages else 0


def _told(plan: Plan) -> str:
    if not plan.members:
        return "none"
    found = told(plan.members[0], plan.members, plan.stages[0])
    one = plan.members[0]
    if len(plan.members) == 1 and one.start.backend == "c10d" and found["MASTER_ADDR"] == full_name(one.pod):
        found["MASTER_ADDR"] = "‹itself›"  # a set's pod has a longer name
    return repr(found)


def _reach(plan: Plan) -> str:
    """Where the last worker is led by the name where all meet."""
    found, start = plan.meeting, plan.members[0].start
    behind = [] if found is None else [each.pod.hostname for each in plan.members if each.place in found.pods]
    return repr((start.meets, start.port, start.backend, behind))


def _services(plan: Plan) -> str:
    found = []
    for one in plan.services:
        behind = [each.pod.hostname for each in plan.members[: _least(plan)] if each.place in one.pods]
        found.append((one.name, one.headless, one.early, one.ports, behind))
    return repr(sorted(found))


def _done(plan: Plan) -> str:
    return "; ".join(f"when {one.when}: {one.then}" for one in plan.cases if "succeeded" in one.when)


def _run_id(plan: Plan) -> str:
    values = [each.value for one in plan.members[:1] for each in one.container.env]
    words = [*values, *(word for one in plan.members[:1] for word in one.start.program)]
    uid = any("‹uid of" in word for word in words)
    named = any(each.name in ("TRAINC_RUN_ID", "PET_RDZV_ID") for one in plan.members[:1] for each in one.container.env)
    shared = any(word in ("--share_file", "--share-file") for word in words)
    return "the Job's uid" if uid else "the job's name" if named or shared else "none"


def _pod_names(plan: Plan) -> str:
    """As the pods are told them, which few are."""
    one = plan.members[0]
    return one.pod.name if any(one.pod.name in each.value for each in one.container.env) and "‹" in one.pod.name else ""


def _volumes(plan: Plan) -> str:
    return repr(sorted((one.path, one.kind, one.of, one.read_only) for one in plan.volumes))


_FACETS: dict[str, Callable[[Plan], str]] = {
    "pods at least": _at("at least", "pods"),
    "pods at first": _at("at first", "pods"),
    "pods at most": _at("at most", "pods"),
    "world at least": _at("at least", "world"),
    "world at first": _at("at first", "world"),
    "world at most": _at("at most", "world"),
    "ranks": _ranks,
    "launcher": lambda plan: _same_pods(plan, lambda one: (one.start.launcher, one.start.nodes, one.start.processes)),
    "program": _program,
    "told": _told,
    "variables": _variables,
    "meeting place": _reach,
    "names": _services,
    "GPUs of a pod": lambda plan: _same_pods(plan, lambda one: count(one.usage.gpus)),
    "resources of a pod": lambda plan: _same_pods(plan, lambda one: sorted(one.usage.requests.items())),
    SHM: lambda plan: _same_pods(plan, lambda one: size(one.usage.shm)),
    "volumes": _volumes,
    "image": lambda plan: _same_pods(plan, lambda one: one.container.image),
    "faults": lambda plan: repr([(one.where, one.message) for one in plan.findings]),
    "torchrun's restarts": lambda plan: str(plan.members[0].start.restarts),
    "done": _done,
    "the run's id": _run_id,
    "the pods' names": _pod_names,
}
