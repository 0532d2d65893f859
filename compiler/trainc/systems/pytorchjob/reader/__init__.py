"""Translate a PyTorchJob of the training operator, v1.

https://github.com/kubeflow/training-operator/tree/release-1.9/pkg/controller.v1/pytorch; the translated job has the
same meaning as the job with the operator's defaults and variables.
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.torchrun.options import TORCHELASTIC_RESTARTS
from trainc.launchers.torchrun.traits import TORCHELASTIC
from trainc.source.node import Mapping, scalar_text
from trainc.systems.pytorchjob.dialects import dialect_of
from trainc.systems.pytorchjob.facts import (
    CONTAINER,
    INDEX_LABEL,
    PORT_NAME,
    SET_BY_ANY_POLICY,
    SET_BY_FIELDS,
    WORKER,
)
from trainc.systems.pytorchjob.fields import ELASTIC_POLICY, FIELDS, PROCESSES, ROLES, RUN_POLICY
from trainc.systems.pytorchjob.reader.elastic_policy import elastic_launcher, translate_elastic_policy
from trainc.systems.pytorchjob.reader.injected_env import (
    custom_port,
    injected_env,
    processes_per_pod,
    report_lost_variables,
    translate_labels,
)
from trainc.systems.pytorchjob.reader.roles import MergedRoles, merge_roles
from trainc.systems.shared.kubeflow.pod_metadata import report_pod_metadata
from trainc.systems.shared.kubeflow.reader import translate_run_policy
from trainc.systems.shared.reader.command import TranslatedCommand, translate_command
from trainc.systems.shared.reader.env import with_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.hidden_torchrun import variables_for_hidden_torchrun
from trainc.systems.shared.reader.host_names import report_lost_host_names
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.own_world import World, field_variables, host_names, translate_own_world
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.replicas import WorkerBounds
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child

NAMES = {job: field.path for job, field in FIELDS.items()}
FIELDS_WITH_SELECTORS = ("affinity", "topologySpreadConstraints")


def translate(job: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(job)
    spec, dialect = job.section("spec"), dialect_of(scalar_text(job.node.get("apiVersion")))
    roles = merge_roles(spec, dialect.always_set + dialect.set_with_master) if spec is not None else None
    if spec is None or roles is None:
        if not job.report.failed:
            job.report.add_error(f"the job has no `spec.{ROLES}`", job.where("kind"))
        return None
    policy = spec.section(ELASTIC_POLICY)
    injected = dialect.always_set + (dialect.set_with_master if roles.has_master else ())
    if policy is not None:
        injected += (*SET_BY_ANY_POLICY, *(name for field, name in SET_BY_FIELDS.items() if field in policy))
    main = translate_pod(roles.template, (CONTAINER,), injected, PORT_NAME)
    if main is None:
        return None
    if scalar_text(main.container.node.get("name")) != CONTAINER:
        message = f"no container is named `{CONTAINER}`, as the operator requires; the first container is used"
        job.report.add_change(message, main.container.where("name"))
    report_pod_metadata(job, roles.template)
    placement = main.fields["scheduling"]
    placement |= {name: translate_labels(placement[name], job.report) for name in FIELDS_WITH_SELECTORS}
    name, port = scalar_text(metadata.get("name")), custom_port(main)
    bounds = WorkerBounds(minimum=roles.total, maximum=roles.total, workers=roles.count)
    if policy is not None:
        bounds = translate_elastic_policy(policy, roles, f"{name}-worker-0", main, port, dialect)
        if not roles.workers and child(spec.node, ROLES, WORKER) is None:
            job.report.add_error(f"`{ELASTIC_POLICY}` requires a Worker", spec.where(ELASTIC_POLICY))
    else:
        bounds = elastic_launcher(roles, main) or bounds
    processes = processes_per_pod(spec, bounds, dialect)
    environment = injected_env(name, roles, bounds, main, processes, port, dialect)
    command = translate_command(main, environment)
    is_own = policy is None and (not roles.has_master or ("torchrun" in command.launch and not dialect.has_processes))
    world = _own_world(metadata, main, roles, bounds)
    command, own_port = translate_own_world(main, world, command, job.report) if is_own else (command, None)
    main.fields["env"] = translate_labels(main.fields["env"], job.report)
    if bounds.elastic and "torchrun" in command.launch:
        _set_default_restarts(command.launch["torchrun"])
    if policy is not None and roles.has_master:
        job.report.add_change("the Master counts as one of the elastic workers", roles.count.span)
    run_policy = translate_run_policy(
        spec.section(RUN_POLICY), FIELDS, bounds.minimum, placement, queued=queue is not None
    )
    _translate_pod_deadline(run_policy["lifecycle"].get("activeDeadlineSeconds"), main.patch, job.report)
    report_lost_host_names(name, "(?:master|worker)-[0-9]+", command.run, main)
    report_lost_variables(injected, main.patch, job.report)
    single = roles.total == 1 and policy is None
    hidden = (
        variables_for_hidden_torchrun(command, roles.has_master, single, processes) if dialect.has_processes else {}
    )
    command = command.replace(env={**command.env, **hidden})
    _report_processes(spec, environment, command)
    launch = command.launch
    if "basic" in launch:
        launch = {"basic": {**launch["basic"], "port": own_port or port}}
    fields: dict[str, Any] = {
        "launch": launch,
        "run": command.run,
        "workers": bounds.workers if bounds.workers.value != 1 or bounds.elastic else None,
        "elastic": bounds.elastic,
        "env": with_values(main.fields["env"], {**command.env, **_unbuffered(command)}),
        **run_policy,
        "lifecycle": {**run_policy["lifecycle"], **roles.lifecycle},
    }
    return assemble_from_pod(metadata, queue, main, fields, job.node.span.first)


def _own_world(metadata: dict[str, Any], main: TranslatedPod, roles: MergedRoles, bounds: WorkerBounds) -> World:
    """Return the world of pods for which the operator sets no variables.

    Next to a Master alone it sets WORLD_SIZE, RANK and the address, in an elastic job those of torchrun:
    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    host = f"{scalar_text(metadata.get('name'))}-{'master' if roles.has_master else 'worker'}-0"
    index = () if roles.has_master else field_variables(main.fields["env"], (f"metadata.labels['{INDEX_LABEL}']",))
    low, high = bounds.minimum, bounds.maximum
    return World(
        hosts=host_names(host, scalar_text(metadata.get("namespace"))),
        total=roles.total,
        nodes=f"{low}:{high}" if low < high else str(high),
        index=index,
    )


