"""Translate an MPIJob of Kubeflow's MPI operator, v2beta1.

https://github.com/kubeflow/mpi-operator/tree/v0.8.2/pkg/apis/kubeflow/v2beta1. The launcher's command is mpirun with a
program, or a program that only the launcher pod runs, and that starts all processes itself.
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.diagnostics.remedy import remove
from trainc.launchers.mpirun.reader import LauncherPodFacts, MpirunCommand, read_mpirun
from trainc.source.node import Mapping, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.mpijob.facts import (
    HOSTFILE,
    IDLE,
    IMPLEMENTATIONS,
    LAUNCHER,
    RESTART_POLICIES,
    SSH_FOLDER,
    SSHD,
    WORKER,
)
from trainc.systems.mpijob.fields import FIELDS, ROLES, RUN_POLICY
from trainc.systems.mpijob.reader.launcher import LauncherRole, read_launcher
from trainc.systems.shared.kubeflow.pod_metadata import report_pod_metadata
from trainc.systems.shared.kubeflow.reader import translate_run_policy
from trainc.systems.shared.reader.command import split_python
from trainc.systems.shared.reader.env import with_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.own_command import read_own_command
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.replicas import count_node
from trainc.systems.shared.reader.tree import child, items

NAMES = {
    **{job: field.path for job, field in FIELDS.items()},
    "launcherPod.resources": "resources",  # of the launcher's container
    "launcherPod.workerCommand": "command",  # of the workers' container
}
SLOTS, IMPLEMENTATION = FIELDS["launch.mpirun.slotsPerWorker"].name, FIELDS["launcherPod.mpiImplementation"].name
FOLDER = FIELDS["launcherPod.sshAuthMountPath"].name


def translate(job: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(job)
    spec = job.section("spec")
    roles = spec.section(ROLES) if spec is not None else None
    launcher, worker = (roles.section(name) if roles is not None else None for name in (LAUNCHER, WORKER))
    templates = [role.section("template") if role is not None else None for role in (launcher, worker)]
    for name, template in zip((LAUNCHER, WORKER), templates, strict=True):
        if template is None:
            where = (roles or spec or job).node.span.first
            job.report.add_error(f"the job has no `spec.{ROLES}.{name}.template`", where)
    if spec is None or roles is None or launcher is None or worker is None or None in templates:
        return None
    assert templates[0] is not None
    assert templates[1] is not None
    main = translate_pod(templates[1], ())
    own = read_launcher(templates[0], templates[1])
    if main is None or own is None:
        return None
    report_pod_metadata(job, templates[1])
    replicas = worker.integer("replicas") or 0
    workers = count_node(worker, "replicas", replicas + _own_ranks(spec))
    launcher.ignore("replicas")
    placement = main.fields["scheduling"]
    run_policy = translate_run_policy(
        spec.section(RUN_POLICY), FIELDS, replicas + 1, placement, queued=queue is not None
    )
    env = own.merged_env(main)
    mpirun = _mpirun(spec, workers, own, main)
    launch: dict[str, Any] = {"basic": {Text("nprocPerNode", spec.key(SLOTS).span): _slots(spec)}}
    run = own.run
    if mpirun is not None:
        launch, run = _launch(spec, mpirun, main), dict([split_python(mpirun.program)])
        env = with_values(env, mpirun.env)
    own_launch = read_own_command(own.run["exec"]) if job.report.is_own and "exec" in own.run else None
    if own_launch is not None and own_launch[2]:
        name, launcher_fields, kind, program = own_launch
        launch, run = {name: {**launcher_fields, "slotsPerWorker": _slots(spec)}}, {kind: program}
    launcher_pod = _launcher_pod(spec, main, own, has_launcher=bool(mpirun or own_launch))
    fields: dict[str, Any] = {
        "launch": launch,
        "run": run,
        "workers": workers if workers.value != 1 else None,
        "env": env,
        Text("launcherPod", roles.key(LAUNCHER).span): launcher_pod,
        **run_policy,
        "mode": run_policy["mode"] or own.mode,
        "lifecycle": {**run_policy["lifecycle"], **_lifecycle(spec, launcher, worker)},
    }
    _note_start(spec)
    return assemble_from_pod(metadata, queue, main, fields, job.node.span.first)


def _mpirun(spec: ForeignMapping, workers: Any, own: LauncherRole, main: TranslatedPod) -> MpirunCommand | None:
    """Return the launcher's command if it is mpirun with a program, and fields can express it."""
    if "exec" not in own.run:
        return None
    variables = [scalar_text(child(item, "name")) for item in items(main.container.node.get("env"))]
    slots = _slots(spec)
    pod = LauncherPodFacts(
        workers=int(workers.text),
        slots=1 if slots is None else int(slots.text),
        hostfile=HOSTFILE,
        implementation=str(spec.choice(IMPLEMENTATION, IMPLEMENTATIONS) or IMPLEMENTATIONS[0]),
        variables=tuple(dict.fromkeys((*variables, *own.env))),
        is_root=f"{spec.string('sshAuthMountPath') or SSH_FOLDER}/".startswith("/root/"),
    )
    return read_mpirun(own.run["exec"], pod, spec.report)


