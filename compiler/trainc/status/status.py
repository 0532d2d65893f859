"""Status of one job: its state, each worker with its problem, what the others do meanwhile, and the next steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType, ModuleType

from trainc.plan.fields import Object, identity, text
from trainc.plan.plan import Plan, plan
from trainc.plan.redact import Redactor
from trainc.plan.world import Worker, assign_ranks
from trainc.record import Record
from trainc.status import events as event_module
from trainc.status.absence import Consequence, consequences
from trainc.status.commands import Command, hang_commands, job_commands, stop_commands
from trainc.status.documents import latest
from trainc.status.events import Events
from trainc.status.live_jobs import LiveJob, live_jobs
from trainc.status.missing_pods import Creator, former_pods, missing_pod, queue_problem
from trainc.status.next_steps import next_steps, outcome_steps, reason_steps
from trainc.status.notes import notes
from trainc.status.phase import State, WorldNow, job_conditions, job_phase, job_state, summary, world_now
from trainc.status.pod_state import PodState, pod_state
from trainc.status.queries import Subject
from trainc.status.scheduling_steps import Step
from trainc.status.times import after
from trainc.status.workers import WorkerStatus, match_launcher, match_workers
from trainc.systems.registry import of_kind
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.shared.status import Condition, ControllerStatus, WorkerRecord
from trainc.well_known import JOB_LABEL

_UNPRINTED = frozenset(("manifest", "planned"))  # fields that are only read for the status
NO_FILES: Mapping[str, str] = MappingProxyType({})


class JobStatus(Record):
    """Status of a job at the time `now`.

    `owner` is kind and name of what controls the pods, `has_owner` whether that object is known. `conditions` are
    those of T9k's jobs, `object_conditions` those of the object. `launchers` is the pod that starts the processes of
    all workers, if it is not one of them. `deadline` is when the job fails if it still runs.
    """

    name: str
    namespace: str
    owner: tuple[str, str]
    has_owner: bool
    now: datetime
    state: State
    phase: str
    summary: str
    controller: ControllerStatus
    conditions: tuple[Condition, ...]
    plan: Plan
    world: WorldNow
    workers: tuple[WorkerStatus, ...]
    launchers: tuple[WorkerStatus, ...]
    servers: tuple[WorkerStatus, ...]
    consequences: tuple[Consequence, ...]
    deadline: datetime | None
    steps: tuple[Step, ...]
    commands: tuple[Command, ...]
    notes: tuple[str, ...]

    @property
    def retries(self) -> Retries | None:
        """Limit of retries; None if no controller has one."""
        return self.controller.retries


def job_statuses(objects: Iterable[Object], now: datetime, files: Mapping[str, str] = NO_FILES) -> list[JobStatus]:
    """Return the status of each job; `files` are the job files by the name of their job, as far as they are known."""
    current = latest(list(objects))
    events = Events(each for each in current if text(each, "kind") == event_module.KIND)
    return [_status(job, current, events, now, files) for job in live_jobs(current)]


def _status(job: LiveJob, objects: list[Object], events: Events, now: datetime, files: Mapping[str, str]) -> JobStatus:
    job_plan = plan(job.manifests, every_pod=True)
    worker_pods, launcher_pods = ([pod_state(each, events) for each in part] for part in (job.pods, job.launchers))
    pods = [*worker_pods, *launcher_pods]
    if job.owner and not any(each.pod.is_launcher for each in job_plan.servers):
        worker_pods, launcher_pods = pods, []  # the launcher is a worker, too
    controller, module = _controller_status(job, pods)
    worker_pods = worker_pods if pods else list(controller.recorded)
    workers = [_worker(each, job, controller, module, events) for each in match_workers(job_plan, worker_pods)]
    workers = _with_ranks(workers)
    if controller.retries and controller.retries.per_worker:
        used = max((each.record.failures or 0 for each in workers), default=0)
        controller = controller.replace(retries=controller.retries.replace(used=used))
    world = world_now(workers)
    launchers = [
        _worker(each, job, controller, module, events) for each in match_launcher(job_plan, launcher_pods, workers)
    ]
    servers = [_server(pod_state(each, events)) for each in job.servers]
    waits = queue_problem(job.owner, job.pods, controller, workers, objects, events)
    if waits:
        workers = [each.replace(problem=waits) if not each.runs else each for each in workers]
    state = job_state(controller, [*workers, *launchers], world, queued=waits is not None)
    clause = waits.message if waits else summary(state, controller, world)
    name = job.controller[1] or job_plan.name
    subject = _subject(job, name)
    has_ended, file = state in ("succeeded", "failed"), files.get(name, "")
    commands = list(job_commands(subject, workers, launchers, has_ended, controller.log))
    if job.owner or subject.name == name:  # else another object, which the input lacks, creates the controller again
        commands += stop_commands(subject, has_ended, file)
    if state in ("running", "scaled"):
        commands += hang_commands(subject, workers, launchers, now)
    return JobStatus(
        name=name,
        namespace=job.namespace,
        owner=job.controller,
        has_owner=bool(job.owner) or job.controller[0] == "Pod",
        now=now,
        state=state,
        phase=job_phase(state, controller, world),
        summary=clause,
        controller=controller,
        conditions=job_conditions(state, clause, controller, [*workers, *launchers]),
        plan=job_plan,
        world=world,
        workers=tuple(workers),
        launchers=tuple(launchers),
        servers=tuple(servers),
        consequences=() if controller.outcome else tuple(consequences(workers)),
        deadline=None if controller.outcome else after(controller.started, controller.deadline),
        steps=tuple(_steps(job, subject, state, controller, [*servers, *launchers, *workers])),
        commands=tuple(commands),
        notes=tuple(notes(job, job_plan, controller, events, pods, now)),
    )


def _subject(job: LiveJob, name: str) -> Subject:
    """Return the job as kubectl addresses it."""
    labels = (text(each, "metadata", "labels", JOB_LABEL) for each in (job.owner, *job.pods))
    label = next(filter(None, labels), "")
    system = of_kind(job.controller[0], job.api_version)
    return Subject(
        kind=job.controller[0],
        name=label or name,
        namespace=job.namespace,
        has_label=_is_compiled(job),
        group=job.api_version.rpartition("/")[0],
        pods_of=text(job.owner, "status", system.traits.status_label[1]) if system else "",
    )


def _is_compiled(job: LiveJob) -> bool:
    return any(text(each, "metadata", "labels", JOB_LABEL) for each in (job.owner, *job.pods))


def _controller_status(job: LiveJob, pods: Sequence[PodState]) -> tuple[ControllerStatus, ModuleType | None]:
    """Return what the object of a job says, and the `status` module that knows its workers; a delegate counts them."""
    module = _status_module(job.controller[0], job.api_version)
    status = module.observe(job.owner, pods) if module else ControllerStatus()
    if not job.delegate:
        return status, module
    module = _status_module(text(job.delegate, "kind"), text(job.delegate, "apiVersion"))
    inner = module.observe(job.delegate, pods) if module else ControllerStatus()
    return status.replace(retries=inner.retries, desired=inner.desired), module


def _status_module(kind: str, api_version: str) -> ModuleType | None:
    """Return the `status` module of the system of a kind; None if it has none."""
    system = of_kind(kind, api_version)
    if system is None or "status" not in system.parts:
        return None
    is_own = not api_version or api_version.partition("/")[0] in system.groups
    return system.part("status") if is_own else None


def _worker(
    worker: WorkerStatus, job: LiveJob, controller: ControllerStatus, module: ModuleType | None, events: Events
) -> WorkerStatus:
    """Add what the job's object and events say about a worker."""
    problem, former = worker.problem, tuple(former_pods(worker.name, {each.uid for each in worker.pods}, events))
    if worker.pod is None and worker.is_expected:
        problem = missing_pod(job.owner, controller, events, _creators(worker, job))
    counts = job.delegate or job.owner
    own = events.about(*identity(counts), text(counts, "metadata", "uid"))
    record = WorkerRecord()
    if module and hasattr(module, "worker_record"):
        record = module.worker_record(counts, worker.name, worker.pods, own)
    if record.former or (controller.outcome and worker.pod is None):  # that says more, or where the last one is
        former = (*record.former, *(each for each in former if each.code != "gone"))
    return worker.replace(
        problem=problem,
        former=former,
        record=record.replace(replacement=None) if controller.outcome else record,
    )