def _set_default_restarts(options: dict[str, Any]) -> None:
    """Set the launcher's own default, where trainc's is another one: in an elastic job."""
    options.setdefault("maxRestarts", TORCHELASTIC_RESTARTS if options.get("module") == TORCHELASTIC else 0)


def _translate_pod_deadline(deadline: Any, patch: dict[str, Any], report: TranslationReport) -> None:
    """Remove the pods' deadline if it is the job's, which makes the operator check it; report a job without it.

    UpdateJobStatus of pytorchjob_controller.go calls AddAfter, which does nothing: pkg/common/util/fake_workqueue.go.
    """
    if deadline is None:
        return
    fields = patch.get("spec", {})
    pods = fields.get("activeDeadlineSeconds")
    if pods is None:
        message = "`activeDeadlineSeconds` is ignored until a pod or the job changes, for up to 10 h: the operator does"
        message += " not wake up at the deadline"
        report.add_ignored(message, deadline.span, "set `activeDeadlineSeconds` in the pod template, too")
    elif scalar_text(pods) == scalar_text(deadline):
        del fields["activeDeadlineSeconds"]
        if not fields:
            del patch["spec"]


def _unbuffered(command: TranslatedCommand) -> dict[str, str]:
    """Return the operator's PYTHONUNBUFFERED for programs that trainc and torchrun do not start with `python -u`."""
    starts_python = "basic" in command.launch or "WORLD_SIZE" in command.env  # the latter: a script next to torchrun
    return {"PYTHONUNBUFFERED": "1"} if starts_python and not {"exec", "entrypoint"}.isdisjoint(command.run) else {}


def _report_processes(spec: ForeignMapping, environment: InjectedEnv, command: TranslatedCommand) -> None:
    """Report the effect of nprocPerNode on programs other than torchrun: the operator multiplies WORLD_SIZE by it."""
    if (parse_count(scalar_text(spec.node.get(PROCESSES))) or 0) < 2:
        return
    where = spec.where(PROCESSES)
    if "WORLD_SIZE" in command.env:
        size = command.env["WORLD_SIZE"]
        message = f"WORLD_SIZE is fixed at {size}, workers times nprocPerNode, while RANK counts workers"
        help_ = "update it when workers changes"
        spec.report.add_change(message, where, help=help_, elsewhere=environment.sets_master_addr)
    elif "basic" in command.launch and not environment.sets_master_addr and "PET_NPROC_PER_NODE" not in command.env:
        spec.drop(PROCESSES, "only torchrun reads it")