def _launch(spec: ForeignMapping, mpirun: MpirunCommand, main: TranslatedPod) -> dict[str, Any]:
    """Return launch.mpirun; the default of its slots is the number of GPUs."""
    slots, gpus = _slots(spec), "gpu" in (main.fields.get("resources") or {})
    if slots is None and gpus:
        slots = Scalar(1, "1", spec.position(SLOTS))
    return {"mpirun": {Text("slotsPerWorker", spec.key(SLOTS).span): slots, **mpirun.fields}}


def _slots(spec: ForeignMapping) -> Scalar | None:
    slots = spec.integer(SLOTS)
    return None if slots in (None, 1) else Scalar(slots, str(slots), spec.where(SLOTS))


def _own_ranks(spec: ForeignMapping) -> int:
    """Return how many more workers the job needs, if the launcher is one."""
    if not spec.boolean("runLauncherAsWorker"):
        return 0
    message = "the launcher is a pod of its own: the job has one more worker in place of runLauncherAsWorker"
    spec.report.add_change(message, spec.where("runLauncherAsWorker"))
    return 1


def _launcher_pod(
    spec: ForeignMapping, main: TranslatedPod, own: LauncherRole, has_launcher: bool
) -> dict[str, Any] | None:
    """Return the section; without a launcher an empty one says that only the launcher pod runs the program."""
    folder = spec.string(FOLDER)
    implementation = spec.choice(IMPLEMENTATION, IMPLEMENTATIONS)
    command: list[Text] = [*main.command, *main.args]
    if main.args and not main.command:
        why = "the image's entrypoint, which reads them, is not known"
        main.container.drop("args", why)
        if main.args[0].rpartition("/")[2] in IDLE:
            where = main.container.where("args")
            message = f"the workers run `{main.args[0]}` and no sshd: the operator starts it without command and args"
            fault = error(codes.COMMAND_REPLACES_SSHD, message, where, help="remove it", remedy=remove(where))
            main.container.report.faults.append(fault)
        command = []
    fields: dict[str, Any] = {
        "resources": own.resources,
        spec.key(IMPLEMENTATION): implementation if implementation != IMPLEMENTATIONS[0] else None,
        spec.key(FOLDER): folder if folder != SSH_FOLDER else None,
        Text("workerCommand", main.container.key("command").span): command if tuple(command) != SSHD else None,
    }
    fields = {name: value for name, value in fields.items() if value}
    return fields or (None if has_launcher else {"mpiImplementation": IMPLEMENTATIONS[0]})


def _lifecycle(spec: ForeignMapping, launcher: ForeignMapping, worker: ForeignMapping) -> dict[str, Any]:
    """Return the launcher's restarts, and what becomes of the workers: their sshd never ends by itself."""
    policy = launcher.choice("restartPolicy", RESTART_POLICIES) or "OnFailure"
    of_workers = worker.choice("restartPolicy", RESTART_POLICIES)
    if of_workers != "OnFailure":
        where = worker.where("restartPolicy") if of_workers else worker.node.span.first
        message = "restartPolicy of the Worker becomes OnFailure: a killed sshd is restarted for the next launcher"
        worker.report.add_change(message, where)
    clean = child(spec.node, RUN_POLICY, "cleanPodPolicy")
    fields: dict[str, Any] = {}
    if scalar_text(clean) in ("", "None"):
        where = clean.span if clean is not None else spec.key(RUN_POLICY).span
        fields["cleanPodPolicy"] = Scalar("None", "None", where)
    if policy == "OnFailure":
        where = launcher.position("restartPolicy")
        fields["restartPolicy"] = Scalar("OnFailure", "OnFailure", where)
    return fields


def _note_start(spec: ForeignMapping) -> None:
    """Report the start of the launcher. With a gang it must exist from the start, or no pod is ever scheduled."""
    policy, group = spec.string("launcherCreationPolicy"), child(spec.node, RUN_POLICY, "schedulingPolicy")
    if group is None and policy != "WaitForWorkersReady":
        where = policy.span if policy is not None else spec.node.span.first
        spec.report.add_change("the launcher starts when all workers are ready: WaitForWorkersReady", where)
    elif group is not None and policy == "WaitForWorkersReady":
        least, replicas = child(group, "minAvailable"), child(spec.node, ROLES, WORKER, "replicas")
        numbers = [parse_count(scalar_text(each)) or 0 for each in (least, replicas)]
        if least is None or numbers[0] > numbers[1]:
            message = "no pod is ever scheduled: the gang includes the launcher, which waits for ready workers"
            remedy = remove(policy.span)
            fault = error(codes.LAUNCHER_WAITS_FOR_GANG, message, policy.span, help="remove it", remedy=remedy)
            spec.report.faults.append(fault)