def _creators(worker: WorkerStatus, job: LiveJob) -> Iterator[Creator]:
    """Yield what should create a worker's pod: the Job that its label names, and the objects of the job."""
    if worker.planned and "job-name" in worker.planned.pod.labels:
        yield "Job", worker.planned.pod.labels["job-name"], ""
    yield from ((*identity(each), text(each, "metadata", "uid")) for each in (job.delegate, job.owner) if each)


def _server(pod: PodState) -> WorkerStatus:
    return WorkerStatus(name=pod.name, planned=None, pod=pod, problem=pod.problem, record=WorkerRecord(role="server"))


def _with_ranks(workers: Sequence[WorkerStatus]) -> list[WorkerStatus]:
    """Return the workers of an elastic job with the ranks that those which run now would have; others as planned."""
    launch = next((each.planned.launch for each in workers if each.planned), None)
    if launch is None or not launch.is_elastic:
        return list(workers)
    present: list[Worker] = [each.planned for each in workers if each.planned and each.runs]
    ranks = {each.position: each.ranks for each in assign_ranks(present)} if present else {}
    return [each.replace(ranks=ranks.get(each.planned.position) if each.planned else None) for each in workers]


def _steps(
    job: LiveJob, subject: Subject, state: State, controller: ControllerStatus, workers: Sequence[WorkerStatus]
) -> Iterator[Step]:
    is_compiled = _is_compiled(job)
    yield from reason_steps(controller)
    if state != "succeeded":
        yield from next_steps(workers, job.namespace, is_compiled)
    if state != "queued":
        has_pods = any(each.pod for each in workers)
        yield from outcome_steps(subject, controller, has_pods, is_compiled)


def redact_statuses(statuses: list[JobStatus], plan_too: bool) -> list[JobStatus]:
    """Return the statuses without secrets. Only pictures need the plan, of which they show each worker."""
    unprinted = _UNPRINTED if plan_too else _UNPRINTED | {"plan"}
    return [Redactor(status.plan.workers, unprinted)(status) for status in statuses]
