"""Whether back ends start the same world: what the plans of one job say, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trainc.plan.container import Variable
from trainc.plan.normalize import RUN, normalize
from trainc.plan.plan import Plan
from trainc.plan.process_env import process_env
from trainc.plan.quantity import format_bytes, format_count
from trainc.plan.usage import SHM
from trainc.record import Record

# What a back end can't help: who counts the runs, names the pods, chooses the first size and ends the job.
EXPECTED = {
    "pods at first": "a StatefulSet or a PyTorchJob without an autoscaler, and an ElasticJob, has the workers it is "
    "given, with one it starts at the least; a Job and bare Pods have all of the most, and train with those that find "
    "room",
    "world at first": "as many as there are pods at first",
    "pods at most": "a StatefulSet or a PyTorchJob without an autoscaler, and an ElasticJob, has more workers when "
    "somebody scales it",
    "world at most": "as many as there are pods at most",
    "torchrun's restarts": "an elastic StatefulSet or PyTorchJob that is scaled down costs torchrun one each time, so "
    "it has more",
    "done": "a Job knows success, Pods only their own, a StatefulSet none at all; a PyTorchJob's is that of all "
    "workers, or of its Master, or, if it is elastic, that of any worker; an ElasticJob's that of all workers; a "
    "DeepSpeedJob's that of worker 0, which started all",
    "after a failure": "a Job counts the failures of each worker, a PyTorchJob the restarts in all its running pods "
    "together, as do an ElasticJob and a DeepSpeedJob; a StatefulSet restarts for ever, a bare Pod never",
    "the run's id": "a Job has a uid for each run; the others have their name, the same in every run",
    "the pods' names": "a Job adds random characters to them",
    "the workers' names": "an operator calls them by their role",
    "the Services": "an operator makes one for each pod, of the pod's name, which leads to it only while it is ready; "
    "elsewhere one leads to all and one to worker 0, ready or not",
    "the operator's variables": "the training operator gives them to every container, whether its program reads them "
    "or not",
    "ssh's own files": "T9k's operator brings keys and a hostfile of its own",
    "the operator's init container": "beside a Master, the training operator lets the workers look for its name first",
}
# What torchrun is told by variables or by arguments, and what is compared as it takes it.
_OPTIONS = ("PET_NNODES", "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID", "PET_MASTER_ADDR", "PET_MASTER_PORT")
# Where a worker that is reached by ssh has its key, the hostfile and what it notes.
_SSHD = ("/usr/sbin/sshd", "-D")
_SSH = ("/etc/trainc/ssh", "/etc/trainc/ssh-key", "/run/trainc")


class Difference(Record):
    """What isn't the same, and how it is on each back end."""

    aspect: str
    values: tuple[tuple[str, str], ...]

    @property
    def is_expected(self) -> bool:
        """Whether the back ends can't help it."""
        return self.aspect in EXPECTED


def differences(plans: Mapping[str, Plan]) -> list[Difference]:
    """All that differs between the plans of one job, by the names of their back ends.

    A paused job has no pods to compare but on those that keep them.
    """
    plans = {name: plan for name, plan in plans.items() if plan.workers}
    found = []
    stated = {each.name for plan in plans.values() for each in _own(plan)}
    facets: dict[str, Callable[[Plan], str | None]] = {
        **_FACETS,
        "variables": lambda plan: _variables(plan, stated),
        "the operator's variables": lambda plan: repr([name for name in _given(plan) if name not in stated]),
    }
    for what, get in facets.items():
        values = {name: value for name, plan in plans.items() if (value := get(plan)) is not None}
        if len(set(values.values())) > 1:
            found.append(Difference(aspect=what, values=tuple(values.items())))
    return found


def _at(stage: str, field: str) -> Callable[[Plan], str]:
    def get(plan: Plan) -> str:
        if stage == "at least" and plan.workers[0].launch.launcher == "none":
            return "any"
        place = {"at least": 0, "at first": len(plan.world_sizes) // 2, "at most": -1}[stage]
        return str(getattr(plan.world_sizes[place], field)) if plan.world_sizes else "none"

    return get


def _program(plan: Plan) -> str | None:
    """Of a process; None where an operator chooses how pods wait."""
    first = plan.workers[0].launch.program if plan.workers else ()
    if first == _SSHD:
        return None
    words = []
    for place, word in enumerate(first):
        last = word.rpartition("/")
        shared = place and first[place - 1] in ("--share_file", "--share-file")
        run = shared and last[2] == plan.name
        words.append(f"{last[0]}/{RUN}" if run else normalize(word, plan))
    return repr(words)


def _own(plan: Plan) -> list[Variable]:
    """Variables that a manifest itself says, of the first and last worker."""
    ends = plan.workers[:1] + plan.workers[-1:]
    return [each for one in ends for each in one.container.env if each.source not in plan.operators]


def _given(plan: Plan) -> list[str]:
    """Names of variables that only an operator says."""
    every = [each for one in plan.workers[:1] for each in one.container.env]
    return [each.name for each in every if each.source in plan.operators]


def _variables(plan: Plan, stated: set[str]) -> str:
    """Those of the first and last worker that some manifest says itself; not the index, which each back end has from
    elsewhere."""
    own = ("JOB_COMPLETION_INDEX", "TRAINC_INDEX", "TRAINC_RUN_ID", "PET_MAX_RESTARTS", "NODE_RANK")
    is_torchrun = bool(plan.workers) and plan.workers[0].launch.launcher == "torchrun"
    wanted = stated - {*own, *(_OPTIONS if is_torchrun else ())}
    return repr(
        [
            sorted(
                (each.name, normalize(each.value, plan, each.name)) for each in one.container.env if each.name in wanted
            )
            for one in (plan.workers[:1] + plan.workers[-1:])
        ]
    )


def _same_pods(plan: Plan, get: Callable[..., object]) -> str:
    """Of the pods that all back ends have: those at first may be fewer, and the late are like the last."""
    return repr([get(one) for one in plan.workers[:1]])


def _ranks(plan: Plan) -> str:
    return repr([one.ranks for one in plan.workers if one.ranks and one.pod.index < _least(plan)])


def _least(plan: Plan) -> int:
    """Pods that all back ends have; of an elastic job whose launcher isn't started, that is one."""
    if plan.workers and plan.workers[0].launch.launcher == "none":
        return 1
    return plan.world_sizes[0].pods if plan.world_sizes else 0


def _told(plan: Plan) -> str:
    found = process_env(plan.workers[0], plan.workers, plan.world_sizes[0])
    return repr({name: normalize(text, plan) for name, text in found.items()})


def _reach(plan: Plan) -> str:
    """Where the last worker is led by the name where all meet."""
    found, start = plan.rendezvous, plan.workers[0].launch
    behind = [] if found is None else [each.pod.hostname for each in plan.workers if each.position in found.pods]
    return repr(
        (normalize(start.rendezvous_host, plan), start.port, start.backend, [normalize(host, plan) for host in behind])
    )


def _services(plan: Plan, of_workers: bool) -> list[tuple[object, ...]]:
    workers = {one.position for one in plan.workers}
    found: list[tuple[object, ...]] = []
    for one in plan.services:
        behind = [each.pod.hostname for each in plan.workers[: _least(plan)] if each.position in one.pods]
        if bool(workers.intersection(one.pods)) is of_workers:
            found.append((one.name, one.headless, one.publishes_not_ready, one.ports, behind))
    return sorted(found, key=repr)


def _names(plan: Plan) -> str | None:
    """Services that lead to workers; None where they are the operator's."""
    return None if any(one.created_by for one in plan.services) else repr(_services(plan, of_workers=True))


def _before(plan: Plan, by_operator: bool) -> str:
    """Init containers of the last worker."""
    every = [each for one in plan.workers[-1:] for each in one.init_containers if bool(each.created_by) is by_operator]
    return repr([(each.name, each.image, [normalize(word, plan) for word in each.argv]) for each in every])


def _after_failure(plan: Plan) -> str:
    starts = ("a worker fails", "a worker exits", "the Master fails", "the Master exits")
    return "; ".join(one.effect for one in plan.failure_cases if one.trigger.startswith(starts))


def _done(plan: Plan) -> str:
    return "; ".join(f"when {one.trigger}: {one.effect}" for one in plan.failure_cases if "succeeded" in one.trigger)


def _run_id(plan: Plan) -> str:
    values = [each.value for one in plan.workers[:1] for each in one.container.env]
    words = [*values, *(word for one in plan.workers[:1] for word in one.launch.program)]
    uid = any("‹uid of" in word for word in words)
    named = any(each.name in ("TRAINC_RUN_ID", "PET_RDZV_ID") for one in plan.workers[:1] for each in one.container.env)
    shared = any(word in ("--share_file", "--share-file") for word in words)
    return "the Job's uid" if uid else "the job's name" if named or shared else "none"


def _pod_names(plan: Plan) -> str:
    """As the pods are told them, which few are."""
    one = plan.workers[0]
    return one.pod.name if any(one.pod.name in each.value for each in one.container.env) and "‹" in one.pod.name else ""


def _volumes(plan: Plan, of_ssh: bool) -> str:
    found = ((one.path, one.kind, one.source, one.read_only) for one in plan.volumes if (one.path in _SSH) is of_ssh)
    return repr(sorted(found))


_FACETS: dict[str, Callable[[Plan], str | None]] = {
    "pods at least": _at("at least", "pods"),
    "pods at first": _at("at first", "pods"),
    "pods at most": _at("at most", "pods"),
    "world at least": _at("at least", "world"),
    "world at first": _at("at first", "world"),
    "world at most": _at("at most", "world"),
    "ranks": _ranks,
    "launcher": lambda plan: _same_pods(
        plan, lambda one: (one.launch.launcher, one.launch.nodes, one.launch.processes)
    ),
    "program": _program,
    "told": _told,
    "meeting place": _reach,
    "names": _names,
    "names of servers": lambda plan: repr(_services(plan, of_workers=False)),
    "init containers": lambda plan: _before(plan, by_operator=False),
    "GPUs of a pod": lambda plan: _same_pods(plan, lambda one: format_count(one.usage.gpus)),
    "resources of a pod": lambda plan: _same_pods(plan, lambda one: sorted(one.usage.requests.items())),
    SHM: lambda plan: _same_pods(plan, lambda one: format_bytes(one.usage.shm)),
    "volumes": lambda plan: _volumes(plan, of_ssh=False),
    "image": lambda plan: _same_pods(plan, lambda one: one.container.image),
    "faults": lambda plan: repr([(one.where, one.message) for one in plan.findings]),
    "torchrun's restarts": lambda plan: str(plan.workers[0].launch.restarts),
    "done": _done,
    "after a failure": _after_failure,
    "the run's id": _run_id,
    "the pods' names": _pod_names,
    "the workers' names": lambda plan: plan.workers[0].pod.hostname,
    "the Services": lambda plan: (
        "one a pod" if any(one.created_by for one in plan.services) else "of all and of worker 0"
    ),
    "the operator's init container": lambda plan: _before(plan, by_operator=True),
    "ssh's own files": lambda plan: _volumes(plan, of_ssh=True),
}
